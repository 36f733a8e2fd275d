/* direct.h - executing the stepped instruction within the handler, without a trap
 *
 * A trap takes microseconds, in a virtual machine tens of them.  So a copy of an
 * ordinary instruction is executed between two switches of the registers, which are
 * those of the signal frame, and branches are only worked out.  Instructions that are
 * not known to be ordinary are left to the trap flag.  Private to the soft source.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_DIRECT_H
#define RC_CAMPAIGN_SOURCES_SOFT_DIRECT_H

#include "campaign/sources/soft/count.h"

/* Copies of instructions, in memory that can be executed: of each decoded one. */
struct rc_soft_direct {
    uint8_t *code; /* NULL: all instructions trap */
};

/* Where memory cannot be made executable, or calls have a second stack of the
 * processor's own, nothing is executed here.
 */
void rc_soft_direct_init(struct rc_soft_direct *direct);
void rc_soft_direct_fini(struct rc_soft_direct *direct);

/* Executes the instruction that comes next, which was counted; false: it has to trap.
 */
bool rc_soft_direct_go(struct rc_soft_direct *direct,
                       const struct rc_soft_decoder *decoder,
                       const struct rc_soft_counter *counter, struct rc_soft_insn *insn,
                       ucontext_t *context);

#endif

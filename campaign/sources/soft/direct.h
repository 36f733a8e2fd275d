/* direct.h - executing the stepped instruction within the handler, without a trap
 *
 * A trap takes microseconds, in a virtual machine tens of them.  So the handler
 * executes a copy of an ordinary instruction with the registers of the signal frame,
 * and works out where branches go.  Instructions that are not known to be ordinary are
 * left to the trap flag.  Private to the soft source.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_DIRECT_H
#define RC_CAMPAIGN_SOURCES_SOFT_DIRECT_H

#include "campaign/sources/soft/count.h"

/* Copies of decoded instructions, in memory that can be executed. */
struct rc_soft_direct {
    uint8_t *code; /* NULL: all instructions trap */
};

/* Where memory cannot be made executable, or the processor keeps a shadow stack, all
 * instructions trap.
 */
void rc_soft_direct_init(struct rc_soft_direct *direct);
void rc_soft_direct_fini(struct rc_soft_direct *direct);

/* Executes the next instruction, which was counted already; false: it has to trap. */
bool rc_soft_direct_go(struct rc_soft_direct *direct,
                       const struct rc_soft_decoder *decoder,
                       const struct rc_soft_counter *counter, struct rc_soft_insn *insn,
                       ucontext_t *context);

#endif

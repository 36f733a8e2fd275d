/* count.h - what one executed instruction adds to the counters
 *
 * Private to the soft source; all but init() and fini() are safe in a signal
 * handler.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_COUNT_H
#define RC_CAMPAIGN_SOURCES_SOFT_COUNT_H

#include "campaign/sources/soft/caches.h"
#include "campaign/sources/soft/insn.h"
#include "campaign/sources/soft/predictor.h"

#include <ucontext.h>

/* Where the signal frame keeps the vector state for which the type of fpregs has no
 * members: in bytes from its start; 0: the processor has no such component.
 */
struct rc_soft_frame_layout {
    uint32_t ymm_high;     /* bits 128 to 255 of vector registers 0 to 15 */
    uint32_t k;            /* mask registers */
    uint32_t zmm_high;     /* bits 256 to 511 of vector registers 0 to 15 */
    uint32_t zmm_16_to_31; /* vector registers 16 to 31, whole */
};

/* The choices of the source's argument. */
struct rc_soft_options {
    struct rc_geometry geometry; /* sizes of the simulated caches, lines and pages */
    uint32_t dtlb_ways;
    bool next_line;             /* a miss in L1D prefetches the next line */
    uint32_t predictor_entries; /* of each table, a power of two */
    uint32_t window;            /* instructions walked on a wrong path */
    bool trapped;               /* each instruction traps: a check of direct.h */
};

/* The counters of all events, and the state that they are counted from. */
struct rc_soft_counter {
    uint64_t count[RC_SOFT_EVENT_MAX]; /* by number of the event */
    struct rc_soft_caches caches;
    struct rc_soft_predictor predictor;
    struct rc_soft_frame_layout frame;
    uint64_t line_bytes, page_bytes; /* to see accesses that cross an end */
    uint64_t fs_base, gs_base;       /* of the stepped thread */
    uint32_t window;                 /* as in the options */
    uint64_t unwritten;     /* transactions left to write when the counts were 0 */
    uint64_t page_seen[64]; /* pages that code ran on, by number: safe to decode */
};

int rc_soft_counter_init(struct rc_soft_counter *counter,
                         const struct rc_soft_options *options, struct rc_error *err);
void rc_soft_counter_fini(struct rc_soft_counter *counter);
void rc_soft_counter_zero(struct rc_soft_counter *counter); /* the counts only */
/* Called at the end: sets SIM_MEMORY_DRAINED to the writes so far and those still to
 * come from lines that became dirty since the counts were 0.
 */
void rc_soft_counter_drain(struct rc_soft_counter *counter);
void rc_soft_counter_reset(struct rc_soft_counter *counter); /* simulators too */

/* The signal frame: indices of registers in it (REG_RAX, ...) by the numbers that
 * instructions use; and the components of the vector state that it has room for, as a
 * set of bits.
 */
extern const uint8_t rc_soft_greg[16];
uint64_t rc_soft_frame_states(const ucontext_t *context);

/* The address of a memory operand that has no vector of indices. */
uint64_t rc_soft_address(const struct rc_soft_counter *counter,
                         const ucontext_t *context,
                         const struct rc_soft_access *access);

/* Counts 'insn', about to execute with these registers.  'again': it is a
 * further iteration of the repeated string instruction counted last.
 */
void rc_soft_count(struct rc_soft_counter *counter, struct rc_soft_decoder *decoder,
                   const struct rc_soft_insn *insn, const ucontext_t *context,
                   bool again);

/* Whether a conditional branch is taken with these registers. */
bool rc_soft_is_taken(const struct rc_soft_insn *insn, const ucontext_t *context);

#endif

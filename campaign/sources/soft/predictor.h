/* predictor.h - a simulated predictor of conditional branches
 *
 * Two tables of two-bit counters, one indexed by the branch's address, one by address
 * and recent history (gshare), and a third that learns which of the two to use for each
 * branch.  Private to the soft source; all but init() and fini() are safe in a signal
 * handler.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_PREDICTOR_H
#define RC_CAMPAIGN_SOURCES_SOFT_PREDICTOR_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The state of a predictor. */
struct rc_soft_predictor {
    uint8_t *plain, *global, *choice; /* 0 to 3; 2, 3: taken, or use 'global' */
    uint32_t entries;                 /* of each table, a power of two */
    uint32_t history;                 /* outcomes, the last branch in bit 0 */
};

int rc_soft_predictor_init(struct rc_soft_predictor *predictor, uint32_t entries,
                           struct rc_error *err);
void rc_soft_predictor_fini(struct rc_soft_predictor *predictor);
void rc_soft_predictor_reset(struct rc_soft_predictor *predictor);

/* Predicts the branch at 'address', learns what it did, and returns whether
 * the prediction was right.
 */
bool rc_soft_predictor_see(struct rc_soft_predictor *predictor, uint64_t address,
                           bool taken);

#endif

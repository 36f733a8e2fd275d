/* A branch predictor of three tables: by address, by address and history, and the
 * choice between these two.
 */
#include "campaign/sources/soft/predictor.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define HISTORY_BITS 8u /* outcomes of the last branches */

enum { WEAKLY_NO = 1, WEAKLY_YES = 2 }; /* of the counters' 0 to 3 */

int rc_soft_predictor_init(struct rc_soft_predictor *predictor, uint32_t entries,
                           struct rc_error *err)
{
    *predictor = (struct rc_soft_predictor){
        .plain = rc_calloc(entries, 1),
        .global = rc_calloc(entries, 1),
        .choice = rc_calloc(entries, 1),
        .entries = entries,
    };
    if (!predictor->plain || !predictor->global || !predictor->choice) {
        rc_soft_predictor_fini(predictor);
        return rc_fail(err, RC_ENOMEM, "no memory for a predictor of %u entries",
                       entries);
    }
    rc_soft_predictor_reset(predictor);
    return RC_OK;
}

void rc_soft_predictor_fini(struct rc_soft_predictor *predictor)
{
    free(predictor->plain);
    free(predictor->global);
    free(predictor->choice);
    *predictor = (struct rc_soft_predictor){0};
}

void rc_soft_predictor_reset(struct rc_soft_predictor *predictor)
{
    memset(predictor->plain, WEAKLY_YES, predictor->entries);
    memset(predictor->global, WEAKLY_YES, predictor->entries);
    memset(predictor->choice, WEAKLY_NO, predictor->entries);
    predictor->history = 0;
}

/* Moves a two-bit counter one step up or down, within 0 to 3. */
static void train_counter(uint8_t *counter, bool yes)
{
    if (yes && *counter < 3)
        ++*counter;
    else if (!yes && *counter > 0)
        --*counter;
}

bool rc_soft_predictor_see(struct rc_soft_predictor *predictor, uint64_t address,
                           bool taken)
{
    uint32_t mask = predictor->entries - 1;
    uint32_t here = (uint32_t)address & mask;
    uint32_t bits = predictor->entries >> HISTORY_BITS;
    uint8_t *plain = &predictor->plain[here];
    uint8_t *choice = &predictor->choice[here];
    uint8_t *global =
        &predictor->global[(here ^ (predictor->history * (bits ? bits : 1))) & mask];
    bool by_plain = *plain >= WEAKLY_YES;
    bool by_global = *global >= WEAKLY_YES;
    bool right = (*choice >= WEAKLY_YES ? by_global : by_plain) == taken;

    if (by_plain != by_global)
        train_counter(choice, by_global == taken);
    train_counter(plain, taken);
    train_counter(global, taken);
    predictor->history =
        ((predictor->history << 1) | taken) & ((1u << HISTORY_BITS) - 1);
    return right;
}

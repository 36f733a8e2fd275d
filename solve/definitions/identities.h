/* identities.h - sums of ideals that hold on every machine: LOADS = L1DM + L1DH
 *
 * They are text, each with a reason, in the data file "laws/identities.yaml".  By them
 * a sum of ideals that are known nearly (L1DM + L1DH) becomes one of exact ideals
 * (LOADS) without any reading.
 */
#ifndef RC_SOLVE_DEFINITIONS_IDENTITIES_H
#define RC_SOLVE_DEFINITIONS_IDENTITIES_H

#include "campaign/base/arena.h"
#include "solve/definitions/definitions.h"

/* "ideal" is the sum of the parts. */
struct rc_identity {
    const char *ideal;
    const struct rc_weight
        *part; /* none has weight 0; the last is in no other identity */
    size_t parts;
    const char *reason;
    const char *where; /* "FILE:LINE", for messages */
};

struct rc_identities {
    struct rc_arena arena; /* owns everything below */
    const struct rc_identity *identity;
    size_t count;
};

/* Reads rollcall's own identities, or text of that form.  'known' lists all ideals,
 * ended by NULL.  RC_EUSAGE with "FILE:LINE: what is wrong, what was expected": an
 * unknown ideal, an ideal that contains itself, or a file of another form.  After
 * success free with rc_identities_fini(); on failure *out is empty.
 */
int rc_identities_open(const char *const *known, struct rc_identities *out,
                       struct rc_error *err);
int rc_identities_from_text(const char *name, const char *text, size_t bytes,
                            const char *const *known, struct rc_identities *out,
                            struct rc_error *err);
void rc_identities_fini(struct rc_identities *all); /* accepts an empty one */

/* The sum 'weight', in which the last part of each identity is replaced by the ideal
 * less the other parts: L1DH becomes LOADS - L1DM.  Sums that are equal by these
 * identities become the same sum: each ideal occurs once, and not at all where its
 * terms cancel; the ideals of 'weight' come first, in their order.  Weights that are
 * simple fractions stay exact.  The array of '*out' items belongs to 'arena'; NULL: no
 * memory.
 */
const struct rc_weight *rc_identities_rewrite(const struct rc_identities *all,
                                              const struct rc_weight *weight,
                                              size_t count, struct rc_arena *arena,
                                              size_t *out);

#endif

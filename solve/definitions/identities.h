/* identities.h - sums of ideals that hold on every machine: LOADS = L1DM + L1DH
 *
 * They are text with a reason each, in the data file "laws/identities.yaml".  So a sum
 * of ideals that are known nearly (L1DM + L1DH) is one of exact ideals (LOADS), without
 * a look at any reading.
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
    struct rc_arena arena; /* of all that it gives */
    const struct rc_identity *identity;
    size_t count;
};

/* rollcall's own, or text of that form.  All that is known is 'known', names of ideals
 * that end with NULL: RC_EUSAGE with "FILE:LINE: what is wrong, what was expected" of
 * others, of ideals that are made of themselves, and of what is no such file.  After
 * success free with rc_identities_fini(); on failure *out is empty.
 */
int rc_identities_open(const char *const *known, struct rc_identities *out,
                       struct rc_error *err);
int rc_identities_from_text(const char *name, const char *text, size_t bytes,
                            const char *const *known, struct rc_identities *out,
                            struct rc_error *err);
void rc_identities_fini(struct rc_identities *all); /* accepts an empty one */

/* The sum 'weight', in which the last part of each identity is replaced by the ideal
 * less the other parts: L1DH is LOADS - L1DM.  Equal sums by these identities become
 * equal: an ideal is in it once, and not where its terms cancel; those that were there
 * come first, in their order.  Weights that are simple fractions stay that, exactly.
 * The array is of 'arena', and of '*out' items; NULL: there is no memory.
 */
const struct rc_weight *rc_identities_rewrite(const struct rc_identities *all,
                                              const struct rc_weight *weight,
                                              size_t count, struct rc_arena *arena,
                                              size_t *out);

#endif

/* peers.h - how other tools and publications fit laws, for comparison
 *
 * They know no intervals: predictions from these fits have the value alone.  The first
 * parameter is the number of processes where a method's law names it.
 */
#ifndef RC_SOLVE_MODEL_PEERS_H
#define RC_SOLVE_MODEL_PEERS_H

#include "solve/model/laws.h"

/* Extra-P's basic modelers: one term of 42 for each parameter, by leave-one-out with the
 * symmetric mean absolute percentage error; for several parameters sums and products of
 * these.
 */
int rc_laws_extrap(const struct rc_observed *observed, struct rc_laws *out,
                   struct rc_error *err);

/* y = a*x^m*log2^k(x) + b with the highest R^2; m from -2 to 2, k 0 or 1; of several
 * parameters the one that fits best.  Exponentials, which APMT also tries, are not laws
 * here.
 */
int rc_laws_apmt(const struct rc_observed *observed, struct rc_laws *out,
                 struct rc_error *err);

/* T = a/P + b*P^c + d, with c from -1 to 3 in steps of 1/32. */
int rc_laws_amdahl(const struct rc_observed *observed, struct rc_laws *out,
                   struct rc_error *err);

/* T = a*size/P + b; the size is the product of the other parameters. */
int rc_laws_analytic(const struct rc_observed *observed, struct rc_laws *out,
                     struct rc_error *err);

#endif

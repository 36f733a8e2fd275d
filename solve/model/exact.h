/* exact.h - laws of exact counts, which hold to the last digit */
#ifndef RC_SOLVE_MODEL_EXACT_H
#define RC_SOLVE_MODEL_EXACT_H

#include "solve/model/laws.h"

/* Searches the law of exact counts: a sum of at most four terms of the dictionary whose
 * coefficients are fractions with denominators up to 64, and which holds at every point;
 * there is at least one point more than terms, and two for three terms or four.
 *
 * One law is found: 'exact', and count is 1.  Several laws that are about as simple
 * hold: not 'exact', and each is a choice.  All points exceed a law of one term and a
 * simple coefficient by about the same share, at most 2 %: RC_LAWS_OVERCOUNT, and
 * readings are 1 + over_count times the law.  Else count is 0: chance could as well have
 * made a law that holds, or none holds.  RC_ENOMEM.
 */
int rc_laws_exact(const struct rc_observed *observed, struct rc_laws *out,
                  struct rc_error *err);

#endif

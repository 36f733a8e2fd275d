/* law_text.h - laws as text */
#ifndef RC_SOLVE_MODEL_LAW_TEXT_H
#define RC_SOLVE_MODEL_LAW_TEXT_H

#include "solve/model/law.h"

enum { RC_LAW_TEXT = 1024 }; /* bytes that hold the text of any law with short names */

/* As people read it: "4 n^2 + 0.25 p^(1/2) log2(p) n - 7", in ASCII, without a unit.
 * Coefficients have so many significant digits, or with 0 all that they have: "2/3 n^3".
 * The largest term at the point 'at' comes first; where that is NULL, the one with the
 * highest powers.  The text is cut off after 'room' - 1 bytes.  Returns 'out'.
 */
const char *rc_law_text(char *out, size_t room, const struct rc_law *law,
                        const char *const *names, size_t parameters, const double *at,
                        int digits);

/* As Extra-P writes its models, for programs that read these: the constant, and
 * " + COEFFICIENT * p^(1/2) * log2(p)^(1)" for each term, with all digits.
 */
const char *rc_law_text_extrap(char *out, size_t room, const struct rc_law *law,
                               const char *const *names, size_t parameters);

#endif

/* plateau.h - where a rate over sizes of data is the rate of a level of memory
 *
 * Close to the size of a cache a part of the data does not stay in it, and close to that
 * of the cache below a part still comes from there.  Between them the rate does not
 * depend on the size: that is the plateau.
 */
#ifndef RC_SOLVE_STUDY_PLATEAU_H
#define RC_SOLVE_STUDY_PLATEAU_H

#include <stddef.h>

#define RC_PLATEAU_WITHIN 0.05 /* of the rate of the next smaller size */

/* The rates are those of one level, by rising size; NAN: not known, and left out.  Returns
 * the number of the largest size whose rate is within RC_PLATEAU_WITHIN of that of the
 * next smaller one, or 'count': the level has no plateau.
 */
size_t rc_plateau_find(const double *rate, size_t count);

#endif

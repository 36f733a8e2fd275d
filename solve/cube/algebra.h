/* algebra.h - operations on profiles: union, mean, difference, total, and parts
 *
 * All results are cubes again.  Trees are joined: metrics and places by their names,
 * paths by the names from the root on.  A metric or a place that a profile does not
 * have is missing in it, and missing numbers stay missing; a path that it does not
 * have, of a metric that it measured at that place, was never visited: its numbers are
 * 0.
 *
 * Laws, as far as numbers of the size of double add up without rounding: merging does
 * not depend on the order or on what is merged first, copies count once, and parts make
 * up the whole again; the mean of one is itself; (A less B) plus B is A.
 */
#ifndef RC_SOLVE_CUBE_ALGEBRA_H
#define RC_SOLVE_CUBE_ALGEBRA_H

#include "solve/cube/cube.h"

/* All need sealed cubes and give one, which the caller closes; on failure *out is NULL.
 * RC_EUSAGE: the cubes do not go together, as they have different numbers of ranks or
 * units of a metric, or different operations were applied to them.
 *
 * The union: runs of each number are put together, as if one profile had all of them.
 * A cube whose sources another one has, too, is a copy and counts once; RC_ECONFLICT:
 * two cubes share some of their sources, but not all.
 */
int rc_cube_merge(const struct rc_cube *const *of, size_t count, struct rc_cube **out,
                  struct rc_error *err);

/* The mean over the profiles that have the number, each of which counts as one run; a
 * number that only one profile has stays as it is.
 */
int rc_cube_mean(const struct rc_cube *const *of, size_t count, struct rc_cube **out,
                 struct rc_error *err);

/* The first less the second, or both together: the variance of the mean is the sum of
 * both; 'min' and 'max' are the bounds that those of both allow.
 */
int rc_cube_difference(const struct rc_cube *from, const struct rc_cube *less,
                       struct rc_cube **out, struct rc_error *err);
int rc_cube_total(const struct rc_cube *one, const struct rc_cube *other,
                  struct rc_cube **out, struct rc_error *err);

/* The paths inside regions of that name (or pattern, rc_text_glob()), which are then
 * right below the root.  RC_EMISSING: there is no such region.  Where numbers of
 * several runs are added up, here and below, the deviations are the largest possible.
 */
int rc_cube_cut(const struct rc_cube *cube, const char *region, struct rc_cube **out,
                struct rc_error *err);

/* Each region once, wherever it was called from. */
int rc_cube_flat(const struct rc_cube *cube, struct rc_cube **out,
                 struct rc_error *err);

/* All places added up to one. */
int rc_cube_collapse(const struct rc_cube *cube, struct rc_cube **out,
                     struct rc_error *err);

/* The trees of two cubes, compared. */
struct rc_cube_common {
    size_t metrics, paths, places;                         /* in both */
    size_t only_metrics[2], only_paths[2], only_places[2]; /* in one alone */
};
int rc_cube_compare(const struct rc_cube *one, const struct rc_cube *other,
                    struct rc_cube_common *out, struct rc_error *err);

#endif

/* Metrics in the coordinates of the joint basis. */
#include "campaign/solve/joint/joint.h"

#include <math.h>
#include <string.h>

bool rc_joint_identity(const struct rc_solve_joint *j, const char *ideal)
{
    for (size_t i = 0; i < j->identities.count; i++) {
        const struct rc_identity *one = &j->identities.identity[i];
        if (strcmp(one->part[one->parts - 1].ideal, ideal) == 0)
            return true;
    }
    return false;
}

static bool add_ideal(const struct rc_solve_suite *s, const struct rc_solve_joint *j,
                      const char *ideal, double weight, double *out)
{
    const size_t at = rc_solve_find(j->ideal, j->ideals, ideal);
    const size_t other = rc_solve_find(j->other, j->others, ideal);

    if (at < j->ideals)
        out[at] += weight;
    else if (other < j->others && !j->by_kernels[other])
        for (size_t q = 0; q < j->ideals; q++)
            out[q] += weight * j->relation[other * j->width + q];
    else
        return rc_solve_find(s->left_out, s->left_out_count, ideal) < s->left_out_count;
    return true;
}

bool rc_joint_told(const struct rc_solve_joint *j, const double *x)
{
    for (size_t o = 0; o < j->others; o++)
        for (size_t q = 0; q < j->ideals && j->by_kernels[o]; q++)
            if (x[q] != 0 && j->relation[o * j->width + q] != 0)
                return false;
    return true;
}

bool rc_solve_joint_signature(const struct rc_solve_suite *s,
                              const struct rc_solve_joint *j,
                              const struct rc_metric_definition *metric, double *out,
                              bool *told)
{
    struct rc_arena arena = {0};
    size_t count = 0;

    const struct rc_weight *weight = rc_identities_rewrite(
        &j->identities, metric->weight, metric->weight_count, &arena, &count);
    bool known = weight != NULL;
    for (size_t i = 0; i < count && known; i++)
        known = add_ideal(s, j, weight[i].ideal, weight[i].weight, out);
    rc_arena_free(&arena);
    *told = rc_joint_told(j, out);
    return known;
}

bool rc_solve_joint_same(const struct rc_solve_joint *j, size_t local, const double *x)
{
    const double doubts = 4;
    double square = 0;

    if (j->row[local] == SIZE_MAX)
        return true;
    const double *own = j->x + j->row[local] * (2 * j->ideals + RC_JOINT_BEHIND);
    for (size_t q = 0; q < j->ideals; q++)
        square += (own[q] - x[q]) * (own[q] - x[q]);
    const double spread = own[j->ideals + RC_JOINT_SPREAD];
    return sqrt(square) <=
           (spread > 0 ? 1e-6 : 1e-12) * rc_norm(x, j->ideals) + doubts * spread;
}

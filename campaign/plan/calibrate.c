/* Estimates the costs of units by short trials of sweeps and groups on the ranks of a
 * kind.
 *
 * A sweep is timed for each source and suite, with the first group of the source.
 * Groups differ in how long starting, reading and stopping take, so each is also timed
 * at one point, and only differences between groups are used (units.c).  The ranks of a
 * kind share both lists; entries that a rank has not timed are 0, so the maximum over
 * the ranks is the measured time.
 */
#include "campaign/plan/calibrate.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"

/* The time that a rank spends on timing groups: this, and a share of the time that the
 * groups timed so far will take.  The other groups count as average ones.
 */
static const uint64_t groups_most_ns = 300000000;
enum { GROUPS_SHARE = 25 };

enum { PIECE = 1 << 20 }; /* numbers in one message */

/* Each rank times every 'size'-th group until its time is used up.  The only group of a
 * source needs no comparison.
 */
static void time_groups(struct rc_measurer *measurer,
                        const struct rc_campaign_kind *kind, struct rc_costs *costs,
                        int rank, int size)
{
    uint64_t start = rc_clock_ns(), most = groups_most_ns;

    for (size_t i = (size_t)rank; i < costs->groups; i += (size_t)size) {
        const uint32_t source = kind->group[i].source;
        uint64_t readings = 0; /* of all suites, in one repetition */
        uint32_t repetitions;
        if (rc_clock_ns() - start > most)
            break;
        if ((i == 0 || kind->group[i - 1].source != source) &&
            (i + 1 == costs->groups || kind->group[i + 1].source != source))
            continue;
        costs->group_ns[i] =
            rc_measurer_time_group(measurer, (uint32_t)i, &repetitions);
        costs->group_repetitions[i] = repetitions;
        for (size_t s = 0; s < kind->suite_count; s++)
            readings += rc_record_suite_points(&kind->suite[s], source);
        most += costs->group_ns[i] * readings * repetitions / GROUPS_SHARE;
    }
}

/* Collective: all ranks get the times of all. */
static void share_costs(MPI_Comm comm, uint64_t *ns, size_t count)
{
    for (size_t at = 0; at < count; at += PIECE)
        rc_team_reduce(comm, ns + at, (int)(count - at < PIECE ? count - at : PIECE),
                       MPI_UINT64_T, MPI_MAX);
}

int rc_calibrate(MPI_Comm comm, struct rc_measurer *measurer,
                 const struct rc_campaign_kind *kind, struct rc_costs *out,
                 struct rc_error *err)
{
    const int rank = rc_team_rank(comm), size = rc_team_size(comm);

    *out = (struct rc_costs){.sources = kind->record.source_count,
                             .suites = kind->suite_count,
                             .groups = kind->group_count};
    out->sweep_ns =
        rc_arena_array(&out->arena, out->sources * out->suites, sizeof *out->sweep_ns);
    out->group_ns = rc_arena_array(&out->arena, out->groups, sizeof *out->group_ns);
    out->group_repetitions =
        rc_arena_array(&out->arena, out->groups, sizeof *out->group_repetitions);
    const int status =
        rc_agree(comm, rc_arena_check(&out->arena, err, "the costs of groups"), err);
    if (status != RC_OK) {
        rc_costs_fini(out);
        return status;
    }
    for (size_t i = (size_t)rank; i < out->sources * out->suites; i += (size_t)size)
        out->sweep_ns[i] = rc_measurer_time_sweep(measurer, (uint32_t)(i / out->suites),
                                                  (uint32_t)(i % out->suites));
    time_groups(measurer, kind, out, rank, size);
    share_costs(comm, out->sweep_ns, out->sources * out->suites);
    share_costs(comm, out->group_ns, out->groups);
    share_costs(comm, out->group_repetitions, out->groups);
    return RC_OK;
}

void rc_costs_fini(struct rc_costs *costs)
{
    rc_arena_free(&costs->arena);
    *costs = (struct rc_costs){0};
}

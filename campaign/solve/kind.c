/* One kind of machine, from its readings to its metrics.
 *
 * Suites are read and represented one after the other, since a suite's readings may be
 * as large as memory.  Then the events of each are tried on all others, by the means of
 * these, and only then events are chosen and metrics fitted.
 */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/solve/joint/joint.h"

#include <math.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_solve_stage_names[] = {
    "labels",  "reading",  "noise",   "representing", "cross-examining",
    "joining", "choosing", "fitting", "writing"};

enum {
    NAME_EVENTS = 8192,  /* events whose labels are read at once */
    BLOCK_EVENTS = 4096, /* most events that are dealt to a rank at once */
};

/* How many events a rank gets at once: whole chunks of the suite with most bytes for
 * each event, so that no chunk of the file is read by two ranks, unless there are too
 * few events for all ranks to get some.
 */
static size_t block_of(const struct rc_solve_kind *k)
{
    size_t chunk = 1, most = 0, events = k->labels->event_count;
    const size_t share = events / (size_t)k->grid.ranks + 1;

    for (size_t i = 0; i < k->count; i++) {
        const struct rc_store_suite *l = k->suite[i].labels;
        const size_t bytes = l->place_count * l->repetitions * l->point_count;
        if (bytes > most) {
            most = bytes;
            chunk = rc_store_chunk(k->store, k->number, k->suite[i].number);
        }
    }
    size_t wanted = share < BLOCK_EVENTS ? share : BLOCK_EVENTS;
    return wanted < chunk ? wanted : wanted / chunk * chunk;
}

/* The names, sources and verdicts of local events. */
static int read_labels(struct rc_solve_kind *k)
{
    const uint64_t began = rc_clock_ns();
    struct rc_store_event *event = rc_arena_array(&k->step, NAME_EVENTS, sizeof *event);
    size_t local = 0, first = 0, left;
    bool any = false;
    int status = rc_arena_check(&k->step, k->err, "the events' labels");

    while (event && (left = rc_columns_run(&k->grid, &k->layout, local, &first)) > 0) {
        const size_t count = left < NAME_EVENTS ? left : NAME_EVENTS;
        status = rc_store_read_names(k->store, k->number, first, count, event, k->pool,
                                     k->err);
        if (status != RC_OK)
            break;
        for (size_t i = 0; i < count; i++) {
            k->name[local + i] = event[i].name;
            k->source_name[local + i] = event[i].source;
            k->verdict[local + i] = (uint8_t)event[i].verdict;
            k->state[local + i] = event[i].state;
            any |= event[i].state;
        }
        local += count;
    }
    status = rc_solve_agree(k, status);
    k->has_states = rc_team_most(k->how->comm, any) != 0;
    k->seconds[RC_STAGE_LABELS] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}

int rc_solve_kind_init(struct rc_solve_kind *k)
{
    const size_t count = rc_store_suite_count(k->store, k->number);

    k->labels = rc_store_kind(k->store, k->number);
    k->pool = rc_pool_create();
    k->suite = rc_arena_array(&k->arena, count, sizeof *k->suite);
    int status = rc_arena_check(&k->arena, k->err, "the suites");
    if (!k->pool)
        status = rc_fail(k->err, RC_ENOMEM, "no memory for names of events");
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        struct rc_solve_suite *s = &k->suite[k->count++];
        s->number = i;
        s->labels = rc_store_suite(k->store, k->number, i);
        s->definition = rc_solve_definition(k->definitions, s->labels->name);
        s->wanted =
            !k->how->suites || rc_word_find(s->labels->name, k->how->suites) >= 0;
    }
    if ((status = rc_solve_agree(k, status)) != RC_OK ||
        (status = rc_grid_init(k->how->comm, &k->grid, k->err)) != RC_OK)
        return status;
    status = rc_columns_init(&k->grid, 1, k->labels->event_count, block_of(k),
                             &k->layout, k->err);
    k->name = rc_arena_array(&k->arena, k->layout.local, sizeof *k->name);
    k->source_name = rc_arena_array(&k->arena, k->layout.local, sizeof *k->source_name);
    k->verdict = rc_arena_array(&k->arena, k->layout.local, 1);
    k->state = rc_arena_array(&k->arena, k->layout.local, sizeof *k->state);
    if ((status = rc_solve_agree_room(k, status, "the events' labels")) != RC_OK)
        return status;
    return read_labels(k);
}

/* Fills in the words for all numbers in rc_solve_suite.reason, in the order of enum
 * rc_solve_reason: for events, for verdicts, for suites that an event fails on.  The
 * next check of the arena reports a lack of memory.
 */
static void put_reasons(struct rc_solve_kind *k, bool compiled,
                        struct rc_suite_result *r)
{
    static const char *const why[RC_WHY_COUNT] = {
        [RC_WHY_NOTHING] = "",
        [RC_WHY_NOT_MEASURED] = "not measured",
        [RC_WHY_NO_VALID] = "no valid repetition",
        [RC_WHY_ONE_ONLY] = "one valid repetition, expected 2 or more",
        [RC_WHY_DEAD] = "0 on all points of all suites",
        [RC_WHY_IRRELEVANT] = "0 on all points of this suite",
        [RC_WHY_NOISY] = "its noise is above the threshold",
        [RC_WHY_NO_BASIS] = "no basis on the points that its source measures",
        [RC_WHY_OUTSIDE] = "no sum of the ideals",
        [RC_WHY_BESIDES] = "counts more in each iteration than the suite's ideals",
        [RC_WHY_EXPLAINED] =
            "true to other ideals than this suite's, here and elsewhere",
        [RC_WHY_SPANNED] = "says nothing that the chosen events do not say",
        [RC_WHY_RATE] = "not 1 for each addition that waits for another",
        [RC_WHY_WAITS] = "does not go on while the core waits for a result"};
    const size_t last = rc_why_compiled(k), count = compiled ? last + 1 : last;
    const char **reason = rc_arena_array(&k->arena, count, sizeof *reason);

    for (size_t i = 0; reason && i < count; i++)
        if (i < RC_WHY_COUNT)
            reason[i] = why[i];
        else if (i < RC_WHY_SUITE)
            reason[i] =
                rc_solve_words(k, "not measured: %s",
                               rc_verdict_name((enum rc_verdict)(i - RC_WHY_VERDICT)));
        else if (i == last)
            reason[i] = "a compiler made this suite's kernels";
        else if (i == rc_why_state(k))
            reason[i] = "a state, not a count";
        else
            reason[i] = rc_solve_words(k, "on suite %s it counts something else",
                                       k->suite[i - RC_WHY_SUITE].labels->name);
    r->reason = reason;
    r->reason_count = count;
}

/* Counts the events of all ranks by class and by use. */
static void count_events(const struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    unsigned long counts[RC_CLASS_COUNT + RC_USE_COUNT] = {0};

    for (size_t i = 0; i < k->layout.local; i++) {
        counts[s->event_class[i]]++;
        counts[RC_CLASS_COUNT + s->use[i]]++;
    }
    rc_team_reduce(k->how->comm, counts, RC_CLASS_COUNT + RC_USE_COUNT,
                   MPI_UNSIGNED_LONG, MPI_SUM);
    for (int i = 0; i < RC_CLASS_COUNT; i++)
        s->result.class_count[i] = counts[i];
    for (int i = 0; i < RC_USE_COUNT; i++)
        s->result.use_count[i] = counts[RC_CLASS_COUNT + i];
}

/* Adds remarks on other suites, events and readings that were not measured. */
static void remark_missing(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    size_t others = 0;

    for (size_t i = 0; i < k->count; i++)
        others += &k->suite[i] != s && !k->suite[i].labels->made_by;
    if (others == 0 && !k->how->plain)
        rc_solve_remark(s, "no other suite was measured to try these metrics on: what "
                           "fits here may be wrong elsewhere");
    if (k->selected)
        rc_solve_remark(s, "only events that match the campaign file were measured: "
                           "others of this machine may give more metrics");
    if (s->unread == 0)
        return;
    k->incomplete = true;
    rc_solve_remark(
        s,
        rc_solve_words(
            k,
            "%zu event%s that can be counted %s too few valid readings here: "
            "'rollcall status' says which units are missing",
            s->unread, rc_text_s(s->unread), rc_text_plural(s->unread, "has", "have")));
}

/* Runs one step on a suite and adds up its time. */
static int run_step(struct rc_solve_kind *k, enum rc_solve_stage stage,
                    int (*work)(struct rc_solve_kind *, struct rc_solve_suite *),
                    struct rc_solve_suite *s)
{
    const uint64_t began = rc_clock_ns();
    const int status = work(k, s);

    rc_arena_free(&k->step);
    k->seconds[stage] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}

static int read_suite(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    struct rc_suite_result *r = &s->result;
    int status;

    put_reasons(k, s->labels->made_by != NULL, r);
    if ((status = rc_solve_agree_room(k, rc_solve_basis(k, s), "words")) != RC_OK)
        return status;
    r->suite = s->labels->name;
    r->coordinate = s->coordinate;
    r->coordinate_count = s->coordinates;
    r->ideal_count = s->ideals;
    r->left_out = s->left_out;
    r->left_out_count = s->left_out_count;
    r->point = s->labels->points;
    r->point_count = s->labels->point_count;
    if ((status = rc_solve_read(k, s)) != RC_OK ||
        (status = run_step(k, RC_STAGE_NOISE, rc_solve_threshold, s)) != RC_OK)
        return status;
    return run_step(k, RC_STAGE_REPRESENT, rc_solve_represent, s);
}

/* An event that is 0 in every suite that measured it is dead: none of the kernels
 * raises it.  The others are tried on the suites in which they were not represented.
 * These steps are local, so that ranks do not wait for each other; they agree on the
 * status at the end.
 */
static int cross_examine(struct rc_solve_kind *k)
{
    const uint64_t began = rc_clock_ns();
    int status = RC_OK;

    for (size_t i = 0; i < k->layout.local; i++) {
        size_t zero = 0, measured = 0;
        for (size_t j = 0; j < k->count; j++) {
            measured += k->suite[j].event_class[i] != RC_CLASS_INVALID;
            zero += k->suite[j].event_class[i] == RC_CLASS_IRRELEVANT;
        }
        for (size_t j = 0; j < k->count && zero == measured; j++)
            if (k->suite[j].event_class[i] == RC_CLASS_IRRELEVANT) {
                k->suite[j].event_class[i] = RC_CLASS_DEAD;
                k->suite[j].reason[i] = RC_WHY_DEAD;
            }
    }
    for (size_t i = 0; i < k->count; i++) {
        if ((status = rc_solve_cross_check(k, &k->suite[i])) != RC_OK)
            goto out;
        rc_arena_free(&k->step); /* the points of all other suites */
    }
    for (size_t i = 0; i < k->count && !k->how->plain; i++)
        if ((status = rc_solve_explain(k, i)) != RC_OK)
            break;
out:
    k->seconds[RC_STAGE_CROSS] += (double)(rc_clock_ns() - began) / 1e9;
    return rc_solve_agree(k, status);
}

/* Solves events over all suites at once, unless only the published method is asked for.
 */
static int join_suites(struct rc_solve_kind *k)
{
    const uint64_t began = rc_clock_ns();
    const int status = k->how->plain ? RC_OK : rc_solve_joint_open(k);

    k->seconds[RC_STAGE_JOINT] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}

int rc_solve_kind_work(struct rc_solve_kind *k)
{
    int status = RC_OK;

    for (size_t i = 0; i < k->count; i++)
        if ((status = read_suite(k, &k->suite[i])) != RC_OK)
            return status;
    if ((status = cross_examine(k)) != RC_OK || (status = join_suites(k)) != RC_OK)
        return status;
    for (size_t i = 0; i < k->count; i++) {
        struct rc_solve_suite *s = &k->suite[i];
        /* Events that can be counted but have too few valid readings; and all that can
         * be counted or were not tried.
         */
        unsigned long events[2] = {0};
        for (size_t e = 0; e < k->layout.local; e++) {
            events[0] += s->event_class[e] == RC_CLASS_INVALID && !s->labels->made_by &&
                         k->verdict[e] == RC_VERDICT_OK;
            events[1] +=
                k->verdict[e] == RC_VERDICT_OK || k->verdict[e] == RC_VERDICT_UNTRIED;
        }
        rc_team_reduce(k->how->comm, events, 2, MPI_UNSIGNED_LONG, MPI_SUM);
        s->unread = events[0];
        if (events[1] == 0) {
            k->incomplete = true;
            rc_solve_remark(s,
                            "no event counts on this machine: no metric can be known");
        }
        if (s->definition->reference)
            rc_solve_reference_events(k, s);
        if ((status = run_step(k, RC_STAGE_CHOOSE, rc_solve_choose, s)) != RC_OK ||
            (status = run_step(k, RC_STAGE_FIT, rc_solve_metrics, s)) != RC_OK ||
            (s->definition->reference &&
             (status = run_step(k, RC_STAGE_FIT, rc_solve_reference_metrics, s)) !=
                 RC_OK))
            return status;
        count_events(k, s);
        if (!s->labels->made_by)
            remark_missing(k, s);
    }
    if (k->joint && (status = rc_solve_agree(k, rc_solve_joint_unify(k))) != RC_OK)
        return status;
    if (!k->how->plain && (status = rc_solve_contradict(k)) != RC_OK)
        return status;
    if ((status = rc_solve_formulas(k)) != RC_OK ||
        (status = rc_solve_implied(k)) != RC_OK ||
        (status = rc_solve_rates(k)) != RC_OK)
        return status;
    rc_solve_presets_find(k);
    for (size_t i = 0; i < k->count; i++)
        if (k->suite[i].wanted &&
            (status = rc_solve_check_presets(k, &k->suite[i])) != RC_OK)
            return status;
    return RC_OK;
}

void rc_solve_kind_fini(struct rc_solve_kind *k)
{
    for (size_t i = 0; i < k->count; i++) {
        struct rc_solve_suite *s = &k->suite[i];
        for (size_t j = 0; s->source && j < s->labels->source_count; j++)
            rc_columns_fini(&s->source[j].mean);
        rc_columns_fini(&s->x);
        free(s->mean);
        free(s->result.preset);
    }
    rc_solve_joint_close(k->joint);
    rc_columns_fini(&k->layout);
    rc_grid_fini(&k->grid);
    rc_pool_close(k->pool);
    rc_arena_free(&k->step);
    rc_arena_free(&k->arena);
}

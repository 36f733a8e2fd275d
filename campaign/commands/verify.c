/* The verify command: the kernels against the instruction-exact source.
 *
 * Every point of every suite is run for n and for 2n iterations under a source that
 * counts by stepping through the instructions.  The difference of the two readings,
 * divided by n, must be the suite's expect(), or lie in its range.  Where a compiler
 * made the kernels, all loads and stores must move the bytes that are said to be useful,
 * and all operations must be those that are.
 */
#include "campaign/base/text.h"
#include "campaign/catalogue/catalogue.h"
#include "campaign/cli/commands.h"
#include "campaign/measure/reading.h"
#include "campaign/run/progress.h"
#include "campaign/spec/options.h"
#include "io/text/rows.h"
#include "kernels/own/own.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static RC_OPTION(option_all, "all", NULL,
                 "show every count, not only those that are off");
static RC_OPTION(option_source, "source", "S[:ARG]",
                 "the source to compare with; soft by default", .letter = 's');
static RC_OPTIONS(options, &rc_option_suite, &rc_option_axis, &rc_option_kernel,
                  &option_source, &option_all, &rc_option_format, &rc_option_quiet,
                  &rc_option_verbose);

static RC_COLUMNS(columns, RC_TEXT("suite"), RC_TEXT("point"), RC_TEXT("ideal"),
                  RC_TEXT("event"), RC_NUMBER("expected"), RC_NUMBER("found"),
                  RC_TEXT("outcome"), RC_NUMBER_HIDDEN("low"),
                  RC_NUMBER_HIDDEN("high"));

/* Stepping is slow, and exact counts need no long runs: each reading gets this part of
 * the source's budget for a point.
 */
enum { BUDGET_PART = 3 };

/* For the first estimate: a point's n iterations are stepped through five times, twice
 * to warm the caches, and a step takes about STEP_NS.
 */
enum { TIMES = 5, STEP_NS = 200 };

enum outcome { EXACT, WITHIN, OFF, OUTCOMES };
static const char *const outcome_names[OUTCOMES] = {"exact", "within bound", "off"};

/* Events that count bytes, beside those of ideals. */
static const char *const bytes_moved[] = {"soft::bytes_loaded", "soft::bytes_stored"};
enum { JUDGES_MOST = RC_IDEAL_COUNT + 2 };

/* One event that is compared on every point. */
struct judge {
    enum rc_ideal ideal; /* the one that the event counts exactly, or RC_IDEAL_COUNT: it
                          * counts bytes that are loaded or stored */
    const char *event;   /* its name; the catalogue owns it */
};

struct work {
    const struct rc_spec *spec;
    struct rc_catalogue *catalogue; /* of one source, the judge */
    struct rc_suite_request request;
    struct judge judge[JUDGES_MOST];
    uint32_t numbers[JUDGES_MOST]; /* of the judges' events, in the same order */
    size_t judges;
    struct rc_group_state *group; /* all judges, armed together */
    struct rc_rows *rows;         /* of the present suite */
    enum rc_format format;
    bool all;               /* also show counts that are right */
    size_t tally[OUTCOMES]; /* of the present suite */
    size_t points, skipped; /* of the present suite */
    size_t off, failed;     /* of all suites */
    struct rc_progress *progress;
    struct rc_progress_state state; /* points of all suites */
    char at[128];                   /* the present point */
};

static const struct rc_open_source *source_of(const struct work *w)
{
    return &w->catalogue->source[0];
}

static void put_row(struct work *w, const struct rc_suite *suite,
                    const struct rc_point *point, const char *ideal, const char *event,
                    struct rc_range expected, double found, const char *outcome)
{
    const bool says = rc_range_says(expected);
    char expected_text[64], found_text[32], low[32], high[32];

    rc_range_put(expected_text, sizeof expected_text, expected, 10);
    snprintf(low, sizeof low, "%.10g", expected.low);
    snprintf(high, sizeof high, "%.10g", expected.high);
    snprintf(found_text, sizeof found_text, "%.10g", found);
    RC_ROWS_PUT(w->rows, suite->name, point->name, ideal, event,
                says && (w->format == RC_FORMAT_TEXT || expected.low == expected.high)
                    ? expected_text
                    : NULL,
                found_text, outcome, says ? low : NULL,
                isinf(expected.high) ? NULL : high);
}

/* Compares useful work of one point with what the compiler's code did for it: the bytes
 * of B_STREAM are those of all loads and stores, and OPS_USEFUL are all floating-point
 * operations.  Counts that nothing is said of are shown beside them.
 */
static void compare_compiled(struct work *w, const struct rc_suite *suite,
                             const struct rc_point *point, uint64_t n,
                             const struct rc_reading *once,
                             const struct rc_reading *twice)
{
    static const enum rc_ideal useful[] = {RC_IDEAL_B_STREAM, RC_IDEAL_OPS_USEFUL};
    double sum[] = {0, 0};

    for (size_t i = 0; i < w->judges; i++) {
        const struct judge *judge = &w->judge[i];
        const double found = (double)(twice[i].value - once[i].value) / (double)n;
        const bool moves = judge->ideal == RC_IDEAL_COUNT,
                   operates = judge->ideal == RC_IDEAL_OPS_SP ||
                              judge->ideal == RC_IDEAL_OPS_DP;
        sum[0] += moves ? found : 0;
        sum[1] += operates ? found : 0;
        if (found != 0 && (moves || rc_ideal_exact(judge->ideal)))
            put_row(w, suite, point, moves ? "" : rc_ideal_name(judge->ideal),
                    judge->event, rc_unknown(), found, "counted");
    }
    for (size_t i = 0; i < sizeof useful / sizeof useful[0]; i++) {
        const struct rc_range said =
            rc_expect_range(suite, &w->request, point, useful[i]);
        const enum outcome outcome = sum[i] == rc_range_exact(said) ? EXACT : OFF;
        if (!rc_range_says(said))
            continue;
        w->tally[outcome]++;
        put_row(w, suite, point, rc_ideal_name(useful[i]),
                i ? "all operations" : "all bytes", said, sum[i],
                outcome_names[outcome]);
    }
}

/* Compares all judges on one point, by the difference of n and 2n iterations, in which
 * all else cancels out (kernels/kernel.h, the rule of counting).
 */
static void compare_counts(struct work *w, const struct rc_suite *suite,
                           const struct rc_point *point, uint64_t n,
                           const struct rc_reading *once,
                           const struct rc_reading *twice)
{
    for (size_t i = 0; i < w->judges; i++) {
        const struct judge *judge = &w->judge[i];
        if (judge->ideal == RC_IDEAL_COUNT)
            continue;
        const struct rc_range expected =
            rc_expect_range(suite, &w->request, point, judge->ideal);
        /* If iterations find the operands of others in caches, memory sees the expected
         * counts only after more iterations than are stepped.
         */
        if (!rc_range_says(expected) ||
            (!suite->cold && expected.low > 0 &&
             (judge->ideal == RC_IDEAL_MEM_RD || judge->ideal == RC_IDEAL_MEM_WR)))
            continue;
        const double found = (double)(twice[i].value - once[i].value) / (double)n;
        /* Simulated counts may differ from the expectation by a part of the larger of
         * the expectation and one per iteration, leave ranges by as much, and all by
         * four counts.  Caches: the code around the kernel shares them.  Predictor: it
         * sees a few hundred random branches, guesses about half of them, and the
         * instructions executed beyond them depend on the guesses.
         */
        const enum rc_ideal ideal = judge->ideal;
        const double part = ideal == RC_IDEAL_M || ideal == RC_IDEAL_CE ? 0.15 : 0.01;
        const double least = fmax(part, 4 / (double)n);
        const bool within = !rc_ideal_exact(ideal) &&
                            found >= expected.low - fmax(part * expected.low, least) &&
                            found <= expected.high + fmax(part * expected.high, least);
        const enum outcome outcome = found == rc_range_exact(expected) ? EXACT
                                     : within                          ? WITHIN
                                                                       : OFF;
        w->tally[outcome]++;
        if (!w->all && outcome != OFF && w->format == RC_FORMAT_TEXT)
            continue;
        put_row(w, suite, point, rc_ideal_name(ideal), judge->event, expected, found,
                outcome_names[outcome]);
    }
}

/* Whether a point is verified: it can run here, and stepping through it does not take
 * minutes.
 */
static bool is_verified(const struct work *w, const struct rc_suite *suite,
                        const struct rc_point *point)
{
    return !point->unusable && rc_point_fits(suite, &w->request, point,
                                             source_of(w)->source->instructions_most);
}

static uint64_t iterations_of(const struct work *w, const struct rc_suite *suite,
                              const struct rc_point *point)
{
    return suite->iterations(&w->request, point,
                             source_of(w)->source->instruction_budget / BUDGET_PART);
}

/* The time of a point, roughly. */
static uint64_t cost_of(const struct work *w, const struct rc_suite *suite,
                        const struct rc_point *point)
{
    const double each = rc_point_instructions(suite, &w->request, point);
    const double steps = each * (double)iterations_of(w, suite, point) * TIMES;

    return steps > 0 ? (uint64_t)(steps * STEP_NS) : 1;
}

/* Adds the suite's points to be verified, and their time. */
static int add_up(struct work *w, const struct rc_suite *suite, struct rc_error *err)
{
    struct rc_points points = {0};
    int status = RC_OK;

    if (!suite->usable || !suite->usable())
        status = suite->points(&w->request, &points, err);
    for (size_t i = 0; i < points.count && status == RC_OK; i++)
        if (is_verified(w, suite, &points.point[i])) {
            w->state.units_total++;
            w->state.work_total_ns += cost_of(w, suite, &points.point[i]);
        }
    rc_points_fini(&points);
    return status;
}

/* Measures and compares a point.  A point that cannot be measured costs only itself. */
static int verify_point(struct work *w, const struct rc_suite *suite,
                        const struct rc_point *point, struct rc_error *err)
{
    const struct rc_source *source = source_of(w)->source;
    const uint64_t n = iterations_of(w, suite, point);
    struct rc_reading once[JUDGES_MOST], twice[JUDGES_MOST];
    struct rc_measurement what = {
        .suite = suite, .request = &w->request, .point = point, .iterations = n};
    struct rc_kernel *kernel = NULL;
    uint64_t took;
    bool verified;
    int status = suite->setup(&w->request, point, &kernel, err);

    if (status != RC_OK ||
        (status = rc_reading_take(source, w->group, kernel, &what, n, NULL, once, &took,
                                  &verified, err)) != RC_OK)
        goto out;
    what.iterations = 2 * n;
    if ((status = rc_reading_take(source, w->group, kernel, &what, n, NULL, twice,
                                  &took, &verified, err)) != RC_OK)
        goto out;
    (suite->made_by ? compare_compiled : compare_counts)(w, suite, point, n, once,
                                                         twice);
out:
    suite->teardown(kernel);
    if (status == RC_OK || status == RC_ENOMEM)
        return status;
    rc_progress_warn(w->progress, "rollcall verify: %s, %s: %s", suite->name,
                     point->name, err->text);
    w->failed++;
    return RC_OK;
}

static void text_summary(const struct work *w, const struct rc_suite *suite,
                         const char *reason)
{
    printf("%-14s", suite->name);
    if (reason) {
        printf(" not run: %s\n", reason);
        fflush(stdout);
        return;
    }
    printf(" %3zu points, %5zu counts exact, %4zu within bound, %4zu off", w->points,
           w->tally[EXACT], w->tally[WITHIN], w->tally[OFF]);
    if (w->skipped)
        printf("; %zu points cannot run here or are too long to step", w->skipped);
    printf("\n");
    if (suite->made_by)
        printf("compiled by %s\n'rollcall run --source soft --source time --suite %s' "
               "keeps the counts beside times\n",
               suite->made_by(&w->request), suite->name);
    fflush(stdout);
}

/* Verifies all points of a suite that can run here, and prints a line with the sums. */
static int verify_suite(struct work *w, const struct rc_suite *suite,
                        struct rc_json *json, struct rc_error *err)
{
    const char *reason = suite->usable ? suite->usable() : NULL;
    struct rc_points points = {0};
    int status = rc_own_try(suite, err);

    if (status == RC_OK)
        status = suite->points(&w->request, &points, err);
    memset(w->tally, 0, sizeof w->tally);
    w->points = w->skipped = 0;
    w->rows = rc_rows_create(stdout, w->format, columns, json);
    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < points.count && !reason; i++) {
        if (!is_verified(w, suite, &points.point[i])) {
            w->skipped++;
            continue;
        }
        snprintf(w->at, sizeof w->at, "%s: %s", suite->name, points.point[i].name);
        rc_progress_tick(w->progress, &w->state);
        w->points++;
        status = verify_point(w, suite, &points.point[i], err);
        if (status != RC_OK)
            goto out;
        w->state.units++;
        w->state.work_ns += cost_of(w, suite, &points.point[i]);
    }
    rc_progress_hide(w->progress);
    if (w->format == RC_FORMAT_TEXT)
        text_summary(w, suite, reason);
    if (w->format == RC_FORMAT_TEXT && !w->all && !w->tally[OFF] && !suite->made_by)
        rc_rows_drop(w->rows); /* a heading without rows */
    w->off += w->tally[OFF];
out:
    rc_points_fini(&points);
    return rc_rows_end(w->rows, status, err);
}

static int verify_suites(struct work *w, struct rc_error *err)
{
    struct rc_json own, *json = rc_rows_json(w->format, &own, stdout);
    int status = RC_OK;

    rc_rows_head(stdout, w->format, columns);
    if (json) {
        rc_json_object(json, NULL);
        rc_json_text(json, "source", source_of(w)->source->name);
        rc_json_text(json, "counter_set", source_of(w)->counter_set);
        rc_json_array(json, "counts");
    }
    for (size_t i = 0; rc_suites()[i] && status == RC_OK; i++)
        if (rc_spec_names_suite(w->spec, rc_suites()[i]))
            status = add_up(w, rc_suites()[i], err);
    for (size_t i = 0; rc_suites()[i] && status == RC_OK; i++)
        if (rc_spec_names_suite(w->spec, rc_suites()[i]) &&
            (status = verify_suite(w, rc_suites()[i], json, err)))
            break;
    rc_json_close(json);
    return status;
}

/* Opens the source and arms its exact events as one group: the source names the event
 * for each ideal, and those in the catalogue are used.
 */
static int open_judge(struct work *w, struct rc_error *err)
{
    int status = rc_catalogue_open(w->spec, false, &w->catalogue, err);

    if (status != RC_OK)
        return status;
    const struct rc_open_source *s = source_of(w);
    if (!s->source->event_of_ideal || !s->source->runs_kernels)
        return rc_fail(err, RC_EUSAGE,
                       "source '%s' declares no exact events, expected soft",
                       s->source->name);
    w->request = rc_catalogue_request(w->catalogue, 0);
    const struct rc_catalogue *c = w->catalogue;
    for (size_t i = 0; i < JUDGES_MOST; i++) {
        const bool moves = i >= RC_IDEAL_COUNT;
        const enum rc_ideal ideal = moves ? RC_IDEAL_COUNT : (enum rc_ideal)i;
        const char *name =
            moves ? bytes_moved[i - RC_IDEAL_COUNT] : s->source->event_of_ideal(ideal);
        size_t e = 0;
        while (name && e < c->count && strcmp(c->event[e].name, name) != 0)
            e++;
        if (!name || e == c->count)
            continue;
        w->judge[w->judges] = (struct judge){ideal, c->event[e].name};
        w->numbers[w->judges++] = c->event[e].number;
    }
    return s->source->arm(s->state, w->numbers, w->judges, &w->group, err);
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_spec spec;
    struct work w = {.spec = &spec,
                     .format = rc_rows_format(rc_args_value(args, &rc_option_format)),
                     .all = rc_args_has(args, &option_all)};
    const char *source = rc_args_value(args, &option_source);
    int status = rc_spec_resolve(args, NULL, RC_FILE_GIVEN, &spec, err);

    (void)session;
    if (status != RC_OK ||
        (status = rc_spec_only_source(&spec, source ? source : "soft", err)) != RC_OK ||
        (status = open_judge(&w, err)) != RC_OK)
        goto out;
    /* In other formats each row is printed at once, and would collide with the line of
     * progress.
     */
    if (w.format == RC_FORMAT_TEXT || !isatty(STDOUT_FILENO))
        w.progress = rc_progress_of(MPI_COMM_NULL);
    w.state.what = "points";
    w.state.at = w.at;
    if (w.format == RC_FORMAT_TEXT) {
        printf("%s\n\n", source_of(&w)->counter_set);
        fflush(stdout);
    }
    if ((status = verify_suites(&w, err)) != RC_OK)
        goto out;
    if (w.off + w.failed)
        status = rc_fail(err, RC_ECONFLICT, "%zu count%s %s off, %zu point%s failed",
                         w.off, rc_text_s(w.off), rc_text_plural(w.off, "is", "are"),
                         w.failed, rc_text_s(w.failed));
out:
    rc_progress_close(w.progress, NULL);
    if (w.group)
        source_of(&w)->source->disarm(w.group);
    rc_catalogue_close(w.catalogue);
    rc_spec_fini(&spec);
    return status;
}

const struct rc_command rc_command_verify = {
    .name = "verify",
    .summary = "checks the kernels' counts against the instruction-exact source",
    .operands = "",
    .options = options,
    .mpi = RC_MPI_NONE,
    .see = (const char *const[]){"kernels", NULL},
    .run = run,
};

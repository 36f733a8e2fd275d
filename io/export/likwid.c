/* A group file for LIKWID: one set of events that are counted together, and the metrics
 * that they give, each also by second; in addition time and, if the maker of the
 * processor is known, the clock and cycles per instruction.
 *
 * Metrics are added in their order while their events have counters: a metric that does
 * not fit gives its counters back.  The number of a core's counters is in the kind's
 * key, if PAPI counted on it. docs/export.md says how LIKWID treats names.
 */
#include "io/export/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    COUNTERS = 8,       /* of a core, if not known */
    COUNTERS_MOST = 64, /* limit for the number in a key */
    FIXED = 4,          /* fixed counters */
    LINE_MOST = 1000,   /* bytes of a line that LIKWID reads */
    NAME_MOST = 240     /* the part of a line for the name of a metric */
};

static const char comment[] = "# ";

/* Events that every group counts, by the maker of the processor. */
static const struct maker {
    const char *mark;         /* in the key of a kind */
    const char *fixed[FIXED]; /* the fixed counters; NULL: none of that number */
    const char *cycles, *instructions; /* on general counters; NULL: on fixed ones */
} makers[] = {
    {"vendor=GenuineIntel;",
     {"INSTR_RETIRED_ANY", "CPU_CLK_UNHALTED_CORE", "CPU_CLK_UNHALTED_REF"},
     NULL,
     NULL},
    {"vendor=AuthenticAMD;",
     {NULL, "ACTUAL_CPU_CLOCK", "MAX_CPU_CLOCK"},
     "CPU_CLOCKS_UNHALTED",
     "RETIRED_INSTRUCTIONS"},
};

struct job {
    struct rc_export_sum sum;
    size_t counters;                  /* of the kind, as far as known */
    const char *event[COUNTERS_MOST]; /* by general counter, in LIKWID's spelling */
    size_t count;                     /* general counters that are used */
    const char *fixed[FIXED];         /* by fixed counter, likewise */
    struct rc_export_text metrics;    /* the lines of the section METRICS */
};

/* A simulated machine has the maker of its original. */
static const struct maker *maker_of(const struct rc_export *x)
{
    const char *key = rc_store_kind(x->file, x->kind)->key;
    char name[RC_EXPORT_NAME];

    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strstr(key, makers[i].mark))
            return &makers[i];
    if (!rc_export_processor(x, name))
        return NULL;
    return &makers[strncmp(name, "amd", 3) == 0];
}

/* The number of the counters from the kind's key, "...; perf_event 6: perf, ...". */
static size_t counters_of(const char *key)
{
    const char *at = strstr(key, "perf_event ");
    unsigned long count = at ? strtoul(at + strlen("perf_event "), NULL, 10) : 0;

    return count > 0 && count <= COUNTERS_MOST ? count : COUNTERS;
}

/* Adds the counter of an event: a fixed one, its present one, or the next free one. */
static const char *put_event(struct rc_export_text *out,
                             const struct rc_store_event *event,
                             struct rc_export_sum *sum)
{
    struct job *job = sum->context;
    struct rc_event_name name;
    const char *why = rc_export_take_apart(event, &name);
    char all[RC_EXPORT_NAME];
    size_t i = 0;

    if (why)
        return why;
    if (name.generic)
        return "is a name of the kernel's, which LIKWID does not have";
    if (!name.user || name.kernel)
        return "counts in the kernel, which LIKWID says elsewhere";
    if ((why = rc_export_tool_name(sum->x, RC_EXPORT_LIKWID, &name, all)))
        return why;
    char *counter = strchr(all, ':');
    const char **fixed = NULL;
    if (counter) {
        *counter = 0;
        const size_t number = strtoul(counter + sizeof "FIXC", NULL, 10);
        fixed = &job->fixed[number % FIXED];
        if (!*fixed)
            *fixed = rc_pool_copy(sum->x->pool, all);
        rc_export_add(out, "FIXC%zu", number % FIXED);
        return *fixed ? NULL : "there is no memory";
    }
    while (i < job->count && strcmp(job->event[i], all) != 0)
        i++;
    if (i == job->count) {
        if (job->count == job->counters)
            return "needs more counters than there are left in the group, see --suite";
        job->event[i] = rc_pool_copy(job->sum.x->pool, all);
        if (!job->event[i])
            return "there is no memory";
        job->count++;
    }
    rc_export_add(out, "PMC%zu", i);
    return NULL;
}

static int put_metric(struct rc_export *x, const struct rc_suite_result *suite,
                      const struct rc_metric_result *metric,
                      struct rc_export_text *text, char why[RC_EXPORT_WHY],
                      void *context, struct rc_error *err)
{
    static const char *const sections[] = {
        "SHORT", "EVENTSET", "METRICS", "LONG", "REQUIRE_NOHT", "LUA", "#"};
    struct job *job = context;
    const char *fixed_before[FIXED];
    bool section = false;
    char name[200];
    const size_t count_before = job->count;

    (void)x;
    memcpy(fixed_before, job->fixed, sizeof fixed_before);
    const int status = rc_export_expression(text, &job->sum, suite, metric, why, err);
    if (status != RC_OK || text->failed)
        return status;
    if (!why[0] && text->length > LINE_MOST - NAME_MOST)
        snprintf(why, RC_EXPORT_WHY, "its line is longer than LIKWID reads");
    if (why[0]) { /* its events are not needed */
        job->count = count_before;
        memcpy(job->fixed, fixed_before, sizeof fixed_before);
        return RC_OK;
    }
    rc_export_line(name, sizeof name, metric->name, ",");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        section |= strncmp(name, sections[i], strlen(sections[i])) == 0;
    /* Such a line would begin a section. */
    rc_export_add(&job->metrics, "%s%s%s %s\n", section ? "Metric " : "", name,
                  metric->verdict == RC_METRIC_APPROXIMATE ? " (approximate)" : "",
                  text->text);
    if (!metric->formula[0]) /* a quotient has no rate */
        rc_export_add(&job->metrics, "%s%s%s [1/s] (%s)/time\n",
                      section ? "Metric " : "", name,
                      metric->verdict == RC_METRIC_APPROXIMATE ? " (approximate)" : "",
                      text->text);
    return RC_OK;
}

/* Whether one of the metrics is CPI. */
static bool has_own_cpi(const struct job *job)
{
    const char *text = job->metrics.text;

    return text && (strncmp(text, "CPI ", 4) == 0 || strstr(text, "\nCPI "));
}

/* Whether the maker's counters give CPI: they need room in the group. */
static bool has_cpi(const struct job *job, const struct maker *maker)
{
    return maker && (!maker->cycles || job->count + 2 <= job->counters);
}

/* Otherwise adds the campaign's own metric of that name, if it has one. */
static int add_cpi(struct job *job, const struct maker *maker, struct rc_error *err)
{
    struct rc_export *x = job->sum.x;
    struct rc_metrics_walk walk = {.at = 0};
    struct rc_export_text sum = {0};
    char why[RC_EXPORT_WHY] = "";

    if (has_cpi(job, maker) || has_own_cpi(job))
        return RC_OK;
    while (rc_metrics_next(x->file, x->kind, &walk)) {
        if (strcmp(walk.metric->name, "CPI") != 0 || !rc_metric_is_defined(walk.metric))
            continue;
        const int status = put_metric(x, walk.suite, walk.metric, &sum, why, job, err);
        job->metrics.failed |= sum.failed;
        free(sum.text);
        return status;
    }
    return RC_OK;
}

/* Writes the events, then time, clock and CPI, as LIKWID's own groups do. */
static void put_head(const struct job *job, const struct maker *maker, FILE *out)
{
    const bool own = has_own_cpi(job);
    const bool general =
        !own && maker && maker->cycles && has_cpi(job, maker); /* there is room */

    fputs("EVENTSET\n", out);
    for (int f = 0; f < FIXED; f++)
        if (maker && maker->fixed[f])
            fprintf(out, "FIXC%d %s\n", f, maker->fixed[f]);
        else if (job->fixed[f])
            fprintf(out, "FIXC%d %s\n", f, job->fixed[f]);
    for (size_t i = 0; i < job->count; i++)
        fprintf(out, "PMC%zu %s\n", i, job->event[i]);
    if (general)
        fprintf(out, "PMC%zu %s\nPMC%zu %s\n", job->count, maker->cycles,
                job->count + 1, maker->instructions);
    fputs("\nMETRICS\nRuntime (RDTSC) [s] time\n", out);
    if (maker)
        fputs("Runtime unhalted [s] FIXC1*inverseClock\n"
              "Clock [MHz] 1.E-06*(FIXC1/FIXC2)/inverseClock\n",
              out);
    if (general)
        fprintf(out, "CPI PMC%zu/PMC%zu\n", job->count, job->count + 1);
    else if (!own && maker && !maker->cycles)
        fputs("CPI FIXC1/FIXC0\n", out);
}

int rc_export_likwid_line(struct rc_export *x, const struct rc_suite_result *suite,
                          const struct rc_metric_result *metric,
                          struct rc_export_text *out, char why[RC_EXPORT_WHY],
                          struct rc_error *err)
{
    struct rc_export_text expression = {0};
    struct job job = {
        .sum = {.x = x, .space = "", .capitals = true, .put_event = put_event},
        .counters = counters_of(rc_store_kind(x->file, x->kind)->key)};
    char name[200];

    job.sum.context = &job;
    const int status =
        rc_export_expression(&expression, &job.sum, suite, metric, why, err);
    rc_export_line(name, sizeof name, metric->name, "");
    out->failed |= expression.failed;
    if (!out->failed && !why[0]) {
        const char *before = "likwid-perfctr -C 0 -g ";
        for (int f = 0; f < FIXED; f++)
            if (job.fixed[f]) {
                rc_export_add(out, "%s%s:FIXC%d", before, job.fixed[f], f);
                before = ",";
            }
        for (size_t i = 0; i < job.count; i++) {
            rc_export_add(out, "%s%s:PMC%zu", before, job.event[i], i);
            before = ",";
        }
        rc_export_add(out, " COMMAND  # %s = %s", name, expression.text);
    }
    free(expression.text);
    return status;
}

int rc_export_likwid(struct rc_store *file, const struct rc_export_choice *choice,
                     FILE *out, FILE *left_out, struct rc_error *err)
{
    struct rc_export x;
    char kind[200];
    struct job job = {
        .sum = {.x = &x, .space = "", .capitals = true, .put_event = put_event}};
    int status = rc_export_open(&x, file, choice, out, left_out, err);

    if (status != RC_OK)
        goto out;
    job.sum.context = &job;
    job.counters = counters_of(rc_store_kind(file, x.kind)->key);
    rc_export_origin(&x, comment, "A group for LIKWID");
    const struct maker *maker = maker_of(&x);
    if ((status = rc_export_each(&x, comment, put_metric, &job, err)) ||
        (status = add_cpi(&job, maker, err)))
        goto out;
    if (job.metrics.failed) {
        status = rc_fail(err, RC_ENOMEM, "no memory for the export");
        goto out;
    }
    /* The file can be written now that all events are known. */
    rc_export_line(kind, sizeof kind, rc_store_kind(file, x.kind)->name, "");
    fprintf(
        out,
        "# Names of events are those of LIKWID 5.2.2; likwid-perfctr -e lists them.\n"
        "# In ~/.likwid/groups/ARCH/NAME.txt, ARCH as 'likwid-perfctr -i' calls it, "
        "it\n"
        "# is taken by likwid-perfctr -C 0 -g NAME COMMAND.\n"
        "SHORT %srollcall's metrics of %s\n\n",
        rc_store_kind(file, x.kind)->simulated ? "SIMULATED " : "", kind);
    put_head(&job, maker, out);
    fprintf(out, "%s\nLONG\n", job.metrics.text ? job.metrics.text : "");
    fprintf(out, "Derived from readings, each metric as a combination of events.\n");
out:
    free(job.metrics.text);
    rc_export_close(&x);
    return status;
}

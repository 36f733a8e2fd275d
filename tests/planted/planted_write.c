/* A planted machine as campaign.h5, its metrics as a file of definitions, and what the
 * solve makes of both.
 */
#include "tests/planted/planted.h"

#include "campaign/base/memory.h"
#include "campaign/records/record.h"
#include "campaign/solve/solve.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rc_store_campaign campaign = {
    .id = "00000000000000000000000000000000",
    .created_by = "tests/planted",
    .source_labels = (const char *const[]){"model: planted"},
    .source_label_count = 1,
    .simulated = true,
};

static int define_kind(const struct planted *m, struct rc_store *store,
                       struct rc_error *err)
{
    struct rc_store_event event[PLANTED_EVENTS];
    const struct rc_store_kind kind = {.name = "planted",
                                       .nodes = (const char *const[]){"n0"},
                                       .node_count = 1,
                                       .events = event,
                                       .event_count = m->events};
    size_t number;

    for (size_t e = 0; e < m->events; e++)
        event[e] = (struct rc_store_event){.name = m->event[e].name,
                                           .source = "model",
                                           .verdict = RC_VERDICT_OK,
                                           .simulated = true};
    return rc_store_define_kind(store, &kind, &number, err);
}

/* The suite's own ideals, then the others. */
static size_t order_ideals(const struct planted_suite *s, enum rc_ideal *order)
{
    size_t count = s->suite->ideal_count;

    memcpy(order, s->suite->ideals, count * sizeof *order);
    for (int q = 0; q < RC_IDEAL_COUNT; q++) {
        bool own = false;
        for (size_t i = 0; i < s->suite->ideal_count; i++)
            own |= s->suite->ideals[i] == (enum rc_ideal)q;
        if (!own)
            order[count++] = (enum rc_ideal)q;
    }
    return count;
}

/* The arrays that a suite of the store points to. */
struct labels {
    const char **point;
    double *basis, *low, *high;
    enum rc_ideal order[RC_IDEAL_COUNT];
    const char *ideal[RC_IDEAL_COUNT];
};

static int fill_labels(const struct planted_suite *s, struct labels *l,
                       struct rc_error *err)
{
    const size_t count = order_ideals(s, l->order), points = s->points.count;

    l->point = rc_calloc(points, sizeof *l->point);
    l->basis = rc_calloc(points * count, sizeof *l->basis);
    l->low = rc_calloc(points * count, sizeof *l->low);
    l->high = rc_calloc(points * count, sizeof *l->high);
    if (!l->point || !l->basis || !l->low || !l->high)
        return rc_fail(err, RC_ENOMEM, "no memory for labels");
    for (size_t i = 0; i < count; i++)
        l->ideal[i] = rc_ideal_name(l->order[i]);
    for (size_t p = 0; p < points; p++) {
        l->point[p] = s->points.point[p].name;
        for (size_t i = 0; i < count; i++) {
            const size_t from = p * RC_IDEAL_COUNT + l->order[i], to = p * count + i;
            l->basis[to] = s->known[from];
            l->low[to] = s->range[from].low;
            l->high[to] = s->range[from].high;
        }
    }
    return RC_OK;
}

static int define_suite(const struct planted *m, size_t suite, struct rc_store *store,
                        struct rc_error *err)
{
    const struct planted_suite *s = &m->suite[suite];
    struct labels l = {0};
    int status = fill_labels(s, &l, err);
    const struct rc_store_suite out = {
        .name = s->suite->name,
        .summary = s->suite->summary,
        .points = l.point,
        .point_count = s->points.count,
        .ideals = l.ideal,
        .ideal_count = RC_IDEAL_COUNT,
        .own_count = s->suite->ideal_count,
        .basis = l.basis,
        .low = l.low,
        .high = l.high,
        .sources = (const char *const[]){"model"},
        .source_count = 1,
        .iterations = s->iterations,
        .places = (const char *const[]){"any"},
        .place_count = 1,
        .repetitions = m->repetitions,
        .statuses = rc_reading_status_names(),
        .status_count = RC_READING_STATUS_COUNT,
        .stops = (const char *const[]){""},
        .stop_count = 1,
        .workers = (const char *const[]){""},
        .worker_count = 1,
    };
    size_t number;

    if (status == RC_OK)
        status = rc_store_define_suite(store, 0, &out, &number, err);
    free(l.point);
    free(l.basis);
    free(l.low);
    free(l.high);
    return status;
}

static int write_suite(const struct planted *m, size_t suite, struct rc_store *store,
                       struct rc_error *err)
{
    const struct planted_suite *s = &m->suite[suite];
    uint64_t *ns = rc_calloc(m->events * m->repetitions, sizeof *ns);
    const struct rc_store_block block = {.count = m->events,
                                         .values = s->reading,
                                         .enabled_ns = ns,
                                         .running_ns = ns,
                                         .status = s->status};
    int status = ns ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for times");

    if (status == RC_OK)
        status = rc_store_write(store, 0, suite, &block, err);
    free(ns);
    return status;
}

static int write_store(const struct planted *m, const char *dir, struct rc_error *err)
{
    struct rc_store *store = NULL;
    char path[PATH_MAX];
    int status;

    snprintf(path, sizeof path, "%s/campaign.h5", dir);
    status = rc_store_create(MPI_COMM_NULL, path, &campaign, &store, err);
    if (status != RC_OK)
        return status;
    status = define_kind(m, store, err);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++)
        status = define_suite(m, s, store, err);
    for (size_t s = 0; s < m->suites && status == RC_OK; s++)
        status = write_suite(m, s, store, err);
    if (status == RC_OK)
        return rc_store_close(store, err);
    rc_store_abandon(store);
    return status;
}

static void write_metric(FILE *out, const char *suite, size_t number,
                         const double *weight)
{
    size_t terms = 0;

    for (size_t q = 0; q < RC_IDEAL_COUNT; q++) {
        if (weight[q] == 0)
            continue;
        if (terms == 0)
            fprintf(out, "- {metric: planted %zu, suite: %s, signature: '", number,
                    suite);
        fprintf(out, "%s%.17g %s",
                weight[q] < 0 ? " - "
                : terms       ? " + "
                              : "",
                fabs(weight[q]), rc_ideal_name((enum rc_ideal)q));
        terms++;
    }
    if (terms)
        fputs("'}\n", out);
}

static int write_metrics(const struct planted *m, const char *dir, struct rc_error *err)
{
    char path[PATH_MAX];
    FILE *out;

    snprintf(path, sizeof path, "%s/planted.yaml", dir);
    out = fopen(path, "w");
    if (!out)
        return rc_fail_errno(err, "cannot write '%s'", path);
    fputs("metrics:\n", out);
    for (size_t s = 0; s < m->suites; s++)
        for (size_t i = 0; i < PLANTED_METRICS; i++)
            write_metric(out, m->suite[s].suite->name, i, m->suite[s].metric[i]);
    return fclose(out) == 0 ? RC_OK : rc_fail_errno(err, "cannot write '%s'", path);
}

static int write_machine(const struct planted *m, const char *dir, struct rc_error *err)
{
    int status = write_store(m, dir, err);

    return status == RC_OK ? write_metrics(m, dir, err) : status;
}

/* Whether it has metrics of its own: a file without any is not a file of definitions.
 */
static bool has_metrics(const struct planted *m)
{
    for (size_t s = 0; s < m->suites; s++)
        for (size_t i = 0; i < PLANTED_METRICS; i++)
            for (size_t q = 0; q < RC_IDEAL_COUNT; q++)
                if (m->suite[s].metric[i][q] != 0)
                    return true;
    return false;
}

int planted_solve(const struct planted *m, const char *dir, bool plain,
                  struct rc_store **out, struct rc_error *err)
{
    char file[PATH_MAX], path[PATH_MAX];
    const char *const definitions[] = {has_metrics(m) ? file : NULL, NULL};
    const struct rc_solving how = {.comm = MPI_COMM_NULL,
                                   .dir = dir,
                                   .definitions = definitions,
                                   .plain = plain,
                                   .seed = m->seed};
    bool incomplete;
    int status = write_machine(m, dir, err);

    snprintf(file, sizeof file, "%s/planted.yaml", dir);
    snprintf(path, sizeof path, "%s/metrics.h5", dir);
    if (status == RC_OK)
        status = rc_solve(&how, &incomplete, err);
    return status == RC_OK ? rc_metrics_open(MPI_COMM_NULL, path, out, err) : status;
}

void planted_remove(const char *dir)
{
    static const char *const names[] = {"campaign.h5", "planted.yaml", "metrics.h5"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);
}

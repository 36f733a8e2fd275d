/* What is compared, from metrics.h5 of each campaign. */
#include "campaign/compare/parts.h"

#include "campaign/solve/origin.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 16384 };

/* The metrics of a campaign: the operand itself, or what is in the directory. */
static int open_operand(const char *operand, struct rc_metrics_file **out,
                        struct rc_error *err)
{
    char path[PATH_MAX];
    struct stat found;

    if (!operand[0])
        return rc_fail(err, RC_EUSAGE,
                       "an operand is empty, expected a campaign's directory");
    if (stat(operand, &found) != 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? rc_fail(err, RC_EMISSING,
                             "'%s' is not there, expected the directory of a campaign "
                             "or its metrics.h5",
                             operand)
                   : rc_fail_errno(err, "cannot look at '%s'", operand);
    if (!S_ISDIR(found.st_mode)) { /* which may be a link of the user's */
        const bool leads =
            readlink(operand, path, sizeof path) > 0 && realpath(operand, path);
        return rc_metrics_open(MPI_COMM_NULL, leads ? path : operand, out, err);
    }
    if (snprintf(path, sizeof path, "%s/metrics.h5", operand) >= (int)sizeof path)
        return rc_fail(err, RC_EUSAGE, "an operand is longer than a path can be");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return rc_fail(err, RC_EMISSING,
                       "'%s' is not there, 'rollcall solve DIR' makes it of a campaign",
                       path);
    char why[RC_ERROR_TEXT];
    const int status = rc_metrics_open(MPI_COMM_NULL, path, out, err);
    if (status == RC_OK) {
        rc_solve_mismatch_in(operand, rc_metrics_campaign(*out), why, sizeof why);
        if (why[0])
            fprintf(stderr, "rollcall compare: '%s': %s\n", operand, why);
    }
    return status;
}

static int open_all(struct rc_compare_job *job, const char *const *paths, size_t count,
                    struct rc_error *err)
{
    int status = RC_OK;

    job->file = rc_calloc(count, sizeof(struct rc_metrics_file *));
    job->pool = rc_pool_create();
    if (!job->file || !job->pool)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu campaigns", count);
    for (; job->file_count < count && status == RC_OK;) {
        status = open_operand(paths[job->file_count], &job->file[job->file_count], err);
        job->file_count += status == RC_OK;
    }
    return status;
}

static int lay_columns(struct rc_compare_job *job, const char *const *paths,
                       struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    size_t count = 0;

    for (size_t f = 0; f < job->file_count; f++)
        count += rc_metrics_kind_count(job->file[f]);
    if (count < 2)
        return rc_fail(
            err, RC_EUSAGE,
            "there is nothing to compare it with: expected two campaigns, or "
            "one of several kinds, and found %zu kind%s",
            count, count == 1 ? "" : "s");
    c->column = rc_calloc(count, sizeof *c->column);
    job->source = rc_calloc(count, sizeof *job->source);
    if (!c->column || !job->source)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu columns", count);
    for (size_t f = 0; f < job->file_count; f++)
        for (size_t k = 0; k < rc_metrics_kind_count(job->file[f]); k++) {
            struct rc_compare_column *column = &c->column[c->column_count];
            job->source[c->column_count++] = (struct rc_compare_source){f, k};
            column->path = paths[f];
            column->campaign = rc_metrics_campaign(job->file[f]);
            column->kind = rc_metrics_kind(job->file[f], k);
            column->simulated = column->kind->simulated;
            c->simulated |= column->simulated;
        }
    return RC_OK;
}

static int relate(struct rc_compare_job *job, struct rc_error *err)
{
    size_t *operand = rc_calloc(job->compare.column_count, sizeof *operand);
    int status;

    if (!operand)
        return rc_fail(err, RC_ENOMEM, "no memory for columns");
    for (size_t i = 0; i < job->compare.column_count; i++)
        operand[i] = job->source[i].file;
    status = rc_compare_relate(&job->compare, operand, job->as_one_kind, err);
    free(operand);
    return status;
}

/* Whether one of the words of "A,B" is that name. */
static bool has_word(const char *list, const char *name)
{
    for (;;) {
        const size_t length = strcspn(list, ",");
        if (length == strlen(name) && strncmp(list, name, length) == 0)
            return true;
        if (!list[length])
            return false;
        list += length + 1;
    }
}

static bool is_wanted(const struct rc_compare_job *job, const char *suite)
{
    if (!job->suites)
        return true;
    for (size_t i = 0; job->suites[i]; i++)
        if (has_word(job->suites[i], suite))
            return true;
    return false;
}

static struct rc_compare_suite *suite_of(struct rc_compare *c, const char *name,
                                         size_t *room)
{
    struct rc_compare_suite *suite;

    for (size_t s = 0; s < c->suite_count; s++)
        if (strcmp(c->suite[s].name, name) == 0)
            return &c->suite[s];
    if (rc_grow(&c->suite, sizeof *c->suite, c->suite_count, room))
        return NULL;
    suite = &c->suite[c->suite_count];
    *suite = (struct rc_compare_suite){
        .name = name,
        .result = rc_calloc(c->column_count, sizeof(const struct rc_suite_result *))};
    if (!suite->result)
        return NULL;
    c->suite_count++;
    return suite;
}

static int lay_suites(struct rc_compare_job *job, struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    size_t room = 0;

    for (size_t i = 0; i < c->column_count; i++) {
        const struct rc_compare_source *at = &job->source[i];
        const size_t count = rc_metrics_suite_count(job->file[at->file], at->kind);
        for (size_t s = 0; s < count; s++) {
            const struct rc_suite_result *result =
                rc_metrics_suite(job->file[at->file], at->kind, s);
            struct rc_compare_suite *suite;
            if (!is_wanted(job, result->suite))
                continue;
            suite = suite_of(c, result->suite, &room);
            if (!suite)
                return rc_fail(err, RC_ENOMEM, "no memory for %zu suites",
                               c->suite_count);
            suite->result[i] = result;
        }
    }
    return RC_OK;
}

/* Each word of --suite is a suite of one of them. */
static int check_suites(const struct rc_compare_job *job, struct rc_error *err)
{
    const struct rc_compare *c = &job->compare;

    for (size_t i = 0; job->suites && job->suites[i]; i++)
        for (const char *word = job->suites[i];;) {
            const size_t length = strcspn(word, ",");
            bool found = false;
            for (size_t s = 0; s < c->suite_count; s++)
                found |= strlen(c->suite[s].name) == length &&
                         strncmp(c->suite[s].name, word, length) == 0;
            if (!found)
                return rc_fail(err, RC_EMISSING, "suite '%.*s' is in none of them",
                               (int)length, word);
            if (!word[length])
                break;
            word += length + 1;
        }
    return RC_OK;
}

static int keep_event(struct rc_pool *pool, const struct rc_store_event *from,
                      struct rc_compare_event *to)
{
    *to = (struct rc_compare_event){.name = rc_pool_copy(pool, from->name),
                                    .source = rc_pool_intern(pool, from->source),
                                    .reason = rc_pool_intern(pool, from->reason),
                                    .scope = from->scope,
                                    .verdict = from->verdict};
    return to->name && to->source && to->reason ? 0 : -1;
}

static int read_block(struct rc_compare_job *job, size_t column, size_t first,
                      size_t count, struct rc_store_event *block, struct rc_error *err)
{
    const struct rc_compare_source *at = &job->source[column];
    struct rc_pool *pool = rc_pool_create();
    int status = pool ? rc_metrics_read_events(job->file[at->file], at->kind, first,
                                               count, block, pool, err)
                      : rc_fail(err, RC_ENOMEM, "no memory for events");

    for (size_t i = 0; i < count && status == RC_OK; i++)
        if (keep_event(job->pool, &block[i],
                       &job->compare.column[column].event[first + i]))
            status = rc_fail(err, RC_ENOMEM, "no memory for events");
    rc_pool_close(pool);
    return status;
}

/* Descriptions are left behind block by block: half a million of them are long. */
static int read_events(struct rc_compare_job *job, size_t column, struct rc_error *err)
{
    struct rc_compare_column *c = &job->compare.column[column];
    const size_t total = c->kind->event_count;
    struct rc_store_event *block = rc_calloc(BLOCK, sizeof *block);
    int status = RC_OK;

    c->event = rc_calloc(total, sizeof *c->event);
    if (!c->event || !block)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu events", total);
    else
        c->event_count = total;
    for (size_t first = 0; first < total && status == RC_OK; first += BLOCK)
        status = read_block(job, column, first,
                            total - first < BLOCK ? total - first : BLOCK, block, err);
    free(block);
    return status;
}

/* Noise, class and use of all events of a column in a suite. */
struct states {
    double *noise;
    uint8_t *code; /* class, then use */
};

static int read_states(struct rc_compare_job *job, size_t column,
                       const struct rc_suite_result *suite, struct states *out,
                       struct rc_error *err)
{
    const struct rc_compare_source *at = &job->source[column];
    const size_t count = job->compare.column[column].event_count;
    struct rc_event_columns columns = {.count = count};
    size_t number = 0;

    while (rc_metrics_suite(job->file[at->file], at->kind, number) != suite)
        number++;
    out->noise = rc_calloc(count, sizeof *out->noise);
    out->code = rc_calloc(count, 2);
    if (!out->noise || !out->code)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", count);
    columns.noise = out->noise;
    columns.event_class = out->code;
    columns.use = out->code + count;
    return rc_metrics_read_columns(job->file[at->file], at->kind, number, &columns,
                                   err);
}

static void free_states(struct states *states)
{
    free(states->noise);
    free(states->code);
}

static int compare_states(struct rc_compare_job *job, size_t column, size_t suite,
                          const size_t *match, struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    const size_t reference = c->column[column].reference;
    const struct rc_suite_result *const *result = c->suite[suite].result;
    struct states before = {0}, after = {0};
    int status;

    if (!result[reference] || !result[column])
        return RC_OK;
    status = read_states(job, reference, result[reference], &before, err);
    if (status == RC_OK)
        status = read_states(job, column, result[column], &after, err);
    if (status == RC_OK)
        status =
            rc_compare_states(c, column, match, RC_CHANGE_CLASS, suite,
                              &(struct rc_compare_states){before.code, after.code,
                                                          before.noise, after.noise},
                              err);
    if (status == RC_OK)
        status = rc_compare_states(
            c, column, match, RC_CHANGE_USE, suite,
            &(struct rc_compare_states){before.code + c->column[reference].event_count,
                                        after.code + c->column[column].event_count,
                                        NULL, NULL},
            err);
    free_states(&before);
    free_states(&after);
    return status;
}

static int compare_column(struct rc_compare_job *job, size_t column,
                          struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    const struct rc_compare_column *b = &c->column[column];
    const struct rc_compare_column *a;
    size_t *match = NULL;
    int status;

    if (b->reference == RC_COMPARE_NONE)
        return RC_OK;
    a = &c->column[b->reference];
    status = rc_compare_match(a->event, a->event_count, b->event, b->event_count,
                              &match, err);
    if (status == RC_OK)
        status = rc_compare_events(c, column, match, err);
    for (size_t s = 0; s < c->suite_count && status == RC_OK; s++)
        status = compare_states(job, column, s, match, err);
    free(match);
    return status;
}

int rc_compare_open(struct rc_compare_job *job, const char *const *paths, size_t count,
                    struct rc_error *err)
{
    int status;

    if ((status = open_all(job, paths, count, err)) ||
        (status = lay_columns(job, paths, err)) || (status = relate(job, err)) ||
        (status = lay_suites(job, err)) || (status = check_suites(job, err)) ||
        (status = rc_compare_metrics(&job->compare, err)))
        return status;
    for (size_t i = 0; i < job->compare.column_count && status == RC_OK; i++)
        status = read_events(job, i, err);
    for (size_t i = 0; i < job->compare.column_count && status == RC_OK; i++)
        status = compare_column(job, i, err);
    return status;
}

void rc_compare_close(struct rc_compare_job *job)
{
    struct rc_error closing = {.rank = -1}; /* files were only read */

    for (size_t f = 0; f < job->file_count; f++)
        rc_metrics_close(job->file[f], &closing);
    rc_compare_fini(&job->compare);
    free(job->file);
    free(job->source);
    rc_pool_close(job->pool);
    *job = (struct rc_compare_job){0};
}

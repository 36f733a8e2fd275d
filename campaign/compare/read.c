/* Reads the data of a comparison: metrics.h5 of each campaign, and campaign.h5 beside
 * it.
 *
 * A column is a kind of a campaign; it is compared with an earlier one (its reference,
 * see relate.c).  The events of all columns are in memory; their results in a suite are
 * read for two columns at a time.
 */
#include "campaign/base/text.h"
#include "campaign/compare/parts.h"

#include "campaign/solve/origin.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 16384 }; /* events whose labels are read at once */
#define CHANCE 0.05     /* probability that a comparison errs by chance */

/* Opens the metrics of a campaign: the operand itself, or the file in that directory.
 */
static int open_operand(const char *operand, struct rc_store **out,
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
                   : rc_fail_errno(err, "cannot examine '%s'", operand);
    if (!S_ISDIR(found.st_mode)) { /* it may be a link of the user's */
        const bool leads =
            readlink(operand, path, sizeof path) > 0 && realpath(operand, path);
        return rc_metrics_open(MPI_COMM_NULL, leads ? path : operand, out, err);
    }
    char why[RC_ERROR_TEXT];
    const int status = rc_solve_open_results(operand, out, why, sizeof why, err);
    if (why[0])
        fprintf(stderr, "rollcall compare: '%s': %s\n", operand, why);
    return status;
}

/* Makes a column for each kind of each campaign; one campaign of several kinds
 * suffices.
 */
static int make_columns(struct rc_compare_job *job, const char *const *paths,
                        struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    size_t count = 0;

    for (size_t f = 0; f < job->file_count; f++)
        count += rc_store_kind_count(job->file[f]);
    if (count < 2)
        return rc_fail(
            err, RC_EUSAGE,
            "there is nothing to compare it with: expected two campaigns, or "
            "one of several kinds, and found %zu kind%s",
            count, rc_text_s(count));
    c->column = rc_arena_array(&c->arena, count, sizeof *c->column);
    job->operand = rc_arena_array(&c->arena, count, sizeof *job->operand);
    job->kind = rc_arena_array(&c->arena, count, sizeof *job->kind);
    int status = rc_arena_check(&c->arena, err, "the kinds of the campaigns");
    if (status != RC_OK)
        return status;
    for (size_t f = 0; f < job->file_count; f++)
        for (size_t k = 0; k < rc_store_kind_count(job->file[f]); k++) {
            struct rc_compare_column *column = &c->column[c->column_count];
            job->operand[c->column_count] = f;
            job->kind[c->column_count++] = k;
            column->path = paths[f];
            column->campaign = rc_store_campaign(job->file[f]);
            column->kind = rc_store_kind(job->file[f], k);
            column->simulated = column->kind->simulated;
            c->simulated |= column->simulated;
        }
    return RC_OK;
}

/* Lists the wanted suites, each once, with every column's results.  Each of 'suites'
 * must be in some column.
 */
static int make_suites(struct rc_compare_job *job, struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    struct rc_arena *arena = &c->arena;
    size_t most = 0;

    for (size_t i = 0; i < c->column_count; i++)
        most += rc_store_suite_count(job->file[job->operand[i]], job->kind[i]);
    c->suite = rc_arena_array(arena, most, sizeof *c->suite);
    for (size_t i = 0; i < c->column_count && !arena->failed; i++) {
        struct rc_store *file = job->file[job->operand[i]];
        const size_t count = rc_store_suite_count(file, job->kind[i]);
        for (size_t n = 0; n < count && !arena->failed; n++) {
            const struct rc_suite_result *result =
                rc_metrics_suite(file, job->kind[i], n);
            size_t s = 0;
            if (job->suites && rc_word_find(result->suite, job->suites) < 0)
                continue;
            while (s < c->suite_count && strcmp(c->suite[s].name, result->suite) != 0)
                s++;
            if (s == c->suite_count) {
                c->suite[c->suite_count++].name = result->suite;
                c->suite[s].result = rc_arena_array(
                    arena, c->column_count, sizeof(const struct rc_suite_result *));
            }
            if (c->suite[s].result)
                c->suite[s].result[i] = result;
        }
    }
    for (const char *const *word = job->suites; word && *word; word++) {
        size_t s = 0;
        while (s < c->suite_count && strcmp(*word, c->suite[s].name) != 0)
            s++;
        if (s == c->suite_count && !arena->failed)
            return rc_fail(err, RC_EMISSING, "suite '%s' is in none of them", *word);
    }
    return rc_arena_check(arena, err, "suites");
}

/* Reads names and verdicts block by block: the descriptions of a block are freed with
 * it, since those of half a million events are long.
 */
static int read_events(struct rc_compare_job *job, size_t column, struct rc_error *err)
{
    struct rc_compare_column *c = &job->compare.column[column];
    const size_t total = c->kind->event_count;
    struct rc_store_event *block = rc_calloc(BLOCK, sizeof *block);
    int status = RC_OK;

    c->event = rc_arena_array(&job->compare.arena, total, sizeof *c->event);
    c->verdict = rc_arena_array(&job->compare.arena, total, 1);
    c->scope = rc_arena_array(&job->compare.arena, total, 1);
    c->state = rc_arena_array(&job->compare.arena, total, sizeof *c->state);
    if (job->compare.arena.failed || !block)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu events", total);
    else
        c->event_count = total;
    if (status != RC_OK)
        goto out;
    for (size_t first = 0, count; first < total; first += count) {
        struct rc_pool *pool = rc_pool_create();
        count = total - first < BLOCK ? total - first : BLOCK;
        status =
            rc_store_read_events(job->file[job->operand[column]], job->kind[column],
                                 first, count, block, pool, err);
        for (size_t i = 0; i < count && status == RC_OK; i++) {
            struct rc_compare_event *to = &c->event[first + i];
            to->name = rc_pool_copy(job->pool, block[i].name);
            to->source = rc_pool_intern(job->pool, block[i].source);
            to->reason = rc_pool_intern(job->pool, block[i].reason);
            c->scope[first + i] = (uint8_t)block[i].scope;
            c->state[first + i] = block[i].state;
            c->verdict[first + i] = (uint8_t)block[i].verdict;
            if (!to->name || !to->source || !to->reason)
                status = rc_fail(err, RC_ENOMEM, "no memory for events");
        }
        rc_pool_close(pool);
        if (status != RC_OK)
            goto out;
    }
out:
    free(block);
    return status;
}

/* Reads noise, class and use of all events of a column in a suite; 'suite' is one of
 * its own results.
 */
static int read_states(struct rc_compare_job *job, size_t column,
                       const struct rc_suite_result *suite, struct rc_arena *arena,
                       struct rc_event_columns *out, struct rc_error *err)
{
    struct rc_store *file = job->file[job->operand[column]];
    const size_t count = job->compare.column[column].event_count;
    size_t number = 0;

    while (rc_metrics_suite(file, job->kind[column], number) != suite)
        number++;
    *out = (struct rc_event_columns){
        .count = count,
        .noise = rc_arena_array(arena, count, sizeof *out->noise),
        .event_class = rc_arena_array(arena, count, 1),
        .use = rc_arena_array(arena, count, 1)};
    const int status = rc_arena_check(arena, err, "the noise of events");
    return status == RC_OK
               ? rc_metrics_read_columns(file, job->kind[column], number, out, err)
               : status;
}

/* Compares noise, class and use in one suite, if both columns have it. */
static int compare_states(struct rc_compare_job *job, size_t column, size_t suite,
                          const size_t *match, struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    const size_t reference = c->column[column].reference;
    const struct rc_suite_result *const *result = c->suite[suite].result;
    struct rc_arena arena = {0};
    struct rc_event_columns a, b;
    int status;

    if (!result[reference] || !result[column])
        return RC_OK;
    if ((status = read_states(job, reference, result[reference], &arena, &a, err)) !=
            RC_OK ||
        (status = read_states(job, column, result[column], &arena, &b, err)) != RC_OK)
        goto out;
    struct rc_compare_column *of = &c->column[column];
    struct rc_compare_judged *judged =
        of->judged ? rc_arena_array(&arena, of->event_count, sizeof *judged) : NULL;
    if ((status = rc_arena_check(&arena, err, "what is judged of events")) != RC_OK ||
        (judged && (status = rc_compare_judge_suite(job, column, c->suite[suite].name,
                                                    match, judged, err)) != RC_OK))
        goto out;
    const struct rc_compare_states class = {a.event_class, b.event_class, a.noise,
                                            b.noise, judged};
    const struct rc_compare_states use = {a.use, b.use, NULL, NULL, judged};
    if ((status = rc_compare_states(c, column, match, RC_CHANGE_COUNTS, suite, &class,
                                    err)) != RC_OK ||
        (status = rc_compare_states(c, column, match, RC_CHANGE_CLASS, suite, &class,
                                    err)) != RC_OK)
        goto out;
    status = rc_compare_states(c, column, match, RC_CHANGE_USE, suite, &use, err);
    /* An event that was not judged counts as changed if its class changed. */
    for (size_t i = 0; judged && i < of->event_count; i++)
        if (match[i] != RC_COMPARE_NONE &&
            (judged[i].counts || judged[i].noise ||
             (!judged[i].known && a.event_class[match[i]] != b.event_class[i])))
            of->changed[i] = of->changed_before[match[i]] = true;
out:
    rc_arena_free(&arena);
    return status;
}

/* If the readings of a column and its reference can be judged, notes which events are
 * gone or new, or have another verdict or scope.
 */
static int note_changes(struct rc_compare_job *job, size_t column, const size_t *match,
                        struct rc_error *err)
{
    struct rc_arena *arena = &job->compare.arena;
    struct rc_compare_column *b = &job->compare.column[column];
    const struct rc_compare_column *a = &job->compare.column[b->reference];

    if (job->compare.strict || b->relation == RC_RELATION_OTHER ||
        !job->readings[job->operand[column]] ||
        !job->readings[job->operand[b->reference]])
        return RC_OK;
    b->changed = rc_arena_array(arena, b->event_count, 1);
    b->changed_before = rc_arena_array(arena, a->event_count, 1);
    const int status = rc_arena_check(arena, err, "which events changed");
    if (status != RC_OK)
        return status;
    b->judged = true;
    for (size_t i = 0; i < a->event_count; i++)
        b->changed_before[i] = true;
    for (size_t i = 0; i < b->event_count; i++) {
        const size_t m = match[i];
        b->changed[i] = m == RC_COMPARE_NONE || a->verdict[m] != b->verdict[i] ||
                        a->scope[m] != b->scope[i];
        if (m != RC_COMPARE_NONE)
            b->changed_before[m] = b->changed[i];
    }
    return RC_OK;
}

/* Each event of two columns is judged twice in each suite, and each rate once; over all of them chance may
 * give one wrong answer in 20 comparisons.
 */
static void set_threshold(struct rc_compare_job *job)
{
    const struct rc_compare *c = &job->compare;
    double tests = 0;

    for (size_t i = 0; i < c->column_count; i++) {
        size_t rates = 0;
        if (c->column[i].reference == RC_COMPARE_NONE)
            continue;
        (void)rc_metrics_rates(job->file[job->operand[i]], job->kind[i], &rates);
        tests += (double)rates +
                 2.0 * (double)c->column[i].kind->event_count * (double)c->suite_count;
    }
    job->threshold = tests > 0 ? CHANCE / tests : CHANCE;
}

/* Compares the events of a column with those of its reference. */
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
    if ((status = rc_compare_match(a->event, a->event_count, b->event, b->event_count,
                                   &match, err)) ||
        (status = rc_compare_events(c, column, match, err)) ||
        (status = note_changes(job, column, match, err)))
        goto out;
    for (size_t s = 0; s < c->suite_count; s++)
        if ((status = compare_states(job, column, s, match, err)) ||
            (status = rc_compare_rates(job, column, s, err)))
            goto out;
out:
    free(match);
    return status;
}

int rc_compare_open(struct rc_compare_job *job, const char *const *paths, size_t count,
                    struct rc_error *err)
{
    struct rc_compare *c = &job->compare;
    int status;

    /* The files, in the order of the command line. */
    job->file = rc_arena_array(&c->arena, count, sizeof(struct rc_store *));
    job->readings = rc_arena_array(&c->arena, count, sizeof(struct rc_store *));
    job->pool = rc_pool_create();
    if (!job->file || !job->readings || !job->pool)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu campaigns", count);
    for (; job->file_count < count; job->file_count++)
        if ((status = open_operand(paths[job->file_count], &job->file[job->file_count],
                                   err)) != RC_OK)
            return status;
    if ((status = make_columns(job, paths, err)) != RC_OK ||
        (status = rc_compare_relate(c, job->operand, job->as_one_kind, err)) != RC_OK ||
        (status = make_suites(job, err)) != RC_OK)
        return status;
    for (size_t f = 0; f < count && !c->strict; f++)
        job->readings[f] =
            rc_compare_open_readings(paths[f], rc_store_campaign(job->file[f]));
    set_threshold(job);
    for (size_t i = 0; i < c->column_count; i++)
        if ((status = read_events(job, i, err)) != RC_OK)
            return status;
    for (size_t i = 0; i < c->column_count; i++)
        if ((status = compare_column(job, i, err)) != RC_OK)
            return status;
    return rc_compare_metrics(c, err);
}

void rc_compare_close(struct rc_compare_job *job)
{
    struct rc_error closing = {.rank = -1}; /* of files that were only read */

    for (size_t f = 0; f < job->file_count; f++) {
        rc_store_close(job->file[f], &closing);
        if (job->readings)
            rc_store_close(job->readings[f], &closing);
    }
    rc_compare_fini(&job->compare);
    rc_pool_close(job->pool);
    *job = (struct rc_compare_job){0};
}

/* Bases and signatures of all suites, read from data files and campaign files.
 *
 * Every addition goes to a draft, a copy of the present definitions, which replaces
 * them when all of it was read and makes sense as a whole: so a bad file changes
 * nothing.
 */
#include "solve/definitions/definitions_parts.h"

#include "campaign/base/files/data_files.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY "metrics"
#define ENDING ".yaml"

struct rc_definitions {
    struct rc_arena arena; /* strings, and arrays that do not grow */
    struct rc_definitions_suite_draft *suite;
    size_t count;
};

static void free_suites(struct rc_definitions_suite_draft *suite, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(suite[i].metric);
        free(suite[i].column);
        free(suite[i].rate);
    }
    free(suite);
}

static void *copy_of(const void *array, size_t count, size_t item_bytes)
{
    void *copy = rc_calloc(count, item_bytes);

    if (copy && count)
        memcpy(copy, array, count * item_bytes);
    return copy;
}

/* A draft of the present definitions; its suites and 'given' must be freed. */
static int draft_init(struct rc_definitions_draft *draft,
                      struct rc_definitions *definitions, struct rc_error *err)
{
    *draft = (struct rc_definitions_draft){.arena = &definitions->arena};
    draft->suite = rc_calloc(definitions->count, sizeof *draft->suite);
    if (!draft->suite)
        return rc_definitions_draft_no_memory(err);
    draft->room = definitions->count;
    for (; draft->count < definitions->count; draft->count++) {
        const struct rc_definitions_suite_draft *is = &definitions->suite[draft->count];
        struct rc_definitions_suite_draft *copy = &draft->suite[draft->count];
        copy->known = is->known;
        copy->metric_room = is->known.metric_count;
        copy->column_room = is->known.column_count;
        copy->rate_room = is->known.rate_count;
        copy->metric = copy_of(is->metric, copy->metric_room, sizeof *copy->metric);
        copy->column = copy_of(is->column, copy->column_room, sizeof *copy->column);
        copy->rate = copy_of(is->rate, copy->rate_room, sizeof *copy->rate);
        if (!copy->metric || !copy->column || !copy->rate) {
            draft->count++;
            return rc_definitions_draft_no_memory(err);
        }
    }
    return RC_OK;
}

/* A file, or with 'text' the contents of one. */
struct source {
    const char *name, *text;
    size_t bytes;
};

static int add_source(struct rc_definitions_draft *draft, const void *what,
                      struct rc_error *err)
{
    const struct source *from = what;
    struct rc_yaml file = {0};
    int status =
        from->text ? rc_yaml_from_text(from->name, from->text, from->bytes, &file, err)
                   : rc_yaml_open(from->name, RC_FILE_GIVEN, &file, err);

    if (status != RC_OK)
        goto out;
    status = rc_definitions_draft_read(draft, &file, err);
out:
    rc_yaml_fini(&file);
    return status;
}

/* The list of file names is "a, b, c". */
static int add_own_files(struct rc_definitions_draft *draft, const void *unused,
                         struct rc_error *err)
{
    char names[4096];

    (void)unused;
    rc_data_file_list(DIRECTORY, ENDING, names, sizeof names);
    if (!names[0])
        return rc_fail(
            err, RC_EMISSING,
            "rollcall's own definitions of metrics are missing: no file " DIRECTORY
            "/*" ENDING " in its data directories");
    for (char *name = names, *next; name; name = next) {
        char path[4096], file[sizeof path + sizeof ENDING];
        int status;
        next = strstr(name, ", ");
        if (next) {
            *next = 0;
            next += 2;
        }
        snprintf(file, sizeof file, "%s" ENDING, name);
        if ((status = rc_data_file_find(DIRECTORY, file, path, sizeof path, err)) ||
            (status = add_source(draft, &(struct source){.name = path}, err)))
            return status;
    }
    return RC_OK;
}

/* Adds 'what' to a draft, which replaces the definitions if all is right. */
static int extend_definitions(struct rc_definitions *definitions,
                              int (*add)(struct rc_definitions_draft *draft,
                                         const void *what, struct rc_error *err),
                              const void *what, struct rc_error *err)
{
    struct rc_definitions_draft draft;
    int status;

    if ((status = draft_init(&draft, definitions, err)) ||
        (status = add(&draft, what, err)) ||
        (status = rc_arena_check(draft.arena, err, "definitions of metrics")) ||
        (status = rc_definitions_draft_check(&draft, err))) {
        free_suites(draft.suite, draft.count);
        goto out;
    }
    free_suites(definitions->suite, definitions->count);
    definitions->suite = draft.suite;
    definitions->count = draft.count;
    for (size_t i = 0; i < draft.count; i++) {
        draft.suite[i].known.metric = draft.suite[i].metric;
        draft.suite[i].known.column = draft.suite[i].column;
        draft.suite[i].known.rate = draft.suite[i].rate;
    }
out:
    free(draft.given);
    return status;
}

int rc_definitions_create(struct rc_definitions **out, struct rc_error *err)
{
    struct rc_definitions *made = rc_calloc(1, sizeof *made);

    *out = NULL;
    if (!made)
        return rc_definitions_draft_no_memory(err);
    const int status = extend_definitions(made, add_own_files, NULL, err);
    if (status == RC_OK)
        *out = made;
    else
        rc_definitions_close(made);
    return status;
}

int rc_definitions_add_file(struct rc_definitions *definitions, const char *path,
                            struct rc_error *err)
{
    return extend_definitions(definitions, add_source, &(struct source){.name = path},
                              err);
}

int rc_definitions_add_text(struct rc_definitions *definitions, const char *name,
                            const char *text, size_t bytes, struct rc_error *err)
{
    return extend_definitions(definitions, add_source,
                              &(struct source){name, text, bytes}, err);
}

struct metrics {
    const struct rc_metric_text *metric;
    const char *const *where;
    size_t count;
};

static int add_metrics(struct rc_definitions_draft *draft, const void *what,
                       struct rc_error *err)
{
    const struct metrics *m = what;
    size_t to;
    int status;

    for (size_t i = 0; i < m->count; i++)
        if ((status = rc_definitions_draft_suite(draft, m->metric[i].suite, m->where[i],
                                                 &to, err)) ||
            (status = rc_definitions_draft_metric(draft, to, &m->metric[i], m->where[i],
                                                  err)))
            return status;
    return RC_OK;
}

int rc_definitions_add_metrics(struct rc_definitions *definitions,
                               const struct rc_metric_text *metric,
                               const char *const *where, size_t count,
                               struct rc_error *err)
{
    const struct metrics what = {metric, where, count};

    return extend_definitions(definitions, add_metrics, &what, err);
}

void rc_definitions_close(struct rc_definitions *definitions)
{
    if (!definitions)
        return;
    free_suites(definitions->suite, definitions->count);
    rc_arena_free(&definitions->arena);
    free(definitions);
}

size_t rc_definitions_count(const struct rc_definitions *definitions)
{
    return definitions->count;
}

const struct rc_suite_definition *
rc_definitions_suite(const struct rc_definitions *definitions, size_t number)
{
    return &definitions->suite[number].known;
}

const struct rc_suite_definition *
rc_definitions_find(const struct rc_definitions *definitions, const char *suite)
{
    for (size_t i = 0; i < definitions->count; i++)
        if (strcmp(definitions->suite[i].known.name, suite) == 0)
            return &definitions->suite[i].known;
    return NULL;
}

double rc_column_value(const struct rc_column_definition *column, const char *point)
{
    for (size_t i = column->count; i-- > 0;)
        if (rc_text_glob(column->point[i], point))
            return column->value[i];
    return 0;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return rc_text_hash_more(hash, text, strlen(text) + 1);
}

static uint64_t hash_list(uint64_t hash, const char *const *list, size_t count)
{
    hash = rc_text_hash_more(hash, &count, sizeof count);
    for (size_t i = 0; i < count; i++)
        hash = hash_text(hash, list[i]);
    return hash;
}

/* Leaves out 'where', and NANs, whose bits may differ. */
uint64_t rc_suite_definition_digest(const struct rc_suite_definition *s)
{
    const double number[] = {s->alpha,    isnan(s->tau) ? -1 : s->tau,
                             s->residual, s->purity,
                             s->within,   s->nuisance,
                             s->single,   s->reference,
                             s->places,   (double)s->column_count};
    uint64_t hash = rc_text_hash(s->name);

    hash = hash_list(hash, s->ideal, s->ideal_count);
    hash = hash_list(hash, s->loose, s->loose_count);
    hash = rc_text_hash_more(hash, number, sizeof number);
    for (size_t i = 0; i < s->column_count; i++) {
        const struct rc_column_definition *c = &s->column[i];
        hash = hash_list(hash_text(hash, c->ideal), c->point, c->count);
        hash = rc_text_hash_more(hash, c->value, c->count * sizeof *c->value);
    }
    for (size_t i = 0; i < s->metric_count; i++) {
        const struct rc_metric_definition *m = &s->metric[i];
        const char *const text[] = {m->name, m->description, m->preset,
                                    m->unit, m->signature,   m->formula};
        for (size_t t = 0; t < sizeof text / sizeof text[0]; t++)
            hash = hash_text(hash, text[t]);
    }
    for (size_t i = 0; i < s->rate_count; i++) {
        const struct rc_rate_definition *r = &s->rate[i];
        const char *const text[] = {r->name, r->unit, r->convention, r->formula};
        hash = hash_list(hash, text, sizeof text / sizeof text[0]);
    }
    return hash;
}

/* Definitions while they are read: suites, metrics, columns and rates are added one by one.
 * An item replaces one of the same name, but only once in each addition.
 */
#include "solve/definitions/definitions_parts.h"

#include "campaign/base/memory.h"

#include <stdio.h>
#include <string.h>

/* Settings of a suite where files give no others. */
static const struct rc_suite_definition defaults = {
    .alpha = 5e-4,
    .tau = 1e-10,
    .residual = 1e-2,
    .purity = 1e-2,
    .within = 0.15,
    .nuisance = true,
    .places = RC_PLACES_POOL,
};

int rc_definitions_draft_no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for definitions of metrics");
}

int rc_definitions_draft_suite(struct rc_definitions_draft *draft, const char *name,
                               const char *where, size_t *out, struct rc_error *err)
{
    struct rc_definitions_suite_draft added = {.known = defaults};

    for (*out = 0; *out < draft->count; ++*out)
        if (strcmp(draft->suite[*out].known.name, name) == 0)
            return RC_OK;
    if (draft->count == RC_SUITES_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "%s: suite '%s' is one too many, expected at "
                       "most %d",
                       where, name, RC_SUITES_MAX);
    added.known.name = rc_arena_text(draft->arena, name);
    added.known.where = rc_arena_text(draft->arena, where);
    if (rc_grow(&draft->suite, sizeof added, draft->count, &draft->room))
        return rc_definitions_draft_no_memory(err);
    draft->suite[draft->count++] = added;
    return RC_OK;
}

/* Notes that an item was given; 'before' is the place of the item that it replaces. */
static int note_given(struct rc_definitions_draft *draft, struct rc_given given,
                      const char *what, const char *name, const char *where,
                      const char *before, struct rc_error *err)
{
    for (size_t i = 0; i < draft->given_count; i++)
        if (draft->given[i].suite == given.suite &&
            draft->given[i].number == given.number &&
            draft->given[i].what == given.what)
            return rc_fail(err, RC_EUSAGE, "%s: %s '%s' is given twice, first in %s",
                           where, what, name, before);
    if (rc_grow(&draft->given, sizeof given, draft->given_count, &draft->given_room))
        return rc_definitions_draft_no_memory(err);
    draft->given[draft->given_count++] = given;
    return RC_OK;
}

/* The weights of a signature while it is read. */
struct weights {
    struct rc_arena *arena;
    struct rc_weight *weight; /* room for all terms */
    size_t count;
};

static int count_term(void *context, const struct rc_linear_sum_term *term,
                      struct rc_error *err)
{
    (void)term;
    (void)err;
    ++*(size_t *)context;
    return RC_OK;
}

/* Adds a term to the weight of its ideal. */
static int add_weight(void *context, const struct rc_linear_sum_term *term,
                      struct rc_error *err)
{
    struct weights *list = context;
    char word[RC_IDEAL_NAME_MAX + 1];

    (void)err;
    snprintf(word, sizeof word, "%.*s", (int)term->length, term->word);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->weight[i].ideal, word) == 0) {
            list->weight[i].weight += term->coefficient;
            return RC_OK;
        }
    list->weight[list->count++] =
        (struct rc_weight){rc_arena_text(list->arena, word), term->coefficient};
    return RC_OK;
}

static int read_signature(struct rc_arena *arena, const char *text,
                          struct rc_metric_definition *out, struct rc_error *err)
{
    struct weights list = {.arena = arena};
    size_t terms = 0;
    int status = rc_linear_sum_read(text, count_term, &terms, err);

    if (status != RC_OK)
        return status;
    list.weight = rc_arena_array(arena, terms, sizeof *list.weight);
    if (!list.weight)
        return rc_definitions_draft_no_memory(err);
    status = rc_linear_sum_read(text, add_weight, &list, err);
    out->weight = list.weight;
    out->weight_count = list.count;
    return status;
}

int rc_definitions_draft_metric(struct rc_definitions_draft *draft, size_t suite,
                                const struct rc_metric_text *text, const char *where,
                                struct rc_error *err)
{
    struct rc_definitions_suite_draft *to = &draft->suite[suite];
    struct rc_arena *arena = draft->arena;
    struct rc_metric_definition made = {
        .name = rc_arena_text(arena, text->metric),
        .description = rc_arena_text(arena, text->description),
        .preset = rc_arena_text(arena, text->preset),
        .unit = rc_arena_text(arena, text->unit),
        .signature = rc_arena_text(arena, text->signature),
        .formula = rc_arena_text(arena, text->formula),
        .where = rc_arena_text(arena, where),
    };
    struct rc_given given = {.suite = suite};
    int status;

    if (text->signature &&
        (status = read_signature(arena, text->signature, &made, err)) != RC_OK)
        return status;
    while (given.number < to->known.metric_count &&
           strcmp(to->metric[given.number].name, text->metric) != 0)
        given.number++;
    const bool there = given.number < to->known.metric_count;
    status = note_given(draft, given, "metric", text->metric, where,
                        there ? to->metric[given.number].where : "", err);
    if (status != RC_OK)
        return status;
    if (there) {
        to->metric[given.number] = made;
        return RC_OK;
    }
    if (to->known.metric_count == RC_METRICS_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "%s: metric '%s' is one too many for suite '%s', expected at "
                       "most %d",
                       where, text->metric, to->known.name, RC_METRICS_MAX);
    if (rc_grow(&to->metric, sizeof made, to->known.metric_count, &to->metric_room))
        return rc_definitions_draft_no_memory(err);
    to->metric[to->known.metric_count++] = made;
    return RC_OK;
}

int rc_definitions_draft_column(struct rc_definitions_draft *draft, size_t suite,
                                const struct rc_column_definition *column,
                                struct rc_error *err)
{
    struct rc_definitions_suite_draft *to = &draft->suite[suite];
    struct rc_given given = {.suite = suite, .what = RC_GIVEN_COLUMN};

    while (given.number < to->known.column_count &&
           strcmp(to->column[given.number].ideal, column->ideal) != 0)
        given.number++;
    bool there = given.number < to->known.column_count;
    int status = note_given(draft, given, "column", column->ideal, column->where,
                            there ? to->column[given.number].where : "", err);
    if (status != RC_OK)
        return status;
    if (there) {
        to->column[given.number] = *column;
        return RC_OK;
    }
    if (to->known.column_count == RC_COLUMNS_MAX)
        return rc_fail(err, RC_EUSAGE,
                       "%s: column '%s' is one too many for suite '%s', expected at "
                       "most %d",
                       column->where, column->ideal, to->known.name, RC_COLUMNS_MAX);
    if (rc_grow(&to->column, sizeof *column, to->known.column_count, &to->column_room))
        return rc_definitions_draft_no_memory(err);
    to->column[to->known.column_count++] = *column;
    return RC_OK;
}

int rc_definitions_draft_rate(struct rc_definitions_draft *draft, size_t suite,
                              const struct rc_rate_definition *rate,
                              struct rc_error *err)
{
    struct rc_definitions_suite_draft *to = &draft->suite[suite];
    struct rc_given given = {.suite = suite, .what = RC_GIVEN_RATE};

    while (given.number < to->known.rate_count &&
           strcmp(to->rate[given.number].name, rate->name) != 0)
        given.number++;
    const bool there = given.number < to->known.rate_count;
    const int status = note_given(draft, given, "rate", rate->name, rate->where,
                                  there ? to->rate[given.number].where : "", err);
    if (status != RC_OK)
        return status;
    if (to->known.rate_count == RC_RATES_MAX && !there)
        return rc_fail(err, RC_EUSAGE,
                       "%s: rate '%s' is one too many for suite '%s', expected at most "
                       "%d",
                       rate->where, rate->name, to->known.name, RC_RATES_MAX);
    if (rc_grow(&to->rate, sizeof *rate, to->known.rate_count, &to->rate_room))
        return rc_definitions_draft_no_memory(err);
    to->rate[given.number] = *rate;
    to->known.rate_count += !there;
    return RC_OK;
}

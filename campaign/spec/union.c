/* One campaign file that wants what any of several wants.
 *
 * It is made as the texts of a campaign file (struct rc_spec_raw), since that is what
 * is written.  All texts are borrowed from the operands, or from the pool; only the
 * arrays are its own.  Of a setting that is no list, the value that wants more holds.
 */
#include "campaign/spec/parts.h"
#include "campaign/spec/spec.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct uniting {
    const struct rc_spec_unite *job;
    struct rc_spec_texts *texts; /* of each operand */
    struct rc_spec_texts all;    /* the result */
    struct rc_pool *pool;        /* of patterns that no operand has */
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for a campaign file");
}

static void say_difference(const struct uniting *u, const char *key, const char *what,
                           const char *value)
{
    char line[RC_ERROR_TEXT] = "";

    if (!u->job->say)
        return;
    rc_text_append(line, sizeof line, "campaign.yaml: %s: %s %s", key, what, value);
    u->job->say(u->job->arg, line);
}

static const struct rc_spec_raw_list *list_at(const struct rc_spec_raw *raw,
                                              size_t offset)
{
    return (const void *)((const char *)raw + offset);
}

/* Room for the items of all operands' lists. */
static int list_init(struct uniting *u, size_t offset, struct rc_spec_raw_list *out)
{
    size_t most = 0;

    for (size_t i = 0; i < u->job->count; i++)
        most += list_at(&u->texts[i].raw, offset)->count;
    *out = (struct rc_spec_raw_list){.item = rc_calloc(most, sizeof *out->item)};
    return out->item ? 0 : -1;
}

/* Each item once, in the order of operands.  Where an empty list takes everything, one
 * empty list does.
 */
static int unite_list(struct uniting *u, size_t offset, bool empty_is_all,
                      struct rc_error *err)
{
    struct rc_spec_raw_list *out = (void *)((char *)&u->all.raw + offset);
    bool all = false;

    if (list_init(u, offset, out))
        return fail_memory(err);
    for (size_t i = 0; i < u->job->count; i++) {
        const struct rc_spec_raw_list *list = list_at(&u->texts[i].raw, offset);
        all = all || (empty_is_all && list->count == 0);
        for (uint32_t t = 0; t < list->count; t++)
            if (!rc_spec_list_holds(out, list->item[t]))
                out->item[out->count++] = list->item[t];
    }
    if (all)
        out->count = 0;
    return RC_OK;
}

/* Whether a pattern takes events out: "!GLOB". */
static bool takes_out(const struct rc_spec_raw_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i][0] == '!')
            return true;
    return false;
}

/* A name as a pattern that matches it and nothing else. */
static char *put_name(struct rc_pool *pool, const char *name)
{
    const size_t length = strlen(name);
    char *text = malloc(2 * length + 1), *to = text;

    if (!text)
        return NULL;
    for (const char *at = name; *at; at++) {
        if (strchr("*?[]\\", *at) || (at == name && strchr("!@", *at)))
            *to++ = '\\';
        *to++ = *at;
    }
    *to = 0;
    const char *kept = rc_pool_copy(pool, text);
    free(text);
    return (char *)kept;
}

/* Instead of patterns the names of all events that the operands have. */
static int list_names(struct uniting *u, struct rc_spec_raw_list *out,
                      struct rc_error *err)
{
    free(out->item);
    *out = (struct rc_spec_raw_list){
        .item = rc_calloc(u->job->event_count, sizeof *out->item)};
    if (!out->item)
        return fail_memory(err);
    for (size_t i = 0; i < u->job->event_count; i++)
        if (!(out->item[out->count++] = put_name(u->pool, u->job->event[i])))
            return fail_memory(err);
    say_difference(u, "events",
                   "are listed by name, since patterns with '!' cannot be joined", "");
    return RC_OK;
}

/* Whether an operand before has the same patterns. */
static bool is_again(const struct uniting *u, size_t operand)
{
    for (size_t i = 0; i < operand; i++)
        if (rc_spec_same_list(&u->texts[i].raw.events, &u->texts[operand].raw.events))
            return true;
    return false;
}

static void append_list(struct rc_spec_raw_list *out,
                        const struct rc_spec_raw_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        out->item[out->count++] = list->item[i];
}

/* The last pattern that matches an event decides.  So the patterns of an operand with a
 * "!GLOB" stand first, and those of the others, which only take in, behind them.  If
 * two operands have such patterns, and not the same ones, no order gives the union:
 * then the names of the events are listed.
 */
static int unite_events(struct uniting *u, struct rc_error *err)
{
    struct rc_spec_raw_list *out = &u->all.raw.events;
    size_t takers = 0, first = 0;

    if (list_init(u, offsetof(struct rc_spec_raw, events), out))
        return fail_memory(err);
    for (size_t i = u->job->count; i-- > 0;) {
        if (u->texts[i].raw.events.count == 0)
            return RC_OK; /* takes everything */
        if (!takes_out(&u->texts[i].raw.events) || is_again(u, i))
            continue;
        takers++;
        first = i;
    }
    if (takers > 1)
        return list_names(u, out, err);
    append_list(out, &u->texts[first].raw.events);
    for (size_t i = 0; i < u->job->count; i++)
        if (i != first && !is_again(u, i))
            append_list(out, &u->texts[i].raw.events);
    return RC_OK;
}

/* Each number of 'all' becomes the one that wants more; the fewest repetitions become
 * the smaller ones, so that no unit that is there has too few.
 */
static void unite_numbers(struct rc_spec *all, const struct rc_spec *one)
{
    if (all->repeat_min != one->repeat_min) {
        const uint32_t a = rc_spec_repeat_min(all, true);
        const uint32_t b = rc_spec_repeat_min(one, true);
        all->repeat_min = a < b ? a : b;
    }
    if (one->repeat_max > all->repeat_max)
        all->repeat_max = one->repeat_max;
    if (one->target > all->target)
        all->target = one->target;
    if (all->group_size && (!one->group_size || one->group_size > all->group_size))
        all->group_size = one->group_size;
    if (one->qualifiers > all->qualifiers)
        all->qualifiers = one->qualifiers;
    if (one->replicate > all->replicate)
        all->replicate = one->replicate;
    all->presets = all->presets || one->presets;
}

static char *const *text_at(const struct rc_spec_texts *texts,
                            const struct rc_spec_setting *setting)
{
    return (const void *)((const char *)&texts->raw + setting->text);
}

/* Says which settings that are no lists differ between the operands. */
static void say_changes(const struct uniting *u)
{
    for (size_t s = 0; s < RC_SPEC_SETTINGS; s++) {
        const struct rc_spec_setting *setting = &rc_spec_settings[s];
        bool same = true;
        if (setting->is_list || setting->change == RC_SPEC_SAME)
            continue;
        for (size_t i = 1; i < u->job->count; i++)
            same = same && strcmp(*text_at(&u->texts[0], setting),
                                  *text_at(&u->texts[i], setting)) == 0;
        if (!same)
            say_difference(u, setting->key,
                           "differs between the campaigns, the result has",
                           *text_at(&u->all, setting));
    }
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Of metrics with one name and suite the first is kept. */
static void add_metric(struct uniting *u, const struct rc_metric_text *metric)
{
    struct rc_spec_raw *all = &u->all.raw;

    for (uint32_t i = 0; i < all->metrics_count; i++) {
        const struct rc_metric_text *have = &all->metrics[i];
        if (!same_text(have->metric, metric->metric) ||
            !same_text(have->suite, metric->suite))
            continue;
        if (!same_text(have->description, metric->description) ||
            !same_text(have->signature, metric->signature) ||
            !same_text(have->formula, metric->formula) ||
            !same_text(have->preset, metric->preset) ||
            !same_text(have->unit, metric->unit))
            say_difference(u, "metrics", "the first definition is kept of",
                           metric->metric);
        return;
    }
    all->metrics[all->metrics_count++] = *metric;
}

/* The metrics of all operands, in their order. */
static int unite_metrics(struct uniting *u, struct rc_error *err)
{
    size_t most = 0;

    for (size_t i = 0; i < u->job->count; i++)
        most += u->texts[i].raw.metrics_count;
    u->all.raw.metrics = rc_calloc(most, sizeof *u->all.raw.metrics);
    u->all.raw.metrics_count = 0;
    if (!u->all.raw.metrics)
        return fail_memory(err);
    for (size_t i = 0; i < u->job->count; i++)
        for (uint32_t m = 0; m < u->texts[i].raw.metrics_count; m++)
            add_metric(u, &u->texts[i].raw.metrics[m]);
    return RC_OK;
}

/* Fills u->all.raw, whose lists the caller frees in any case. */
static int unite_specs(struct uniting *u, struct rc_error *err)
{
    static const struct {
        size_t offset;
        bool empty_is_all;
    } lists[] = {{offsetof(struct rc_spec_raw, source), false},
                 {offsetof(struct rc_spec_raw, suites), true},
                 {offsetof(struct rc_spec_raw, scopes), true},
                 {offsetof(struct rc_spec_raw, definitions), false}};
    struct rc_spec numbers = *u->job->spec[0]; /* borrows all that it points to */
    int status;

    for (size_t i = 0; i < u->job->count; i++) {
        rc_spec_show(u->job->spec[i], &u->texts[i]);
        unite_numbers(&numbers, u->job->spec[i]);
    }
    rc_spec_show(&numbers, &u->all);
    say_changes(u);
    u->all.raw.source = u->all.raw.suites = u->all.raw.events = u->all.raw.scopes =
        u->all.raw.definitions = (struct rc_spec_raw_list){0};
    u->all.raw.metrics = NULL;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        status = unite_list(u, lists[i].offset, lists[i].empty_is_all, err);
        if (status != RC_OK)
            return status;
    }
    status = unite_events(u, err);
    return status == RC_OK ? unite_metrics(u, err) : status;
}

/* A list without items is left out of the file. */
static void drop_empty(struct rc_spec_raw_list *list)
{
    if (list->count > 0)
        return;
    free(list->item);
    list->item = NULL;
}

int rc_spec_unite(const struct rc_spec_unite *job, char **text, size_t *bytes,
                  struct rc_error *err)
{
    struct uniting u = {.job = job,
                        .texts = rc_calloc(job->count, sizeof *u.texts),
                        .pool = rc_pool_create()};
    struct rc_spec_raw *raw = &u.all.raw;
    int status;

    *text = NULL;
    if (!u.texts || !u.pool) {
        status = fail_memory(err);
        goto out;
    }
    status = unite_specs(&u, err);
    if (status != RC_OK)
        goto out;
    drop_empty(&raw->source);
    drop_empty(&raw->suites);
    drop_empty(&raw->events);
    drop_empty(&raw->scopes);
    drop_empty(&raw->definitions);
    if (raw->metrics_count == 0) {
        free(raw->metrics);
        raw->metrics = NULL;
    }
    status = rc_yaml_save(&rc_spec_schema, raw, text, bytes, err);
out:
    free(raw->source.item);
    free(raw->suites.item);
    free(raw->scopes.item);
    free(raw->definitions.item);
    free(raw->events.item);
    free(raw->metrics);
    free(u.texts);
    rc_pool_close(u.pool);
    return status;
}

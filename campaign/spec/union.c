/* One campaign file that wants everything that any of several wants.
 *
 * It is made as the texts of a campaign file (struct rc_spec_raw), since these are
 * written.  All texts are borrowed from the operands, except patterns that none of them
 * has.  For a setting that is not a list, the value that wants more holds.
 */
#include "campaign/spec/parts.h"

#include "campaign/base/text.h"

#include <string.h>

struct uniting {
    const struct rc_spec_unite *job;
    struct rc_spec_texts *texts; /* of each operand */
    struct rc_spec_texts all;    /* the result */
    struct rc_arena arena;       /* of lists, and of patterns that no operand has */
};

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

/* Makes the result's list, empty, with room for the items of all operands' lists; NULL:
 * no memory.
 */
static struct rc_spec_raw_list *new_list(struct uniting *u, size_t offset)
{
    struct rc_spec_raw_list *out = (void *)((char *)&u->all.raw + offset);
    size_t most = 0;

    for (size_t i = 0; i < u->job->count; i++)
        most += list_at(&u->texts[i].raw, offset)->count;
    *out = (struct rc_spec_raw_list){
        .item = rc_arena_array(&u->arena, most, sizeof *out->item)};
    return out->item ? out : NULL;
}

/* Each item once, in the order of operands.  If an empty list means all, one empty list
 * makes the result empty.
 */
static void unite_list(struct uniting *u, size_t offset, bool empty_is_all)
{
    struct rc_spec_raw_list *out = new_list(u, offset);
    bool all = false;

    for (size_t i = 0; out && i < u->job->count; i++) {
        const struct rc_spec_raw_list *list = list_at(&u->texts[i].raw, offset);
        all = all || (empty_is_all && list->count == 0);
        for (uint32_t t = 0; t < list->count; t++)
            if (!rc_spec_list_holds(out, list->item[t]))
                out->item[out->count++] = list->item[t];
    }
    if (out && all)
        out->count = 0;
}

/* The first list of each axis. */
static void unite_axes(struct uniting *u)
{
    struct rc_spec_raw_list *out = new_list(u, offsetof(struct rc_spec_raw, axes));

    for (size_t i = 0; out && i < u->job->count; i++) {
        const struct rc_spec_raw_list *list = &u->texts[i].raw.axes;
        for (uint32_t t = 0; t < list->count; t++) {
            const size_t name = strcspn(list->item[t], "=") + 1;
            uint32_t n = 0;
            while (n < out->count && strncmp(out->item[n], list->item[t], name) != 0)
                n++;
            if (n == out->count)
                out->item[out->count++] = list->item[t];
            else if (strcmp(out->item[n], list->item[t]) != 0)
                say_difference(u, "axes",
                               "differs between the campaigns, the result has",
                               out->item[n]);
        }
    }
}

/* Lists the names of all events of the operands instead of patterns, each as a pattern
 * that matches nothing else.
 */
static void list_names(struct uniting *u, struct rc_spec_raw_list *out)
{
    out->item = rc_arena_array(&u->arena, u->job->event_count, sizeof *out->item);
    for (size_t i = 0; out->item && i < u->job->event_count; i++) {
        const char *name = u->job->event[i];
        char *text = rc_arena_array(&u->arena, 2 * strlen(name) + 1, 1), *to = text;
        for (const char *at = name; text && *at; at++) {
            if (strchr("*?[]\\", *at) || (at == name && strchr("!@", *at)))
                *to++ = '\\';
            *to++ = *at;
        }
        out->item[out->count++] = text;
    }
    say_difference(u, "events",
                   "are listed by name, since patterns with '!' cannot be joined", "");
}

/* Whether an earlier operand has the same patterns. */
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
 * "!GLOB" come first, then those of the others, which only include.  If two operands
 * have such patterns, and not the same ones, no order gives the union: then the names
 * of the events are listed.
 */
static void unite_events(struct uniting *u)
{
    struct rc_spec_raw_list *out = new_list(u, offsetof(struct rc_spec_raw, events));
    size_t takers = 0, first = 0;

    for (size_t i = u->job->count; i-- > 0;) {
        if (!out || u->texts[i].raw.events.count == 0)
            return; /* this operand includes all events */
        const struct rc_spec_raw_list *list = &u->texts[i].raw.events;
        bool takes_out = false; /* a pattern excludes: "!GLOB" */
        for (uint32_t n = 0; n < list->count; n++)
            takes_out |= list->item[n][0] == '!';
        if (!takes_out || is_again(u, i))
            continue;
        takers++;
        first = i;
    }
    if (takers > 1) {
        list_names(u, out);
        return;
    }
    append_list(out, &u->texts[first].raw.events);
    for (size_t i = 0; i < u->job->count; i++)
        if (i != first && !is_again(u, i))
            append_list(out, &u->texts[i].raw.events);
}

/* Numbers of 'all' become those that want more; the fewest repetitions and the
 * precision become the weaker ones, so that no unit that exists has too few.
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

/* Says which settings that are not lists differ between the operands. */
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

/* Adds a metric; the first with its name and suite is kept. */
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

/* Fills u->all.raw.  A list without items is left out of the file. */
static void unite_specs(struct uniting *u)
{
    static const struct {
        size_t offset;
        bool empty_is_all;
    } lists[] = {{offsetof(struct rc_spec_raw, source), false},
                 {offsetof(struct rc_spec_raw, suites), true},
                 {offsetof(struct rc_spec_raw, scopes), true},
                 {offsetof(struct rc_spec_raw, definitions), false},
                 {offsetof(struct rc_spec_raw, axes), false},
                 {offsetof(struct rc_spec_raw, events), false}};
    struct rc_spec numbers = *u->job->spec[0]; /* borrows everything it points to */
    struct rc_spec_raw *all = &u->all.raw;
    size_t most = 0;

    for (size_t i = 0; i < u->job->count; i++) {
        rc_spec_show(u->job->spec[i], &u->texts[i]);
        unite_numbers(&numbers, u->job->spec[i]);
    }
    rc_spec_show(&numbers, &u->all);
    say_changes(u);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct rc_spec_raw_list *list = (void *)((char *)all + lists[i].offset);
        if (list == &all->events)
            unite_events(u);
        else if (list == &all->axes)
            unite_axes(u);
        else
            unite_list(u, lists[i].offset, lists[i].empty_is_all);
        if (list->count == 0)
            list->item = NULL;
    }
    /* Metrics of all operands, in their order. */
    for (size_t i = 0; i < u->job->count; i++)
        most += u->texts[i].raw.metrics_count;
    all->metrics = rc_arena_array(&u->arena, most, sizeof *all->metrics);
    all->metrics_count = 0;
    for (size_t i = 0; all->metrics && i < u->job->count; i++)
        for (uint32_t m = 0; m < u->texts[i].raw.metrics_count; m++)
            add_metric(u, &u->texts[i].raw.metrics[m]);
    if (all->metrics_count == 0) /* the key is left out of the file */
        all->metrics = NULL;
}

int rc_spec_unite(const struct rc_spec_unite *job, char **text, size_t *bytes,
                  struct rc_error *err)
{
    struct uniting u = {.job = job};
    int status;

    *text = NULL;
    u.texts = rc_arena_array(&u.arena, job->count, sizeof *u.texts);
    if (u.texts)
        unite_specs(&u);
    if ((status = rc_arena_check(&u.arena, err, "a campaign file")) == RC_OK)
        status = rc_yaml_save(&rc_spec_schema, &u.all.raw, text, bytes, err);
    rc_arena_free(&u.arena);
    return status;
}

/* What happened to the events of a kind between two campaigns. */
#include "campaign/compare/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 16 }; /* more than any list of states has */

static int order_of(const struct rc_compare_event *a, const struct rc_compare_event *b)
{
    const int order = strcmp(a->name, b->name);

    return order ? order : strcmp(a->source, b->source);
}

/* Equal names stay in their order: the array is of one catalogue. */
static int by_name(const void *a, const void *b)
{
    const struct rc_compare_event *x = *(const struct rc_compare_event *const *)a;
    const struct rc_compare_event *y = *(const struct rc_compare_event *const *)b;
    const int order = order_of(x, y);

    return order ? order : (x > y) - (x < y);
}

/* The events first .. first + count - 1 by their names; free() it. */
static const struct rc_compare_event **sorted(const struct rc_compare_event *event,
                                              size_t first, size_t count)
{
    const struct rc_compare_event **list =
        rc_calloc(count, sizeof(const struct rc_compare_event *));

    for (size_t i = 0; i < count && list; i++)
        list[i] = &event[first + i];
    if (list)
        qsort((void *)list, count, sizeof(const struct rc_compare_event *), by_name);
    return list;
}

struct part {
    const struct rc_compare_event *event;
    size_t first, count;
};

/* Matches two parts, whatever their order. */
static int match_parts(const struct part *before, const struct part *after,
                       size_t *match, struct rc_error *err)
{
    const struct rc_compare_event **a =
        sorted(before->event, before->first, before->count);
    const struct rc_compare_event **b =
        sorted(after->event, after->first, after->count);
    const int status = a && b ? RC_OK
                              : rc_fail(err, RC_ENOMEM, "no memory for %zu events",
                                        before->count + after->count);

    for (size_t i = 0, j = 0;
         i < before->count && j < after->count && status == RC_OK;) {
        const int order = order_of(a[i], b[j]);
        if (order == 0)
            match[b[j] - after->event] = (size_t)(a[i] - before->event);
        i += order <= 0;
        j += order >= 0;
    }
    free((void *)a);
    free((void *)b);
    return status;
}

/* Catalogues of one machine are alike: the most of them matches from both ends, and
 * only what lies between has to be sorted.
 */
int rc_compare_match(const struct rc_compare_event *before, size_t before_count,
                     const struct rc_compare_event *after, size_t after_count,
                     size_t **match, struct rc_error *err)
{
    const size_t least = before_count < after_count ? before_count : after_count;
    size_t head = 0, tail = 0;
    int status;

    *match = rc_calloc(after_count, sizeof **match);
    if (!*match)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", after_count);
    for (size_t i = 0; i < after_count; i++)
        (*match)[i] = RC_COMPARE_NONE;
    for (; head < least && order_of(&before[head], &after[head]) == 0; head++)
        (*match)[head] = head;
    for (; tail < least - head && order_of(&before[before_count - tail - 1],
                                           &after[after_count - tail - 1]) == 0;
         tail++)
        (*match)[after_count - tail - 1] = before_count - tail - 1;
    status = match_parts(&(struct part){before, head, before_count - head - tail},
                         &(struct part){after, head, after_count - head - tail}, *match,
                         err);
    if (status != RC_OK) {
        free(*match);
        *match = NULL;
    }
    return status;
}

/* Room for 'count' more changes. */
static int make_room(struct rc_compare_column *column, size_t count,
                     struct rc_error *err)
{
    const size_t wanted = column->change_count + count;
    struct rc_compare_change *grown;

    if (wanted <= column->change_room)
        return RC_OK;
    grown = wanted <= SIZE_MAX / sizeof *grown
                ? realloc(column->change, wanted * sizeof *grown)
                : NULL;
    if (!grown)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu differences", wanted);
    column->change = grown;
    column->change_room = wanted;
    return RC_OK;
}

/* A group of 'count' changes, which the caller fills in. */
static int add_group(struct rc_compare *compare, struct rc_compare_column *column,
                     const struct rc_compare_group *group, struct rc_error *err)
{
    int status = make_room(column, group->count, err);

    if (status != RC_OK)
        return status;
    if (rc_grow(&column->group, sizeof *column->group, column->group_count,
                &column->group_room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu groups", column->group_count);
    column->group[column->group_count] = *group;
    column->group[column->group_count++].first = column->change_count;
    column->change_count += group->count;
    compare->differences[rc_change_check(group->what)] += group->count;
    return RC_OK;
}

static int add_lonely(struct rc_compare *compare, struct rc_compare_column *column,
                      enum rc_change_what what, const bool *met, size_t count,
                      struct rc_error *err)
{
    struct rc_compare_group group = {.what = what, .suite = RC_COMPARE_NONE};
    struct rc_compare_change *change;
    int status;

    for (size_t i = 0; i < count; i++)
        group.count += !met[i];
    if (group.count == 0)
        return RC_OK;
    status = add_group(compare, column, &group, err);
    if (status != RC_OK)
        return status;
    change = column->change + column->change_count - group.count;
    for (size_t i = 0; i < count; i++)
        if (!met[i])
            *change++ = (struct rc_compare_change){
                .before = what == RC_CHANGE_GONE ? i : RC_COMPARE_NONE,
                .after = what == RC_CHANGE_NEW ? i : RC_COMPARE_NONE,
                .noise_before = NAN,
                .noise_after = NAN};
    return RC_OK;
}

/* Events that are only in one of both. */
static int add_all_lonely(struct rc_compare *compare, struct rc_compare_column *column,
                          const struct rc_compare_column *reference,
                          const size_t *match, struct rc_error *err)
{
    bool *before = rc_calloc(reference->event_count, sizeof *before);
    bool *after = rc_calloc(column->event_count, sizeof *after);
    int status =
        before && after ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory to match");

    for (size_t i = 0; i < column->event_count && status == RC_OK; i++)
        if (match[i] != RC_COMPARE_NONE)
            before[match[i]] = after[i] = true;
    if (status == RC_OK)
        status = add_lonely(compare, column, RC_CHANGE_GONE, before,
                            reference->event_count, err);
    if (status == RC_OK)
        status =
            add_lonely(compare, column, RC_CHANGE_NEW, after, column->event_count, err);
    free(before);
    free(after);
    return status;
}

/* Two lists of states, one after the other: verdicts and scopes. */
static uint8_t *states_of(const struct rc_compare_column *column)
{
    const size_t count = column->event_count;
    uint8_t *states = rc_calloc(count, 2);

    for (size_t i = 0; i < count && states; i++) {
        states[i] = (uint8_t)column->event[i].verdict;
        states[count + i] = (uint8_t)column->event[i].scope;
    }
    return states;
}

int rc_compare_events(struct rc_compare *compare, size_t column, const size_t *match,
                      struct rc_error *err)
{
    struct rc_compare_column *c = &compare->column[column];
    const struct rc_compare_column *reference = &compare->column[c->reference];
    uint8_t *before = states_of(reference), *after = states_of(c);
    int status = before && after ? add_all_lonely(compare, c, reference, match, err)
                                 : rc_fail(err, RC_ENOMEM, "no memory for %zu events",
                                           c->event_count);

    if (status == RC_OK)
        status = rc_compare_states(
            compare, column, match, RC_CHANGE_VERDICT, RC_COMPARE_NONE,
            &(struct rc_compare_states){before, after, NULL, NULL}, err);
    if (status == RC_OK)
        status = rc_compare_states(
            compare, column, match, RC_CHANGE_SCOPE, RC_COMPARE_NONE,
            &(struct rc_compare_states){before + reference->event_count,
                                        after + c->event_count, NULL, NULL},
            err);
    free(before);
    free(after);
    return status;
}

/* The group of a change, or -1. */
static int number_of(const struct rc_compare_states *s, size_t before, size_t after)
{
    const uint8_t from = s->before[before], to = s->after[after];

    return from == to || from >= STATES || to >= STATES ? -1 : from * STATES + to;
}

static int add_groups(struct rc_compare *compare, struct rc_compare_column *column,
                      enum rc_change_what what, size_t suite, size_t *at,
                      struct rc_error *err)
{
    int status = RC_OK;

    for (unsigned g = 0; g < STATES * STATES && status == RC_OK; g++) {
        const struct rc_compare_group group = {.what = what,
                                               .suite = suite,
                                               .from = g / STATES,
                                               .to = g % STATES,
                                               .count = at[g]};
        if (group.count == 0)
            continue;
        at[g] = column->change_count;
        status = add_group(compare, column, &group, err);
    }
    return status;
}

int rc_compare_states(struct rc_compare *compare, size_t column, const size_t *match,
                      enum rc_change_what what, size_t suite,
                      const struct rc_compare_states *states, struct rc_error *err)
{
    struct rc_compare_column *c = &compare->column[column];
    size_t at[STATES * STATES] = {0}; /* first how many, then where the next one goes */
    int status;

    for (size_t i = 0; i < c->event_count; i++)
        if (match[i] != RC_COMPARE_NONE && number_of(states, match[i], i) >= 0)
            at[number_of(states, match[i], i)]++;
    status = add_groups(compare, c, what, suite, at, err);
    for (size_t i = 0; i < c->event_count && status == RC_OK; i++) {
        const int g = match[i] == RC_COMPARE_NONE ? -1 : number_of(states, match[i], i);
        if (g >= 0)
            c->change[at[g]++] = (struct rc_compare_change){
                .before = match[i],
                .after = i,
                .noise_before =
                    states->noise_before ? states->noise_before[match[i]] : NAN,
                .noise_after = states->noise_after ? states->noise_after[i] : NAN};
    }
    return status;
}

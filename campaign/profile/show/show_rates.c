/* The governor's changes: rates of series, of instances of regions, of traced calls. */
#include "campaign/profile/show/show_parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 48, NAME = 1024 };

/* All changes of what has one name, in all threads and nodes of the launch. */
struct rated {
    const char *what, *name;
    uint64_t changes, every; /* the least that was left: each so many-th; 0: none */
    double first_s, cost;    /* since its node's begin; the largest share of the time */
};

/* A table that is being made. */
struct rating {
    struct rated *row;
    size_t count, room;
    struct rc_map map; /* by what and name */
    struct rc_pool *texts;
};

static bool has_name(const void *context, size_t item, const void *key)
{
    const struct rated *row = ((const struct rating *)context)->row + item;
    const struct rated *wanted = key;

    return strcmp(row->what, wanted->what) == 0 && strcmp(row->name, wanted->name) == 0;
}

const char *rc_profile_rate_name(const struct rc_profile_node *node,
                                 const struct rc_profile_rate *rate, char *out,
                                 size_t room)
{
    const bool of_node =
        rate->what == RC_PROFILE_RATED_SERIES || rate->what == RC_PROFILE_RATED_STACKS;
    const struct rc_profile_thread *thread =
        of_node ? NULL : &node->thread[rate->place];

    out[0] = 0;
    if (of_node)
        rc_text_append(out, room, "%s",
                       rate->what == RC_PROFILE_RATED_STACKS
                           ? "all threads"
                           : node->series[rate->number].event.name);
    else if (rate->what != RC_PROFILE_RATED_CALL &&
             rate->what != RC_PROFILE_RATED_POLLS)
        rc_profile_path_text(thread, 0, rate->number, " > ", out, room);
    else
        rc_text_append(out, room, "%s at %s+0x%" PRIx64,
                       rc_profile_call_name(thread, &thread->call[rate->number]),
                       rc_profile_name(thread, thread->call[rate->number].module),
                       thread->call[rate->number].site);
    return out;
}

const char *rc_profile_rate_what(const struct rc_profile_rate *rate)
{
    static const char *const words[RC_PROFILE_RATED_COUNT] = {
        "series",       "instances",         "instances on the axis",
        "traced calls", "samples of stacks", "polls"};

    return words[rate->what];
}

static int add_rate(struct rating *r, const struct rc_profile_node *node,
                    const struct rc_profile_rate *rate)
{
    char name[NAME];
    const struct rated key = {
        .what = rc_profile_rate_what(rate),
        .name = rc_pool_intern(r->texts,
                               rc_profile_rate_name(node, rate, name, sizeof name))};
    const uint64_t hash = key.name ? rc_text_hash(key.name) + rate->what : 0;
    size_t number = key.name ? rc_map_find(&r->map, r, hash, &key) : 0;

    if (!key.name)
        return RC_ENOMEM;
    if (number == RC_MAP_NONE) {
        if (rc_grow(&r->row, sizeof *r->row, r->count, &r->room))
            return RC_ENOMEM;
        number = r->count++;
        r->row[number] = key;
        r->row[number].every = rate->every;
        r->row[number].first_s = (double)(rate->at_ns - node->launch.at_ns) / 1e9;
        if (rc_map_put(&r->map, r, hash, &key, number))
            return RC_ENOMEM;
    }
    struct rated *row = &r->row[number];
    const double cost =
        rate->of_ns > 0 ? (double)rate->cost_ns / (double)rate->of_ns : 0;
    row->changes++;
    row->cost = cost > row->cost ? cost : row->cost;
    if (row->every > 0 && (rate->every == 0 || rate->every > row->every))
        row->every = rate->every;
    return RC_OK;
}

static const struct rc_column columns[] = {{.name = "what"},
                                           {.name = "name"},
                                           {.name = "changes", .type = RC_CELL_NUMBER},
                                           {.name = "from_s", .type = RC_CELL_NUMBER},
                                           {.name = "each", .type = RC_CELL_NUMBER},
                                           {.name = "cost_%", .type = RC_CELL_NUMBER},
                                           {.name = NULL}};

/* In the order in which they were met. */
static int put_rates(const struct rating *r, struct rc_json *json, struct rc_error *err)
{
    struct rc_rows *rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, columns, json);

    rc_rows_fit(rows);

    for (size_t i = 0; i < r->count; i++) {
        const struct rated *row = &r->row[i];
        char changes[CELL], from[CELL], each[CELL], cost[CELL];
        snprintf(changes, sizeof changes, "%" PRIu64, row->changes);
        snprintf(from, sizeof from, "%.1f", row->first_s);
        snprintf(each, sizeof each, "%" PRIu64, row->every);
        snprintf(cost, sizeof cost, "%.2f", 100 * row->cost);
        rc_rows_add(rows, (const char *const[]){row->what, row->name, changes, from,
                                                each, cost});
    }
    return rc_rows_end(rows, RC_OK, err);
}

size_t rc_profile_rate_count(const struct rc_profile_sums *sums)
{
    size_t count = 0;

    for (size_t n = 0; n < sums->node_count; n++)
        count += sums->node[n].rate_count;
    return count;
}

int rc_profile_show_rates(const struct rc_profile_sums *sums, struct rc_json *json,
                          struct rc_error *err)
{
    struct rating r = {.map.same = has_name, .texts = rc_pool_create()};
    int status = r.texts ? RC_OK : RC_ENOMEM;

    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].rate_count && status == RC_OK; i++)
            status = add_rate(&r, &sums->node[n], &sums->node[n].rate[i]);
    if (status != RC_OK)
        status = rc_fail(err, RC_ENOMEM, "no memory for the rates of the profile");
    if (json)
        rc_json_array(json, "rates");
    if (status == RC_OK)
        status = put_rates(&r, json, err);
    if (json)
        rc_json_end(json);
    rc_map_fini(&r.map);
    rc_pool_close(r.texts);
    free(r.row);
    return status;
}

/* Reads a kind of a campaign as a machine, and the readings with which its trees are
 * checked.
 */
#include "campaign/hierarchy/parts.h"

#include "campaign/base/text.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/results/results.h"
#include "campaign/solve/readings/means.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_in_group(const struct rc_hierarchies *all, const char *group,
                        const char *event)
{
    const char *counter[RC_HIERARCHY_OPERANDS_MAX];
    const size_t count =
        rc_hierarchies_group(all, group, counter, RC_HIERARCHY_OPERANDS_MAX);
    const char *end = strstr(event, "::");

    for (size_t i = 0; i < count; i++)
        if (strcmp(counter[i], event) == 0 || (end && strcmp(counter[i], end + 2) == 0))
            return true;
    return false;
}

/* Treats all events except those of 'counted' as not counted. */
static int choose_events(struct rc_hierarchy_kind *k, const struct rc_hierarchies *all,
                         const char *const *counted, struct rc_error *err)
{
    struct rc_hierarchy_event *event = (struct rc_hierarchy_event *)k->machine.event;
    bool *kept = rc_arena_array(&k->arena, k->machine.event_count, sizeof *kept);

    if (!kept)
        return rc_fail(err, RC_ENOMEM, "no memory for events");
    for (size_t i = 0; counted[i]; i++) {
        bool any = false;
        for (size_t e = 0; e < k->machine.event_count; e++)
            if (rc_text_glob(counted[i], event[e].name) ||
                is_in_group(all, counted[i], event[e].name))
                any = kept[e] = true;
        if (!any)
            return rc_fail(err, RC_EUSAGE,
                           "--counted '%.200s': no event or group of that name on kind "
                           "'%.100s'",
                           counted[i], k->machine.kind);
    }
    for (size_t e = 0; e < k->machine.event_count; e++)
        if (event[e].counted && !kept[e]) {
            event[e].counted = false;
            event[e].reason = "not in --counted";
        }
    return RC_OK;
}

int rc_hierarchy_kind_read(struct rc_hierarchy_kind *k,
                           const struct rc_hierarchies *all,
                           const struct rc_hierarchy_request *request,
                           struct rc_error *err)
{
    int status;

    k->machine.insist = request->insist;
    if ((status = rc_results_read_machine(k->metrics, k->number, &k->arena, &k->pool,
                                          &k->machine, &k->event, err)) ||
        (request->counted && (status = choose_events(k, all, request->counted, err))))
        return status;
    return rc_hierarchy_fill(all, &k->machine, &k->h, err);
}

void rc_hierarchy_kind_fini(struct rc_hierarchy_kind *k)
{
    rc_hierarchy_fini(&k->h);
    free(k->excess);
    rc_pool_close(k->pool);
    rc_arena_free(&k->arena);
}

/* Readings */

/* The kind in campaign.h5, and the readings of its used events. */
struct readings {
    struct rc_store *store;
    size_t kind;
    bool *used;     /* by event */
    double **value; /* [event][cell], NULL: not used */
    double **error;
    struct rc_error *err;
};

static int make_cells(struct rc_hierarchy_kind *k, struct readings *r)
{
    const size_t suites = rc_store_suite_count(r->store, r->kind);
    const size_t events = k->machine.event_count;
    char name[512];
    size_t at = 0;

    for (size_t s = 0; s < suites; s++)
        k->cells.count += rc_store_suite(r->store, r->kind, s)->point_count;
    const char **names = rc_arena_array(&k->arena, k->cells.count, sizeof *names);
    r->used = rc_arena_array(&k->arena, events, sizeof *r->used);
    r->value = rc_arena_array(&k->arena, events, sizeof *r->value);
    r->error = rc_arena_array(&k->arena, events, sizeof *r->error);
    if (rc_arena_check(&k->arena, r->err, "readings") != RC_OK)
        return RC_ENOMEM;
    for (size_t n = 0; n < k->h.count; n++)
        for (size_t t = 0; t < k->h.node[n].term_count; t++)
            r->used[k->h.node[n].term[t].event] = true;
    for (size_t e = 0; e < events; e++) {
        if (!r->used[e])
            continue;
        r->value[e] = rc_arena_array(&k->arena, k->cells.count, sizeof **r->value);
        r->error[e] = rc_arena_array(&k->arena, k->cells.count, sizeof **r->error);
    }
    for (size_t s = 0; s < suites; s++) {
        const struct rc_store_suite *suite = rc_store_suite(r->store, r->kind, s);
        for (size_t p = 0; p < suite->point_count; p++) {
            snprintf(name, sizeof name, "%.200s of %.200s", suite->points[p],
                     suite->name);
            names[at++] = rc_arena_text(&k->arena, name);
        }
    }
    k->cells.name = names;
    k->cells.value = (const double *const *)r->value;
    k->cells.error = (const double *const *)r->error;
    return rc_arena_check(&k->arena, r->err, "readings");
}

static int check_readings(struct rc_hierarchy_kind *k, struct readings *r)
{
    int status = make_cells(k, r);

    for (size_t e = 0; e < k->machine.event_count && status == RC_OK; e++)
        if (r->used[e])
            status = rc_solve_read_means(r->store, r->kind, e, k->event[e].source,
                                         r->value[e], r->error[e], r->err);
    return status ? status
                  : rc_hierarchy_check(&k->h, &k->cells, &k->excess, &k->excess_count,
                                       r->err);
}

int rc_hierarchy_kind_check(struct rc_hierarchy_kind *k, const char *dir,
                            struct rc_error *err)
{
    struct rc_error why = {.rank = -1}, closing = {.rank = -1};
    struct readings r = {.err = err};
    char path[PATH_MAX];
    int status = RC_OK;

    if (rc_campaign_dir_find_results(dir, false, path, sizeof path, &why) ||
        rc_store_open(MPI_COMM_NULL, path, &r.store, &why)) {
        snprintf(k->unchecked, sizeof k->unchecked, "%s", why.text);
        return RC_OK;
    }
    r.kind = rc_store_find_kind(r.store, k->machine.kind);
    if (r.kind == rc_store_kind_count(r.store) ||
        rc_store_kind(r.store, r.kind)->event_count != k->machine.event_count)
        snprintf(k->unchecked, sizeof k->unchecked,
                 "campaign.h5 and metrics.h5 have different events");
    else
        status = check_readings(k, &r);
    (void)rc_store_close(r.store, &closing);
    return status;
}

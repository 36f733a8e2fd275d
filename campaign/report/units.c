/* Who measured what when, for the report's time line. */
#include "campaign/report/parts.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for who measured what");
}

/* "DIR/journal/NODE.rcj": the node. */
static const char *node_of(struct rc_reporting *r, const char *path)
{
    const char *name = strrchr(path, '/');
    char *text = strdup(name ? name + 1 : path);
    const char *kept;

    if (!text)
        return NULL;
    char *end = strrchr(text, '.');
    if (end)
        *end = '\0';
    kept = rc_pool_intern(r->pool, text);
    free(text);
    return kept;
}

struct whose {
    const char *node; /* interned */
    uint32_t rank, unit;
};

static int compare_whose(const void *a, const void *b)
{
    const struct whose *x = a, *y = b;
    const int order = strcmp(x->node, y->node);

    if (order)
        return order;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int compare_units(const void *a, const void *b)
{
    const struct rc_report_unit *x = a, *y = b;

    if (x->worker != y->worker)
        return x->worker < y->worker ? -1 : 1;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static bool is_known(const struct rc_reporting *r, const struct rc_campaign_unit *u)
{
    return r->suite[u->kind][u->suite] != SIZE_MAX;
}

static struct rc_report_unit unit_of(const struct rc_reporting *r,
                                     const struct rc_campaign_unit *u)
{
    const struct rc_campaign_kind *kind = &r->campaign->kind[u->kind];

    return (struct rc_report_unit){.kind = r->kind[u->kind],
                                   .suite = r->suite[u->kind][u->suite],
                                   .begin_ns = u->begin_ns,
                                   .wall_ns = u->wall_ns,
                                   .kernel_ns = u->kernel_ns,
                                   .events = (uint32_t)kind->group[u->group].own,
                                   .repetitions = u->repetitions,
                                   .node = u->node,
                                   .core = u->core,
                                   .status = u->status};
}

/* The units of the same writer on the same node are a worker's. */
static int number_workers(struct rc_reporting *r, struct whose *whose, size_t count,
                          struct rc_report_unit *unit, struct rc_error *err)
{
    struct rc_report_worker *worker = rc_calloc(count, sizeof *worker);
    size_t last = 0;

    r->report.worker = worker;
    if (!worker)
        return no_memory(err);
    if (count)
        qsort(whose, count, sizeof *whose, compare_whose);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_whose(&whose[i - 1], &whose[i]) != 0) {
            last = r->report.worker_count++;
            worker[last] = (struct rc_report_worker){whose[i].node, whose[i].rank};
        }
        unit[whose[i].unit].worker = last;
    }
    return RC_OK;
}

int rc_reporting_units(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    struct rc_report_unit *unit = rc_calloc(h->unit_count, sizeof *unit);
    struct whose *whose = rc_calloc(h->unit_count, sizeof *whose);
    size_t count = 0;
    int status = unit && whose ? RC_OK : no_memory(err);

    r->report.unit = unit;
    r->report.node = h->node;
    r->report.node_count = h->node_count;
    r->report.unit_status = rc_unit_status_names();
    for (size_t i = 0; i < h->unit_count && status == RC_OK; i++) {
        if (!is_known(r, &h->unit[i]))
            continue;
        unit[count] = unit_of(r, &h->unit[i]);
        whose[count] = (struct whose){node_of(r, h->file[h->unit[i].file].path),
                                      h->unit[i].writer, (uint32_t)count};
        if (!whose[count++].node)
            status = no_memory(err);
    }
    if (status == RC_OK)
        status = number_workers(r, whose, count, unit, err);
    if (status == RC_OK && count)
        qsort(unit, count, sizeof *unit, compare_units);
    r->report.unit_count = count;
    free(whose);
    return status;
}

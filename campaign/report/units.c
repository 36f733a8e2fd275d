/* Units sorted by worker and time, for the report's time line.
 *
 * A journal does not name workers.  A worker is one rank that wrote into the journal of
 * one node, over all runs of the campaign: a resumed run continues in the same line.
 */
#include "campaign/report/parts.h"

#include <stdlib.h>
#include <string.h>

/* The node of a journal DIR/journal/NODE.rcj; NULL: no memory. */
static const char *node_of(struct rc_reporting *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *end = strrchr(name, '.');

    if (!end)
        end = strchr(name, '\0');
    const size_t length = (size_t)(end - name);
    char *node = rc_arena_array(&r->memory, length + 1, 1);
    return node ? memcpy(node, name, length) : NULL;
}

/* The writer of a unit. */
struct writer {
    const char *node; /* of the journal */
    uint32_t rank;    /* the writing rank */
    uint32_t unit;    /* its index in the report, before units are sorted */
};

static int compare_writers(const void *a, const void *b)
{
    const struct writer *x = a, *y = b;
    const int order = strcmp(x->node, y->node);

    if (order)
        return order;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int compare_units(const void *a, const void *b)
{
    const struct rc_report_unit *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->worker, x->begin_ns},
                              (uint64_t[]){y->worker, y->begin_ns}, 2);
}

/* Numbers the workers by node and rank, and gives each unit the number of its own. */
static void number_workers(struct rc_reporting *r, struct rc_report_worker *worker,
                           struct writer *writer, size_t count,
                           struct rc_report_unit *unit)
{
    size_t last = 0;

    r->report.worker = worker;
    if (count)
        qsort(writer, count, sizeof *writer, compare_writers);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_writers(&writer[i - 1], &writer[i]) != 0) {
            last = r->report.worker_count++;
            worker[last] = (struct rc_report_worker){writer[i].node, writer[i].rank};
        }
        unit[writer[i].unit].worker = last;
    }
}

int rc_reporting_units(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    struct rc_report_unit *unit =
        rc_arena_array(&r->memory, h->unit_count, sizeof *unit);
    struct rc_report_worker *worker =
        rc_arena_array(&r->memory, h->unit_count, sizeof *worker);
    struct writer *writer = rc_arena_array(&r->memory, h->unit_count, sizeof *writer);
    const char **node = rc_arena_array(&r->memory, h->file_count, sizeof *node);
    size_t count = 0;

    for (size_t i = 0; i < h->file_count && !r->memory.failed; i++)
        node[i] = node_of(r, h->file[i].path);
    int status = rc_arena_check(&r->memory, err, "who measured what");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < h->unit_count; i++) {
        const struct rc_campaign_unit *u = &h->unit[i];
        const struct rc_campaign_kind *kind = &h->kind[u->kind];
        if (r->suite[u->kind][u->suite] == SIZE_MAX)
            continue; /* campaign.h5 lacks this suite */
        unit[count] =
            (struct rc_report_unit){.kind = r->kind[u->kind],
                                    .suite = r->suite[u->kind][u->suite],
                                    .begin_ns = u->begin_ns,
                                    .wall_ns = u->wall_ns,
                                    .kernel_ns = u->kernel_ns,
                                    .events = (uint32_t)kind->group[u->group].own,
                                    .repetitions = u->repetitions,
                                    .node = u->node,
                                    .core = u->core,
                                    .status = u->status};
        writer[count] = (struct writer){node[u->file], u->writer, (uint32_t)count};
        count++;
    }
    number_workers(r, worker, writer, count, unit);
    if (count)
        qsort(unit, count, sizeof *unit, compare_units);
    r->report.node = h->node;
    r->report.node_count = h->node_count;
    r->report.unit = unit;
    r->report.unit_count = count;
    r->report.unit_status = rc_unit_status_names();
    return RC_OK;
}

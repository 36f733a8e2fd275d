/* parts.h - the hierarchy command: a campaign's kinds, their trees, and their output */
#ifndef RC_CAMPAIGN_HIERARCHY_PARTS_H
#define RC_CAMPAIGN_HIERARCHY_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/catalogue/catalogue.h"
#include "io/metrics/metrics.h"
#include "io/text/rows.h"
#include "solve/hierarchy/hierarchy.h"

#include <stdio.h>

/* A kind of a campaign as a machine on which trees are filled.  All is in 'arena' or
 * borrowed from 'metrics'.
 */
struct rc_hierarchy_kind {
    struct rc_store *metrics; /* open */
    size_t number;            /* of the kind in 'metrics' */
    struct rc_arena arena;
    struct rc_pool *pool;
    struct rc_hierarchy_machine machine;
    const struct rc_store_event *event; /* [machine.event_count] */
    struct rc_hierarchy h;              /* filled */

    struct rc_hierarchy_cells cells;    /* readings from campaign.h5; count 0: none */
    struct rc_hierarchy_excess *excess; /* events that are counted twice; malloc() */
    size_t excess_count;
    char unchecked[RC_ERROR_TEXT]; /* why there are no readings, or "" */
};

/* The command's options. */
struct rc_hierarchy_request {
    const char *dir;
    const char *const *only;    /* names of hierarchies or nodes; NULL: all */
    const char *const *counted; /* as if only these events and groups were counted */
    const struct rc_catalogue
        *catalogue; /* for trials of passes by its sources, or NULL */
    enum rc_format format;
    bool insist, all, orphans; /* 'all': void nodes, too; 'orphans': by name */
};

/* read.c: the machine of a kind.  rc_hierarchy_kind_fini() in any case. */
int rc_hierarchy_kind_read(struct rc_hierarchy_kind *k,
                           const struct rc_hierarchies *all,
                           const struct rc_hierarchy_request *request,
                           struct rc_error *err);
void rc_hierarchy_kind_fini(struct rc_hierarchy_kind *k);

/* Checks the filled trees with the readings in DIR/campaign.h5. */
int rc_hierarchy_kind_check(struct rc_hierarchy_kind *k, const char *dir,
                            struct rc_error *err);

/* show.c: writes the header of CSV, once before all kinds. */
void rc_hierarchy_head(const struct rc_hierarchy_request *request, FILE *out);

/* Writes the trees as text, as rows of CSV, or as an object of JSON.  RC_EUSAGE: no
 * node has a name that 'only' asks for.
 */
int rc_hierarchy_show(const struct rc_hierarchy_kind *k,
                      const struct rc_hierarchy_request *request, struct rc_json *json,
                      FILE *out, struct rc_error *err);

/* passes.c: the events of a source as a machine, without a campaign; as
 * rc_hierarchy_kind_read().
 */
int rc_hierarchy_catalogue_read(struct rc_hierarchy_kind *k,
                                const struct rc_catalogue *c,
                                const struct rc_hierarchies *all,
                                const struct rc_hierarchy_request *request,
                                struct rc_error *err);

/* Packs the events of the chosen nodes into as few passes as trials find, and writes
 * these.
 */
int rc_hierarchy_passes(const struct rc_hierarchy_kind *k, const bool *chosen,
                        const struct rc_catalogue *c, struct rc_json *json, FILE *out,
                        struct rc_error *err);

#endif

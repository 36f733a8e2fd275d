/* parts.h - the hierarchy command: a campaign's kinds, their trees, and how they are
 * said
 */
#ifndef RC_CAMPAIGN_HIERARCHY_PARTS_H
#define RC_CAMPAIGN_HIERARCHY_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/catalogue/catalogue.h"
#include "io/metrics/metrics.h"
#include "io/text/rows.h"
#include "solve/hierarchy/hierarchy.h"

#include <stdio.h>

/* A kind of a campaign as a machine that trees are filled on.  All is in 'arena' or
 * borrowed from 'metrics'.
 */
struct rc_hierarchy_kind {
    struct rc_store *metrics; /* open */
    size_t number;            /* in it */
    struct rc_arena arena;
    struct rc_pool *pool;
    struct rc_hierarchy_machine machine;
    const struct rc_store_event *event; /* [machine.event_count] */
    struct rc_hierarchy h;              /* filled */

    struct rc_hierarchy_cells
        cells; /* what was read of campaign.h5; count 0: nothing */
    struct rc_hierarchy_excess *excess; /* what is counted twice; malloc() */
    size_t excess_count;
    char unchecked[RC_ERROR_TEXT]; /* why nothing was read; "": it was */
};

/* What is asked for. */
struct rc_hierarchy_request {
    const char *dir;
    const char *const *only;    /* names of hierarchies or nodes; NULL: all */
    const char *const *counted; /* as if only these events and groups were counted */
    const struct rc_catalogue
        *catalogue; /* whose source passes are tried on, or NULL */
    enum rc_format format;
    bool insist, all, orphans; /* void nodes too; counters in no tree one by one */
};

/* read.c: the machine of a kind.  rc_hierarchy_kind_fini() in any case. */
int rc_hierarchy_kind_read(struct rc_hierarchy_kind *k,
                           const struct rc_hierarchies *all,
                           const struct rc_hierarchy_request *request,
                           struct rc_error *err);
void rc_hierarchy_kind_fini(struct rc_hierarchy_kind *k);

/* Tries the filled trees on the readings in DIR/campaign.h5. */
int rc_hierarchy_kind_check(struct rc_hierarchy_kind *k, const char *dir,
                            struct rc_error *err);

/* show.c: the header, once before all kinds, where the format is CSV. */
void rc_hierarchy_head(const struct rc_hierarchy_request *request, FILE *out);

/* The trees as text, as rows of CSV, or as an object of JSON.  RC_EUSAGE: nothing has a
 * name that is asked for.
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

/* Packs the events of the chosen nodes into as few passes as trials find, and says
 * them.
 */
int rc_hierarchy_passes(const struct rc_hierarchy_kind *k, const bool *chosen,
                        const struct rc_catalogue *c, struct rc_json *json, FILE *out,
                        struct rc_error *err);

#endif

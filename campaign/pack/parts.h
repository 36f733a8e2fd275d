/* parts.h - shared by the files of this room only */
#ifndef RC_CAMPAIGN_PACK_PARTS_H
#define RC_CAMPAIGN_PACK_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/records/campaign.h"
#include "io/store/store.h"

#define RC_NOWHERE UINT32_MAX

/* An event's readings in a unit: the group, and the place in it. */
struct rc_event_suite_place {
    uint32_t group, member;
};

/* One suite of one kind, and the sources of its results. */
struct rc_block_filling {
    const struct rc_campaign *campaign;
    uint32_t kind, suite;                /* in the campaign */
    size_t store_kind, store_suite;      /* in the file */
    const struct rc_campaign_unit *unit; /* of the suite, by group and place */
    size_t unit_count;
    const struct rc_event_suite_place *home; /* for the kind's events */
    size_t event_count, point_count;
    size_t repetitions; /* the most of any unit */
    uint32_t *place;    /* numbers of the campaign's places, ascending */
    size_t place_count;
    struct rc_who *worker; /* ascending; number 0 stands for nobody */
    size_t worker_count;
};

/* The worker that measured; in a simulation one for all. */
struct rc_who {
    uint32_t node, core, cpu;
};
struct rc_who rc_who_of(const struct rc_campaign_unit *unit);
int rc_who_compare(const void *a, const void *b);

/* Fills a block whose arrays have room and whose 'first' and 'count' (of events) are
 * set. Only this process.  RC_EIO: a journal was changed since it was read.
 */
int rc_block_filling_fill(const struct rc_block_filling *assembly,
                          const struct rc_store_block *block, struct rc_error *err);

/* campaign.h5 while it is made. */
struct rc_store_making {
    struct rc_arena arena; /* of the lists below */
    MPI_Comm comm;
    const struct rc_campaign *campaign;
    struct rc_store *store; /* NULL until it is created */
    uint32_t *kind;         /* the campaign's kinds in the order of their names */
    struct rc_block_filling *suite; /* of all kinds, in the order of the file */
    size_t suite_count;
    void (*tell)(void *arg, size_t done, size_t total); /* may be NULL */
    void *arg;
    size_t done, total; /* events of all suites */
};

/* define.c; collective.  The first creates the file and describes the campaign; the
 * second defines its kinds and suites, and puts their numbers into a->suite.
 */
int rc_store_making_create(struct rc_store_making *a, const char *path,
                           struct rc_error *err);
int rc_store_making_define(struct rc_store_making *a, struct rc_error *err);

#endif

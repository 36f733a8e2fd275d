/* parts.h - inside of this room only */
#ifndef RC_CAMPAIGN_PACK_PARTS_H
#define RC_CAMPAIGN_PACK_PARTS_H

#include "campaign/records/campaign.h"
#include "io/store/store.h"

#define RC_NOWHERE UINT32_MAX

/* Where an event's readings are in a unit: the group, and the place in it. */
struct rc_event_suite_place {
    uint32_t group, member;
};

/* One suite of one kind, and what its results are made of. */
struct rc_block_filling {
    const struct rc_campaign *campaign;
    uint32_t kind, suite;                /* in the campaign */
    size_t store_kind, store_suite;      /* in the file */
    const struct rc_campaign_unit *unit; /* those of the suite, by group and place */
    size_t unit_count;
    const struct rc_event_suite_place *home; /* of the kind's events */
    size_t event_count, point_count, repetitions;
    uint32_t *place; /* of the campaign's, ascending */
    size_t place_count;
    struct rc_who *worker; /* ascending; number 0 is nobody */
    size_t worker_count;
};

/* Who measured: one of all, in a simulation. */
struct rc_who {
    uint32_t node, core, cpu;
};
struct rc_who rc_who_of(const struct rc_campaign_unit *unit);
int rc_who_compare(const void *a, const void *b);

/* Fills a block whose arrays have room and whose 'first' and 'count' are set. */
int rc_block_filling_fill(const struct rc_block_filling *assembly,
                          const struct rc_store_block *block, struct rc_error *err);

struct rc_event_suites {
    struct rc_event_suite_place *of; /* by the kind's event */
};

struct rc_store_making {
    MPI_Comm comm;
    const struct rc_campaign *campaign;
    struct rc_store *store;
    uint32_t *kind;                 /* of the campaign, in the order of their names */
    struct rc_event_suites *homes;  /* by the campaign's kind */
    struct rc_block_filling *suite; /* of all kinds, in the order of the file */
    size_t suite_count;
    void (*tell)(void *arg, size_t done, size_t total);
    void *arg;
    size_t done, total; /* events */
};

/* define.c; collective. */
int rc_store_making_create(struct rc_store_making *a, const char *path,
                           struct rc_error *err);
int rc_store_making_define(struct rc_store_making *a, struct rc_error *err);

#endif

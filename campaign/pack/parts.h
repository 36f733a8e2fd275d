/* parts.h - inside of assemble*.c only */
#ifndef RC_CAMPAIGN_PACK_PARTS_H
#define RC_CAMPAIGN_PACK_PARTS_H

#include "campaign/records/campaign.h"
#include "io/store/store.h"

#define RC_NOWHERE UINT32_MAX

/* Where an event's readings are in a unit: the group, and the place in it. */
struct rc_home_of_event {
    uint32_t group, member;
};

/* One suite of one kind, and what its results are made of. */
struct rc_assembly {
    const struct rc_history *history;
    uint32_t kind, suite;               /* in the history */
    size_t store_kind, store_suite;     /* in the file */
    const struct rc_history_unit *unit; /* those of the suite, by group and place */
    size_t unit_count;
    const struct rc_home_of_event *home; /* of the kind's events */
    size_t event_count, point_count, repetitions;
    uint32_t *place; /* of the history's, ascending */
    size_t place_count;
    struct rc_who *worker; /* ascending; number 0 is nobody */
    size_t worker_count;
};

/* Who measured: one of all, in a simulation. */
struct rc_who {
    uint32_t node, core, cpu;
};
struct rc_who rc_who_of(const struct rc_history_unit *unit);
int rc_who_compare(const void *a, const void *b);

/* Fills a block whose arrays have room and whose 'first' and 'count' are set. */
int rc_assembly_fill(const struct rc_assembly *assembly,
                     const struct rc_store_block *block, struct rc_error *err);

struct rc_homes {
    struct rc_home_of_event *of; /* by the kind's event */
};

struct rc_assembling {
    MPI_Comm comm;
    const struct rc_history *history;
    struct rc_store *store;
    uint32_t *kind;            /* of the history, in the order of their names */
    struct rc_homes *homes;    /* by the history's kind */
    struct rc_assembly *suite; /* of all kinds, in the order of the file */
    size_t suite_count;
    void (*tell)(void *arg, size_t done, size_t total);
    void *arg;
    size_t done, total; /* events */
};

/* define.c; collective. */
int rc_assembling_create(struct rc_assembling *a, const char *path,
                         struct rc_error *err);
int rc_assembling_define(struct rc_assembling *a, struct rc_error *err);

#endif

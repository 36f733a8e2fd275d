/* campaign.h - what the journals of a campaign say
 *
 * Built from records, whether they are read from DIR/journal or were just made: a
 * running campaign and a finished one are the same to its users.
 */
#ifndef RC_CAMPAIGN_RECORDS_CAMPAIGN_H
#define RC_CAMPAIGN_RECORDS_CAMPAIGN_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/records/record.h"
#include "io/journal/journal.h"

#include <mpi.h>

/* The best record of a unit, and its place: valid is better than invalid, then later is
 * better.
 */
struct rc_campaign_unit {
    uint32_t kind, suite, group; /* indices: 'kind' in the campaign, the others in it */
    uint32_t place;              /* in the campaign's places */
    uint32_t node;               /* in the campaign's nodes */
    uint32_t core, cpu;
    uint32_t file; /* in the campaign's files */
    uint32_t repetitions, tries;
    uint8_t status, stop;
    uint64_t offset; /* of the record in the file */
    uint64_t bytes;  /* of the record's payload */
    uint32_t writer; /* the rank that wrote the record */
    uint64_t sequence, begin_ns, wall_ns, kernel_ns;
};

struct rc_campaign_kind {
    uint64_t id;                   /* rc_record_kind_id() of its key */
    struct rc_record_kind record;  /* names and sources */
    struct rc_record_event *event; /* by their numbers, as the two lists below */
    size_t event_count;
    struct rc_record_suite *suite;
    size_t suite_count;
    struct rc_record_group *group;
    size_t group_count;
    const char **node; /* names of the nodes that measured its units, sorted */
    size_t node_count;
    struct rc_record_share share; /* 'of' is 0: all units are this directory's */
    size_t event_room, suite_room, group_room; /* allocated for the lists */
};

struct rc_campaign_run {
    struct rc_record_run begin, end;
    bool ended; /* by itself; otherwise it was killed, or still runs */
};

struct rc_campaign_file {
    const char *path;                /* "DIR/journal/NODE.rcj" */
    struct rc_journal_report report; /* how many records are whole, and what is not */
};

struct rc_campaign {
    struct rc_journal_id campaign;    /* the id that all its journals carry */
    struct rc_record_campaign record; /* the latest; spec NULL: there is none */
    struct rc_campaign_kind *kind;    /* in the order of their records */
    size_t kind_count;
    struct rc_campaign_unit *unit; /* sorted by kind, suite, group, place */
    size_t unit_count;
    const char **place; /* "" is number 0 */
    size_t place_count;
    const char **node; /* names of nodes; "" is number 0 */
    size_t node_count;
    struct rc_campaign_run *run; /* in the order in which they began */
    size_t run_count;
    struct rc_record_origin *origin; /* how it was made from others, the latest last */
    size_t origin_count;
    struct rc_campaign_file *file; /* sorted by path */
    size_t file_count;
    uint64_t next_sequence;   /* above all numbers in all files */
    uint64_t detours;         /* records of detours, whose content is not read here */
    uint32_t next_round;      /* above the rounds of all detours */
    uint64_t records_refused; /* whole in the journal, but not understood */
    char first_refusal[256];
    struct rc_pool *pool;  /* of all texts */
    struct rc_arena lists; /* arrays inside of kinds, suites, groups, ... */
    size_t kind_room, run_room, origin_room; /* allocated for the lists */
};

/* An empty campaign; NULL: no memory. */
struct rc_campaign *rc_campaign_create(void);
void rc_campaign_close(struct rc_campaign *campaign); /* accepts NULL */

/* Adds one record of a type other than unit and detours.  The same record may come
 * again, except for runs.  RC_EUSAGE: it is not understood or contradicts the campaign,
 * which stays as it was.
 */
int rc_campaign_apply(struct rc_campaign *campaign, uint32_t type, const void *payload,
                      size_t bytes, struct rc_error *err);

/* Collective over 'comm' (or alone): reads all of DIR/journal, each file by one rank,
 * and gives the same campaign to every rank.  Files without a '.rcj' at the end, or
 * with a dot in front, are left out.  Damage in a file is in its report, and records
 * that were not understood are counted: neither is an error.  'err' must not be NULL.
 * RC_EMISSING: there is no journal.  RC_ECONFLICT: files of several campaigns.
 */
int rc_campaign_read(MPI_Comm comm, const char *dir, struct rc_campaign **out,
                     struct rc_error *err);

/* RC_EMISSING if DIR has no journal, as from rc_campaign_read().  Only this process. */
int rc_campaign_exists(const char *dir, struct rc_error *err);

/* Appends the paths of the journals in DIR/journal whose names end with 'end' (".rcj":
 * all of them), each with its 0, in no order.  RC_EMISSING: there is none.  Only this
 * process.
 */
int rc_campaign_list_journals(const char *dir, const char *end, struct rc_bytes *list,
                              struct rc_error *err);

/* Calls 'say' with a line for each thing in the journals that cannot be used. */
void rc_campaign_say_damage(const struct rc_campaign *campaign,
                            void (*say)(void *arg, const char *line), void *arg);

/* The index of the kind with that id, or kind_count. */
size_t rc_campaign_find_kind(const struct rc_campaign *campaign, uint64_t id);

/* A hash of the records of units that count and of the lists of events, suites and
 * groups: it changes when the readings do, and doesn't depend on the order of files and
 * records.
 */
uint64_t rc_campaign_digest(const struct rc_campaign *campaign);

/* The order of the units, for qsort(): kind, suite, group, place. */
int rc_campaign_compare_units(const void *unit, const void *other);

/* The index of the first unit of that kind, suite and group, or of the one that would
 * follow it.
 */
size_t rc_campaign_first_unit(const struct rc_campaign *campaign, uint32_t kind,
                              uint32_t suite, uint32_t group);

/* The best record of a unit, or NULL. */
const struct rc_campaign_unit *rc_campaign_find_unit(const struct rc_campaign *campaign,
                                                     uint32_t kind, uint32_t suite,
                                                     uint32_t group, const char *place);

/* The same of a suite with teams, whose workers have a record each: the first one of the
 * best at 'node', "" for any.  A campaign has all of a team's records, of one
 * measurement, or none of them.
 */
const struct rc_campaign_unit *rc_campaign_find_team(const struct rc_campaign *campaign,
                                                     uint32_t kind, uint32_t suite,
                                                     uint32_t group, const char *node);

/* Whether two places are of one node. */
bool rc_campaign_same_node(const char *place, const char *other);

/* Whether two units are of workers of one team: of one group on one node, in a suite
 * that has teams.
 */
bool rc_campaign_same_team(const struct rc_campaign *campaign,
                           const struct rc_campaign_unit *unit,
                           const struct rc_campaign_unit *other);

/* The share that the directory is (see RC_RECORD_SHARE), from the first kind that has
 * one; all kinds agree in its number and in the number of shares.  NULL: the directory
 * is not a share.
 */
const struct rc_record_share *rc_campaign_share(const struct rc_campaign *campaign);

/* A line about the share for people, "share 3 of 8 (counted from 0): 28 of the
 * campaign's 219 units"; "" if there is none.  Returns 'out'.
 */
const char *rc_campaign_share_text(const struct rc_campaign *campaign, char *out,
                                   size_t room);

/* Units of all kinds: of this share ('own'), or of all shares. */
uint64_t rc_campaign_share_units(const struct rc_campaign *campaign, bool own);

/* Whether a unit is to be measured here: any, unless the directory is a share. */
bool rc_campaign_owns(const struct rc_campaign_kind *kind, uint32_t suite,
                      uint32_t group);

#endif

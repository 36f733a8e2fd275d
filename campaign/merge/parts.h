/* parts.h - what the files of the merge share */
#ifndef RC_CAMPAIGN_MERGE_PARTS_H
#define RC_CAMPAIGN_MERGE_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/merge/merge.h"
#include "campaign/records/campaign.h"
#include "campaign/records/unit_reader.h"
#include "campaign/spec/spec.h"

#define RC_MERGE_NONE UINT32_MAX
#define RC_MERGE_NODE "merged" /* stands for a node in the name of the journal */

/* Numbers in the result's lists for the numbers of an operand's kind. */
struct rc_merge_map {
    const struct rc_campaign_kind *from; /* NULL: the operand does not have the kind */
    uint32_t *source, *event;            /* by the operand's numbers */
};

/* A campaign that is merged; rc_merge_operand_fini() frees what rc_merge_read() filled
 * in.
 */
struct rc_merge_operand {
    const char *dir;
    size_t number;     /* in the order of the command line */
    size_t family;     /* the first operand with the same campaign id */
    uint64_t begin_ns; /* when its first unit began */
    struct rc_campaign *campaign;
    struct rc_spec spec;
    struct rc_unit_reader reader; /* holds one unit's record at a time */
};

/* The first part of kinds, suites and events. */
struct rc_merge_item {
    const char *name;
    uint32_t from;     /* the first operand that has it */
    uint32_t operands; /* how many have it */
    uint32_t number;   /* in the result; RC_MERGE_NONE: left out */
};

/* A source of the result. */
struct rc_merge_source {
    struct rc_record_source record;
    uint32_t from; /* the operand that it comes from */
};

struct rc_merge_event {
    struct rc_merge_item item;
    struct rc_record_event record;
    uint32_t verdict_from; /* the operand whose verdict it has */
    uint32_t last;         /* the last operand read that has it */
};

struct rc_merge_suite {
    struct rc_merge_item item;
    struct rc_record_suite record; /* borrowed, but not iterations and zeroed bases */
    uint64_t *iterations;          /* [source][point] of the result */
    uint32_t *row_from;            /* by source: the operand, or RC_MERGE_NONE */
    uint32_t *number_in;           /* by operand: its number there or RC_MERGE_NONE */
};

/* A group of an operand, whose events may fall into several pieces. */
struct rc_merge_cut {
    uint32_t operand, number; /* the group's number in the operand's kind */
    const struct rc_record_group *group;
};

/* Events of class 'before' that cut 'cut' has, too.  The chain of 'before' names all
 * cuts that have the events.  Class 0 is that of no cut.
 */
struct rc_merge_class {
    uint32_t before, cut;
};

/* Events that are together in every operand: a group of the result. */
struct rc_merge_piece {
    uint32_t *event; /* in the kind's list: own ones, then references */
    size_t count;    /* events of both sorts */
    size_t own;      /* events that are own ones */
    uint32_t class;  /* of its own events */
    uint32_t maker;  /* the first cut that has the events */
};

struct rc_merge_kind {
    struct rc_merge_item item;
    struct rc_record_kind record; /* 'source' is set for writing */
    uint64_t id;                  /* of the kind, the same in all campaigns */
    struct rc_merge_map *map;     /* by operand */
    struct rc_merge_source *source;
    struct rc_merge_suite *suite;
    struct rc_merge_event *event;
    struct rc_merge_cut *cut;
    struct rc_merge_class *class;
    struct rc_merge_piece *piece;
    size_t source_count, suite_count, event_count, cut_count, piece_count;
    size_t source_room, suite_room, event_room;
    struct rc_map events; /* by source and name */
};

struct rc_merge {
    const struct rc_merge_job *job;
    struct rc_arena arena; /* of all that lives as long as this, except growing lists */
    struct rc_merge_operand *operand;
    size_t *by_age; /* numbers of the operands, oldest first */
    size_t count;   /* of operands */
    struct rc_merge_kind *kind;
    size_t kind_count, kind_room;
    struct rc_journal_id campaign; /* the result's */
    char *spec_text;               /* the result's campaign file */
    size_t spec_bytes;
    uint64_t conflicts;           /* how many were said */
    uint64_t verdicts;            /* events with different verdicts in the operands */
    char verdict_line[512];       /* the first of them */
    uint64_t dropped_units;       /* units that not all operands of a mean have */
    uint64_t dropped_repetitions; /* repetitions that not all operands have */
    uint64_t worse_units;         /* units that are better in another operand */
    uint64_t overflows;           /* repetitions of an event that exceed 64 bits */
    struct rc_journal *journal;   /* of the result, while it is written */
};

/* context.c: prints lines for people, at most 2047 bytes each; a conflict is counted,
 * too.
 */
void rc_merge_say(struct rc_merge *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rc_merge_conflict(struct rc_merge *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the result keeps only what all operands have. */
bool rc_merge_is_aligned(const struct rc_merge *m);

/* read.c: reads the operands' campaigns and campaign files, and checks that they may be
 * merged.
 */
int rc_merge_read(struct rc_merge *m, struct rc_error *err);
void rc_merge_operand_fini(struct rc_merge_operand *operand);

/* kinds.c and suites.c: settle the kinds of the result.  Conflicts are counted and
 * said; they do not fail.
 */
int rc_merge_kinds(struct rc_merge *m, struct rc_error *err);
int rc_merge_suites(struct rc_merge *m, const struct rc_merge_operand *operand,
                    struct rc_merge_kind *kind, struct rc_error *err);
void rc_merge_kinds_fini(struct rc_merge *m);

/* numbers.c: numbers the kinds, suites and events of the result.  A mean or difference
 * leaves out what not all operands have, and says so.
 */
int rc_merge_number(struct rc_merge *m, struct rc_error *err);

/* groups.c: makes the pieces of all kinds. */
int rc_merge_groups(struct rc_merge *m, struct rc_error *err);

/* spec.c: makes the campaign file of the result. */
int rc_merge_spec(struct rc_merge *m, struct rc_error *err);

/* units.c: appends all units to m->journal. */
int rc_merge_units(struct rc_merge *m, struct rc_error *err);

/* readings.c: makes one unit of the result from 'count' units of the operands, in their
 * order, and writes it to m->journal.
 */
struct rc_merge_pick {
    struct rc_merge_operand *operand;
    const struct rc_campaign_unit *unit;
};
struct rc_merge_target {
    const struct rc_merge_kind *kind;
    const struct rc_merge_suite *suite;
    const struct rc_merge_piece *piece;
    uint32_t *slot;         /* by the kind's event: 1 + its place in the piece, or 0 */
    struct rc_bytes *bytes; /* for the record */
};
int rc_merge_put_unit(struct rc_merge *m, const struct rc_merge_target *target,
                      const struct rc_merge_pick *pick, size_t count,
                      struct rc_error *err);

/* write.c: writes all records except units. */
int rc_merge_write_head(struct rc_merge *m, struct rc_error *err);
#endif

/* parts.h - what the files of the merge share among themselves */
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
#define RC_MERGE_NODE "merged" /* in place of a node's name, of the journal */

/* What the numbers of an operand's kind are in the lists of the result's. */
struct rc_merge_map {
    const struct rc_campaign_kind *from; /* NULL: the operand does not have the kind */
    uint32_t *source, *event;            /* by the operand's numbers */
};

/* A campaign that is merged; rc_merge_operand_fini() frees what rc_merge_read() put in.
 */
struct rc_merge_operand {
    const char *dir;
    size_t number;     /* in the order of the command line */
    size_t family;     /* the first operand of which it is a copy or share, or itself */
    uint64_t begin_ns; /* of its first unit */
    struct rc_campaign *campaign;
    struct rc_spec spec;
    struct rc_unit_reader reader; /* holds one unit's record at a time */
};

/* What kinds, suites and events begin with. */
struct rc_merge_item {
    const char *name;
    uint32_t from;     /* the first operand that has it */
    uint32_t operands; /* how many have it */
    uint32_t number;   /* in the result; RC_MERGE_NONE: it is left out */
};

/* A source of the result. */
struct rc_merge_source {
    struct rc_record_source record;
    uint32_t from; /* the operand that it is taken from */
};

struct rc_merge_event {
    struct rc_merge_item item;
    struct rc_record_event record;
    uint32_t verdict_from; /* the operand that its verdict is of */
    uint32_t last;         /* the last operand that was read and has it */
};

struct rc_merge_suite {
    struct rc_merge_item item;
    struct rc_record_suite record; /* borrowed but for iterations, and zeroed bases */
    uint64_t *iterations;          /* [source][point] of the result */
    uint32_t *row_from;            /* by source: the operand, or RC_MERGE_NONE */
    uint32_t *number_in;           /* by operand: its number there, or RC_MERGE_NONE */
};

/* A group of an operand, whose events may fall into several pieces. */
struct rc_merge_cut {
    uint32_t operand, number; /* number: of the group in the operand's kind */
    const struct rc_record_group *group;
};

/* Events of class 'before' that cut 'cut' has, too: the classes from one to the next
 * 'before' name all cuts that have its events.  Number 0 is the class of no cut.
 */
struct rc_merge_class {
    uint32_t before, cut;
};

/* Events that are together in every operand: a group of the result. */
struct rc_merge_piece {
    uint32_t *event; /* in the kind's list: own ones, then references */
    size_t count;    /* of both */
    size_t own;      /* the first ones */
    uint32_t class;  /* of its own events */
    uint32_t maker;  /* the first cut that has them */
};

struct rc_merge_kind {
    struct rc_merge_item item;
    struct rc_record_kind record; /* 'source' is filled for writing */
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
    struct rc_arena arena; /* of what lives as long as this, but for growing lists */
    struct rc_merge_operand *operand;
    size_t *by_age; /* the operands' numbers, the one that was begun first in front */
    size_t count;   /* of operands */
    struct rc_merge_kind *kind;
    size_t kind_count, kind_room;
    struct rc_journal_id campaign; /* the result's */
    char *spec_text;               /* the result's campaign file */
    size_t spec_bytes;
    uint64_t conflicts;     /* that were said */
    uint64_t verdicts;      /* events of which the operands say different things */
    char verdict_line[512]; /* the first of them */
    uint64_t dropped_units; /* that not all operands of a mean have */
    uint64_t dropped_repetitions; /* likewise */
    uint64_t worse_units;         /* of which another operand has a better result */
    uint64_t overflows;           /* repetitions of an event with a value too large */
    struct rc_journal *journal;   /* of the result, while it is written */
};

/* context.c: lines for people, at most 2047 bytes each; a conflict is counted, too. */
void rc_merge_say(struct rc_merge *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rc_merge_conflict(struct rc_merge *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether only that is kept which all operands have. */
bool rc_merge_is_aligned(const struct rc_merge *m);

/* read.c: the operands' campaigns and campaign files; whether they may be
 * merged at all.
 */
int rc_merge_read(struct rc_merge *m, struct rc_error *err);
void rc_merge_operand_fini(struct rc_merge_operand *operand);

/* kinds.c and suites.c: what the kinds of the result are.  Conflicts are
 * counted and said, and are no failure.
 */
int rc_merge_kinds(struct rc_merge *m, struct rc_error *err);
int rc_merge_suites(struct rc_merge *m, const struct rc_merge_operand *operand,
                    struct rc_merge_kind *kind, struct rc_error *err);
void rc_merge_kinds_fini(struct rc_merge *m);

/* numbers.c: numbers the kinds, suites and events of the result.  A mean or difference
 * leaves out what not all operands have, and says so.
 */
int rc_merge_number(struct rc_merge *m, struct rc_error *err);

/* groups.c: the pieces of all kinds. */
int rc_merge_groups(struct rc_merge *m, struct rc_error *err);

/* spec.c: the campaign file of the result. */
int rc_merge_spec(struct rc_merge *m, struct rc_error *err);

/* units.c: appends all units to m->journal. */
int rc_merge_units(struct rc_merge *m, struct rc_error *err);

/* readings.c: one unit of the result from 'count' of the operands' (in the order
 * of operands), written to m->journal.
 */
struct rc_merge_pick {
    struct rc_merge_operand *operand;
    const struct rc_campaign_unit *unit;
};
struct rc_merge_target {
    const struct rc_merge_kind *kind;
    const struct rc_merge_suite *suite;
    const struct rc_merge_piece *piece;
    uint32_t *slot;         /* by the kind's event: its place in the piece + 1, or 0 */
    struct rc_bytes *bytes; /* for the record */
};
int rc_merge_put_unit(struct rc_merge *m, const struct rc_merge_target *target,
                      const struct rc_merge_pick *pick, size_t count,
                      struct rc_error *err);

/* write.c: all records but those of units. */
int rc_merge_write_head(struct rc_merge *m, struct rc_error *err);
#endif

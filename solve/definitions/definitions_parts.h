/* definitions_parts.h - shared by the files of the definitions: only for definitions*.c
 */
#ifndef RC_SOLVE_DEFINITIONS_DEFINITIONS_PARTS_H
#define RC_SOLVE_DEFINITIONS_DEFINITIONS_PARTS_H

#include "campaign/base/arena.h"
#include "solve/definitions/definitions.h"
#include "solve/definitions/metric_text.h"

/* Limits of a file, which may come from a stranger. */
enum {
    RC_SUITES_MAX = 256,
    RC_METRICS_MAX = 1024, /* in a file, and in a suite */
    RC_COLUMNS_MAX = 256,
    RC_RATES_MAX = 256,
    RC_POINTS_MAX = 10000, /* in a file, over all columns */
};

/* A suite while it is put together; 'known' has the counts of the arrays, and points to
 * them once the draft is committed.
 */
struct rc_definitions_suite_draft {
    struct rc_suite_definition known;
    struct rc_metric_definition *metric; /* these grow: malloc() */
    struct rc_column_definition *column;
    struct rc_rate_definition *rate;
    size_t metric_room, column_room, rate_room;
};

/* A metric, column or rate that was put into a draft. */
struct rc_given {
    size_t suite, number; /* of the draft, and in the suite */
    enum { RC_GIVEN_METRIC, RC_GIVEN_COLUMN, RC_GIVEN_RATE } what;
};

/* The definitions as they will be.  Additions go to a copy of the present definitions,
 * which replaces them when all is right.
 */
struct rc_definitions_draft {
    struct rc_arena *arena; /* of the definitions: strings, and arrays that do not grow;
                             * its failure is checked once, at the end */
    struct rc_definitions_suite_draft *suite;
    size_t count, room; /* suites */
    struct rc_given *given;
    size_t given_count, given_room;
};

/* RC_ENOMEM, for an array that could not grow or be made. */
int rc_definitions_draft_no_memory(struct rc_error *err);

/* The number of the suite of that name; it is added with the defaults where it is
 * missing.
 */
int rc_definitions_draft_suite(struct rc_definitions_draft *draft, const char *name,
                               const char *where, size_t *out, struct rc_error *err);

/* Replaces the item of the same name, or appends one; RC_EUSAGE: it was given to this
 * draft before.  'where' is copied, the strings of a column or rate are not.
 */
int rc_definitions_draft_metric(struct rc_definitions_draft *draft, size_t suite,
                                const struct rc_metric_text *text, const char *where,
                                struct rc_error *err);
int rc_definitions_draft_column(struct rc_definitions_draft *draft, size_t suite,
                                const struct rc_column_definition *column,
                                struct rc_error *err);

int rc_definitions_draft_rate(struct rc_definitions_draft *draft, size_t suite,
                              const struct rc_rate_definition *rate,
                              struct rc_error *err);

/* Checks the draft as a whole: signatures given to it consist of ideals of their suite,
 * where that lists them, and formulas of metrics that exist.
 */
int rc_definitions_draft_check(const struct rc_definitions_draft *draft,
                               struct rc_error *err);

/* Whether the ideal is in the suite's basis: one that is not listed may hold any. */
bool rc_definitions_draft_has_ideal(const struct rc_definitions_suite_draft *suite,
                                    const char *ideal);

/* Adds a file to the draft; the draft as a whole is not checked yet. */
int rc_definitions_draft_read(struct rc_definitions_draft *draft, struct rc_yaml *file,
                              struct rc_error *err);

#endif

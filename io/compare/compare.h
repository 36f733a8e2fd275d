/* compare.h - campaigns side by side, as plain data and as text, JSON and HTML
 *
 * A column is a kind of machine of a campaign.  Each is compared with its reference,
 * a column before it: that of the same kind in an earlier campaign, else the first
 * one; the kinds of the first of several campaigns with none.  campaign/compare/parts.h
 * fills this; docs/compare.md says what is a difference and what is not.
 *
 * Strings are never NULL, names of events and metrics hold anything.
 */
#ifndef RC_IO_COMPARE_COMPARE_H
#define RC_IO_COMPARE_COMPARE_H

#include "campaign/base/arena.h"
#include "io/store/store.h"
#include "solve/result.h"

#include <stdio.h>

enum { RC_COMPARE_LABEL = 16 };
#define RC_COMPARE_NONE SIZE_MAX /* no such column, no such suite */

/* Things that can be asked to be the same. */
enum rc_compare_check {
    RC_COMPARE_METRICS, /* their verdicts and definitions */
    RC_COMPARE_EVENTS,  /* which there are, verdicts of their trials, scopes */
    RC_COMPARE_COUNTS,  /* what they counted in each suite */
    RC_COMPARE_NOISE,   /* their classes in each suite */
    RC_COMPARE_USE,     /* their use in each suite */
    RC_COMPARE_CHECKS
};
/* "metrics", "events", "counts", "noise", "use", NULL. */
extern const char *const rc_compare_check_names[];

/* The relation of a column to its reference. */
enum rc_relation {
    RC_RELATION_FIRST,    /* it has none */
    RC_RELATION_SAME,     /* of the same kind */
    RC_RELATION_COUNTERS, /* the same machine, whose set of counters changed */
    RC_RELATION_TAKEN, /* another kind, taken for the same because the user says so */
    RC_RELATION_OTHER, /* another kind */
    RC_RELATION_COUNT
};
extern const char *const rc_relation_names[]; /* "first", "same kind", ... NULL */

/* The change of an event.  The first four are found once for a column, the others
 * for each suite.
 */
enum rc_change_what {
    RC_CHANGE_GONE,    /* only in the reference */
    RC_CHANGE_NEW,     /* only in the column */
    RC_CHANGE_VERDICT, /* another verdict of its trial: enum rc_verdict */
    RC_CHANGE_SCOPE,   /* another unit that it belongs to: enum rc_scope */
    RC_CHANGE_CLASS,   /* another class of noise in a suite: enum rc_class */
    RC_CHANGE_USE,     /* another use in a suite: enum rc_use */
    RC_CHANGE_COUNTS,  /* other counts in a suite */
    RC_CHANGE_COUNT
};
extern const char *const rc_change_names[]; /* "gone", "new", "verdict", ... NULL */
/* Under which check a change counts. */
enum rc_compare_check rc_change_check(enum rc_change_what what);
/* The word for a state before or after: "ok", "core", "noisy", "chosen"; "" for those
 * that are gone or new.
 */
const char *rc_change_word(enum rc_change_what what, unsigned state);

/* An event of a column, as its campaign has it. */
struct rc_compare_event {
    const char *name, *source; /* of the event; of its source */
    const char *reason;        /* of the verdict of its trial */
};

/* The changes of one event. */
struct rc_compare_change {
    size_t before, after;             /* numbers of the event in reference and column */
    double noise_before, noise_after; /* of a class; otherwise NAN */
    double off; /* of counts: how far apart, as a share of the larger; otherwise NAN */
};

/* Changes that are alike. */
struct rc_compare_group {
    enum rc_change_what what;
    size_t suite;      /* number in rc_compare; RC_COMPARE_NONE: not of a suite */
    unsigned from, to; /* states; 0 where there are none */
    bool chance;       /* which chance explains: no difference */
    struct rc_compare_change *change;
    size_t count; /* of these */
};

/* A kind of a campaign. */
struct rc_compare_column {
    char label[RC_COMPARE_LABEL]; /* "A", "B", ... */
    const char *path;             /* as it was given */
    const struct rc_store_campaign *campaign;
    const struct rc_store_kind *kind; /* without its events */
    struct rc_compare_event *event;   /* by number in the kind */
    uint8_t *verdict, *scope;         /* of events: enum rc_verdict, enum rc_scope */
    size_t event_count;
    bool simulated;   /* any of the kind's readings is */
    size_t reference; /* a column before this one, or RC_COMPARE_NONE */
    enum rc_relation relation;
    bool judged;   /* against the reference, by the readings of both */
    bool *changed; /* if so, [event]: it is new, or chance does not explain how it
                    * differs from what it was */
    bool *changed_before;           /* likewise, of the reference's events */
    struct rc_compare_group *group; /* of changes against the reference */
    size_t group_count, group_room; /* groups, and how many the array has room for */
    size_t change_count;            /* of all groups but what chance explains */
};

/* How a metric differs from that of the reference: bits. */
enum {
    RC_DIFFERS_GONE = 1 << 0, /* it is not in this column */
    RC_DIFFERS_NEW = 1 << 1,  /* it is not in the reference */
    RC_DIFFERS_VERDICT = 1 << 2,
    RC_DIFFERS_SIGNATURE = 1 << 3, /* it was asked for by another name or definition */
    RC_DIFFERS_FORMULA = 1 << 4, /* it is defined by other metrics, or in another way */
    RC_DIFFERS_EVENTS = 1 << 5,  /* it is defined by other events */
    RC_DIFFERS_COEFFICIENTS = 1 << 6, /* beyond what their intervals allow */
};
/* By the number of the bit: "gone", "new", "verdict", ...; ended by NULL. */
extern const char *const rc_differs_names[];

/* Where two combinations part. */
struct rc_compare_term {
    const struct rc_term *before, *after; /* NULL: the event is not in it */
    bool exchanged; /* both events carry the same information: no difference */
};

/* A metric in a column, against the one in the reference. */
struct rc_compare_cell {
    const struct rc_metric_result *metric; /* NULL: not in this column */
    unsigned differs;                      /* 0: as in the reference, or no reference */
    unsigned chance;                       /* likewise, but chance explains it */
    struct rc_compare_term *term;          /* where the combinations part */
    size_t term_count;
};

/* A metric of a suite, in all columns. */
struct rc_compare_metric {
    const char *name;
    struct rc_compare_cell *cell; /* [column] */
    bool differs;                 /* any of them */
};

/* A suite that any column has, by name. */
struct rc_compare_suite {
    const char *name;
    const struct rc_suite_result **result; /* [column]; NULL: not in this column */
    struct rc_compare_metric *metric;
    size_t metric_count; /* that any column has */
    size_t differing;    /* metrics that differ in any column */
};

/* A kind of the first campaign that another one does not have. */
struct rc_compare_absence {
    size_t column;    /* of the kind */
    const char *path; /* of the campaign that lacks it */
};

/* All of a comparison. */
struct rc_compare {
    struct rc_arena arena; /* of all lists but groups and absences */
    struct rc_compare_column *column;
    size_t column_count;
    struct rc_compare_suite *suite;
    size_t suite_count;
    struct rc_compare_absence *absent;
    size_t absent_count, absent_room;
    size_t differences[RC_COMPARE_CHECKS]; /* cells of metrics, and changes of events */
    size_t chance[RC_COMPARE_CHECKS];      /* the same of what chance explains */
    bool checked[RC_COMPARE_CHECKS];       /* what counts */
    bool strict;    /* nothing is left to chance: all that differs counts */
    bool simulated; /* any column */
};

/* Whether something differs of what counts, or a kind is absent. */
bool rc_compare_differs(const struct rc_compare *compare);

/* "A + 2 x B - C", rounded where that holds; "" where there is no term.  free() it;
 * NULL: no memory.
 */
char *rc_compare_combination(const struct rc_metric_result *metric);

/* How a cell differs, in words; "" where it does not.  free() it; NULL: no memory. */
char *rc_compare_say_cell(const struct rc_compare *compare,
                          const struct rc_compare_metric *metric, size_t column);

/* A way to write a comparison. */
struct rc_compare_format {
    const char *name; /* "text" */
    /* 'all': every event of each change, and not only the first few; JSON has all
     * of them anyway.  Whether 'out' could be written, ferror() tells.
     */
    int (*write)(const struct rc_compare *compare, bool all, FILE *out,
                 struct rc_error *err);
};
/* By the name, or NULL; and the names, ended by NULL. */
const struct rc_compare_format *rc_compare_format_find(const char *name);
extern const char *const rc_compare_format_names[];

#endif

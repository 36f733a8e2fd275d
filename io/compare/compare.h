/* compare.h - campaigns side by side, as plain data and as text, JSON and HTML
 *
 * A column is a kind of machine of a campaign.  Each is compared with its reference, a
 * column before it: that of the same kind in an earlier campaign, else the first one;
 * but the kinds of the first of several campaigns have none. campaign/compare/parts.h
 * fills this; docs/compare.md says what counts as a difference.
 *
 * Strings are never NULL, names of events and metrics may contain anything.
 */
#ifndef RC_IO_COMPARE_COMPARE_H
#define RC_IO_COMPARE_COMPARE_H

#include "campaign/base/arena.h"
#include "io/store/store.h"
#include "solve/result.h"

#include <stdio.h>

enum { RC_COMPARE_LABEL = 16 };
#define RC_COMPARE_NONE SIZE_MAX /* no such column, no such suite */

/* Checks that can be asked for: whether these are the same. */
enum rc_compare_check {
    RC_COMPARE_METRICS, /* their verdicts and definitions */
    RC_COMPARE_EVENTS,  /* the list of them, verdicts of their trials, scopes */
    RC_COMPARE_COUNTS,  /* their counts in each suite */
    RC_COMPARE_NOISE,   /* their classes in each suite */
    RC_COMPARE_USE,     /* their use in each suite */
    RC_COMPARE_RATES,   /* the rates of each suite */
    RC_COMPARE_CHECKS
};
/* "metrics", "events", "counts", "noise", "use", "rates", NULL. */
extern const char *const rc_compare_check_names[];

/* Relation of a column to its reference. */
enum rc_relation {
    RC_RELATION_FIRST,    /* it has no reference */
    RC_RELATION_SAME,     /* the same kind */
    RC_RELATION_COUNTERS, /* the same machine, whose set of counters changed */
    RC_RELATION_TAKEN,    /* another kind, which the user wants compared as the same */
    RC_RELATION_OTHER,    /* another kind */
    RC_RELATION_COUNT
};
extern const char *const rc_relation_names[]; /* "first", "same kind", ... NULL */

/* Changes of an event.  The first four occur once in a column, the others in each
 * suite.
 */
enum rc_change_what {
    RC_CHANGE_GONE,    /* only in the reference */
    RC_CHANGE_NEW,     /* only in the column */
    RC_CHANGE_VERDICT, /* of its trial: enum rc_verdict */
    RC_CHANGE_SCOPE,   /* the unit to which it belongs: enum rc_scope */
    RC_CHANGE_CLASS,   /* of noise in a suite: enum rc_class */
    RC_CHANGE_USE,     /* in a suite: enum rc_use */
    RC_CHANGE_COUNTS,  /* in a suite */
    RC_CHANGE_RATES,   /* of a suite, which take the place of events */
    RC_CHANGE_COUNT
};
extern const char *const rc_change_names[]; /* "gone", "new", "verdict", ... NULL */
/* The check to which a change belongs. */
enum rc_compare_check rc_change_check(enum rc_change_what what);
/* The word for a state before or after: "ok", "core", "noisy", "chosen"; "" for gone
 * and new ones.
 */
const char *rc_change_word(enum rc_change_what what, unsigned state);

/* An event of a column, as its campaign has it. */
struct rc_compare_event {
    const char *name, *source; /* of the event; of its source */
    const char *reason;        /* of the verdict of its trial */
};

/* A change of one event. */
struct rc_compare_change {
    size_t before, after; /* numbers of the event: in the reference, in the column */
    double noise_before, noise_after; /* with RC_CHANGE_CLASS; otherwise NAN */
    double
        off; /* for RC_CHANGE_COUNTS: distance, share of the larger; for RC_CHANGE_RATES
                 * below 0 where the rate is less; else NAN */
};

/* Changes of the same sort. */
struct rc_compare_group {
    enum rc_change_what what;
    size_t suite;      /* number in rc_compare; RC_COMPARE_NONE: without a suite */
    unsigned from, to; /* states; 0 if there are none */
    bool chance;       /* chance explains them: not a difference */
    struct rc_compare_change *change;
    size_t count;                        /* of these */
    const struct rc_compare_event *rate; /* for RC_CHANGE_RATES: by number, its unit as
                                          * the source */
};

/* A kind of a campaign. */
struct rc_compare_column {
    char label[RC_COMPARE_LABEL]; /* "A", "B", ... */
    const char *path;             /* as it was given */
    const struct rc_store_campaign *campaign;
    const struct rc_store_kind *kind; /* without its events */
    struct rc_compare_event *event;   /* by number in the kind */
    uint8_t *verdict, *scope;         /* of events: enum rc_verdict, enum rc_scope */
    bool *state; /* of events: it does not count, and is not compared as a count */
    size_t event_count;
    bool simulated;   /* some of the kind's readings are */
    size_t reference; /* a column before this one, or RC_COMPARE_NONE */
    enum rc_relation relation;
    bool judged;   /* against the reference, by both readings */
    bool *changed; /* if judged, [event]: it is new, or its difference is not chance */
    bool *changed_before;           /* likewise, for the reference's events */
    struct rc_compare_group *group; /* of changes against the reference */
    size_t group_count, group_room; /* groups, and allocated ones */
    size_t change_count;            /* of all groups, without those by chance */
};

/* How a metric differs from that of the reference: bits. */
enum {
    RC_DIFFERS_GONE = 1 << 0, /* it is not in this column */
    RC_DIFFERS_NEW = 1 << 1,  /* it is not in the reference */
    RC_DIFFERS_VERDICT = 1 << 2,
    RC_DIFFERS_SIGNATURE = 1 << 3,    /* it stands for something else */
    RC_DIFFERS_FORMULA = 1 << 4,      /* another formula of metrics */
    RC_DIFFERS_EVENTS = 1 << 5,       /* other events */
    RC_DIFFERS_COEFFICIENTS = 1 << 6, /* beyond what their intervals allow */
};
/* By the number of the bit: "gone", "new", "verdict", ...; ended by NULL. */
extern const char *const rc_differs_names[];

/* A difference of two combinations. */
struct rc_compare_term {
    const struct rc_term *before, *after; /* NULL: it does not have the event */
    bool exchanged; /* both events carry the same information: not a difference */
};

/* A metric in a column, compared with the reference's. */
struct rc_compare_cell {
    const struct rc_metric_result *metric; /* NULL: not in this column */
    unsigned differs;             /* bits; 0: as in the reference, or no reference */
    unsigned chance;              /* likewise, but chance explains it */
    struct rc_compare_term *term; /* differences of the combinations */
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
    struct rc_arena arena; /* of all lists except groups and absences */
    struct rc_compare_column *column;
    size_t column_count;
    struct rc_compare_suite *suite;
    size_t suite_count;
    struct rc_compare_absence *absent;
    size_t absent_count, absent_room;
    size_t differences[RC_COMPARE_CHECKS]; /* cells of metrics, and changes of events */
    size_t chance[RC_COMPARE_CHECKS];      /* the same, if chance explains them */
    bool checked[RC_COMPARE_CHECKS];       /* checks that count */
    bool strict;    /* chance explains nothing: all differences count */
    bool simulated; /* any column */
};

/* Whether anything that counts differs, or a kind is absent. */
bool rc_compare_differs(const struct rc_compare *compare);

/* "A + 2 x B - C", rounded if that holds; "" without terms. free() it; NULL: no memory.
 */
char *rc_compare_combination(const struct rc_metric_result *metric);

/* How a cell differs, in words; "" if it does not. free() it; NULL: no memory. */
char *rc_compare_say_cell(const struct rc_compare *compare,
                          const struct rc_compare_metric *metric, size_t column);

/* A format of comparisons. */
struct rc_compare_format {
    const char *name; /* "text" */
    /* 'all': every event of each change, instead of the first few; JSON always has all
     * of them. ferror() says whether 'out' could be written.
     */
    int (*write)(const struct rc_compare *compare, bool all, FILE *out,
                 struct rc_error *err);
};
/* The format of that name, or NULL; and the names, ended by NULL. */
const struct rc_compare_format *rc_compare_format_find(const char *name);
extern const char *const rc_compare_format_names[];

#endif

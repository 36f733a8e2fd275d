/* count.h - a campaign's trusted metrics over one command: 'rollcall count DIR --' */
#ifndef RC_CAMPAIGN_COUNT_COUNT_H
#define RC_CAMPAIGN_COUNT_COUNT_H

#include "campaign/base/arena.h"
#include "campaign/profile/tables/metrics.h"
#include "campaign/sources/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ways to count the program. */
enum rc_count_way {
    RC_COUNT_CHOOSE, /* by counters if they count all that is wanted, else by steps */
    RC_COUNT_COUNTERS,
    RC_COUNT_STEPS,
};

/* An event, listed once for all metrics that need it. */
struct rc_count_event {
    const char *name;
    double value;                    /* of this rank's program */
    uint64_t enabled_ns, running_ns; /* running less: did not always count */
    bool simulated;                  /* by a cache or predictor */
};

/* A term of a metric's combination. */
struct rc_count_term {
    size_t event;
    double coefficient, low, high;
};

/* The expected value of a metric. */
struct rc_count_expectation {
    bool given;
    double value;
    double tolerance; /* NAN: the value must lie in the metric's interval */
};

/* A metric that was asked for. */
struct rc_count_metric {
    const char *suite;
    const struct rc_metric_result *result; /* borrowed from the campaign's file */
    bool by_definition; /* counts its ideals, not the campaign's combination */
    bool optional;      /* one of "all": left out if it cannot be counted */
    struct rc_count_term *term;
    size_t term_count;
    struct rc_count_expectation expectation;
};

/* The whole command; the arena owns arrays and texts. */
struct rc_count {
    struct rc_arena arena;
    const char *dir;
    struct rc_results campaign;
    enum rc_count_way way; /* not RC_COUNT_CHOOSE after rc_count_plan() */
    struct rc_count_metric *metric;
    size_t metric_count, metric_room;
    struct rc_count_event *event;
    size_t event_count, event_room;

    struct rc_followed followed; /* of this rank's program */
    uint64_t took_ns;
    char why[RC_ERROR_TEXT]; /* why nothing was counted; "": it was */
};

/* choose.c: adds the metrics of these names; "all" adds each that is trusted, if it can
 * be counted.  RC_EMISSING: one does not exist, is not trusted or is a formula.
 */
int rc_count_choose(struct rc_count *c, const char *const *name, size_t count,
                    struct rc_error *err);

/* Adds "NAME=VALUE[~TOLERANCE]", and its metric if it is not there yet. */
int rc_count_expect(struct rc_count *c, const char *text, struct rc_error *err);

/* Finally finds the way and the events.  RC_EUNSUPPORTED: one cannot be counted. */
int rc_count_plan(struct rc_count *c, struct rc_error *err);

/* follow.c: starts the program and fills in the events.  Signals that are sent to this
 * process are passed on to the program.  Once it runs, a failure to count is only noted
 * in c->why.
 */
int rc_count_follow(struct rc_count *c, char *const *words, const char *path,
                    int *exits, struct rc_error *err);

/* Counts of the programs of all ranks. */
struct rc_count_ranks {
    size_t ranks;    /* number of known ranks */
    int *rank;       /* their numbers */
    int *signal;     /* that ended each program; 0: none */
    double *value;   /* [rank][event]; NAN: not counted, or not all the time */
    const char *why; /* why other ranks are missing; "": all are here */
    bool others;     /* another rank writes the result */
};

/* ranks.c: leaves this rank's counts for the last one, which gets all.  Ranks of a
 * launcher find each other in DIR; if they cannot, each has only itself.
 * rc_count_gather_begin() before the program starts.
 */
void rc_count_gather_begin(const struct rc_count *c, char *const *words);
int rc_count_gather(struct rc_count *c, char *const *words, struct rc_count_ranks *out,
                    struct rc_error *err);

/* The value of a metric from those of the events, and the bounds that the coefficients
 * give it; NAN: an event was not counted.
 */
void rc_count_value(const struct rc_count_metric *metric, const double *event,
                    double *value, double *low, double *high);

/* Whether the value is the expected one. */
bool rc_count_holds(const struct rc_count_expectation *e, double value, double low,
                    double high);

#endif

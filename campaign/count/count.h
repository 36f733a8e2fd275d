/* count.h - a campaign's trusted metrics over one command: 'rollcall count DIR --' */
#ifndef RC_CAMPAIGN_COUNT_COUNT_H
#define RC_CAMPAIGN_COUNT_COUNT_H

#include "campaign/base/arena.h"
#include "campaign/profile/tables/metrics.h"
#include "campaign/sources/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the program is counted. */
enum rc_count_way {
    RC_COUNT_CHOOSE, /* by counters where they count all that is wanted, else by steps
                      */
    RC_COUNT_COUNTERS,
    RC_COUNT_STEPS,
};

/* An event, once for all metrics that need it. */
struct rc_count_event {
    const char *name;
    double value;                    /* of this rank's program */
    uint64_t enabled_ns, running_ns; /* less running: it did not count all the time */
    bool simulated;                  /* by a cache or predictor */
};

/* Of a metric's combination. */
struct rc_count_term {
    size_t event;
    double coefficient, low, high;
};

/* A number that a metric is to have. */
struct rc_count_expectation {
    bool given;
    double value;
    double tolerance; /* NAN: the value is to lie in the metric's interval */
};

/* A metric that was asked for. */
struct rc_count_metric {
    const char *suite;
    const struct rc_metric_result *result; /* of the campaign's file */
    bool by_definition; /* its ideals are counted, not the campaign's combination */
    bool optional;      /* one of all: left out where it cannot be counted */
    struct rc_count_term *term;
    size_t term_count;
    struct rc_count_expectation expectation;
};

/* All of it; the arena owns arrays and texts. */
struct rc_count {
    struct rc_arena arena;
    const char *dir;
    struct rc_results campaign;
    enum rc_count_way way; /* once metrics were chosen, not RC_COUNT_CHOOSE */
    struct rc_count_metric *metric;
    size_t metric_count, metric_room;
    struct rc_count_event *event;
    size_t event_count, event_room;

    struct rc_followed followed; /* of this rank's program */
    uint64_t took_ns;
    char why[RC_ERROR_TEXT]; /* nothing was counted; "": it was */
};

/* choose.c: takes the metrics of these names in, "all" standing for each that is
 * trusted and can be counted, and sets the way.  RC_EMISSING: one is not there, is not
 * trusted or cannot be counted here.
 */
int rc_count_choose(struct rc_count *c, const char *const *name, size_t count,
                    struct rc_error *err);

/* Takes "NAME=VALUE[~TOLERANCE]" in, and its metric where it is not there. */
int rc_count_expect(struct rc_count *c, const char *text, struct rc_error *err);

/* Once all are there: finds the way and the events.  RC_EMISSING, RC_EUNSUPPORTED: one
 * cannot be counted.
 */
int rc_count_plan(struct rc_count *c, struct rc_error *err);

/* follow.c: starts the program and fills in the events.  Signals that somebody sends to
 * this process are passed on to it.  Whatever cannot be counted is no failure, once the
 * program runs: c->why says it.
 */
int rc_count_follow(struct rc_count *c, char *const *words, const char *path,
                    int *exits, struct rc_error *err);

/* What the programs of all ranks gave. */
struct rc_count_ranks {
    size_t ranks;    /* that are known here */
    int *rank;       /* their numbers */
    int *signal;     /* that ended the program of each; 0: none did */
    double *value;   /* [rank][event]; NAN: it was not counted, or not all the time */
    const char *why; /* the others are not here; "": all are */
    bool others;     /* another rank will say it all */
};

/* ranks.c: leaves what this rank counted for the last one, who gets all.  Ranks of a
 * launcher find each other in DIR; where they cannot, each has itself alone.
 * rc_count_gather_begin() before the program is started.
 */
void rc_count_gather_begin(const struct rc_count *c, char *const *words);
int rc_count_gather(struct rc_count *c, char *const *words, struct rc_count_ranks *out,
                    struct rc_error *err);

/* The value of a metric from those of the events, and the bounds that the coefficients
 * give it; NAN: an event was not counted.
 */
void rc_count_value(const struct rc_count_metric *metric, const double *event,
                    double *value, double *low, double *high);

/* Whether the value is what was expected. */
bool rc_count_holds(const struct rc_count_expectation *e, double value, double low,
                    double high);

#endif

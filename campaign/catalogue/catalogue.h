/* catalogue.h - every event of every source on this node, with its verdict */
#ifndef RC_CAMPAIGN_CATALOGUE_CATALOGUE_H
#define RC_CAMPAIGN_CATALOGUE_CATALOGUE_H

#include "campaign/base/error.h"
#include "campaign/machine/machine.h"
#include "campaign/sources/source.h"
#include "campaign/spec/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One event of a source. */
struct rc_event {
    const char *name, *description; /* all strings live as long as the catalogue */
    const char *evidence;           /* how the scope is known */
    const char *reason;             /* why the verdict is not ok; "" for ok */
    uint32_t source;                /* index in the catalogue's sources */
    uint32_t number;                /* the source's own */
    uint32_t domain, alike;         /* as in struct rc_event_info */
    uint8_t scope;                  /* enum rc_scope */
    uint8_t verdict;                /* enum rc_verdict, of the event tried alone */
    bool preset;                    /* a preset of PAPI, not a native event */
    bool simulated;                 /* no hardware counts it */
    bool state; /* it does not count: a reading is its value at the end */
};

#define RC_REFERENCES_MOST 8 /* events of a source that are tried as references */

/* A source while the catalogue is open. */
struct rc_open_source {
    const struct rc_source *source;
    struct rc_source_state *state;
    const char *label;     /* shown with every result: "real", ... */
    char counter_set[512]; /* printable name of its counters, a part of the kind */

    /* The cheap event that is in all groups, for checks of one against another: the one
     * that the spec names, else the source's first that counts, whether patterns match
     * it or not. name NULL: there is none.
     */
    struct rc_event reference;

    /* Candidates for 'reference'; name NULL: not offered. */
    struct rc_event offered[RC_REFERENCES_MOST];
};

enum {
    RC_PATTERNS_LINE = 1024, /* bytes of rc_catalogue_idle_patterns() */
    RC_PATTERNS_NEAR = 8     /* patterns for which the nearest event is searched */
};

struct rc_catalogue {
    struct rc_machine *machine;    /* that is measured, real or simulated */
    struct rc_kind kind;           /* of the machine, with the counter sets */
    struct rc_open_source *source; /* in the order of the spec */
    size_t source_count;
    struct rc_event *event; /* by source, in the order of the source */
    size_t count, room;     /* of 'event': in use and allocated */
    size_t offered;         /* events the sources have, before patterns and scopes */
    bool *begins;           /* by pattern of the spec: it is a prefix of names */
    const char
        *near[RC_PATTERNS_NEAR]; /* for the first patterns: nearest event, or NULL */
    char remark[512];            /* sources that 'auto' chose and why, and what readings
                                  * cost; or "" */
    uint64_t trial_ns;           /* wall time of all trials */
    struct rc_axes axes;         /* of the spec, which lends their texts */
    uint32_t workers;            /* the most that a team of this run may have; 0 as 1 */
    struct rc_pool *pool;        /* of all strings */
};

/* Opens the sources that the spec names, lists their events, keeps those that the spec
 * wants and, with 'with_trial', tries each.  Only this process.  On success the caller
 * owns *out and must rc_catalogue_close() it; on failure *out is NULL.
 */
int rc_catalogue_open(const struct rc_spec *spec, bool with_trial,
                      struct rc_catalogue **out, struct rc_error *err);
void rc_catalogue_close(struct rc_catalogue *catalogue); /* accepts NULL */

/* The request by which suites choose their points, with sizes as seen by this source.
 */
struct rc_suite_request rc_catalogue_request(const struct rc_catalogue *catalogue,
                                             size_t source);

/* The request for a campaign's suites, with all of its sources: the sizes are those of
 * the first source that has its own, else the machine's.
 */
struct rc_suite_request
rc_catalogue_campaign_request(const struct rc_catalogue *catalogue);

/* Whether all sources simulate the machine, so that none of it is here. */
bool rc_catalogue_simulated(const struct rc_catalogue *catalogue);

/* Number of nodes of a simulated machine; 0: the job's nodes. */
uint32_t rc_catalogue_nodes(const struct rc_catalogue *catalogue);

/* Counts the events of each verdict; 'tally' has RC_VERDICT_COUNT elements. */
void rc_catalogue_tally(const struct rc_catalogue *catalogue, size_t *tally);

/* "no event on kind K matches 'A', 'B', did you mean 'C'?": names patterns of the
 * catalogue's spec that include events but match none; else "".
 */
int rc_catalogue_idle_patterns(const struct rc_catalogue *c,
                               const struct rc_patterns *p, char *out, size_t room,
                               struct rc_error *err);

#endif

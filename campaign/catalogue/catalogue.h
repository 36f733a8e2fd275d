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
    const char *reason;             /* of the verdict, "" for ok */
    uint32_t source;                /* index in the catalogue's sources */
    uint32_t number;                /* the source's own */
    uint32_t domain, alike;         /* as in struct rc_event_info */
    uint8_t scope;                  /* enum rc_scope */
    uint8_t verdict;                /* enum rc_verdict, of a trial alone */
    bool preset;                    /* a preset of PAPI, not a native event */
    bool simulated;                 /* no hardware counts it */
};

#define RC_REFERENCES_MOST 8 /* events of a source that are tried as references */

/* A source while the catalogue is open. */
struct rc_open_source {
    const struct rc_source *source;
    struct rc_source_state *state;
    const char *label;     /* shown with every result: "real", ... */
    char counter_set[512]; /* which counters it has, a part of the kind; printable */

    /* The cheap event that groups carry to be checked against each other: the
     * one that the spec names, else the first of the source's that counts,
     * whether the patterns take it in or not.  name NULL: there is none.
     */
    struct rc_event reference;

    /* Those that it is chosen from; name NULL: not offered. */
    struct rc_event offered[RC_REFERENCES_MOST];
};

enum {
    RC_PATTERNS_LINE = 1024, /* bytes of rc_catalogue_idle_patterns() */
    RC_PATTERNS_NEAR = 8     /* patterns that the nearest event is looked for of */
};

struct rc_catalogue {
    struct rc_machine *machine;    /* the one that is measured, real or simulated */
    struct rc_kind kind;           /* of the machine, with what its sources count */
    struct rc_open_source *source; /* in the order of the spec */
    size_t source_count;
    struct rc_event *event; /* by source, in the order of the source */
    size_t count, room;     /* of 'event': in use and allocated */
    size_t offered;         /* events the sources have, before patterns and scopes */
    bool *begins; /* by pattern of the spec: no event has its name: it is a beginning */
    const char *near[RC_PATTERNS_NEAR]; /* likewise of the first ones: the event that is
                                         * nearest to it; NULL: there is none */
    char remark[512];                   /* what 'auto' took and why, or "" */
    uint64_t trial_ns;                  /* wall time of all trials */
    struct rc_pool *pool;               /* of all strings */
};

/* Opens the sources that the spec names, lists their events, takes those that
 * the spec wants and tries each where 'with_trial'.  Only this process.  On
 * success the caller owns *out and must rc_catalogue_close() it; on failure
 * *out is NULL.
 */
int rc_catalogue_open(const struct rc_spec *spec, bool with_trial,
                      struct rc_catalogue **out, struct rc_error *err);
void rc_catalogue_close(struct rc_catalogue *catalogue); /* accepts NULL */

/* The sizes that suites choose their points by, measured by this source. */
struct rc_geometry rc_catalogue_geometry(const struct rc_catalogue *catalogue,
                                         size_t source);

/* Those that a campaign's suites are measured with by all of its sources: the
 * first one's that has its own, else the machine's.
 */
struct rc_geometry rc_catalogue_campaign_geometry(const struct rc_catalogue *catalogue);

/* Whether all sources simulate the machine: nothing of it is here. */
bool rc_catalogue_simulated(const struct rc_catalogue *catalogue);

/* How many nodes that machine has, or 0: those of the job. */
uint32_t rc_catalogue_nodes(const struct rc_catalogue *catalogue);

/* How many events have each verdict; 'tally' holds RC_VERDICT_COUNT. */
void rc_catalogue_tally(const struct rc_catalogue *catalogue, size_t *tally);

/* "no event on kind K matches 'A', 'B', did you mean 'C'?": patterns of the
 * catalogue's spec that ask for events and get none, or "".
 */
int rc_catalogue_idle_patterns(const struct rc_catalogue *c,
                               const struct rc_patterns *p, char *out, size_t room,
                               struct rc_error *err);

#endif

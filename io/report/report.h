/* report.h - the report of a campaign: one page of HTML, or text
 *
 * Data that the files of a campaign lack are given here: workers and times of units,
 * progress, and the metrics' combinations on the points.  The rest is read from
 * campaign.h5 and metrics.h5 when it is needed, since there may be half a million
 * events.  Strings are never NULL and may contain anything.  Only one process makes a
 * report.
 */
#ifndef RC_IO_REPORT_REPORT_H
#define RC_IO_REPORT_REPORT_H

#include "campaign/base/error.h"
#include "io/metrics/metrics.h"
#include "io/noise/noise.h"
#include "io/store/store.h"
#include "io/text/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Progress of a suite of a kind. */
struct rc_report_progress {
    size_t kind, suite; /* in the store */
    uint64_t units;     /* all units: ok, invalid, failed or missing */
    uint64_t ok, invalid, failed, missing;
    uint64_t events;                           /* that have readings */
    uint32_t repetitions_min, repetitions_max; /* of a unit */
    size_t places;                             /* at which the suite was measured */
};

/* A run of the campaign, from its journals. */
struct rc_report_run {
    const char *begin,
        *end; /* "2026-11-21T06:12:03Z"; end "": it has not ended by itself */
    uint32_t ranks, nodes;            /* that took part */
    const char *created_by, *job;     /* program and version; the batch system's job */
    uint64_t units_to_do, units_left; /* at its begin; at its end */
    bool interrupted;                 /* by a signal */
};

/* A rank on a node, over all runs.  Workers are sorted by node and rank. */
struct rc_report_worker {
    const char *node; /* of the journal */
    uint32_t rank;
};

/* A unit; sorted by worker and begin. */
struct rc_report_unit {
    size_t kind, suite;           /* in the store */
    size_t worker;                /* that measured it */
    uint64_t begin_ns;            /* since 1970; 0: not known */
    uint64_t wall_ns, kernel_ns;  /* its time, and the part of it in kernels */
    uint32_t events, repetitions; /* of its group */
    uint32_t node, core;          /* index in the report's nodes; core of that node */
    uint8_t status; /* 1 ok, 2 invalid, 3 failed: index in 'unit_status' */
};

/* A metric's combination of events on the points of its suite, as measured, and its
 * signature there.  NAN: not known.
 */
struct rc_report_fit {
    size_t kind, suite, metric;                 /* in the metrics file */
    const double *expected, *derived, *rounded; /* [point of the result] */
};

/* A campaign from which this one was made. */
struct rc_report_origin {
    const char *operation, *name, *id, *created, *created_by, *directory;
};

/* All data of a report; borrowed. */
struct rc_report {
    const char *name, *directory, *created; /* of the campaign */
    const char *version;                    /* of this program */
    const char *made;                       /* time of the report */
    bool complete, complete_known;          /* known if there are journals */
    const char *const *note; /* warnings for the reader: damaged journals, ... */
    size_t note_count;
    const struct rc_report_progress *progress; /* by kind and suite */
    size_t progress_count;
    const struct rc_report_run *run; /* by time */
    size_t run_count;
    const struct rc_report_origin *origin; /* of a campaign made from others */
    size_t origin_count;
    const char *const *node; /* names of nodes where units ran */
    size_t node_count;
    const struct rc_report_worker *worker;
    size_t worker_count;
    const struct rc_report_unit *unit;
    size_t unit_count;
    const char *const *unit_status;  /* names of a unit's status, ended by NULL */
    const struct rc_report_fit *fit; /* by kind, suite and metric */
    size_t fit_count;
    struct rc_store *store;   /* open for reading, alone */
    struct rc_store *metrics; /* likewise; NULL: not solved yet */
    struct rc_store *noise;   /* likewise; NULL: not studied yet */
    bool difference;          /* of campaigns, which cannot be solved */

    /* The text's kind and suites (ended by NULL); NULL: all. */
    const char *only_kind;
    const char *const *only_suites;

    /* Events whose curves are drawn: the ones most worth showing, at most 'curves' of
     * each kind; and all for which 'wanted' (may be NULL) is true.
     */
    size_t curves;
    bool curves_fit; /* fewer, if their readings do not fit */
    bool (*wanted)(void *context, const char *event);
    void *context; /* for wanted() */
};

/* Writes the page.  The caller checks the stream for errors. */
int rc_report_html(const struct rc_report *report, FILE *out, struct rc_error *err);

/* The same for people at a terminal, without figures. */
int rc_report_text(const struct rc_report *report, struct rc_page *page,
                   struct rc_error *err);

#endif

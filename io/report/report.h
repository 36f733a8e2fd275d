/* report.h - the report of a campaign: one page of HTML, or text
 *
 * Plain data adds what the files of a campaign do not say of themselves: who
 * measured what when, how far it is, and the metrics' combinations on the points.  The
 * rest is read from campaign.h5 and metrics.h5 as it is needed, since there may be
 * half a million events.  Strings are never NULL and may hold anything.  Only one
 * process makes a report.
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

/* How far a suite of a kind is. */
struct rc_report_progress {
    size_t kind, suite; /* in the store */
    uint64_t units;     /* of the suite, which are ok, invalid, failed or missing */
    uint64_t ok, invalid, failed, missing;
    uint64_t events;                           /* that have readings */
    uint32_t repetitions_min, repetitions_max; /* of a unit */
    size_t places;                             /* where the suite was measured */
};

/* A run of the campaign, from its journals. */
struct rc_report_run {
    const char *begin, *end; /* "2026-11-21T06:12:03Z"; end "": did not end by itself */
    uint32_t ranks, nodes;   /* that took part */
    const char *created_by, *job; /* program and version; the scheduler's name of it */
    uint64_t units_to_do, units_left; /* when it began, and when it ended */
    bool interrupted;                 /* by a signal */
};

/* A rank on a node, of all runs.  Workers are sorted by node and rank. */
struct rc_report_worker {
    const char *node; /* of the journal */
    uint32_t rank;
};

/* Sorted by worker and begin. */
struct rc_report_unit {
    size_t kind, suite;           /* in the store */
    size_t worker;                /* who measured it */
    uint64_t begin_ns;            /* since 1970; 0: not known */
    uint64_t wall_ns, kernel_ns;  /* how long it took, and of that in kernels */
    uint32_t events, repetitions; /* of its group */
    uint32_t node, core;          /* where it ran: in the report's nodes; of the node */
    uint8_t status;               /* 1 ok, 2 invalid, 3 failed: 'unit_status' */
};

/* A metric's combination of events on the points of its suite, as measured, beside
 * what its signature says.  NAN: not known there.
 */
struct rc_report_fit {
    size_t kind, suite, metric;                 /* in the metrics file */
    const double *expected, *derived, *rounded; /* [point of the result] */
};

/* One of the campaigns that this one was made from. */
struct rc_report_origin {
    const char *operation, *name, *id, *created, *created_by, *directory;
};

/* All contents of a report; borrowed. */
struct rc_report {
    const char *name, *directory, *created; /* of the campaign */
    const char *version;                    /* of this program */
    const char *made;                       /* when the report is */
    bool complete, complete_known;          /* known: there are journals */
    const char *const *note; /* what a reader must know: damaged journals, ... */
    size_t note_count;
    const struct rc_report_progress *progress; /* by kind and suite */
    size_t progress_count;
    const struct rc_report_run *run; /* by time */
    size_t run_count;
    const struct rc_report_origin *origin; /* of a campaign that was merged */
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
    struct rc_store *metrics; /* likewise; NULL: it was not solved yet */
    struct rc_store *noise;   /* likewise; NULL: it was not studied yet */
    bool difference;          /* of campaigns: it cannot be solved */

    /* The text shows one kind and some suites (ended by NULL); NULL: all. */
    const char *only_kind;
    const char *const *only_suites;

    /* Which events' curves are drawn: those that matter most, at most so many of each
     * kind; and those that 'wanted' (may be NULL) says true of, whatever their number.
     */
    size_t curves;
    bool curves_fit; /* fewer, where there is no room for all of their readings */
    bool (*wanted)(void *context, const char *event);
    void *context; /* of wanted() */
};

/* Writes the page.  Errors of the stream are the caller's to see. */
int rc_report_html(const struct rc_report *report, FILE *out, struct rc_error *err);

/* The same for people at a terminal, without what only figures show. */
int rc_report_text(const struct rc_report *report, struct rc_page *page,
                   struct rc_error *err);

#endif

/* parts.h - for this room only: a report while it is made */
#ifndef RC_CAMPAIGN_REPORT_PARTS_H
#define RC_CAMPAIGN_REPORT_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/cli/args.h"
#include "campaign/records/campaign.h"
#include "campaign/records/completeness.h"
#include "campaign/report/fits.h"
#include "campaign/spec/patterns.h"
#include "io/report/report.h"

/* A report, and the owner of everything that 'report' points to.  A kind or suite has
 * different numbers in the journals, in the order of planning, and in the store, which
 * is sorted.
 */
struct rc_reporting {
    const char *dir;             /* as it was given on the command line */
    struct rc_patterns patterns; /* of the events whose curves are wanted */
    bool matched;                /* an event matched one of them */
    char near[256];              /* the event nearest to the first pattern, or "" */
    struct rc_arg_words suites;  /* suites that are wanted; none: all */
    struct rc_report report;
    struct rc_arena memory;       /* of arrays and strings of 'report' */
    struct rc_campaign *campaign; /* NULL: no journals of this campaign */
    struct rc_spec spec;          /* the campaign file, if it could be read */
    bool spec_known;
    struct rc_completeness state; /* progress of each suite */
    struct rc_report_fits fits;
    size_t *kind;     /* numbers of kinds in the store, by those in 'campaign' */
    size_t **suite;   /* likewise, by kind and suite; SIZE_MAX: not in the store */
    size_t note_room; /* of report.note, which is allocated on its own */
};

/* Opens and reads what is in the directory.  rc_reporting_fini() in any case.  Not
 * collective: only one process makes a report.
 */
int rc_reporting_read(struct rc_reporting *r, struct rc_error *err);
void rc_reporting_fini(struct rc_reporting *r);

/* missing.c: makes campaign.h5 if there are only journals, and metrics.h5 if
 * campaign.h5 can be solved.  Fails only if campaign.h5 cannot be made.
 */
int rc_reporting_make_missing(const char *dir, struct rc_error *err);

/* units.c: workers, times and units of the time line, from r->campaign. */
int rc_reporting_units(struct rc_reporting *r, struct rc_error *err);

/* Adds a line to the top of the report: a warning about missing or damaged data. */
int rc_reporting_note(struct rc_reporting *r, struct rc_error *err, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));

/* detours.c: for a directory that has detours and no campaign; 'dir' is its name. */
bool rc_report_has_only_detours(const char *dir);
int rc_report_detours_text(FILE *out, void *dir, struct rc_error *err);
int rc_report_detours_page(FILE *out, void *dir, struct rc_error *err);

#endif

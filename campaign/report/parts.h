/* parts.h - inside of this room only: what a report is made of */
#ifndef RC_CAMPAIGN_REPORT_PARTS_H
#define RC_CAMPAIGN_REPORT_PARTS_H

#include "campaign/cli/args.h"
#include "campaign/records/campaign.h"
#include "campaign/records/completeness.h"
#include "campaign/report/fits.h"
#include "campaign/spec/patterns.h"
#include "io/report/report.h"

/* Everything that 'report' points to. */
struct rc_reporting {
    const char *dir;
    struct rc_patterns patterns; /* of events whose curves are wanted */
    bool matched;                /* they took in any */
    struct rc_arg_words suites;  /* that are wanted */
    struct rc_report report;
    struct rc_pool *pool;         /* of words */
    struct rc_campaign *campaign; /* NULL: there are no journals */
    struct rc_spec spec;
    bool spec_known;
    struct rc_completeness state;
    struct rc_report_fits fits;
    size_t *kind;   /* of the store, by those of the campaign */
    size_t **suite; /* likewise, by kind and suite */
    size_t note_room;
};

/* Opens and reads what is in the directory.  rc_reporting_fini() in any case. */
int rc_reporting_read(struct rc_reporting *r, struct rc_error *err);
void rc_reporting_fini(struct rc_reporting *r);

/* units.c: who measured what when, from the campaign. */
int rc_reporting_units(struct rc_reporting *r, struct rc_error *err);

/* A line for the readers of the report. */
int rc_reporting_note(struct rc_reporting *r, struct rc_error *err, const char *format,
                      ...) __attribute__((format(printf, 3, 4)));

#endif

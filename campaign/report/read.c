/* What a report is made of: the files of a campaign's directory. */
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/records/campaign_dir.h"
#include "campaign/report/parts.h"
#include "campaign/solve/origin.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the report");
}

int rc_reporting_note(struct rc_reporting *r, struct rc_error *err, const char *format,
                      ...)
{
    const char **note = (const char **)r->report.note;
    char text[2 * RC_ERROR_TEXT];
    va_list words;

    va_start(words, format);
    vsnprintf(text, sizeof text, format, words);
    va_end(words);
    if (rc_grow(&note, sizeof *note, r->report.note_count, &r->note_room))
        return no_memory(err);
    r->report.note = note;
    note[r->report.note_count] = rc_pool_copy(r->pool, text);
    return note[r->report.note_count++] ? RC_OK : no_memory(err);
}

/* A word of the report's, which is NULL where there is no memory. */
static const char *keep_time(struct rc_reporting *r, int64_t unix_time)
{
    char text[RC_TEXT_TIME];

    rc_text_put_time(text, unix_time);
    return rc_pool_copy(r->pool, text);
}

/* Metrics that are not those of the store: on the page, and at once. */
static int note_mismatch(struct rc_reporting *r, struct rc_error *err)
{
    char why[RC_ERROR_TEXT];

    rc_solve_mismatch(rc_metrics_campaign(r->report.metrics), r->report.store, why,
                      sizeof why);
    if (!why[0])
        return RC_OK;
    fprintf(stderr, "rollcall report: %s\n", why);
    why[0] = (char)toupper((unsigned char)why[0]);
    return rc_reporting_note(r, err, "%s.", why);
}

static int open_files(struct rc_reporting *r, struct rc_error *err)
{
    char path[PATH_MAX];
    int status = rc_campaign_dir_results(r->dir, path, sizeof path, err);

    if (status != RC_OK)
        return status;
    if (access(r->dir, F_OK) != 0 && errno == ENOENT)
        return rc_fail(err, RC_EMISSING,
                       "'%s' is not there, expected the directory of a campaign",
                       r->dir);
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return rc_fail(err, RC_EMISSING,
                       "'%s' is not there, 'rollcall pack DIR' makes it of journals",
                       path);
    status = rc_store_open(MPI_COMM_NULL, path, &r->report.store, err);
    if (status != RC_OK)
        return status;
    r->report.difference =
        rc_journal_to_store_is_difference(rc_store_campaign(r->report.store));
    if (r->report.difference)
        return rc_reporting_note(r, err,
                                 "This is a difference of campaigns: its readings are "
                                 "in campaign.h5, and there is nothing to solve for.");
    if (snprintf(path, sizeof path, "%s/metrics.h5", r->dir) >= (int)sizeof path)
        return rc_fail(err, RC_EUSAGE, "DIR is longer than a path can be");
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return rc_reporting_note(r, err,
                                 "There are no metrics yet: 'rollcall solve' makes "
                                 "metrics.h5, then make this report again.");
    status = rc_metrics_open(MPI_COMM_NULL, path, &r->report.metrics, err);
    if (status == RC_OK && strcmp(rc_metrics_campaign(r->report.metrics)->id,
                                  rc_store_campaign(r->report.store)->id) != 0)
        return rc_fail(err, RC_ECONFLICT,
                       "'%s' is of another campaign than campaign.h5 beside it: "
                       "'rollcall solve DIR' makes it anew",
                       path);
    return status == RC_OK ? note_mismatch(r, err) : status;
}

/* The journals, where they are those of the store; it can be read without. */
static int read_campaign_of(struct rc_reporting *r, struct rc_error *err)
{
    struct rc_error why = {.rank = -1};
    char id[RC_JOURNAL_ID_TEXT];

    if (rc_campaign_read(MPI_COMM_NULL, r->dir, &r->campaign, &why) != RC_OK) {
        r->campaign = NULL;
        return rc_reporting_note(r, err,
                                 "Who measured when, and whether something is missing, "
                                 "is not known: %s",
                                 why.text);
    }
    rc_journal_id_text(id, &r->campaign->campaign);
    if (strcmp(id, rc_store_campaign(r->report.store)->id) == 0)
        return RC_OK;
    rc_campaign_close(r->campaign);
    r->campaign = NULL;
    return rc_reporting_note(r, err,
                             "The journals beside campaign.h5 are of another campaign, "
                             "%s, and were not read.",
                             id);
}

static int read_names(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(r->report.store);
    struct rc_error why = {.rank = -1};
    const bool known =
        campaign->spec[0] &&
        rc_spec_from_text("campaign file", campaign->spec, strlen(campaign->spec),
                          &r->spec, &why) == RC_OK;

    r->spec_known = known;
    r->report.name =
        rc_pool_copy(r->pool, known && r->spec.name ? r->spec.name : "campaign");
    r->report.directory = r->dir;
    r->report.version = RC_VERSION;
    r->report.made = keep_time(r, (int64_t)time(NULL));
    r->report.created = r->campaign && r->campaign->record.spec
                            ? keep_time(r, r->campaign->record.unix_time)
                            : "";
    return r->report.name && r->report.made && r->report.created ? RC_OK
                                                                 : no_memory(err);
}

static size_t suite_number(const struct rc_store *store, size_t kind, const char *name)
{
    const size_t found = rc_store_find_suite(store, kind, name);
    const bool is_there =
        kind < rc_store_kind_count(store) && found < rc_store_suite_count(store, kind);

    return is_there ? found : SIZE_MAX;
}

/* What the campaign calls a kind and suite has other numbers in the store; SIZE_MAX:
 * it is not in there.
 */
static int map_numbers(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;

    r->kind = rc_calloc(h->kind_count, sizeof *r->kind);
    r->suite = rc_calloc(h->kind_count, sizeof *r->suite);
    if (!r->kind || !r->suite)
        return no_memory(err);
    for (size_t k = 0; k < h->kind_count; k++) {
        const struct rc_campaign_kind *kind = &h->kind[k];
        r->kind[k] = rc_store_find_kind(r->report.store, kind->record.name);
        r->suite[k] = rc_calloc(kind->suite_count, sizeof **r->suite);
        if (!r->suite[k])
            return no_memory(err);
        for (size_t s = 0; s < kind->suite_count; s++)
            r->suite[k][s] =
                suite_number(r->report.store, r->kind[k], kind->suite[s].name);
    }
    return RC_OK;
}

static int read_progress(struct rc_reporting *r, struct rc_error *err)
{
    int status = rc_completeness_find(r->campaign, r->spec_known ? &r->spec : NULL,
                                      &r->state, err);
    struct rc_report_progress *progress = rc_calloc(r->state.count, sizeof *progress);

    r->report.progress = progress;
    if (status == RC_OK && !progress)
        status = no_memory(err);
    for (size_t i = 0; i < r->state.count && status == RC_OK; i++) {
        const struct rc_suite_state *s = &r->state.suite[i];
        if (r->suite[s->kind][s->suite] == SIZE_MAX)
            continue;
        progress[r->report.progress_count++] =
            (struct rc_report_progress){.kind = r->kind[s->kind],
                                        .suite = r->suite[s->kind][s->suite],
                                        .units = s->units,
                                        .ok = s->ok,
                                        .invalid = s->invalid,
                                        .failed = s->failed,
                                        .missing = s->missing,
                                        .events = s->events,
                                        .repetitions_min = s->repetitions_min,
                                        .repetitions_max = s->repetitions_max,
                                        .places = s->places};
    }
    r->report.complete = r->state.complete && !rc_campaign_share(r->campaign);
    r->report.complete_known = status == RC_OK;
    return status;
}

static int read_runs(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    struct rc_report_run *run = rc_calloc(h->run_count, sizeof *run);

    r->report.run = run;
    if (!run)
        return no_memory(err);
    for (size_t i = 0; i < h->run_count; i++) {
        const struct rc_campaign_run *from = &h->run[i];
        run[i] = (struct rc_report_run){
            .begin = keep_time(r, from->begin.unix_time),
            .end = from->ended ? keep_time(r, from->end.unix_time) : "",
            .ranks = from->begin.ranks,
            .nodes = from->begin.nodes,
            .created_by = from->begin.created_by,
            .job = from->begin.job,
            .units_to_do = from->begin.units_left,
            .units_left = from->ended ? from->end.units_left : 0,
            .interrupted = from->ended && from->end.interrupted};
        r->report.run_count++;
        if (!run[i].begin || !run[i].end)
            return no_memory(err);
    }
    return RC_OK;
}

static size_t count_operands(const struct rc_campaign *h)
{
    size_t count = 0;

    for (size_t i = 0; i < h->origin_count; i++)
        count += h->origin[i].operand_count;
    return count;
}

static struct rc_report_origin origin_of(struct rc_reporting *r,
                                         const struct rc_record_origin *origin,
                                         const struct rc_record_operand *operand)
{
    char id[RC_JOURNAL_ID_TEXT];

    rc_journal_id_text(id, &operand->campaign);
    return (struct rc_report_origin){
        .operation = rc_operation_names()[origin->operation],
        .name = operand->name,
        .id = rc_pool_copy(r->pool, id),
        .created = operand->unix_time ? keep_time(r, operand->unix_time) : "",
        .created_by = operand->created_by,
        .directory = operand->directory};
}

static int read_origins(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    struct rc_report_origin *origin = rc_calloc(count_operands(h), sizeof *origin);

    r->report.origin = origin;
    if (!origin)
        return no_memory(err);
    for (size_t i = 0; i < h->origin_count; i++)
        for (size_t o = 0; o < h->origin[i].operand_count; o++) {
            struct rc_report_origin *to = &origin[r->report.origin_count++];
            *to = origin_of(r, &h->origin[i], &h->origin[i].operand[o]);
            if (!to->id || !to->created)
                return no_memory(err);
        }
    return RC_OK;
}

static int note_journals(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    char line[RC_ERROR_TEXT];
    int status = RC_OK;

    for (size_t i = 0; i < h->file_count && status == RC_OK; i++) {
        rc_journal_say(&h->file[i].report, h->file[i].path, line, sizeof line);
        if (line[0])
            status = rc_reporting_note(r, err, "%s", line);
    }
    if (rc_campaign_share(h) && status == RC_OK)
        status = rc_reporting_note(
            r, err, "%s; units are counted of the share, and metrics lack the others",
            rc_campaign_share_text(h, line, sizeof line));
    if (h->records_refused && status == RC_OK)
        status =
            rc_reporting_note(r, err,
                              "%llu records of the journals were not understood "
                              "and left out, the first: %s",
                              (unsigned long long)h->records_refused, h->first_refusal);
    return status;
}

int rc_reporting_read(struct rc_reporting *r, struct rc_error *err)
{
    int status = RC_OK;

    r->pool = rc_pool_create();
    if (!r->pool)
        return no_memory(err);
    status = open_files(r, err);
    if (status == RC_OK)
        status = read_campaign_of(r, err);
    if (status == RC_OK)
        status = read_names(r, err);
    if (status == RC_OK)
        status = rc_report_fits_make(r->report.store, r->report.metrics, &r->fits, err);
    r->report.fit = r->fits.fit;
    r->report.fit_count = r->fits.count;
    if (status != RC_OK || !r->campaign)
        return status;
    status = map_numbers(r, err);
    if (status == RC_OK)
        status = read_progress(r, err);
    if (status == RC_OK)
        status = read_runs(r, err);
    if (status == RC_OK)
        status = read_origins(r, err);
    if (status == RC_OK)
        status = note_journals(r, err);
    return status == RC_OK ? rc_reporting_units(r, err) : status;
}

void rc_reporting_fini(struct rc_reporting *r)
{
    struct rc_error closing = {.rank = -1}; /* files that were only read */

    if (r->report.metrics)
        rc_metrics_close(r->report.metrics, &closing);
    rc_store_close(r->report.store, &closing);
    for (size_t k = 0; r->suite && k < r->campaign->kind_count; k++)
        free(r->suite[k]);
    free(r->suite);
    free(r->kind);
    rc_report_fits_fini(&r->fits);
    rc_completeness_fini(&r->state);
    if (r->spec_known)
        rc_spec_fini(&r->spec);
    rc_campaign_close(r->campaign);
    rc_patterns_fini(&r->patterns);
    rc_arg_words_fini(&r->suites);
    free((void *)r->report.note);
    free((void *)r->report.progress);
    free((void *)r->report.run);
    free((void *)r->report.origin);
    free((void *)r->report.worker);
    free((void *)r->report.unit);
    rc_pool_close(r->pool);
}

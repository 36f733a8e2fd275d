/* Reads the files of a campaign's directory for a report.
 *
 * Only campaign.h5 must be there.  Without metrics.h5, noise.h5 or journals the report
 * is shorter, and a note says what is missing and which command makes it.  Files of
 * different campaigns must not be mixed: then metrics.h5 is refused, journals are left
 * out.
 */
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/report/parts.h"
#include "campaign/solve/origin.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char memory_what[] = "the report";

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
        return rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);
    r->report.note = note;
    note[r->report.note_count++] = rc_arena_text(&r->memory, text);
    return rc_arena_check(&r->memory, err, memory_what);
}

static const char *keep_time(struct rc_reporting *r, int64_t unix_time)
{
    char text[RC_TEXT_TIME];

    return rc_arena_text(&r->memory, rc_text_put_time(text, unix_time));
}

/* Opens campaign.h5, which must be there, and metrics.h5, which may be missing. */
static int open_files(struct rc_reporting *r, struct rc_error *err)
{
    char path[PATH_MAX];
    int status;

    if ((status =
             rc_campaign_dir_find_results(r->dir, false, path, sizeof path, err)) ||
        (status = rc_store_open(MPI_COMM_NULL, path, &r->report.store, err)))
        return status;
    r->report.difference =
        rc_journal_to_store_is_difference(rc_store_campaign(r->report.store));
    if (r->report.difference)
        return rc_reporting_note(r, err,
                                 "This is a difference of campaigns: its readings are "
                                 "in campaign.h5, and there is nothing to solve for.");
    status = rc_path(path, sizeof path, err, "%s/metrics.h5", r->dir);
    if (status != RC_OK)
        return status;
    if (access(path, F_OK) != 0 && errno == ENOENT)
        return rc_reporting_note(r, err,
                                 "There are no metrics yet: 'rollcall solve' makes "
                                 "metrics.h5, then make this report again.");
    status = rc_metrics_open(MPI_COMM_NULL, path, &r->report.metrics, err);
    if (status != RC_OK)
        return status;
    if (strcmp(rc_store_campaign(r->report.metrics)->id,
               rc_store_campaign(r->report.store)->id) != 0)
        return rc_fail(err, RC_ECONFLICT,
                       "'%s' belongs to another campaign than campaign.h5 beside it: "
                       "'rollcall solve DIR' makes it again",
                       path);
    /* Metrics that were solved from another state of campaign.h5 are shown, with a note
     * on the page, and a line on the standard error for the user who makes it.
     */
    char why[RC_ERROR_TEXT];
    rc_solve_mismatch(rc_store_campaign(r->report.metrics), r->report.store, why,
                      sizeof why);
    if (!why[0])
        return RC_OK;
    fprintf(stderr, "rollcall report: %s\n", why);
    why[0] = (char)toupper((unsigned char)why[0]);
    return rc_reporting_note(r, err, "%s.", why);
}

/* Notes "2 of 24 nodes are off: n7, n9." for each kind that has some. */
static int note_nodes(struct rc_reporting *r, struct rc_error *err)
{
    enum { NAMED = 8 };
    int status = RC_OK;

    for (size_t k = 0; k < rc_store_kind_count(r->report.noise); k++) {
        const struct rc_noise_file_kind *found = rc_noise_file_kind(r->report.noise, k);
        char names[RC_ERROR_TEXT / 2] = "";
        size_t off = 0;
        for (size_t n = 0; n < found->node_count; n++)
            if (found->node[n].p <= RC_NOISE_OFF_P && off++ < NAMED)
                rc_text_append(names, sizeof names, "%s%s", off > 1 ? ", " : "",
                               found->node[n].node);
        if (off > 0)
            status = rc_reporting_note(
                r, err, "%zu of %zu nodes %s off: %s%s ('rollcall noise DIR').", off,
                found->node_count, off == 1 ? "is" : "are", names,
                off > NAMED ? " and others" : "");
        if (status != RC_OK)
            return status;
    }
    return status;
}

/* The part of its time that a core lost while only the bare loop ran on it. */
static int find_lost(struct rc_store *noise, const struct rc_noise_file_record *record,
                     double *lost, struct rc_error *err)
{
    struct rc_noise_file_detour *detour = rc_calloc(record->count, sizeof *detour);
    int status = detour ? rc_noise_file_read_detours(noise, record->first,
                                                     record->count, detour, err)
                        : rc_fail(err, RC_ENOMEM, "no memory for detours");

    *lost = 0;
    for (size_t i = 0; i < record->count && status == RC_OK; i++)
        *lost += (double)detour[i].length_ns / (double)record->duration_ns;
    free(detour);
    return status;
}

/* Notes "Core 1 of vm lost 42.9 % of its time to others, the most of 2 cores." */
static int note_cores(struct rc_reporting *r, struct rc_error *err)
{
    static const double notable = 0.01;
    const struct rc_noise_file_detours *d = rc_noise_file_detours(r->report.noise);
    const struct rc_noise_file_record *worst = NULL;
    size_t cores = 0;
    double most = 0, lost;
    int status = RC_OK;

    for (size_t i = 0; i < d->record_count && status == RC_OK; i++) {
        const struct rc_noise_file_record *record = &d->record[i];
        if (record->work[0] || record->duration_ns == 0)
            continue;
        cores++;
        status = find_lost(r->report.noise, record, &lost, err);
        if (status == RC_OK && lost > most)
            most = lost, worst = record;
    }
    if (status != RC_OK || !worst || most < notable)
        return status;
    return rc_reporting_note(r, err,
                             "Core %zu of %s lost %.3g %% of its time to others, the "
                             "most of %zu core%s ('rollcall noise DIR').",
                             worst->core, worst->node, 100 * most, cores,
                             cores == 1 ? "" : "s");
}

/* Opens noise.h5 if it exists.  It is optional: if it belongs to another campaign, or
 * cannot be read, there is a note; if it is of older readings, it is shown with a note.
 */
static int open_noise(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(r->report.store);
    struct rc_error why = {.rank = -1};
    char path[PATH_MAX], line[RC_ERROR_TEXT];
    int status = rc_path(path, sizeof path, err, "%s/noise.h5", r->dir);

    if (status != RC_OK || r->report.difference || access(path, F_OK) != 0)
        return status;
    if (rc_noise_file_open(MPI_COMM_NULL, path, &r->report.noise, &why) != RC_OK)
        return rc_reporting_note(r, err, "The study of noise is not shown: %s",
                                 why.text);
    rc_noise_file_mismatch(rc_store_campaign(r->report.noise), campaign, line,
                           sizeof line);
    if (strcmp(rc_store_campaign(r->report.noise)->id, campaign->id) == 0 &&
        ((status = note_nodes(r, err)) != RC_OK ||
         (status = note_cores(r, err)) != RC_OK))
        return status;
    if (!line[0])
        return RC_OK;
    fprintf(stderr, "rollcall report: %s\n", line);
    if (strcmp(rc_store_campaign(r->report.noise)->id, campaign->id) != 0) {
        (void)rc_store_close(r->report.noise, &why);
        r->report.noise = NULL;
    }
    line[0] = (char)toupper((unsigned char)line[0]);
    return rc_reporting_note(r, err, "%s.", line);
}

/* Reads the journals, which are optional: problems with them are notes. */
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
                             "The journals beside campaign.h5 belong to another "
                             "campaign, %s, and were not read.",
                             id);
}

static int read_names(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(r->report.store);
    struct rc_error why = {.rank = -1};
    char name[256];
    const bool known =
        campaign->spec[0] &&
        rc_spec_from_text("campaign file", campaign->spec, strlen(campaign->spec),
                          &r->spec, &why) == RC_OK;

    r->spec_known = known;
    r->report.name = rc_arena_text(
        &r->memory,
        rc_spec_name(name, sizeof name, known ? r->spec.name : RC_SPEC_NAME, r->dir));
    r->report.directory = r->dir;
    r->report.version = RC_VERSION;
    r->report.made = keep_time(r, (int64_t)time(NULL));
    r->report.created = r->campaign && r->campaign->record.spec
                            ? keep_time(r, r->campaign->record.unix_time)
                            : "";
    return rc_arena_check(&r->memory, err, memory_what);
}

/* Finds the store's numbers of the campaign's kinds and suites. */
static int map_numbers(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    const struct rc_store *store = r->report.store;

    r->kind = rc_arena_array(&r->memory, h->kind_count, sizeof *r->kind);
    r->suite = rc_arena_array(&r->memory, h->kind_count, sizeof *r->suite);
    for (size_t k = 0; k < h->kind_count && !r->memory.failed; k++)
        r->suite[k] =
            rc_arena_array(&r->memory, h->kind[k].suite_count, sizeof **r->suite);
    if (r->memory.failed)
        return rc_arena_check(&r->memory, err, memory_what);
    for (size_t k = 0; k < h->kind_count; k++) {
        const struct rc_campaign_kind *kind = &h->kind[k];
        const size_t to = rc_store_find_kind(store, kind->record.name);
        r->kind[k] = to;
        for (size_t s = 0; s < kind->suite_count; s++) {
            const size_t found = rc_store_find_suite(store, to, kind->suite[s].name);
            const bool is_there = to < rc_store_kind_count(store) &&
                                  found < rc_store_suite_count(store, to);
            r->suite[k][s] = is_there ? found : SIZE_MAX;
        }
    }
    return RC_OK;
}

/* How much of each suite is measured, and whether the campaign is complete. */
static int read_progress(struct rc_reporting *r, struct rc_error *err)
{
    int status = rc_completeness_find(r->campaign, r->spec_known ? &r->spec : NULL,
                                      &r->state, err);

    if (status != RC_OK)
        return status;
    struct rc_report_progress *progress =
        rc_arena_array(&r->memory, r->state.count, sizeof *progress);
    if (!progress)
        return rc_arena_check(&r->memory, err, memory_what);
    r->report.progress = progress;
    for (size_t i = 0; i < r->state.count; i++) {
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
    /* A complete share is not the complete campaign. */
    r->report.complete = r->state.complete && !rc_campaign_share(r->campaign);
    r->report.complete_known = true;
    return RC_OK;
}

static int read_runs(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    struct rc_report_run *run = rc_arena_array(&r->memory, h->run_count, sizeof *run);

    if (!run)
        return rc_arena_check(&r->memory, err, memory_what);
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
    }
    r->report.run = run;
    r->report.run_count = h->run_count;
    return rc_arena_check(&r->memory, err, memory_what);
}

/* The campaigns that this one was merged, averaged, subtracted or imported from. */
static int read_origins(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    struct rc_report_origin *origin;
    size_t count = 0;

    for (size_t i = 0; i < h->origin_count; i++)
        count += h->origin[i].operand_count;
    r->report.origin = origin = rc_arena_array(&r->memory, count, sizeof *origin);
    if (!origin)
        return rc_arena_check(&r->memory, err, memory_what);
    for (size_t i = 0; i < h->origin_count; i++)
        for (size_t o = 0; o < h->origin[i].operand_count; o++) {
            const struct rc_record_operand *operand = &h->origin[i].operand[o];
            char id[RC_JOURNAL_ID_TEXT];
            rc_journal_id_text(id, &operand->campaign);
            origin[r->report.origin_count++] = (struct rc_report_origin){
                .operation = rc_operation_names()[h->origin[i].operation],
                .name = operand->name,
                .id = rc_arena_text(&r->memory, id),
                .created = operand->unix_time ? keep_time(r, operand->unix_time) : "",
                .created_by = operand->created_by,
                .directory = operand->directory};
        }
    return rc_arena_check(&r->memory, err, memory_what);
}

/* Notes which parts of the journals are damaged, missing or not understood. */
static int note_journals(struct rc_reporting *r, struct rc_error *err)
{
    const struct rc_campaign *h = r->campaign;
    char line[RC_ERROR_TEXT];
    int status;

    for (size_t i = 0; i < h->file_count; i++) {
        rc_journal_say(&h->file[i].report, h->file[i].path, line, sizeof line);
        if (line[0] && (status = rc_reporting_note(r, err, "%s", line)))
            return status;
    }
    if (rc_campaign_share(h) &&
        (status = rc_reporting_note(
             r, err, "%s; units are counted of the share, and metrics lack the others",
             rc_campaign_share_text(h, line, sizeof line))))
        return status;
    if (!h->records_refused)
        return RC_OK;
    return rc_reporting_note(r, err,
                             "%llu records of the journals were not understood "
                             "and left out, the first: %s",
                             (unsigned long long)h->records_refused, h->first_refusal);
}

int rc_reporting_read(struct rc_reporting *r, struct rc_error *err)
{
    static int (*const of_files[])(struct rc_reporting *, struct rc_error *) = {
        open_files, open_noise, read_campaign_of, read_names};
    static int (*const of_journals[])(struct rc_reporting *, struct rc_error *) = {
        map_numbers,  read_progress, read_runs,
        read_origins, note_journals, rc_reporting_units};
    int status;

    for (size_t i = 0; i < sizeof of_files / sizeof of_files[0]; i++)
        if ((status = of_files[i](r, err)))
            return status;
    status = rc_report_fits_make(r->report.store, r->report.metrics, &r->fits, err);
    r->report.fit = r->fits.fit;
    r->report.fit_count = r->fits.count;
    if (status != RC_OK || !r->campaign)
        return status;
    for (size_t i = 0; i < sizeof of_journals / sizeof of_journals[0]; i++)
        if ((status = of_journals[i](r, err)))
            return status;
    return RC_OK;
}

void rc_reporting_fini(struct rc_reporting *r)
{
    struct rc_error closing = {.rank = -1}; /* of files that were only read */

    (void)rc_store_close(r->report.noise, &closing);
    if (r->report.metrics)
        rc_store_close(r->report.metrics, &closing);
    rc_store_close(r->report.store, &closing);
    rc_report_fits_fini(&r->fits);
    rc_completeness_fini(&r->state);
    if (r->spec_known)
        rc_spec_fini(&r->spec);
    rc_campaign_close(r->campaign);
    rc_patterns_fini(&r->patterns);
    rc_arg_words_fini(&r->suites);
    free((void *)r->report.note);
    rc_arena_free(&r->memory);
}

/* Prints what the noise command found: the kinds' noise, the cost of detours, and the
 * differences from another campaign.
 */
#include "campaign/noise/request.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/run/progress.h"

#include <string.h>

/* State of the output for all kinds together, on rank 0. */
struct answer {
    struct rc_noise_request *r;
    bool first, csv;
    struct rc_json *json, own; /* &own if the format is JSON, else NULL */
    struct rc_rows *rows;      /* of events: CSV has one header for all kinds */
};

struct rc_noise_kind rc_noise_wanted(const struct rc_noise_request *r)
{
    return (struct rc_noise_kind){.comm = r->comm,
                                  .patterns = &r->patterns,
                                  .suites = r->suites.count ? r->suites.word : NULL,
                                  .medians = r->save.file != NULL};
}

/* Collective.  Lists the events that are asked for, or all of them. */
static int list_events(struct answer *a, const struct rc_noise_kind *k,
                       struct rc_error *err)
{
    const struct rc_noise_request *r = a->r;
    const bool own_rows = a->first && !a->csv;

    if (!r->listed && r->format == RC_FORMAT_TEXT)
        return RC_OK;
    if (own_rows && !a->json)
        putchar('\n');
    if (own_rows)
        a->rows = rc_rows_create(stdout, r->format, rc_noise_columns, a->json);
    int status = rc_noise_list(k, r->listed ? r->verdict : NULL, a->rows, err);
    if (own_rows)
        status = rc_rows_end(a->rows, status, err);
    return rc_agree(r->comm, status, err);
}

static int show_kind(struct answer *a, const struct rc_noise_kind *k,
                     struct rc_error *err)
{
    int status = RC_OK;

    if (a->json)
        rc_json_object(a->json, NULL);
    if (a->first && !a->csv)
        status = rc_noise_show(k, a->json, err);
    status = rc_agree(a->r->comm, status, err);
    if (status == RC_OK && a->r->cores && !a->csv) {
        struct rc_noise_kind by_core = rc_noise_wanted(a->r); /* all is read again */
        by_core.cores = true;
        by_core.medians = false;
        status = rc_noise_kind_study(&by_core, a->r->store, k->number, err);
        if (status == RC_OK && a->first)
            status = rc_noise_show_cores(&by_core, a->json, err);
        rc_noise_kind_fini(&by_core);
        status = rc_agree(a->r->comm, status, err);
    }
    if (a->json)
        rc_json_array(a->json, "events");
    if (status == RC_OK)
        status = list_events(a, k, err);
    if (a->json) {
        rc_json_end(a->json);
        rc_json_end(a->json);
    }
    return status;
}

/* Collective.  Studies a kind and shows it if it is asked for; puts it into noise.h5,
 * after a study of all its events if only a part is asked for.
 */
static int answer_kind(struct answer *a, size_t number, struct rc_error *err)
{
    struct rc_noise_request *r = a->r;
    const bool part = rc_noise_is_part(r);
    struct rc_noise_kind k = rc_noise_wanted(r);

    if (!r->kind || strcmp(r->kind, rc_store_kind(r->store, number)->name) == 0) {
        if (number > 0 && a->first && r->format == RC_FORMAT_TEXT && !r->kind)
            putchar('\n');
        struct rc_progress *progress = rc_progress_of(r->comm);
        rc_progress_stage(progress, "studying %s",
                          rc_store_kind(r->store, number)->name);
        int status = rc_noise_kind_study(&k, r->store, number, err);
        rc_progress_close(progress, NULL);
        if (status == RC_OK)
            status = show_kind(a, &k, err);
        if (status == RC_OK && !part)
            rc_noise_save_kind(r, &k);
        rc_noise_kind_fini(&k);
        if (status != RC_OK)
            return status;
    }
    if (part)
        rc_noise_save_whole(r, number);
    return RC_OK;
}

int rc_noise_answer(struct rc_noise_request *r, struct rc_error *err)
{
    const size_t kinds = r->store ? rc_store_kind_count(r->store) : 0;
    /* CSV has room for one table: that of events, if there are readings. */
    struct answer a = {.r = r,
                       .first = rc_team_rank(r->comm) == 0,
                       .csv = r->has_store && rc_rows_is_csv(r->format)};
    int status = RC_OK;

    if (a.first) { /* begins what encloses the kinds' tables */
        if (a.csv) {
            rc_rows_head(stdout, r->format, rc_noise_columns);
            a.rows = rc_rows_create(stdout, r->format, rc_noise_columns, NULL);
        }
        a.json = rc_rows_json(r->format, &a.own, stdout);
    }
    if (a.json) {
        rc_json_object(a.json, NULL);
        rc_json_array(a.json, "kinds");
    }
    for (size_t k = 0; k < kinds; k++)
        if ((status = answer_kind(&a, k, err)) != RC_OK)
            break;
    if (a.json)
        rc_json_end(a.json); /* the kinds */
    if (status == RC_OK && a.first && !a.csv) {
        if (r->format == RC_FORMAT_TEXT && r->has_store && r->losses.count > 0)
            putchar('\n');
        status = rc_noise_losses_show(&r->losses, stdout, r->format, a.json, err);
    }
    if (a.csv && a.first)
        status = rc_rows_end(a.rows, status, err);
    rc_json_close(a.json);
    return rc_agree(r->comm, status, err);
}

/* On rank 0: prints the differences, in the format that is asked for. */
static int put_changes(const struct rc_noise_request *r,
                       const struct rc_noise_findings *was,
                       const struct rc_noise_findings *is, size_t *count,
                       struct rc_error *err)
{
    const bool is_text = r->format == RC_FORMAT_TEXT;
    struct rc_json own, *json = rc_rows_json(r->format, &own, stdout);

    if (json) {
        rc_json_object(json, NULL);
        rc_json_text(json, "against", r->against);
        rc_json_array(json, "differences");
    }
    rc_rows_head(stdout, r->format, rc_noise_change_columns);
    struct rc_rows *rows =
        rc_rows_create(stdout, r->format, rc_noise_change_columns, json);
    int status = rc_noise_changes(was, is, r->checked, rows, count, err);
    if (status == RC_OK && is_text) {
        char name[128];
        printf("%zu difference%s from %s\n", *count, rc_text_s(*count),
               rc_text_printable(name, sizeof name, r->against));
    }
    if (is_text && (status != RC_OK || *count == 0))
        rc_rows_drop(rows);
    status = rc_rows_end(rows, status, err);
    if (json) {
        rc_json_end(json);
        rc_json_flag(json, "differs", *count > 0);
    }
    rc_json_close(json);
    return status;
}

int rc_noise_compare(struct rc_noise_request *r, bool *differs, struct rc_error *err)
{
    const struct rc_noise_kind like = rc_noise_wanted(r);
    struct rc_noise_findings was = {.file = NULL}, is = {.file = NULL};
    size_t count = 0;
    int status = rc_noise_reference(r->against, &like, &was, err);

    if (status == RC_OK)
        status = rc_noise_findings_study(&is, r->store, r->kind, &like, err);
    if (status == RC_OK && rc_team_rank(r->comm) == 0) {
        if (r->checked[RC_NOISE_CHECK_PERIODS])
            rc_noise_findings_open(&is, r->dir, r->store);
        status = put_changes(r, &was, &is, &count, err);
    }
    status = rc_agree(r->comm, status, err);
    int any = count > 0;
    rc_broadcast(r->comm, 0, &any, sizeof any);
    *differs = any;
    rc_noise_findings_fini(&was);
    rc_noise_findings_fini(&is);
    return status;
}

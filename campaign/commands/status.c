/* The status command: the contents of a campaign's directory, and what is missing.
 *
 * It may be called while the campaign runs, so it locks nothing and writes nothing.
 * Everything is found out here; status_show.c prints it.
 */
#include "campaign/commands/status_parts.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/profile/passes/state.h"
#include "campaign/profile/read/read.h"
#include "campaign/records/unit_reader.h"
#include "campaign/solve/origin.h"
#include "campaign/spec/options.h"
#include "io/metrics/metrics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static RC_OPTION(
    option_missing, "missing", NULL,
    "print only the number of units that are not measured yet, for scripts");

static RC_OPTIONS(options, &rc_option_format, &option_missing);

static int compare_reasons(const void *a, const void *b)
{
    const struct rc_status_reason *x = a, *y = b;

    if (x->units != y->units)
        return x->units > y->units ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Counts the reasons of units that are not ok, the most frequent first.  Only the
 * unit's record in the journal has the reason.  After RC_STATUS_REASONS different ones
 * the rest is counted together.
 */
static int find_reasons(struct rc_status_view *v, struct rc_error *err)
{
    const struct rc_campaign *h = v->campaign;
    struct rc_unit_reader reader = {.campaign = h};
    int status = RC_OK;

    for (size_t i = 0; i < h->unit_count; i++) {
        struct rc_record_unit head;
        void *payload;
        size_t at = 0;
        if (h->unit[i].status == RC_UNIT_OK)
            continue;
        if ((status = rc_unit_reader_get(&reader, &h->unit[i], &payload, err)) ||
            (status = rc_record_get_unit(payload, h->unit[i].bytes, &head, err)))
            goto out;
        const char *text = head.reason[0] ? head.reason : "no reason is given";
        while (at < v->reason_count && strcmp(v->reason[at].text, text) != 0)
            at++;
        if (at == RC_STATUS_REASONS) {
            v->other_reasons++;
            continue;
        }
        if (at == v->reason_count) {
            v->reason[at].text = rc_pool_copy(h->pool, text);
            if (!v->reason[at].text) {
                status = rc_fail(err, RC_ENOMEM, "no memory for the reasons of units");
                goto out;
            }
            v->reason_count++;
        }
        v->reason[at].units++;
    }
    qsort(v->reason, v->reason_count, sizeof *v->reason, compare_reasons);
out:
    rc_unit_reader_fini(&reader);
    return status;
}

/* Whether campaign.h5 belongs to this campaign, and was made from all that the journals
 * have.  *out is NULL if there is no readable store.
 */
static int look_at_store(struct rc_status_view *v, const char *dir,
                         struct rc_store **out, struct rc_error *err)
{
    struct rc_error why = {.text = ""};
    char id[RC_JOURNAL_ID_TEXT];
    struct stat file;
    int status = rc_campaign_dir_results(dir, v->store, sizeof v->store, err);

    if (status != RC_OK || stat(v->store, &file) != 0)
        return status;
    v->store_there = true;
    v->store_bytes = (uint64_t)file.st_size;
    if (rc_store_open_part(MPI_COMM_NULL, v->store, RC_STORE_LABELS, out, &why) !=
        RC_OK) {
        rc_text_append(v->store_problem, sizeof v->store_problem, "%s", why.text);
        return RC_OK;
    }
    const struct rc_store_campaign *campaign = rc_store_campaign(*out);
    rc_journal_id_text(id, &v->campaign->campaign);
    if (strcmp(campaign->id, id) != 0)
        rc_text_append(v->store_problem, sizeof v->store_problem,
                       "it belongs to campaign %.40s", campaign->id);
    v->store_old = !rc_journal_to_store_is_made(v->campaign, campaign);
    return RC_OK;
}

/* Whether metrics.h5 and noise.h5 were made from the present data. */
static void look_at_results(struct rc_status_view *v, const char *dir,
                            const struct rc_store *store)
{
    struct rc_error why = {.text = ""};
    struct rc_store *file;

    if (snprintf(v->noise_path, sizeof v->noise_path, "%s/noise.h5", dir) <
        (int)sizeof v->noise_path)
        rc_noise_saved_find(v->noise_path, store ? rc_store_campaign(store) : NULL,
                            v->campaign->detours, &v->noise);
    if (snprintf(v->metrics, sizeof v->metrics, "%s/metrics.h5", dir) >=
            (int)sizeof v->metrics ||
        access(v->metrics, F_OK) != 0)
        return;
    v->metrics_there = true;
    if (rc_metrics_open_part(MPI_COMM_NULL, v->metrics, RC_STORE_LABELS, &file, &why) !=
        RC_OK) {
        rc_text_append(v->metrics_problem, sizeof v->metrics_problem, "%s", why.text);
        return;
    }
    if (store)
        rc_solve_mismatch(rc_store_campaign(file), store, v->metrics_problem,
                          sizeof v->metrics_problem);
    else if (v->store_there)
        rc_text_append(
            v->metrics_problem, sizeof v->metrics_problem,
            "it is not known whether it was made from the readings in campaign.h5");
    (void)rc_store_close(file, &why);
}

/* Shows the directory's contents. campaign.h5 is opened once: HDF5 may not survive
 * opening a damaged one a second time.  A campaign that was not submitted has no jobs;
 * if a list of jobs cannot be read, a line says so, and everything else is shown.
 */
static int show_campaign(struct rc_status_view *v, const char *dir,
                         const struct rc_args *args, struct rc_error *err)
{
    struct rc_error why = {.text = ""};
    struct rc_store *store = NULL;
    int status;

    if ((status = rc_completeness_find_own(v->campaign, &v->spec, &v->spec_known,
                                           &v->state, err)) ||
        (status = find_reasons(v, err)))
        return status;
    if (v->spec_known)
        rc_spec_name(v->name, sizeof v->name, v->spec.name, dir);
    if (rc_args_has(args, &option_missing)) {
        printf("%" PRIu64 "\n", v->state.all.missing);
        return RC_OK;
    }
    status = look_at_store(v, dir, &store, err);
    if (status != RC_OK)
        return status;
    look_at_results(v, dir, store);
    (void)rc_store_close(store, &why);
    status = rc_jobs_state_read(dir, NULL, true, &v->jobs, &why);
    v->submitted = status == RC_OK;
    if (status != RC_OK && status != RC_EMISSING)
        fprintf(stderr, "rollcall status: %s\n", why.text);
    return rc_status_show(v, rc_rows_format(rc_args_value(args, &rc_option_format)),
                          err);
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const enum rc_format format =
        rc_rows_format(rc_args_value(args, &rc_option_format));
    const char *dir = args->operand_count ? args->operands[0] : "";
    struct rc_status_view v = {0};
    bool complete = false;
    int status;

    if (!dir[0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (rc_profile_is_in(dir) && !rc_args_has(args, &option_missing)) {
        status = rc_profile_state_show(dir, format, &complete, err);
        session->incomplete = status == RC_OK && !complete;
        return status;
    }
    if (rc_campaign_dir_is_model(dir) && !rc_args_has(args, &option_missing))
        return rc_status_model(dir, format, err);
    status = rc_campaign_read(MPI_COMM_NULL, dir, &v.campaign, err);
    if (status == RC_EMISSING && !rc_args_has(args, &option_missing)) {
        /* There may be jobs that have not begun, or jobs of shares. */
        struct rc_error why = {.text = ""};
        struct rc_jobs_state_end end = {.complete = false};
        status = rc_job_view_status(dir, NULL, format, &end, &why);
        complete = end.complete;
        if (status != RC_EMISSING) /* otherwise the first error holds */
            *err = why;
    } else if (status == RC_OK) {
        status = show_campaign(&v, dir, args, err);
        complete = v.state.complete ||
                   (v.campaign->kind_count == 0 && v.campaign->detours > 0);
    }
    session->incomplete = status == RC_OK && !complete;
    if (v.spec_known)
        rc_spec_fini(&v.spec);
    rc_jobs_state_fini(&v.jobs);
    rc_completeness_fini(&v.state);
    rc_campaign_close(v.campaign);
    return status;
}

const struct rc_command rc_command_status = {
    .name = "status",
    .summary =
        "what a campaign's directory holds, what is missing, and how long it takes",
    .operands = "DIR",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_SPEC | RC_FILE_JOURNAL | RC_FILE_STORE | RC_FILE_LOG |
             RC_FILE_JOBS | RC_FILE_METRICS | RC_FILE_NOISE | RC_FILE_MODEL,
    .see = (const char *const[]){"run", "submit", "pack", NULL},
    .run = run,
};

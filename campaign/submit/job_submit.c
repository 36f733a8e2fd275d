/* Writes the scripts of a submission and hands its jobs to the scheduler.
 *
 * The list of jobs is written after each job that the scheduler takes, so that --status
 * and --cancel know it, whatever happens next.  If the scheduler refuses a job, those
 * that it had taken are cancelled.
 */
#include "campaign/submit/job_submit.h"

#include "campaign/base/child.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/submit/jobs_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_S = 120 }; /* submitting one job may take so long */

/* A submission that is being made. */
struct submission {
    struct rc_submit_setting *setting;
    struct rc_submit_jobs jobs; /* with their scripts */
    struct rc_job_list list;    /* jobs that the scheduler has taken */
};

/* Writes a file of DIR. */
static int write_in(const struct submission *s, const char *name, const char *text,
                    size_t bytes, struct rc_error *err)
{
    char path[PATH_MAX + 80];

    snprintf(path, sizeof path, "%s/%s", s->setting->dir, name);
    return rc_file_replace(path, RC_FILE_BELOW, text, bytes, err);
}

/* Writes the file of a campaign, those of parts with their own, and the scripts. */
static int write_files(const struct submission *s, struct rc_error *err)
{
    char path[PATH_MAX + 64], name[64];
    int status;

    snprintf(path, sizeof path, "%s/jobs/campaign.yaml", s->setting->dir);
    if (s->setting->command == &rc_command_run &&
        (status = rc_spec_write(&s->setting->spec, path, RC_FILE_BELOW, err)) != RC_OK)
        return status;
    for (size_t p = 0; p < s->setting->part_count; p++) {
        snprintf(name, sizeof name, "jobs/campaign%zu.yaml", p);
        if (s->jobs.spec[p] && (status = write_in(s, name, s->jobs.spec[p],
                                                  s->jobs.spec_bytes[p], err)) != RC_OK)
            return status;
    }
    for (size_t i = 0; i < s->jobs.count; i++) {
        const struct rc_submit_job *job = &s->jobs.job[i];
        if ((status = write_in(s, job->script, job->text, job->bytes, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Makes the words with which a script submits itself: "bash SCRIPT --submit INDEX
 * JOB..."; the jobs are those that it waits for.  If there is only one node, each job
 * waits for the one before, or they would disturb each other.  The caller frees the
 * words.
 */
static char **make_words(const struct submission *s, size_t number, char *index)
{
    const struct rc_submit_job *job = &s->jobs.job[number];
    const size_t submitted = s->list.count;
    char **words = rc_calloc(submitted + 6, sizeof *words);
    size_t count = 0;

    if (!words)
        return NULL;
    words[count++] = "bash";
    words[count++] = (char *)job->script;
    words[count++] = "--submit";
    words[count++] = index;
    if (s->setting->scheduler->one_node) {
        if (submitted)
            words[count++] = s->list.entry[submitted - 1].id;
        else if (s->setting->after)
            words[count++] = (char *)s->setting->after;
        return words;
    }
    for (size_t a = 0; a < job->after_count; a++)
        for (size_t i = 0; i < submitted; i++)
            if (strcmp(s->list.entry[i].name, s->jobs.job[job->after[a]].name) == 0)
                words[count++] = s->list.entry[i].id;
    return words;
}

/* Lets the script submit itself, and reads the job's id from its output. */
static int run_submit(const struct submission *s, size_t number, char *index, char *id,
                      struct rc_error *err)
{
    char **words = make_words(s, number, index), said[200], what[64];
    struct rc_child child;

    if (!words)
        return rc_fail(err, RC_ENOMEM, "no memory for a command");
    int status = rc_child_run(words, s->setting->dir, NULL, PATIENCE_S, &child, err);
    free(words);
    if (status != RC_OK)
        return status;
    if (child.exited) {
        snprintf(what, sizeof what, "%s: submitting", s->setting->scheduler->summary);
        status = rc_child_failed(&child, what, err);
    } else if (sscanf(child.output, "%127s", id) != 1 || !rc_job_list_is_id(id)) {
        rc_text_printable(said, sizeof said, child.output);
        status = rc_fail(err, RC_EIO, "expected the id of a job, found '%s'", said);
    }
    rc_child_fini(&child);
    return status;
}

/* Submits a job; an array goes element by element if the scheduler has no arrays. */
static int submit_job(struct submission *s, size_t number, struct rc_error *err)
{
    const struct rc_submit_job *job = &s->jobs.job[number];
    const bool by_element = job->shares && !s->setting->scheduler->arrays;

    for (uint32_t i = 0; i < (by_element ? job->shares : 1); i++) {
        struct rc_job_list_entry entry = {.kind = job->kind,
                                          .number = job->number,
                                          .first = i,
                                          .count = by_element ? 1 : job->shares};
        char index[16] = "";
        if (by_element)
            snprintf(index, sizeof index, "%" PRIu32, i);
        int status = run_submit(s, number, index, entry.id, err);
        if (status != RC_OK)
            return status;
        memcpy(entry.name, job->name, sizeof entry.name);
        if (job->part->queue)
            rc_text_printable(entry.queue, sizeof entry.queue, job->part->queue);
        printf("%s %s\n", job->name, entry.id);
        if ((status = rc_job_list_add(&s->list, &entry, err)) != RC_OK ||
            (status = rc_job_list_write(s->setting->dir, &s->list, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Sets the number of this submission; all jobs of the last one must be over. */
static int find_round(struct submission *s, struct rc_error *err)
{
    struct rc_jobs_state jobs_state;
    struct rc_error why = {.text = ""};
    int status = rc_jobs_state_read(s->setting->dir, &s->setting->template, true,
                                    &jobs_state, &why);

    s->list.round = 1;
    if (status != RC_OK)
        return status == RC_EMISSING ? RC_OK : rc_fail(err, status, "%s", why.text);
    s->list.round = jobs_state.list.round + 1;
    if (jobs_state.active)
        status = rc_fail(
            err, RC_ECONFLICT,
            "job %s of this campaign is %s: 'rollcall submit --cancel DIR' ends it",
            jobs_state.active->id, rc_job_state_names[jobs_state.active->state]);
    rc_jobs_state_fini(&jobs_state);
    return status;
}

/* Finds out all that can fail before anything is written. */
static int prepare_jobs(struct submission *s, struct rc_error *err)
{
    int status;

    s->list.scheduler = s->setting->scheduler;
    s->list.parts = s->setting->part_count;
    s->list.shares = s->setting->shares;
    if ((status = find_round(s, err)) != RC_OK ||
        (status = rc_submit_find_ranks(s->setting, err)) != RC_OK ||
        (status = rc_submit_find_times(s->setting, err)) != RC_OK)
        return status;
    return rc_submit_jobs_make(s->setting, s->list.round, &s->jobs, err);
}

/* Locks DIR/jobs against other submissions.  If one was faster, this one fails: it was
 * made from an old state.
 */
static int lock_jobs(struct submission *s, struct rc_campaign_dir **out,
                     struct rc_error *err)
{
    const unsigned round = s->list.round;
    char jobs[PATH_MAX + 16], remark[RC_ERROR_TEXT];

    snprintf(jobs, sizeof jobs, "%s/jobs", s->setting->dir);
    int status = rc_campaign_dir_open(MPI_COMM_NULL, jobs, RC_CAMPAIGN_DIR_CAMPAIGN,
                                      NULL, out, remark, sizeof remark, err);
    if (status != RC_OK)
        return status;
    if (remark[0])
        fprintf(stderr, "rollcall submit: %s\n", remark);
    if ((status = find_round(s, err)) != RC_OK)
        return status;
    if (s->list.round != round)
        return rc_fail(err, RC_ECONFLICT,
                       "another submission for '%.400s' came in between: 'rollcall "
                       "submit --status DIR' says what became of it",
                       s->setting->dir);
    return RC_OK;
}

int rc_submit_send(struct rc_submit_setting *setting, struct rc_error *err)
{
    struct submission s = {.setting = setting};
    struct rc_campaign_dir *campaign_dir = NULL;
    int status;

    if ((status = prepare_jobs(&s, err)) != RC_OK ||
        (status = lock_jobs(&s, &campaign_dir, err)) != RC_OK)
        goto out;
    if (s.list.round == 1)
        rc_job_list_uncancel(setting->dir);
    status = write_files(&s, err);
    for (size_t i = 0; i < s.jobs.count && status == RC_OK; i++)
        status = submit_job(&s, i, err);
    /* If one job was refused, those submitted before are of no use. */
    for (size_t i = 0; i < s.list.count && status != RC_OK; i++) {
        const char *id = s.list.entry[i].id;
        struct rc_error why;
        if (rc_jobs_state_cancel_one(&setting->template, id, &why) != RC_OK)
            fprintf(stderr, "rollcall submit: %s\n", why.text);
        else
            fprintf(stderr, "rollcall submit: cancelled job %s\n", id);
    }
out:
    rc_campaign_dir_close(campaign_dir);
    rc_submit_jobs_fini(&s.jobs);
    rc_job_list_fini(&s.list);
    return status;
}

int rc_submit_show_dry(struct rc_submit_setting *setting, struct rc_error *err)
{
    struct submission s = {.setting = setting};
    char dir[PATH_MAX];
    int status = prepare_jobs(&s, err);

    for (size_t i = 0; i < s.jobs.count && status == RC_OK; i++)
        printf("%s# %s/%s: bash %s --submit\n%s", i ? "\n" : "",
               rc_text_printable(dir, sizeof dir, setting->dir), s.jobs.job[i].script,
               s.jobs.job[i].script, s.jobs.job[i].text);
    rc_submit_jobs_fini(&s.jobs);
    rc_job_list_fini(&s.list);
    return status;
}

/* Writes the scripts of a submission and hands its jobs to the scheduler. */
#include "campaign/submit/job_submit.h"

#include "campaign/base/child.h"
#include "campaign/base/file.h"
#include "campaign/base/text.h"
#include "campaign/records/campaign_dir.h"
#include "campaign/submit/job_list.h"
#include "campaign/submit/jobs_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_S = 120 };

struct sending {
    struct rc_submit_setting *setting;
    struct rc_submit_jobs jobs;
    struct rc_job_list list;
    char (*last_id)[RC_SUBMIT_JOB_ID]; /* by job: of an array's last element */
};

static int write_in(const struct sending *s, const char *name, const char *text,
                    size_t bytes, struct rc_error *err)
{
    char path[PATH_MAX + 80];

    snprintf(path, sizeof path, "%s/jobs/%s", s->setting->dir, name);
    return rc_file_replace(path, RC_FILE_BELOW, text, bytes, err);
}

/* The campaign file, those of parts, and the scripts. */
static int write_files(const struct sending *s, struct rc_error *err)
{
    char path[PATH_MAX + 64], name[64];
    int status = RC_OK;

    snprintf(path, sizeof path, "%s/jobs/campaign.yaml", s->setting->dir);
    status = rc_spec_write(&s->setting->spec, path, RC_FILE_BELOW, err);
    for (size_t p = 0; p < s->setting->part_count && status == RC_OK; p++) {
        snprintf(name, sizeof name, "campaign%zu.yaml", p);
        if (s->jobs.spec[p])
            status = write_in(s, name, s->jobs.spec[p], s->jobs.spec_bytes[p], err);
    }
    for (size_t i = 0; i < s->jobs.count && status == RC_OK; i++) {
        snprintf(name, sizeof name, "%s.sh", s->jobs.job[i].name);
        status = write_in(s, name, s->jobs.job[i].text, s->jobs.job[i].bytes, err);
    }
    return status;
}

/* All ids of a job, which are many where elements of an array are jobs. */
static int add_ids(const struct sending *s, const struct rc_submit_job *job,
                   struct rc_fill *fill, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < s->list.count && status == RC_OK; i++)
        if (strcmp(s->list.entry[i].name, job->name) == 0)
            status = rc_fill_add(fill, "after", s->list.entry[i].id, err);
    return status;
}

/* The ids of the jobs that this one comes after, in one word or in one each.  On the
 * only node one comes after the other, or they would disturb each other.
 */
static int set_after(const struct sending *s, size_t number, struct rc_error *err)
{
    const struct rc_submit_job *job = &s->jobs.job[number];
    const char *between = s->setting->scheduler->between;
    char after[RC_SUBMIT_PARTS * RC_SUBMIT_JOB_ID] = "";
    int status;

    if (s->setting->scheduler->one_node)
        return rc_fill_set(job->fill, "after",
                           number ? s->last_id[number - 1] : s->setting->after, err);
    status = rc_fill_set(job->fill, "after", NULL, err);
    for (size_t i = 0; i < job->after_count && status == RC_OK; i++) {
        if (between)
            rc_text_append(after, sizeof after, "%s%s", after[0] ? between : "",
                           s->last_id[job->after[i]]);
        else
            status = add_ids(s, &s->jobs.job[job->after[i]], job->fill, err);
    }
    if (status == RC_OK && after[0])
        status = rc_fill_set(job->fill, "after", after, err);
    return status;
}

static int run_submit(const struct sending *s, char *const *words, const char *script,
                      char *id, struct rc_error *err)
{
    const struct rc_scheduler *scheduler = s->setting->scheduler;
    struct rc_child child;
    char path[PATH_MAX + 64];
    int status;

    if (scheduler->submit)
        return scheduler->submit(s->setting->dir, words, id, RC_SUBMIT_JOB_ID, err);
    snprintf(path, sizeof path, "%s/%s", s->setting->dir, script);
    status = rc_child_run(words, s->setting->dir, scheduler->reads_stdin ? path : NULL,
                          PATIENCE_S, &child, err);
    if (status != RC_OK)
        return status;
    status = child.exited ? rc_child_failed(&child, words[0], err)
                          : scheduler->read_id(child.output, id, RC_SUBMIT_JOB_ID, err);
    if (status == RC_OK && !rc_job_list_is_id(id))
        status = rc_job_no_id(child.output, err);
    rc_child_fini(&child);
    return status;
}

static int submit_one(struct sending *s, size_t number, uint32_t first, uint32_t count,
                      struct rc_error *err)
{
    const struct rc_submit_job *job = &s->jobs.job[number];
    struct rc_job_list_entry entry = {
        .kind = job->kind, .number = job->number, .first = first, .count = count};
    struct rc_fill_words words;
    int status = rc_fill_words(job->fill, s->setting->template.where[RC_JOB_SUBMIT],
                               s->setting->template.text[RC_JOB_SUBMIT], &words, err);

    if (status != RC_OK)
        return status;
    status =
        run_submit(s, words.word, rc_fill_value(job->fill, "script"), entry.id, err);
    rc_fill_words_fini(&words);
    if (status != RC_OK)
        return status;
    memcpy(entry.name, job->name, sizeof entry.name);
    if (job->part->queue)
        rc_text_printable(entry.queue, sizeof entry.queue, job->part->queue);
    memcpy(s->last_id[number], entry.id, sizeof entry.id);
    printf("%s %s\n", job->name, entry.id);
    status = rc_job_list_add(&s->list, &entry, err);
    return status == RC_OK ? rc_job_list_write(s->setting->dir, &s->list, err) : status;
}

/* An array where the scheduler has none: on the only node one element after the other,
 * else each by itself.
 */
static int submit_elements(struct sending *s, size_t number, struct rc_error *err)
{
    const struct rc_submit_job *job = &s->jobs.job[number];
    const bool queue = s->setting->scheduler->one_node;
    int status = RC_OK;

    for (uint32_t i = 0; i < job->shares && status == RC_OK; i++) {
        status = rc_fill_set_count(job->fill, "index", i, err);
        if (status == RC_OK && queue && i > 0)
            status = rc_fill_set(job->fill, "after", s->last_id[number], err);
        if (status == RC_OK)
            status = submit_one(s, number, i, 1, err);
    }
    return status;
}

static int submit_job(struct sending *s, size_t number, struct rc_error *err)
{
    const struct rc_submit_job *job = &s->jobs.job[number];
    int status = set_after(s, number, err);

    if (status != RC_OK)
        return status;
    if (job->shares && !s->setting->scheduler->arrays)
        return submit_elements(s, number, err);
    return submit_one(s, number, 0, job->shares, err);
}

/* What was taken before something was refused is of no use. */
static void take_back(const struct sending *s)
{
    for (size_t i = 0; i < s->list.count; i++) {
        struct rc_error why;
        if (rc_jobs_state_cancel_one(&s->setting->template, s->list.entry[i].id,
                                     &why) != RC_OK)
            fprintf(stderr, "rollcall submit: %s\n", why.text);
        else
            fprintf(stderr, "rollcall submit: cancelled job %s\n", s->list.entry[i].id);
    }
}

/* The round that comes next; jobs of the last one must be over. */
static int find_round(struct sending *s, struct rc_error *err)
{
    struct rc_jobs_state jobs_state;
    struct rc_error why = {.text = ""};
    int status = rc_jobs_state_read(s->setting->dir, &s->setting->template, true,
                                    &jobs_state, &why);

    s->list.round = 1;
    if (status == RC_EMISSING)
        return RC_OK;
    if (status != RC_OK)
        return rc_fail(err, status, "%s", why.text);
    s->list.round = jobs_state.list.round + 1;
    if (jobs_state.active)
        status = rc_fail(
            err, RC_ECONFLICT,
            "job %s of this campaign is %s: 'rollcall submit --cancel DIR' "
            "ends it",
            jobs_state.active->id, rc_job_state_names[jobs_state.active->state]);
    rc_jobs_state_fini(&jobs_state);
    return status;
}

static int prepare(struct sending *s, struct rc_error *err)
{
    int status = find_round(s, err);

    s->list.scheduler = s->setting->scheduler;
    s->list.parts = s->setting->part_count;
    s->list.shares = s->setting->shares;
    if (status == RC_OK)
        status = rc_submit_find_ranks(s->setting, err);
    if (status == RC_OK)
        status = rc_submit_find_times(s->setting, err);
    if (status == RC_OK)
        status = rc_submit_jobs_make(s->setting, s->list.round, &s->jobs, err);
    if (status != RC_OK)
        return status;
    s->last_id = calloc(s->jobs.count, sizeof *s->last_id);
    return s->last_id ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for jobs");
}

/* Holds DIR/jobs against submissions at the same time.  One that came in between has
 * changed what this one was made from.
 */
static int take_jobs(struct sending *s, struct rc_campaign_dir **out,
                     struct rc_error *err)
{
    const unsigned round = s->list.round;
    char jobs[PATH_MAX + 16], remark[RC_ERROR_TEXT];

    snprintf(jobs, sizeof jobs, "%s/jobs", s->setting->dir);
    int status = rc_campaign_dir_open(MPI_COMM_NULL, jobs, RC_CAMPAIGN_DIR_CAMPAIGN,
                                      NULL, out, remark, sizeof remark, err);
    if (status == RC_OK && remark[0])
        fprintf(stderr, "rollcall submit: %s\n", remark);
    if (status == RC_OK)
        status = find_round(s, err);
    if (status == RC_OK && s->list.round != round)
        status = rc_fail(err, RC_ECONFLICT,
                         "another submission for '%.400s' came in between: 'rollcall "
                         "submit --status DIR' tells what became of it",
                         s->setting->dir);
    return status;
}

static void fini(struct sending *s)
{
    rc_submit_jobs_fini(&s->jobs);
    rc_job_list_fini(&s->list);
    free(s->last_id);
}

int rc_submit_send(struct rc_submit_setting *setting, struct rc_error *err)
{
    struct sending s = {.setting = setting};
    struct rc_campaign_dir *campaign_dir = NULL;
    int status = prepare(&s, err);

    if (status == RC_OK)
        status = take_jobs(&s, &campaign_dir, err);
    if (status == RC_OK && s.list.round == 1)
        rc_job_list_uncancel(setting->dir);
    if (status == RC_OK)
        status = write_files(&s, err);
    for (size_t i = 0; i < s.jobs.count && status == RC_OK; i++)
        status = submit_job(&s, i, err);
    if (status != RC_OK && s.list.count)
        take_back(&s);
    rc_campaign_dir_close(campaign_dir);
    fini(&s);
    return status;
}

int rc_submit_show_dry(struct rc_submit_setting *setting, struct rc_error *err)
{
    struct sending s = {.setting = setting};
    char dir[PATH_MAX], by_hand[PATH_MAX];
    int status = prepare(&s, err);

    for (size_t i = 0; i < s.jobs.count && status == RC_OK; i++)
        printf("%s# %s/%s: %s\n%s", i ? "\n" : "",
               rc_text_printable(dir, sizeof dir, setting->dir),
               rc_fill_value(s.jobs.job[i].fill, "script"),
               rc_text_printable(by_hand, sizeof by_hand,
                                 rc_fill_value(s.jobs.job[i].fill, "by_hand")),
               s.jobs.job[i].text);
    fini(&s);
    return status;
}

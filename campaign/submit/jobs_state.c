/* Asks the scheduler and the records of jobs for the state of each job.
 *
 * Neither knows all.  The scheduler knows which jobs wait and run, and soon forgets
 * those that have ended.  The record, written by the job's script, knows how a job
 * ended and which one continues it, but not that it was killed.  So the scheduler is
 * believed about active jobs, and the record about others.
 */
#include "campaign/submit/jobs_state.h"

#include "campaign/base/child.h"
#include "campaign/base/files/path.h"

#include <inttypes.h>
#include <string.h>

enum {
    PATIENCE_S = 60, /* a scheduler's command may take so long */
    MOVES_MOST = 8   /* jobs asked in a row, each continuing the one before */
};

/* Runs a section of the template in a shell, which finds the job's id as its $1. */
static int run_section(const struct rc_template *t, enum rc_job_text text,
                       const char *id, struct rc_child *out, struct rc_error *err)
{
    char *words[] = {"bash", "-c", t->text[text], "rollcall", (char *)id, NULL};

    return rc_child_run(words, NULL, NULL, PATIENCE_S, out, err);
}

int rc_jobs_state_cancel_one(const struct rc_template *template, const char *id,
                             struct rc_error *err)
{
    struct rc_child child;
    char what[64];
    int status;

    if ((status = run_section(template, RC_JOB_CANCEL, id, &child, err)) == RC_OK &&
        child.exited) {
        snprintf(what, sizeof what, "%s: cancelling", template->scheduler->summary);
        status = rc_child_failed(&child, what, err);
    }
    rc_child_fini(&child);
    return status;
}

/* Asks for one job, or for all elements of an array.  If the scheduler cannot be asked,
 * the answer is "unknown", with the reason.  A query that fails means "no such job"
 * only if its message says so; otherwise the scheduler is in trouble.
 */
static void ask_scheduler(const struct rc_template *t, const char *id,
                          struct rc_job_answer *out)
{
    const struct rc_scheduler *s = t->scheduler;
    struct rc_error why = {.text = ""};
    struct rc_child child = {0};
    int status;

    *out = (struct rc_job_answer){.word = ""};
    if ((status = run_section(t, RC_JOB_QUERY, id, &child, &why)) == RC_OK) {
        rc_job_answer_read(s, child.output, child.exited, id, out);
        if (child.exited && out->count[RC_JOB_GONE] && s->no_such_job &&
            !strstr(child.messages, s->no_such_job))
            status = rc_child_failed(&child, s->summary, &why);
    }
    rc_child_fini(&child);
    if (status != RC_OK) {
        *out = (struct rc_job_answer){.count = {[RC_JOB_UNKNOWN] = 1}};
        rc_text_printable(out->reason, sizeof out->reason, why.text);
    }
}

static bool is_active(const struct rc_job_answer *a)
{
    return a->count[RC_JOB_WAITING] || a->count[RC_JOB_RUNNING];
}

/* The end of a job by its own record.  rollcall exits with 3 if units have no valid
 * result: the job did its work.
 */
static enum rc_job_state state_of_record(const struct rc_job_list_record *r)
{
    if (r->cancelled)
        return RC_JOB_CANCELLED;
    if (r->ended)
        return r->exited == 0 || r->exited == 3 ? RC_JOB_DONE : RC_JOB_FAILED;
    return r->tries ? RC_JOB_FAILED : RC_JOB_GONE;
}

/* Adds a record's last line to the view of its job or array. */
static void add_record(struct rc_jobs_state_job *job,
                       const struct rc_job_list_record *r)
{
    job->tries = r->tries > job->tries ? r->tries : job->tries;
    if (strcmp(r->time, job->time) >= 0) { /* times in this form sort as text */
        snprintf(job->time, sizeof job->time, "%s", r->time);
        if (!job->reason[0] || job->entry->count)
            snprintf(job->reason, sizeof job->reason, "%s", r->event);
    }
}

/* A lookup of DIR's jobs. */
struct lookup {
    const char *dir;
    const struct rc_template *template;
    bool asks;
    unsigned round;
};

/* Asks for the job that the record names, or 'id', and reads the record after that: a
 * job writes there how it ended, or which job continues, before its scheduler knows
 * that it is over.  If another job continues, it is asked for.
 */
static int ask_then_read(const struct lookup *l, const char *name, int64_t element,
                         const char *id, struct rc_job_answer *answer,
                         struct rc_job_list_record *record, struct rc_error *err)
{
    char asked[RC_SUBMIT_JOB_ID];
    int status = rc_job_list_record_read(l->dir, name, element, l->round, record, err);

    *answer = (struct rc_job_answer){.word = ""};
    if (status != RC_OK)
        return status;
    for (int i = 0; i < MOVES_MOST && l->asks; i++) {
        snprintf(asked, sizeof asked, "%s", record->job[0] ? record->job : id);
        ask_scheduler(l->template, asked, answer);
        status = rc_job_list_record_read(l->dir, name, element, l->round, record, err);
        if (is_active(answer) || strcmp(record->job[0] ? record->job : id, asked) == 0)
            break;
        if (status != RC_OK)
            return status;
    }
    return status;
}

/* Finds the state of a plain job. */
static int settle_plain(const struct lookup *l, int64_t element,
                        struct rc_jobs_state_job *job, struct rc_error *err)
{
    struct rc_job_answer answer;
    struct rc_job_list_record record;
    int status = ask_then_read(l, job->entry->name, element, job->entry->id, &answer,
                               &record, err);

    if (status != RC_OK)
        return status;
    snprintf(job->id, sizeof job->id, "%s",
             record.job[0] ? record.job : job->entry->id);
    snprintf(job->reason, sizeof job->reason, "%s", answer.reason);
    if (is_active(&answer))
        job->state = answer.count[RC_JOB_RUNNING] ? RC_JOB_RUNNING : RC_JOB_WAITING;
    else if (answer.count[RC_JOB_CANCELLED])
        job->state = RC_JOB_CANCELLED;
    else if (l->asks && answer.count[RC_JOB_UNKNOWN])
        job->state = RC_JOB_UNKNOWN;
    else if (answer.count[RC_JOB_FAILED] && !record.ended)
        job->state = RC_JOB_FAILED;
    else
        job->state = state_of_record(&record);
    if (job->state != RC_JOB_WAITING && job->state != RC_JOB_UNKNOWN && record.event[0])
        job->reason[0] = '\0'; /* the record knows better */
    add_record(job, &record);
    job->exited = record.ended ? record.exited : -1;
    job->count[job->state] = 1;
    return RC_OK;
}

static size_t smaller_of(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Whether both ids are of one job, or of elements of one array. */
static bool same_job(const char *one, const char *other)
{
    const size_t bytes = strcspn(one, "[._");

    return strcspn(other, "[._") == bytes && strncmp(one, other, bytes) == 0;
}

/* Counts an array's elements by state: the scheduler knows how many wait and run,
 * records know how the others ended.  Some that the scheduler still counts may have
 * ended.
 */
static void settle_counts(struct rc_jobs_state_job *job,
                          const struct rc_job_answer *answer, const size_t *ended)
{
    const size_t over =
        ended[RC_JOB_DONE] + ended[RC_JOB_FAILED] + ended[RC_JOB_CANCELLED];
    const size_t left = job->entry->count > over ? job->entry->count - over : 0;
    size_t known = 0;

    job->count[RC_JOB_WAITING] = smaller_of(answer->count[RC_JOB_WAITING], left);
    job->count[RC_JOB_RUNNING] =
        smaller_of(answer->count[RC_JOB_RUNNING], left - job->count[RC_JOB_WAITING]);
    job->count[RC_JOB_DONE] = ended[RC_JOB_DONE];
    job->count[RC_JOB_FAILED] = ended[RC_JOB_FAILED];
    job->count[RC_JOB_CANCELLED] = ended[RC_JOB_CANCELLED];
    for (size_t i = 0; i < RC_JOB_STATES; i++)
        known += job->count[i];
    if (known < job->entry->count)
        job->count[answer->count[RC_JOB_CANCELLED] ? RC_JOB_CANCELLED
                   : answer->count[RC_JOB_UNKNOWN] ? RC_JOB_UNKNOWN
                                                   : RC_JOB_FAILED] +=
            job->entry->count - known;
    /* The array's state is the first of these that an element has. */
    static const enum rc_job_state first[] = {RC_JOB_RUNNING, RC_JOB_WAITING,
                                              RC_JOB_UNKNOWN, RC_JOB_FAILED,
                                              RC_JOB_CANCELLED};
    job->state = RC_JOB_DONE;
    for (size_t i = sizeof first / sizeof first[0]; i-- > 0;)
        if (job->count[first[i]])
            job->state = first[i];
}

/* Names the log of a job or element; an element's log has the scheduler's number. */
static void name_log(const struct rc_jobs_state *f, int64_t element,
                     struct rc_jobs_state_job *job)
{
    job->log[0] = '\0';
    rc_text_append(job->log, sizeof job->log, "jobs/%s", job->entry->name);
    if (element >= 0)
        rc_text_append(job->log, sizeof job->log, "-%" PRId64,
                       element + f->list.scheduler->first_index);
    rc_text_append(job->log, sizeof job->log, ".log");
}

/* Finds the states of an array's elements.  The scheduler is asked once for all, and
 * once more for each element that continues as a job of its own.
 */
static int settle_array(const struct lookup *l, const struct rc_jobs_state *f,
                        struct rc_jobs_state_job *job, struct rc_error *err)
{
    struct rc_job_answer answer = {.word = ""}, more;
    size_t ended[RC_JOB_STATES] = {0};
    int64_t failed = -1; /* the first element whose record says that it failed, */
    int64_t lost = -1;   /* or that failed or has begun and not ended */

    snprintf(job->id, sizeof job->id, "%s", job->entry->id);
    if (l->asks)
        ask_scheduler(l->template, job->id, &answer);
    for (uint32_t e = 0; e < job->entry->count; e++) {
        const int64_t element = (int64_t)job->entry->first + e;
        struct rc_job_list_record record;
        int status = rc_job_list_record_read(l->dir, job->entry->name, element,
                                             l->round, &record, err);
        if (status != RC_OK)
            return status;
        if (l->asks && !record.ended && record.job[0] &&
            !same_job(record.job, job->id)) {
            if ((status = ask_then_read(l, job->entry->name, element, record.job, &more,
                                        &record, err)) != RC_OK)
                return status;
            answer.count[RC_JOB_UNKNOWN] += more.count[RC_JOB_UNKNOWN];
            answer.count[RC_JOB_WAITING] += more.count[RC_JOB_WAITING];
            answer.count[RC_JOB_RUNNING] += more.count[RC_JOB_RUNNING];
        }
        if (state_of_record(&record) == RC_JOB_FAILED && failed < 0) {
            failed = record.ended ? element : -1;
            lost = lost < 0 ? element : lost;
        }
        if (record.ended)
            ended[state_of_record(&record)]++;
        add_record(job, &record);
    }
    settle_counts(job, &answer, ended);
    name_log(f, failed < 0 ? lost : failed, job);
    if (job->state == RC_JOB_WAITING && answer.reason[0])
        snprintf(job->reason, sizeof job->reason, "%s", answer.reason);
    return RC_OK;
}

/* Finds the state of each job in the list, and the first active one. */
static int read_jobs(const struct lookup *l, struct rc_jobs_state *f,
                     struct rc_error *err)
{
    for (size_t i = 0; i < f->list.count; i++) {
        struct rc_jobs_state_job *job = &f->job[i];
        const struct rc_job_list_entry *entry = &f->list.entry[i];
        const int64_t element = entry->count ? (int64_t)entry->first : -1;
        job->entry = entry;
        if (entry->count <= 1)
            name_log(f, element, job);
        const int status = entry->count > 1 ? settle_array(l, f, job, err)
                                            : settle_plain(l, element, job, err);
        if (status != RC_OK)
            return status;
        if (!f->active &&
            (job->state == RC_JOB_WAITING || job->state == RC_JOB_RUNNING))
            f->active = job;
    }
    return RC_OK;
}

bool rc_jobs_state_is_whole(const struct rc_jobs_state *jobs_state)
{
    const struct rc_job_list *list = &jobs_state->list;

    return list->count == 1 && (list->entry[0].kind == RC_SUBMIT_NOISE ||
                                list->entry[0].kind == RC_SUBMIT_PROFILE);
}

int rc_jobs_state_read(const char *dir, const struct rc_template *template, bool asks,
                       struct rc_jobs_state *out, struct rc_error *err)
{
    int status;

    *out = (struct rc_jobs_state){.job = NULL};
    if ((status = rc_job_list_read(dir, &out->list, err)) != RC_OK)
        return status;
    out->template = template;
    if (!template || template->scheduler != out->list.scheduler) {
        status = rc_submit_template(out->list.scheduler, NULL, &out->own, err);
        if (status != RC_OK)
            goto out;
        out->template = &out->own;
    }
    const uint32_t shares = out->list.shares ? out->list.shares : 1;
    const size_t parts = out->list.parts, leaves = parts * shares;
    out->job = rc_arena_array(&out->arena, out->list.count, sizeof *out->job);
    out->leaf = rc_arena_array(&out->arena, leaves, sizeof *out->leaf);
    if ((status = rc_arena_check(&out->arena, err, "jobs")) != RC_OK)
        goto out;
    /* Lists all directories that a run works in; none is read yet. */
    for (size_t i = 0; i < leaves && !rc_jobs_state_is_whole(out); i++) {
        struct rc_jobs_state_leaf *leaf = &out->leaf[out->leaf_count++];
        if (parts > 1)
            rc_text_append(leaf->path, sizeof leaf->path, "parts/%zu", i / shares);
        if (out->list.shares)
            rc_text_append(leaf->path, sizeof leaf->path, "%sshares/%zu",
                           parts > 1 ? "/" : "", i % shares);
    }
    const struct lookup lookup = {
        .dir = dir, .template = out->template, .asks = asks, .round = out->list.round};
    status = read_jobs(&lookup, out, err);
out:
    if (status != RC_OK)
        rc_jobs_state_fini(out);
    return status;
}

void rc_jobs_state_fini(struct rc_jobs_state *jobs_state)
{
    rc_job_list_fini(&jobs_state->list);
    rc_template_fini(&jobs_state->own);
    rc_arena_free(&jobs_state->arena);
    *jobs_state = (struct rc_jobs_state){.job = NULL};
}

/* Counts the units of one directory, from its journals. */
static int measure_leaf(const char *dir, struct rc_jobs_state_leaf *leaf,
                        struct rc_error *err)
{
    struct rc_campaign *campaign = NULL;
    struct rc_completeness state = {0};
    struct rc_spec spec;
    char path[PATH_MAX];
    bool known = false;

    int status = rc_path(path, sizeof path, err, "%s%s%s", dir,
                         leaf->path[0] ? "/" : "", leaf->path);
    if (status != RC_OK)
        return status;
    leaf->there = rc_campaign_exists(path, NULL) == RC_OK;
    if (!leaf->there)
        return RC_OK;
    if ((status = rc_campaign_read(MPI_COMM_NULL, path, &campaign, err)) == RC_OK)
        status = rc_completeness_find_own(campaign, &spec, &known, &state, err);
    if (status != RC_OK)
        goto out;
    leaf->all = state.all;
    leaf->complete = state.complete;
out:
    rc_completeness_fini(&state);
    if (known)
        rc_spec_fini(&spec);
    rc_campaign_close(campaign);
    return status;
}

int rc_jobs_state_measure(const char *dir, struct rc_jobs_state *jobs_state,
                          struct rc_jobs_state_leaf *total, struct rc_error *err)
{
    *total = (struct rc_jobs_state_leaf){.complete = true};
    if (rc_jobs_state_is_whole(jobs_state))
        total->there = total->complete =
            jobs_state->job[0].state == RC_JOB_DONE && jobs_state->job[0].exited == 0;
    for (size_t i = 0; i < jobs_state->leaf_count; i++) {
        struct rc_jobs_state_leaf *leaf = &jobs_state->leaf[i];
        const int status = measure_leaf(dir, leaf, err);
        if (status != RC_OK)
            return status;
        total->there = total->there || leaf->there;
        total->all.units += leaf->all.units;
        total->all.ok += leaf->all.ok;
        total->all.invalid += leaf->all.invalid;
        total->all.failed += leaf->all.failed;
        total->all.missing += leaf->all.missing;
        total->complete = total->complete && leaf->complete;
    }
    return RC_OK;
}

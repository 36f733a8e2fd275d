/* Prints and does what --status, --cancel and --watch ask for.
 *
 * --status prints the jobs and the campaign's progress once; --watch looks again and
 * again and prints news, until no job waits or runs.  Neither writes anything.
 */
#include "campaign/base/clock.h"
#include "campaign/base/files/path.h"
#include "campaign/cli/signals.h"
#include "campaign/submit/jobs_state.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_S = 2,       /* least wait between two looks of a watcher */
    LOOK_FACTOR = 4,  /* and in multiples of a look's time: schedulers may be slow */
    SILENT_MOST = 15, /* looks without an answer after which a watcher gives up */
    LINE = 4096       /* bytes of a line of the campaign's log */
};

static RC_COLUMNS(columns, RC_TEXT("job"), RC_TEXT("queue"), RC_TEXT("id"),
                  RC_TEXT("state"), RC_NUMBER("tries"), RC_TEXT("last"),
                  RC_TEXT("what"));

/* Writes "running" or, for an array, "2 running, 1 waiting, 1 done". */
static const char *put_state(const struct rc_jobs_state_job *job, char *out,
                             size_t room)
{
    static const enum rc_job_state order[] = {
        RC_JOB_RUNNING,   RC_JOB_WAITING, RC_JOB_DONE, RC_JOB_FAILED,
        RC_JOB_CANCELLED, RC_JOB_UNKNOWN, RC_JOB_GONE};

    if (job->entry->count < 2)
        return rc_job_state_names[job->state];
    out[0] = '\0';
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (job->count[order[i]])
            rc_text_append(out, room, "%s%zu %s", out[0] ? ", " : "",
                           job->count[order[i]], rc_job_state_names[order[i]]);
    return out;
}

int rc_job_view_show(const struct rc_jobs_state *jobs_state, enum rc_format format,
                     struct rc_json *json, struct rc_error *err)
{
    struct rc_rows *rows = rc_rows_create(stdout, format, columns, json);

    for (size_t i = 0; i < jobs_state->list.count; i++) {
        const struct rc_jobs_state_job *job = &jobs_state->job[i];
        char tries[24], state[160];
        snprintf(tries, sizeof tries, "%u", job->tries);
        RC_ROWS_PUT(rows, job->entry->name, job->entry->queue, job->id,
                    put_state(job, state, sizeof state), tries, job->time, job->reason);
    }
    return rc_rows_end(rows, RC_OK, err);
}

/* Writes "12 of 20 units ok, 8 missing"; 'noise' and 'profile' have no units. */
static void put_total(const struct rc_jobs_state *f,
                      const struct rc_jobs_state_leaf *leaf, char *out, size_t room)
{
    const char *whole = NULL;

    if (rc_jobs_state_is_whole(f))
        whole = !leaf->complete ? "not all is measured yet"
                : f->list.entry[0].kind == RC_SUBMIT_NOISE
                    ? "measured: 'rollcall noise DIR' says what was found"
                    : "recorded: 'rollcall profile DIR' says where the time went";
    else if (!leaf->there)
        whole = "nothing is measured yet";
    snprintf(out, room, "%s", whole ? whole : "");
    if (whole)
        return;
    rc_text_append(out, room, "%" PRIu64 " of %" PRIu64 " units ok", leaf->all.ok,
                   leaf->all.units);
    if (leaf->all.invalid + leaf->all.failed)
        rc_text_append(out, room, ", %" PRIu64 " without a valid result",
                       leaf->all.invalid + leaf->all.failed);
    if (leaf->all.missing)
        rc_text_append(out, room, ", %" PRIu64 " missing", leaf->all.missing);
    if (leaf->complete)
        rc_text_append(out, room, ": complete");
}

static int show_json(const struct rc_jobs_state *f,
                     const struct rc_jobs_state_leaf *all, struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_suite_state, units, ok, invalid, failed, missing), {0}};
    struct rc_json own, *json = rc_json_begin(&own, stdout);

    rc_json_object(json, NULL);
    rc_json_text(json, "scheduler", f->list.scheduler->name);
    rc_json_integer(json, "round", f->list.round);
    rc_json_array(json, "jobs");
    int status = rc_job_view_show(f, RC_FORMAT_JSON, json, err);
    rc_json_end(json);
    rc_json_array(json, "parts");
    for (size_t i = 0; i < f->leaf_count; i++) {
        const struct rc_jobs_state_leaf *leaf = &f->leaf[i];
        rc_json_object(json, NULL);
        rc_json_text(json, "directory", leaf->path);
        rc_json_flag(json, "there", leaf->there);
        rc_json_members(json, members, &leaf->all);
        rc_json_flag(json, "complete", leaf->complete);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_flag(json, "complete", all->complete);
    rc_json_close(json);
    return status;
}

/* Reads the jobs' states, the campaign's progress and the end of --status; after
 * success call rc_jobs_state_fini().  A failed job is named even if all is measured,
 * since solving or the report may have failed; not while a job continues, or may
 * continue since the scheduler does not answer.
 */
static int read_state(const char *dir, const struct rc_template *template,
                      struct rc_jobs_state *f, struct rc_jobs_state_leaf *all,
                      struct rc_jobs_state_end *end, struct rc_error *err)
{
    const struct rc_jobs_state_job *failed = NULL;
    char log[PATH_MAX + 96], states[160];
    int status = rc_jobs_state_read(dir, template, true, f, err);

    if (status != RC_OK)
        return status;
    if ((status = rc_jobs_state_measure(dir, f, all, err)) != RC_OK) {
        rc_jobs_state_fini(f);
        return status;
    }
    bool goes_on = f->active != NULL;
    *end = (struct rc_jobs_state_end){.complete = all->complete};
    for (size_t i = 0; i < f->list.count; i++) {
        goes_on = goes_on || f->job[i].count[RC_JOB_UNKNOWN];
        if (!failed && f->job[i].count[RC_JOB_FAILED])
            failed = &f->job[i];
    }
    if (!failed || goes_on)
        return RC_OK;
    snprintf(log, sizeof log, "%s/%s", dir, failed->log);
    if (access(log, F_OK) != 0)
        snprintf(log, sizeof log, "%s/jobs", dir);
    const char *why = failed->entry->count > 1
                          ? put_state(failed, states, sizeof states)
                          : failed->reason;
    rc_text_append(end->failed, sizeof end->failed,
                   "job %s %s has failed%s%s%s: see '%.400s'", failed->entry->name,
                   failed->id, why[0] ? " (" : "", why, why[0] ? ")" : "", log);
    return RC_OK;
}

int rc_job_view_status(const char *dir, const struct rc_template *template,
                       enum rc_format format, struct rc_jobs_state_end *end,
                       struct rc_error *err)
{
    struct rc_jobs_state_leaf all;
    struct rc_jobs_state f;
    char line[256];
    int status = read_state(dir, template, &f, &all, end, err);

    if (status != RC_OK)
        return status;
    rc_rows_head(stdout, format, columns);
    status = format == RC_FORMAT_JSON ? show_json(&f, &all, err)
                                      : rc_job_view_show(&f, format, NULL, err);
    if (format == RC_FORMAT_TEXT) {
        putchar('\n');
        for (size_t i = 0; i < f.leaf_count && f.leaf_count > 1; i++) {
            put_total(&f, &f.leaf[i], line, sizeof line);
            if (!f.leaf[i].complete)
                printf("%s: %s\n", f.leaf[i].path, line);
        }
        put_total(&f, &all, line, sizeof line);
        printf("%s\n", line);
    }
    rc_jobs_state_fini(&f);
    return status;
}

/* Marks this round as cancelled before the records are read: a job that submits itself
 * again just now is in its record by then, or finds the mark.
 */
int rc_job_view_cancel(const char *dir, const struct rc_template *template,
                       struct rc_error *err)
{
    struct rc_error why = {.text = ""}, refused;
    struct rc_jobs_state f;
    struct rc_job_list list;
    size_t active = 0;
    int marked, status = rc_job_list_read(dir, &list, err);

    if (status != RC_OK)
        return status;
    marked = rc_job_list_cancel(dir, list.round, &why);
    rc_job_list_fini(&list);
    if ((status = rc_jobs_state_read(dir, template, true, &f, err)) != RC_OK)
        return status;
    /* The last job goes first, so that none begins because the one before is over.  All
     * are tried, even if one cannot be cancelled since it has just ended.
     */
    for (size_t i = f.list.count; i-- > 0;) {
        const struct rc_jobs_state_job *job = &f.job[i];
        if (job->state != RC_JOB_WAITING && job->state != RC_JOB_RUNNING &&
            job->state != RC_JOB_UNKNOWN)
            continue;
        active++;
        const int failed = rc_jobs_state_cancel_one(f.template, job->id, &refused);
        if (failed == RC_OK)
            printf("cancelled %s %s\n", job->entry->name, job->id);
        else if (status == RC_OK)
            status = rc_fail(err, failed, "%s", refused.text);
    }
    if (active == 0)
        printf("no job waits or runs\n");
    rc_jobs_state_fini(&f);
    if (status != RC_OK || marked == RC_OK)
        return status;
    return rc_fail(err, marked,
                   "%.800s; a job that is resubmitting itself just now continues",
                   why.text);
}

/* Tells what a watcher has already printed. */
struct watch {
    char states[LINE], total[256];
    FILE *log;
    unsigned silent; /* looks in a row without an answer of the scheduler */
};

/* Prints the whole lines that the campaign's log got since the last look.  A line
 * without its end is read again next time; one longer than the buffer comes in pieces.
 */
static void print_log(struct watch *w, const char *dir)
{
    char path[PATH_MAX], line[LINE];

    if (!w->log && rc_path(path, sizeof path, NULL, "%s/log.txt", dir) == RC_OK) {
        const int fd = rc_file_open(path, RC_FILE_IN, O_RDONLY);
        w->log = fd < 0 ? NULL : fdopen(fd, "r");
        if (!w->log && fd >= 0)
            close(fd);
    }
    if (!w->log)
        return;
    clearerr(w->log);
    for (long at = ftell(w->log); fgets(line, sizeof line, w->log);
         at = ftell(w->log)) {
        const size_t bytes = strlen(line);
        if (line[bytes - 1] != '\n' && bytes + 1 < sizeof line) {
            fseek(w->log, at, SEEK_SET);
            return;
        }
        line[strcspn(line, "\n")] = '\0';
        printf("  %s\n", rc_text_printable(line, sizeof line, line));
    }
}

/* Looks once and prints news.  'active': a job waits or runs.  A busy scheduler may not
 * answer; then jobs count as active for SILENT_MOST looks.
 */
static int look_at_jobs(struct watch *w, const char *dir,
                        const struct rc_template *template, bool *active,
                        struct rc_jobs_state_end *end, struct rc_error *err)
{
    struct rc_jobs_state_leaf all;
    struct rc_jobs_state f;
    char states[LINE] = "", total[256], when[RC_TEXT_TIME], state[160];
    bool silent = false;
    const int status = read_state(dir, template, &f, &all, end, err);

    if (status != RC_OK)
        return status;
    print_log(w, dir);
    for (size_t i = 0; i < f.list.count; i++)
        rc_text_append(states, sizeof states, "%s%s %s %s%s%s", i ? "; " : "",
                       f.job[i].entry->name, f.job[i].id,
                       put_state(&f.job[i], state, sizeof state),
                       f.job[i].reason[0] ? ": " : "", f.job[i].reason);
    put_total(&f, &all, total, sizeof total);
    rc_text_put_time(when, time(NULL));
    if (strcmp(states, w->states) != 0)
        printf("%s %s\n", when, states);
    if (strcmp(total, w->total) != 0)
        printf("%s %s\n", when, total);
    memcpy(w->states, states, sizeof w->states);
    memcpy(w->total, total, sizeof w->total);
    fflush(stdout);
    for (size_t i = 0; i < f.list.count; i++)
        silent = silent || f.job[i].count[RC_JOB_UNKNOWN];
    w->silent = silent ? w->silent + 1 : 0;
    *active = f.active || (silent && w->silent < SILENT_MOST);
    rc_jobs_state_fini(&f);
    return RC_OK;
}

int rc_job_view_watch(const char *dir, const struct rc_template *template,
                      struct rc_jobs_state_end *end, struct rc_error *err)
{
    struct watch w = {.states = ""};
    bool active = true;
    int status = RC_OK;

    rc_signals_watch();
    while (active && !rc_signals_came()) {
        const uint64_t began = rc_clock_ns();
        if ((status = look_at_jobs(&w, dir, template, &active, end, err)) != RC_OK)
            goto out;
        if (!active || rc_signals_came())
            break;
        const double took = (double)(rc_clock_ns() - began) / 1e9 * LOOK_FACTOR;
        const double seconds = took > LOOK_S ? took : LOOK_S;
        const struct timespec pause = {.tv_sec = (time_t)seconds,
                                       .tv_nsec =
                                           (long)((seconds - floor(seconds)) * 1e9)};
        nanosleep(&pause, NULL); /* ends at a signal */
    }
    if (active)
        fprintf(stderr, "no longer watching; the jobs continue\n");
out:
    if (w.log)
        fclose(w.log);
    return status;
}

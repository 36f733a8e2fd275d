/* Makes the jobs of a submission: names, dependencies, values and scripts.
 *
 * A script consists of the scheduler's directives, of 'name=value' lines with all that
 * the options say, and of sections of the scheduler's template (jobs/templates/), which
 * never change.  So no typed text gets into shell code unquoted.
 */
#include "campaign/submit/script.h"

#include "campaign/base/text.h"
#include "campaign/base/version.h"
#include "jobs/fill.h"

#include <ctype.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARN_USUAL = 120, /* a run is told so many seconds before the time limit */
    NAME_MOST = 15    /* characters of a job's name, because of PBS */
};

static const enum rc_job_text steps[] = {[RC_SUBMIT_RUN] = RC_JOB_RUN,
                                         [RC_SUBMIT_DEAL] = RC_JOB_DEAL,
                                         [RC_SUBMIT_FINISH] = RC_JOB_FINISH,
                                         [RC_SUBMIT_NOISE] = RC_JOB_NOISE,
                                         [RC_SUBMIT_PROFILE] = RC_JOB_PROFILE};
static const char *const what[] = {
    [RC_SUBMIT_RUN] =
        "Measures a campaign, or its part or share; solves it, makes the report.",
    [RC_SUBMIT_DEAL] = "Deals the units of a campaign out to shares.",
    [RC_SUBMIT_FINISH] =
        "Puts parts or shares of a campaign together, solves it, makes the report.",
    [RC_SUBMIT_NOISE] =
        "Measures what else runs on the nodes, and says which of them are off.",
    [RC_SUBMIT_PROFILE] = "Runs a program and records where its time goes."};

/* Seconds before its time limit at which a part's job is warned. */
static uint64_t warn_seconds(const struct rc_submit_setting *o,
                             const struct rc_submit_part *part)
{
    const uint64_t most = part->seconds / 4;

    if (o->warn_seconds)
        return o->warn_seconds;
    return most < 1 ? 1 : most < WARN_USUAL ? most : WARN_USUAL;
}

/* Writes a job's name that all schedulers take: a letter, then letters, digits, - and
 * _, at most 15 in all.
 */
static void put_job_name(const struct rc_submit_setting *o,
                         const struct rc_submit_job *job, char out[NAME_MOST + 1])
{
    const char *name = o->spec.name ? o->spec.name : "campaign";
    char tail[RC_SUBMIT_JOB_NAME + 1];
    size_t used = 0;

    snprintf(tail, sizeof tail, "-%s", job->name);
    const size_t room = NAME_MOST - strlen(tail);
    if (!isalpha((unsigned char)name[0]))
        out[used++] = 'c';
    for (; *name && used < room; name++)
        out[used++] = isalnum((unsigned char)*name) || *name == '_' ? *name : '-';
    snprintf(out + used, NAME_MOST + 1 - used, "%s", tail);
}

/* Input of a script. */
struct making {
    const struct rc_submit_setting *setting;
    const struct rc_submit_jobs *jobs;
    const struct rc_submit_job *job;
    struct rc_fill *fill; /* values of its variables and directives */
    FILE *out;
};

/* Sets a value to seconds, written as HH:MM:SS. */
static void set_hms(struct rc_fill *fill, const char *name, uint64_t seconds)
{
    char text[64];

    snprintf(text, sizeof text, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
             seconds / 3600, seconds / 60 % 60, seconds % 60);
    rc_fill_set(fill, name, text);
}

/* Sets the time limit and the time of the warning, in the forms that schedulers take.
 * A job without a time has neither, if the scheduler allows that.
 */
static int set_times(const struct making *m, struct rc_error *err)
{
    const struct rc_submit_setting *o = m->setting;
    const uint64_t seconds = m->job->part->seconds,
                   warn = warn_seconds(o, m->job->part);

    if (seconds == 0) {
        rc_fill_set_count(m->fill, "warn_seconds", 0);
        rc_fill_set_count(m->fill, "clock_seconds", 0);
        return RC_OK;
    }
    if (seconds <= warn)
        return rc_fail(err, RC_EUSAGE,
                       "--time is %" PRIu64 " s, expected more than the %" PRIu64
                       " s of --warn",
                       seconds, warn);
    if (rc_template_uses(&o->template, "warn_minutes") &&
        (seconds + 59) / 60 <= (warn + 59) / 60)
        return rc_fail(err, RC_EUSAGE,
                       "--time is %" PRIu64 " s with a warning %" PRIu64
                       " s before its end, expected a minute between: %s counts in "
                       "minutes",
                       seconds, warn, o->scheduler->summary);
    rc_fill_set_count(m->fill, "seconds", seconds);
    rc_fill_set_count(m->fill, "minutes", (seconds + 59) / 60);
    set_hms(m->fill, "hms", seconds);
    rc_fill_set_count(m->fill, "warn_seconds", warn);
    rc_fill_set_count(m->fill, "warn_minutes", (warn + 59) / 60);
    rc_fill_set_count(m->fill, "soft_seconds", seconds - warn);
    set_hms(m->fill, "soft_hms", seconds - warn);
    /* If no warning comes, the script looks at a clock. */
    rc_fill_set_count(m->fill, "clock_seconds",
                      o->scheduler->signals[0] ? 0 : seconds - warn);
    return RC_OK;
}

/* Sets the names of the job, its files and directories.  All jobs of parts except the
 * last one work in DIR/parts/N.
 */
static void set_names(const struct making *m, unsigned round)
{
    const struct rc_submit_setting *o = m->setting;
    const struct rc_submit_job *job = m->job;
    const char *index = job->shares ? o->scheduler->log_index : NULL;
    char name[NAME_MOST + 1], log[80], number[16], work[PATH_MAX + 64];

    put_job_name(o, job, name);
    snprintf(log, sizeof log, "jobs/%s%s%s.log", job->name, index ? "-" : "",
             index ? index : "");
    snprintf(number, sizeof number, "r%u", round);
    if (o->part_count > 1 && job->kind != RC_SUBMIT_FINISH)
        snprintf(work, sizeof work, "%s/parts/%zu", o->dir, job->number);
    else
        snprintf(work, sizeof work, "%s", o->dir);
    rc_fill_set(m->fill, "name", name);
    rc_fill_set(m->fill, "part", job->name);
    rc_fill_set(m->fill, "script", job->script);
    rc_fill_set_pattern(m->fill, "log", log);
    rc_fill_set(m->fill, "dir", o->dir);
    rc_fill_set(m->fill, "work", work);
    rc_fill_set(m->fill, "cwd", o->cwd);
    rc_fill_set(m->fill, "rollcall", o->rollcall);
    rc_fill_set(m->fill, "round", number);
    rc_fill_set_count(m->fill, "tries_most", o->tries);
    rc_fill_set(m->fill, "solves", o->part_count == 1 && !o->shares ? "yes" : NULL);
    rc_fill_set(m->fill, "queue", job->part->queue);
    rc_fill_set(m->fill, "account", job->part->account);
    rc_fill_set(m->fill, "after_job", job->after_count ? NULL : o->after);
}

/* The MPI whose launcher starts ranks: that of this program, unless --set names another
 * for the program to run.
 */
static const char *const mpis[] = {"openmpi", "mpich", "intel", NULL};
#ifdef OPEN_MPI
enum { OWN_MPI = 0 };
#elif defined I_MPI_NUMVERSION
enum { OWN_MPI = 2 };
#else /* MPICH and all others that derive from it */
enum { OWN_MPI = 1 };
#endif

static int check_mpi(const char *value, struct rc_error *err)
{
    char known[64] = "";

    for (size_t i = 0; mpis[i]; i++)
        if (strcmp(value, mpis[i]) == 0)
            return RC_OK;
    rc_text_append_list(known, sizeof known, mpis);
    return rc_fail(err, RC_EUSAGE, "--set mpi: found '%.80s', expected one of: %s",
                   value, known);
}

/* Sets the values of --set except the environment, after all that follow from other
 * options.
 */
static int set_sets(const struct making *m, struct rc_error *err)
{
    const struct rc_submit_part *part = m->job->part;

    rc_fill_set_by_user(m->fill, "launch_options", NULL);
    if (rc_template_uses(&m->setting->template, "mpi"))
        rc_fill_set_by_user(m->fill, "mpi", mpis[OWN_MPI]);
    if (rc_template_uses(&m->setting->template, "pe")) /* for Grid Engine */
        rc_fill_set_by_user(m->fill, "pe", "mpi");
    for (size_t i = 0; i < part->set_count; i++) {
        const char *set = part->set[i], *value = strchr(set, '=') + 1;
        char key[80];
        snprintf(key, sizeof key, "%.*s", (int)(value - 1 - set), set);
        if (strcmp(key, "mpi") == 0 && check_mpi(value, err) != RC_OK)
            return RC_EUSAGE;
        if (strncmp(key, "env.", 4) != 0 && !rc_fill_set_by_user(m->fill, key, value))
            return rc_fail(err, RC_EUSAGE,
                           "--set '%.80s': {{%s}} follows from other options", set,
                           key);
    }
    return RC_OK;
}

/* Writes an array for bash, "name=('a' 'b')". */
static void put_words(FILE *out, const char *name, const char *const *word,
                      size_t count)
{
    fprintf(out, "%s=(", name);
    for (size_t i = 0; i < count; i++) {
        if (i)
            fputc(' ', out);
        rc_fill_quote(word[i], out);
    }
    fputs(")\n", out);
}

/* Writes the lists of options.  'run' gets the campaign file as it is now, even if it
 * changes later; the others have none.
 */
static void put_lists(const struct making *m)
{
    const struct rc_submit_setting *o = m->setting;
    const char *signals = o->scheduler->signals;
    char path[PATH_MAX + 64];
    const char *const options[] = {"-c", path, "--extend"};

    if (m->jobs->spec[m->job->number])
        snprintf(path, sizeof path, "%s/jobs/campaign%zu.yaml", o->dir, m->job->number);
    else
        snprintf(path, sizeof path, "%s/jobs/campaign.yaml", o->dir);
    if (o->command == &rc_command_run)
        put_words(m->out, "run_options", options, o->extend ? 3 : 2);
    else
        put_words(m->out,
                  o->command == &rc_command_noise ? "noise_options" : "profile_options",
                  o->word, o->words);
    put_words(m->out, "modules", (const char *const *)o->modules.word,
              o->modules.count);
    fprintf(m->out, "signals=(%s)\n", signals[0] ? signals : "USR1");
}

/* Exports come before the script's own variables, so that none of these is changed. */
static void put_exports(const struct making *m)
{
    const struct rc_submit_part *part = m->job->part;

    for (size_t i = 0; i < part->set_count; i++) {
        const char *set = part->set[i], *value = strchr(set, '=') + 1;
        if (strncmp(set, "env.", 4) != 0)
            continue;
        fprintf(m->out, "[ \"${1-}\" = --submit ] || export %.*s",
                (int)(value - (set + 4)), set + 4);
        rc_fill_quote(value, m->out);
        fputc('\n', m->out);
    }
}

/* Writes a section's lines, each between 'before' and 'behind'. */
static void put_lines(const struct making *m, enum rc_job_text text, const char *before,
                      const char *behind)
{
    for (const char *at = m->setting->template.text[text]; *at;) {
        const size_t bytes = strcspn(at, "\n");
        fprintf(m->out, "%s%.*s%s\n", bytes ? before : "", (int)bytes, at, behind);
        at += bytes + (at[bytes] == '\n');
    }
}

/* Writes the directives, the values, then the sections of the template. */
static int put_script(const struct making *m, struct rc_error *err)
{
    const struct rc_submit_setting *o = m->setting;
    const struct rc_scheduler *s = o->scheduler;

    fputs("#!/bin/bash\n", m->out);
    const int status = rc_fill_header(m->fill, s, o->template.where[RC_JOB_HEADER],
                                      o->template.text[RC_JOB_HEADER], m->out, err);
    if (status != RC_OK)
        return status;
    fprintf(m->out,
            "\n# shellcheck disable=SC2317,SC2034 # what traps call, what only some "
            "schedulers need\n# %s\n# Written by rollcall %s for %s, see %s. It may be "
            "read, changed and\n# submitted by hand, in the campaign's directory: bash "
            "%s --submit\n# Goes on where an earlier try ended, at most %" PRIu32
            " times; the record is beside it.\n",
            what[m->job->kind], RC_VERSION, s->summary, s->manual, m->job->script,
            o->tries);
    put_exports(m);
    rc_fill_assign(m->fill, m->out);
    put_lists(m);
    fputs("\n# submit: this script, or its element 'index', to run after the jobs "
          "'after'; prints its number.\nsubmit() (\n    cd \"$dir\" || exit\n",
          m->out);
    put_lines(m, RC_JOB_SUBMIT, "    ", "");
    fputs(")\n\n", m->out);
    put_lines(m, RC_JOB_HEAD, "", "");
    fputs("set -u\n\n# Who runs this, and where.\n", m->out);
    put_lines(m, RC_JOB_SETUP, "", "");
    fputs("\n# launch COMMAND...: by ranks on all nodes, in place of this shell.\n"
          "launch() {\n    exec \\\n",
          m->out);
    put_lines(m, RC_JOB_LAUNCH, "        ", " \\");
    fputs("        \"$@\"\n}\n\n# again: this job is to run once more.\nagain() {\n",
          m->out);
    put_lines(m, RC_JOB_AGAIN, "    ", "");
    fputs("}\n", m->out);
    put_lines(m, RC_JOB_COMMON, "", "");
    put_lines(m, steps[m->job->kind], "", "");
    return RC_OK;
}

/* Makes the script of one job, in memory. */
static int write_script(struct making *m, unsigned round, struct rc_submit_job *job,
                        struct rc_error *err)
{
    const bool one_node = job->kind == RC_SUBMIT_DEAL || job->kind == RC_SUBMIT_FINISH;
    const uint32_t ranks = job->kind == RC_SUBMIT_DEAL ? 1 : job->part->ranks;
    const uint32_t nodes = one_node ? 1 : job->part->nodes_most;
    int status;

    m->job = job;
    m->fill = rc_fill_create();
    m->out = open_memstream(&job->text, &job->bytes);
    if (!m->fill || !m->out) {
        status = rc_fail(err, RC_ENOMEM, "no memory for a job's script");
        goto out;
    }
    set_names(m, round);
    /* One rank deals units out.  One rank puts parts together, too, but as many solve
     * them as a measuring node has.  Without a number of ranks the job counts its
     * cores.
     */
    rc_fill_set(m->fill, "nodes", one_node ? "1" : job->part->nodes);
    rc_fill_set_count(m->fill, "nodes_most", nodes);
    rc_fill_set_count(m->fill, "ranks", ranks);
    rc_fill_set_count(m->fill, "ranks_total", (unsigned long long)ranks * nodes);
    rc_fill_set_count(m->fill, "campaign_shares", m->setting->shares);
    rc_fill_set_count(m->fill, "shares", job->shares);
    if ((status = set_times(m, err)) == RC_OK && (status = set_sets(m, err)) == RC_OK &&
        (status = rc_fill_check(m->fill, err)) == RC_OK)
        status = put_script(m, err);
out:
    if (m->out && fclose(m->out) != 0 && status == RC_OK)
        status = rc_fail(err, RC_ENOMEM, "no memory for a job's script");
    rc_fill_close(m->fill);
    return status;
}

/* Appends a job with its name; a part's job has the part's number. */
static struct rc_submit_job *add_job(const struct rc_submit_setting *o,
                                     struct rc_submit_jobs *jobs,
                                     enum rc_submit_kind kind, size_t part)
{
    struct rc_submit_job *job = &jobs->job[jobs->count++];

    job->kind = kind;
    job->number = part;
    job->part = &o->part[part];
    job->shares = kind == RC_SUBMIT_RUN ? o->shares : 0;
    if (o->part_count > 1 && kind != RC_SUBMIT_FINISH)
        snprintf(job->name, sizeof job->name, "%s%zu", rc_submit_kind_names[kind],
                 part);
    else
        snprintf(job->name, sizeof job->name, "%s", rc_submit_kind_names[kind]);
    snprintf(job->script, sizeof job->script, "jobs/%s.sh", job->name);
    return job;
}

/* Lists the jobs: for a campaign, a deal before each part's array, and at the end the
 * job that puts all together; otherwise one job.
 */
static void list_jobs(const struct rc_submit_setting *o, struct rc_submit_jobs *jobs)
{
    size_t runs[RC_SUBMIT_PARTS] = {0};

    if (o->command != &rc_command_run) {
        (void)add_job(
            o, jobs,
            o->command == &rc_command_noise ? RC_SUBMIT_NOISE : RC_SUBMIT_PROFILE, 0);
        return;
    }
    for (size_t p = 0; p < o->part_count; p++) {
        if (o->shares)
            (void)add_job(o, jobs, RC_SUBMIT_DEAL, p);
        runs[p] = jobs->count;
        struct rc_submit_job *run = add_job(o, jobs, RC_SUBMIT_RUN, p);
        if (o->shares)
            run->after[run->after_count++] = runs[p] - 1;
    }
    if (o->part_count == 1 && !o->shares)
        return;
    struct rc_submit_job *finish = add_job(o, jobs, RC_SUBMIT_FINISH, 0);
    finish->after_count = o->part_count;
    memcpy(finish->after, runs, o->part_count * sizeof runs[0]);
}

int rc_submit_jobs_make(const struct rc_submit_setting *setting, unsigned round,
                        struct rc_submit_jobs *out, struct rc_error *err)
{
    struct making making = {.setting = setting, .jobs = out};
    int status = RC_OK;

    *out = (struct rc_submit_jobs){
        .job = rc_calloc(2 * setting->part_count + 1, sizeof *out->job)};
    if (!out->job)
        return rc_fail(err, RC_ENOMEM, "no memory for jobs");
    list_jobs(setting, out);
    /* A part with its own source has its own campaign file. */
    for (size_t p = 0; p < setting->part_count; p++) {
        const struct rc_submit_part *part = &setting->part[p];
        struct rc_spec spec = {0};
        if (part->source &&
            (status = rc_submit_part_spec(setting, part, &spec, err)) == RC_OK)
            status = rc_spec_text(&spec, &out->spec[p], &out->spec_bytes[p], err);
        rc_spec_fini(&spec);
        if (status != RC_OK)
            return status;
    }
    for (size_t i = 0; i < out->count; i++)
        if ((status = write_script(&making, round, &out->job[i], err)) != RC_OK)
            return status;
    return status;
}

void rc_submit_jobs_fini(struct rc_submit_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        free(jobs->job[i].text);
    for (size_t p = 0; p < RC_SUBMIT_PARTS; p++)
        free(jobs->spec[p]);
    free(jobs->job);
    *jobs = (struct rc_submit_jobs){0};
}

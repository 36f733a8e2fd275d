/* Makes the jobs of a submission: names, dependencies, values and the text of each
 * script.
 */
#include "campaign/submit/script.h"

#include "campaign/base/memory.h"
#include "campaign/base/version.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARN_USUAL = 120, NAME_MOST = 15 };

static const enum rc_job_text steps[] = {[RC_SUBMIT_RUN] = RC_JOB_RUN,
                                         [RC_SUBMIT_DEAL] = RC_JOB_DEAL,
                                         [RC_SUBMIT_FINISH] = RC_JOB_FINISH};
static const char *const what[] = {
    [RC_SUBMIT_RUN] =
        ("Measures a campaign, or its part or share; solves it, makes the report."),
    [RC_SUBMIT_DEAL] = ("Deals the units of a campaign out to shares."),
    [RC_SUBMIT_FINISH] = ("Puts parts and shares of a campaign together, solves it, "
                          "makes the report.")};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for a job's script");
}

uint64_t rc_submit_warn(const struct rc_submit_setting *setting,
                        const struct rc_submit_part *part)
{
    const uint64_t most = part->seconds / 4;
    const uint64_t wanted = setting->warn_seconds ? setting->warn_seconds : WARN_USUAL;

    if (setting->warn_seconds)
        return wanted;
    return most < 1 ? 1 : wanted < most ? wanted : most;
}

/* What all schedulers take as a job's name: at most 15 characters of letters, digits,
 * - and _, a letter in front.
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

static int set_hms(struct rc_fill *fill, const char *name, uint64_t seconds,
                   struct rc_error *err)
{
    char text[64];

    snprintf(text, sizeof text, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
             seconds / 3600, seconds / 60 % 60, seconds % 60);
    return rc_fill_set(fill, name, text, err);
}

/* Where jobs are unlimited, one without --time has no limit. */
static int set_times(const struct rc_submit_setting *o, const struct rc_submit_job *job,
                     struct rc_error *err)
{
    const uint64_t seconds = job->part->seconds, warn = rc_submit_warn(o, job->part);
    struct rc_fill *f = job->fill;
    int status = RC_OK;

    if (seconds == 0)
        return RC_OK;
    if (seconds <= warn)
        return rc_fail(err, RC_EUSAGE,
                       "--time is %" PRIu64 " s, expected more than the %" PRIu64
                       " s of --warn",
                       seconds, warn);
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"seconds", seconds},
                  {"minutes", (seconds + 59) / 60},
                  {"warn_seconds", warn},
                  {"warn_minutes", (warn + 59) / 60},
                  {"soft_seconds", seconds - warn}};
    if (rc_template_uses(&o->template, "warn_minutes") &&
        (seconds + 59) / 60 <= (warn + 59) / 60)
        return rc_fail(err, RC_EUSAGE,
                       "--time is %" PRIu64 " s with a warning %" PRIu64
                       " s before its end, expected a minute between: %s counts in "
                       "minutes",
                       seconds, warn, o->scheduler->summary);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0] && status == RC_OK; i++)
        status = rc_fill_set_count(f, counts[i].name, counts[i].value, err);
    if (status == RC_OK && !o->scheduler->signals[0])
        status = rc_fill_set_count(f, "clock_seconds", seconds - warn, err);
    if (status == RC_OK)
        status = set_hms(f, "hms", seconds, err);
    return status == RC_OK ? set_hms(f, "soft_hms", seconds - warn, err) : status;
}

/* Units are dealt out by one rank.  Parts are put together by one as well, but solved
 * by as many as a node has that measures.
 */
static int set_size(const struct rc_submit_job *job, struct rc_error *err)
{
    static const char count_cores[] =
        "$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)";
    const bool one_node = job->kind != RC_SUBMIT_RUN;
    const uint32_t ranks = job->kind == RC_SUBMIT_DEAL ? 1 : job->part->ranks;
    const uint32_t nodes = one_node ? 1 : job->part->nodes_most;
    struct rc_fill *f = job->fill;
    int status = rc_fill_set(f, "nodes", one_node ? "1" : job->part->nodes, err);

    if (status == RC_OK)
        status = rc_fill_set_count(f, "nodes_most", nodes, err);
    if (status == RC_OK && ranks == 0)
        status = rc_fill_set_raw(f, "ranks_shell", count_cores, err);
    if (status == RC_OK && ranks)
        status = rc_fill_set_count(f, "ranks", ranks, err);
    if (status == RC_OK && ranks)
        status = rc_fill_set_count(f, "ranks_shell", ranks, err);
    if (status == RC_OK && ranks)
        status =
            rc_fill_set_count(f, "ranks_total", (unsigned long long)ranks * nodes, err);
    return status;
}

/* --set: placeholders, and the environment as lines of the shell. */
static int set_sets(const struct rc_submit_job *job, struct rc_error *err)
{
    char *exports = NULL;
    size_t bytes;
    FILE *out = open_memstream(&exports, &bytes);
    int status = RC_OK;

    if (!out)
        return no_memory(err);
    for (size_t i = 0; i < job->part->set_count && status == RC_OK; i++) {
        const char *set = job->part->set[i], *value = strchr(set, '=') + 1;
        char key[80];
        snprintf(key, sizeof key, "%.*s", (int)(value - 1 - set), set);
        if (strncmp(key, "env.", 4) != 0) {
            status = rc_fill_set(job->fill, key, value, err);
            continue;
        }
        fprintf(out, "%sexport %s=", ftell(out) > 0 ? "\n" : "", key + 4);
        rc_fill_quote(value, out);
    }
    if (fclose(out) != 0 && status == RC_OK)
        status = no_memory(err);
    if (status == RC_OK && bytes)
        status = rc_fill_set_raw(job->fill, "exports", exports, err);
    free(exports);
    return status;
}

/* What 'run' is told: the campaign file as it is now, whatever becomes of it. */
static int set_run(const struct rc_submit_setting *o, const struct rc_submit_jobs *jobs,
                   const struct rc_submit_job *job, struct rc_error *err)
{
    char path[PATH_MAX + 64];
    int status = rc_fill_add(job->fill, "run_options", "-c", err);

    if (jobs->spec[job->number])
        snprintf(path, sizeof path, "%s/jobs/campaign%zu.yaml", o->dir, job->number);
    else
        snprintf(path, sizeof path, "%s/jobs/campaign.yaml", o->dir);
    if (status == RC_OK)
        status = rc_fill_add(job->fill, "run_options", path, err);
    if (status == RC_OK && o->extend)
        status = rc_fill_add(job->fill, "run_options", "--extend", err);
    return status;
}

/* A batch job's shell is no login shell. */
static const char module_init[] =
    "# shellcheck disable=SC1091\n"
    "if ! command -v module >/dev/null 2>&1 && [ -r /etc/profile.d/modules.sh ]; then\n"
    "    . /etc/profile.d/modules.sh\n"
    "fi";

static int set_names(const struct rc_submit_setting *o, const struct rc_submit_job *job,
                     unsigned round, struct rc_error *err)
{
    const struct rc_scheduler *s = o->scheduler;
    char name[NAME_MOST + 1], script[64], log[80], number[16], part_dir[PATH_MAX + 64];
    int status = RC_OK;

    put_job_name(o, job, name);
    snprintf(script, sizeof script, "jobs/%s.sh", job->name);
    snprintf(log, sizeof log, "jobs/%s%s%s.log", job->name,
             job->shares && s->log_index ? "-" : "",
             job->shares && s->log_index ? s->log_index : "");
    snprintf(number, sizeof number, "r%u", round);
    if (o->part_count > 1 && job->kind != RC_SUBMIT_FINISH)
        snprintf(part_dir, sizeof part_dir, "%s/parts/%zu", o->dir, job->number);
    else
        snprintf(part_dir, sizeof part_dir, "%s", o->dir);
    const char *const values[][2] = {
        {"what", what[job->kind]},
        {"version", RC_VERSION},
        {"summary", s->summary},
        {"manual", s->manual},
        {"name", name},
        {"script", script},
        {"part", job->name},
        {"dir", o->dir},
        {"work", part_dir},
        {"cwd", o->cwd},
        {"rollcall", o->rollcall},
        {"round", number},
        {"queue", job->part->queue},
        {"account", job->part->account},
        {"solves", o->part_count == 1 && !o->shares ? "yes" : ""},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0] && status == RC_OK; i++)
        if (values[i][1])
            status = rc_fill_set(job->fill, values[i][0], values[i][1], err);
    if (status == RC_OK)
        status = rc_fill_set_raw(job->fill, "log", log, err);
    if (status == RC_OK)
        status = rc_fill_set_count(job->fill, "tries", o->tries, err);
    if (status == RC_OK && o->modules.count)
        status = rc_fill_set_raw(job->fill, "module_init", module_init, err);
    for (size_t i = 0; i < o->modules.count && status == RC_OK; i++)
        status = rc_fill_add(job->fill, "modules", o->modules.word[i], err);
    return status;
}

static int set_array(const struct rc_submit_setting *o, const struct rc_submit_job *job,
                     struct rc_error *err)
{
    int status = rc_fill_set(job->fill, "shares_or_none", "", err);

    if (status == RC_OK && o->shares)
        status = rc_fill_set_count(job->fill, "shares", o->shares, err);
    if (status == RC_OK && job->shares)
        status = rc_fill_set_count(job->fill, "shares_or_none", job->shares, err);
    if (status == RC_OK && job->shares && o->scheduler->arrays)
        status = rc_fill_set_count(job->fill, "first", o->scheduler->first_index, err);
    if (status == RC_OK && job->shares && o->scheduler->arrays)
        status = rc_fill_set_count(job->fill, "last",
                                   job->shares - 1 + o->scheduler->first_index, err);
    return status;
}

static int set_signals(const struct rc_submit_setting *o,
                       const struct rc_submit_job *job, struct rc_error *err)
{
    const char *const own = "USR1"; /* of the script's clock */
    const char *at = o->scheduler->signals[0] ? o->scheduler->signals : own;
    char word[32];
    int status = RC_OK, used;

    for (; sscanf(at, "%31s%n", word, &used) == 1 && status == RC_OK; at += used)
        status = rc_fill_add(job->fill, "signals", word, err);
    return status;
}

/* The submit command as a shell's, under a name; of an array's element without what
 * belongs to the array, and with the log that it had there.
 */
struct command {
    const char *name, *after, *index, *fewer; /* shell, or NULL */
};

static int set_element(const struct rc_submit_setting *o, const char *index,
                       struct rc_fill *fill, struct rc_error *err)
{
    const bool counts_on = index && o->scheduler->first_index;
    int status = rc_fill_set_raw(fill, "index", index, err);

    if (status == RC_OK && index)
        status = rc_fill_set(fill, "last", NULL, err);
    if (status == RC_OK)
        status = rc_fill_set_raw(fill, "element",
                                 counts_on ? "\"$((index + 1))\"" : index, err);
    return status;
}

static int set_command(const struct rc_submit_setting *o,
                       const struct rc_submit_job *job, const struct command *c,
                       struct rc_error *err)
{
    struct rc_fill *fill = rc_fill_copy(job->fill);
    char *text = NULL;
    size_t bytes;
    FILE *out = fill ? open_memstream(&text, &bytes) : NULL;
    int status = out ? RC_OK : no_memory(err);

    if (status == RC_OK)
        status = set_element(o, c->index, fill, err);
    if (status == RC_OK)
        status = rc_fill_set_raw(fill, "after", c->after, err);
    if (status == RC_OK)
        status = rc_fill_set_raw(fill, "fewer", c->fewer, err);
    if (status == RC_OK)
        status = rc_fill_command(fill, o->template.where[RC_JOB_SUBMIT],
                                 o->template.text[RC_JOB_SUBMIT], out, err);
    if (status == RC_OK && o->scheduler->reads_stdin) {
        fputs(" <", out);
        rc_fill_quote(rc_fill_value(job->fill, "script"), out);
    }
    if (out && fclose(out) != 0 && status == RC_OK)
        status = no_memory(err);
    if (status == RC_OK)
        status = rc_fill_set_raw(job->fill, c->name, text, err);
    free(text);
    rc_fill_close(fill);
    return status;
}

static int set_commands(const struct rc_submit_setting *o,
                        const struct rc_submit_job *job, struct rc_error *err)
{
    const char *index = job->shares ? "\"$index\"" : NULL;
    const struct command commands[] = {
        {.name = "by_hand"},
        {.name = "resubmit", .index = index},
        {.name = "resubmit_after", .after = "\"$after\"", .index = index},
        {.name = "resubmit_fewer", .index = index, .fewer = "\"$fewer\""}};
    int status = RC_OK;

    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && status == RC_OK; i++)
        status = set_command(o, job, &commands[i], err);
    return status;
}

/* What follows from other options is not for --set. */
static int check_sets(const struct rc_submit_job *job, struct rc_error *err)
{
    for (size_t i = 0; i < job->part->set_count; i++) {
        const char *set = job->part->set[i], *value = strchr(set, '=') + 1;
        char key[80];
        snprintf(key, sizeof key, "%.*s", (int)(value - 1 - set), set);
        const char *is = rc_fill_value(job->fill, key);
        if (strncmp(key, "env.", 4) != 0 && (!is || strcmp(is, value) != 0))
            return rc_fail(err, RC_EUSAGE,
                           "--set '%.80s': {{%s}} follows from other options", set,
                           key);
    }
    return RC_OK;
}

static int set_all(const struct rc_submit_setting *o, const struct rc_submit_jobs *jobs,
                   const struct rc_submit_job *job, unsigned round,
                   struct rc_error *err)
{
    int status = rc_fill_set(job->fill, "pe", "mpi", err); /* of Grid Engine */

    if (status == RC_OK)
        status = set_sets(job, err);
    if (status == RC_OK)
        status = set_names(o, job, round, err);
    if (status == RC_OK)
        status = set_times(o, job, err);
    if (status == RC_OK)
        status = set_size(job, err);
    if (status == RC_OK)
        status = set_run(o, jobs, job, err);
    if (status == RC_OK)
        status = set_array(o, job, err);
    if (status == RC_OK)
        status = set_signals(o, job, err);
    if (status == RC_OK && o->after && job->after_count == 0)
        status = rc_fill_set(job->fill, "after_job", o->after, err);
    if (status == RC_OK)
        status = set_commands(o, job, err);
    return status == RC_OK ? check_sets(job, err) : status;
}

static int put_text(const struct rc_submit_setting *o, const struct rc_submit_job *job,
                    enum rc_job_text text, FILE *out, struct rc_error *err)
{
    return rc_fill_text(job->fill, o->scheduler, o->template.where[text],
                        o->template.text[text], out, err);
}

/* Writes the lines of a text, some of which may be left out, with 'before' in front of
 * each and 'behind' behind it.
 */
static int put_lines(const struct rc_submit_setting *o, const struct rc_submit_job *job,
                     enum rc_job_text which, const char *before, const char *behind,
                     FILE *out, struct rc_error *err)
{
    char *text = NULL;
    size_t bytes;
    FILE *lines = open_memstream(&text, &bytes);
    int status = lines ? put_text(o, job, which, lines, err) : no_memory(err);

    if (lines && fclose(lines) != 0 && status == RC_OK)
        status = no_memory(err);
    for (const char *at = text; status == RC_OK && *at; at += strcspn(at, "\n") + 1)
        fprintf(out, "%s%.*s%s\n", before, (int)strcspn(at, "\n"), at, behind);
    free(text);
    return status;
}

static int put_functions(const struct rc_submit_setting *o,
                         const struct rc_submit_job *job, FILE *out,
                         struct rc_error *err)
{
    fputs("\n# launch COMMAND...: by ranks on all nodes, in place of this shell.\n"
          "launch() {\n    exec \\\n",
          out);
    int status = put_lines(o, job, RC_JOB_LAUNCH, "        ", " \\", out, err);
    fputs("        \"$@\"\n}\n\n# again: this job is to run once more.\nagain() {\n",
          out);
    if (status == RC_OK)
        status = put_lines(o, job, RC_JOB_AGAIN, "    ", "", out, err);
    fputs("}\n", out);
    return status;
}

static int write_script(const struct rc_submit_setting *o, struct rc_submit_job *job,
                        struct rc_error *err)
{
    FILE *out = open_memstream(&job->text, &job->bytes);
    int status;

    if (!out)
        return no_memory(err);
    fputs("#!/bin/bash\n", out);
    status = put_text(o, job, RC_JOB_HEADER, out, err);
    if (status == RC_OK)
        status = put_text(o, job, RC_JOB_HEAD, out, err);
    if (status == RC_OK)
        status = put_text(o, job, RC_JOB_SETUP, out, err);
    if (status == RC_OK)
        status = put_functions(o, job, out, err);
    if (status == RC_OK)
        status = put_text(o, job, RC_JOB_COMMON, out, err);
    if (status == RC_OK)
        status = put_text(o, job, steps[job->kind], out, err);
    if (fclose(out) != 0 && status == RC_OK)
        status = no_memory(err);
    return status;
}

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
    return job;
}

/* A deal before the array of each part, and at the end what puts all together. */
static void list_jobs(const struct rc_submit_setting *o, struct rc_submit_jobs *jobs)
{
    size_t runs[RC_SUBMIT_PARTS] = {0};

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

/* A part with a source of its own has a campaign file of its own. */
static int make_specs(const struct rc_submit_setting *o, struct rc_submit_jobs *jobs,
                      struct rc_error *err)
{
    int status = RC_OK;

    for (size_t p = 0; p < o->part_count && status == RC_OK; p++) {
        struct rc_spec spec;
        if (!o->part[p].source)
            continue;
        status = rc_submit_part_spec(o, &o->part[p], &spec, err);
        if (status != RC_OK)
            break;
        status = rc_spec_text(&spec, &jobs->spec[p], &jobs->spec_bytes[p], err);
        rc_spec_fini(&spec);
    }
    return status;
}

int rc_submit_jobs_make(const struct rc_submit_setting *setting, unsigned round,
                        struct rc_submit_jobs *out, struct rc_error *err)
{
    int status;

    *out = (struct rc_submit_jobs){
        .job = rc_calloc(2 * setting->part_count + 1, sizeof *out->job)};
    if (!out->job)
        return no_memory(err);
    list_jobs(setting, out);
    status = make_specs(setting, out, err);
    for (size_t i = 0; i < out->count && status == RC_OK; i++) {
        struct rc_submit_job *job = &out->job[i];
        job->fill = rc_fill_create();
        status = job->fill ? set_all(setting, out, job, round, err) : no_memory(err);
        if (status == RC_OK)
            status = write_script(setting, job, err);
    }
    return status;
}

void rc_submit_jobs_fini(struct rc_submit_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++) {
        rc_fill_close(jobs->job[i].fill);
        free(jobs->job[i].text);
    }
    for (size_t p = 0; p < RC_SUBMIT_PARTS; p++)
        free(jobs->spec[p]);
    free(jobs->job);
    *jobs = (struct rc_submit_jobs){0};
}

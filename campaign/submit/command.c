/* The submit command: runs a campaign as jobs of a batch system.
 *
 * options.c reads the options, script.c makes the jobs, job_submit.c hands them to the
 * scheduler; jobs_state.c and job_view.c follow them afterwards.
 */
#include "campaign/spec/options.h"
#include "campaign/submit/job_submit.h"
#include "campaign/submit/jobs_state.h"

#include <string.h>

static int show_template(const struct rc_args *args, struct rc_error *err)
{
    struct rc_template template;
    int status;

    if ((status = rc_submit_scheduler(args, &template, err)) == RC_OK)
        rc_template_write(&template, stdout);
    rc_template_fini(&template);
    return status;
}

/* Does --status, --cancel or --watch. */
static int follow_jobs(struct rc_session *session, const struct rc_args *args,
                       const struct rc_option *option, struct rc_error *err)
{
    const char *dir = rc_args_value(args, option);
    const enum rc_format format =
        rc_rows_format(rc_args_value(args, &rc_option_format));
    struct rc_template template;
    struct rc_jobs_state_end end = {.complete = true};
    int status = rc_submit_scheduler(args, &template, err);

    if (status != RC_OK)
        return status;
    if (!dir[0])
        status = rc_fail(err, RC_EUSAGE,
                         "--%s '', expected the directory of a campaign", option->name);
    else if (option == &rc_submit_status)
        status = rc_job_view_status(dir, &template, format, &end, err);
    else if (option == &rc_submit_cancel)
        status = rc_job_view_cancel(dir, &template, err);
    else
        status = rc_job_view_watch(dir, &template, &end, err);
    rc_template_fini(&template);
    if (status == RC_OK && end.failed[0])
        status = rc_fail(err, RC_EIO, "%s", end.failed);
    session->incomplete = status == RC_OK && !end.complete;
    return status;
}

/* At most one of --status, --cancel and --watch may be given, without anything else. */
static int run_submit(struct rc_session *session, const struct rc_args *args,
                      struct rc_error *err)
{
    static const struct rc_option *const verbs[] = {
        &rc_submit_status, &rc_submit_cancel, &rc_submit_watch};
    const struct rc_option *verb = NULL;

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (!rc_args_has(args, verbs[i]))
            continue;
        if (verb || rc_args_has(args, &rc_option_directory) || args->operand_count)
            return rc_fail(err, RC_EUSAGE,
                           "--%s DIR stands alone, expected no -o, no other of "
                           "--status, --cancel and --watch, and nothing to run",
                           verbs[i]->name);
        verb = verbs[i];
    }
    if (rc_args_has(args, &rc_submit_list)) {
        const struct rc_scheduler *taken = rc_scheduler_detect();
        for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++)
            printf("%-8s %-14s %s\n", (*s)->name, (*s)->summary,
                   *s == taken                ? "here: chosen by 'auto'"
                   : rc_scheduler_is_here(*s) ? "here"
                                              : "not here");
        return RC_OK;
    }
    if (rc_args_has(args, &rc_submit_show))
        return show_template(args, err);
    if (verb)
        return follow_jobs(session, args, verb, err);
    struct rc_submit_setting setting;
    int status = rc_submit_setting_read(args, &setting, err);
    if (status == RC_OK)
        status = setting.dry ? rc_submit_show_dry(&setting, err)
                             : rc_submit_send(&setting, err);
    rc_submit_setting_fini(&setting);
    return status;
}

const struct rc_command rc_command_submit = {
    .name = "submit",
    .behind = &rc_command_run,
    .summary =
        "runs a campaign through a batch system: writes, submits and follows its jobs",
    .operands = "[-- RUN OPTIONS | noise NOISE OPTIONS | profile PROFILE OPTIONS]",
    .operands_most = SIZE_MAX,
    .options = rc_submit_options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_SPEC | RC_FILE_JOURNAL | RC_FILE_STORE | RC_FILE_METRICS |
             RC_FILE_REPORT | RC_FILE_LOG | RC_FILE_JOBS,
    .variables = RC_VARIABLE_DATA,
    .see = (const char *const[]){"run", "noise", "profile", "status", "merge", "report",
                                 NULL},
    .run = run_submit,
};

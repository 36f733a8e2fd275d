/* Flux: flux-batch(1), flux-run(1), flux-jobs(1), flux-cancel(1). */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <string.h>

/* The states and results of flux-jobs(1), "JOB STATUS". */
static const char *const words[RC_JOB_STATES] = {[RC_JOB_WAITING] =
                                                     "NEW DEPEND PRIORITY SCHED",
                                                 [RC_JOB_RUNNING] = "RUN CLEANUP",
                                                 [RC_JOB_DONE] = "COMPLETED FAILED",
                                                 [RC_JOB_CANCELLED] = "CANCELED",
                                                 [RC_JOB_FAILED] = "TIMEOUT"};

/* Reads "STATE|STATUS|EXCEPTION". */
static void read_line(const char *line, const char *job, struct rc_job_answer *out)
{
    char state[32] = "", status[32] = "", reason[160] = "";

    (void)job;
    if (sscanf(line, "%31[^|\n]|%31[^|\n]|%159[^\n]", state, status, reason) < 2)
        return;
    const char *word = strcmp(state, "INACTIVE") == 0 ? status : state;
    enum rc_job_state found = rc_job_word_state(words, word);
    if (found == RC_JOB_DONE && reason[0])
        found = RC_JOB_FAILED; /* by an exception: a lost node, a dependency */
    rc_job_answer_add(out, found, word, reason);
}

const struct rc_scheduler rc_scheduler_flux = {
    .name = "flux",
    .summary = "Flux",
    .manual = "flux-batch(1)",
    .programs = (const char *const[]){"flux", NULL},
    .ask = (const char *const[]){"flux", "resource", "list", NULL},
    .variable = "FLUX_URI",
    .directive = "# flux:",
    .signals = "USR1",
    .texts = {rc_template_flux},
    /* Directives are read as words of a shell. */
    .quoting = {.quote = '\'',
                .bad = "'\\{}",
                .why = "it has a single quote, a backslash or braces, which mean "
                       "something else there"},
    .read_line = read_line,
    .silent_of_gone = true,
};

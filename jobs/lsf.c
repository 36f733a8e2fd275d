/* IBM Spectrum LSF, also with jsrun (CSM): bsub(1), bjobs(1), bkill(1). */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <string.h>

/* Job states of bjobs(1). */
static const char *const words[RC_JOB_STATES] = {
    [RC_JOB_WAITING] = "PEND PSUSP WAIT PROV",
    [RC_JOB_RUNNING] = "RUN USUSP SSUSP UNKWN",
    [RC_JOB_DONE] = "DONE EXIT",
    [RC_JOB_FAILED] = "ZOMBI"};

/* Reads "12|3|EXIT|130|TERM_OWNER: job killed by owner", a line for each element. */
static void read_line(const char *line, const char *job, struct rc_job_answer *out)
{
    char word[16] = "", reason[160] = "";

    (void)job;
    if (sscanf(line, "%*[^|\n]|%*[^|\n]|%15[^|\n]|%*[^|\n]|%159[^\n]", word, reason) <
        1)
        return;
    if (strcmp(reason, "-") == 0)
        reason[0] = '\0';
    enum rc_job_state state = rc_job_word_state(words, word);
    /* LSF's reason is TERM_... where a person or a limit ended the job. */
    if (strcmp(word, "EXIT") == 0 && strstr(reason, "TERM_"))
        state = strstr(reason, "TERM_OWNER") || strstr(reason, "TERM_FORCE_OWNER") ||
                        strstr(reason, "TERM_ADMIN")
                    ? RC_JOB_CANCELLED
                    : RC_JOB_FAILED;
    rc_job_answer_add(out, state, word, reason);
}

/* Words of directives may be in quotes, which have no escapes.  Several words after -q
 * would be several queues.
 */
#define QUOTING                                                                        \
    {                                                                                  \
        .quote = '"', .bad = "\"\\$`",                                                 \
        .why = "it has one of \" \\ $ `, which cannot be quoted there"                 \
    }

const struct rc_scheduler rc_scheduler_lsf = {
    .name = "lsf",
    .summary = "LSF",
    .manual = "bsub(1)",
    .programs = (const char *const[]){"bsub", "bjobs", "bkill", NULL},
    .ask = (const char *const[]){"bhosts", NULL},
    .variable = "LSF_ENVDIR",
    .directive = "#BSUB",
    .signals = "USR1 USR2",
    .log_index = "%I",
    .first_index = 1,
    .arrays = true,
    .no_such_job = "is not found",
    .texts = {rc_template_lsf},
    .quoting = QUOTING,
    .read_line = read_line,
};

/* IBM's machines with CSM: jobs get whole nodes, jsrun starts ranks on them. */
const struct rc_scheduler rc_scheduler_jsrun = {
    .name = "jsrun",
    .summary = "LSF with jsrun",
    .manual = "bsub(1), jsrun(1)",
    .programs = (const char *const[]){"bsub", "bjobs", "bkill", "jsrun", NULL},
    .ask = (const char *const[]){"bhosts", NULL},
    .directive = "#BSUB",
    .signals = "USR1 USR2",
    .log_index = "%I",
    .first_index = 1,
    .arrays = true,
    .no_such_job = "is not found",
    .texts = {rc_template_lsf, rc_template_jsrun},
    .quoting = QUOTING,
    .read_line = read_line,
};

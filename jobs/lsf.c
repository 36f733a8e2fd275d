/* IBM Spectrum LSF, also with jsrun (CSM): bsub(1), bjobs(1), bkill(1). */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <string.h>

/* Job states of bjobs(1). */
static const struct rc_job_word words[] = {
    {"PEND", RC_JOB_WAITING},  {"PSUSP", RC_JOB_WAITING}, {"WAIT", RC_JOB_WAITING},
    {"PROV", RC_JOB_WAITING},  {"RUN", RC_JOB_RUNNING},   {"USUSP", RC_JOB_RUNNING},
    {"SSUSP", RC_JOB_RUNNING}, {"UNKWN", RC_JOB_RUNNING}, {"DONE", RC_JOB_DONE},
    {"EXIT", RC_JOB_DONE},     {"ZOMBI", RC_JOB_FAILED},  {NULL, RC_JOB_UNKNOWN}};

/* How an ended job ended, by the reason that LSF gives: TERM_... where somebody or a
 * limit ended it.
 */
static enum rc_job_state end_of(const char *reason)
{
    if (strstr(reason, "TERM_OWNER") || strstr(reason, "TERM_FORCE_OWNER") ||
        strstr(reason, "TERM_ADMIN"))
        return RC_JOB_CANCELLED;
    return strstr(reason, "TERM_") ? RC_JOB_FAILED : RC_JOB_DONE;
}

/* "12|3|EXIT|130|TERM_OWNER: job killed by owner", a line for each element. */
static void read_line(const char *line, const char *job, struct rc_job_answer *out)
{
    char word[16] = "", reason[160] = "";

    (void)job;
    if (sscanf(line, "%*[^|\n]|%*[^|\n]|%15[^|\n]|%*[^|\n]|%159[^\n]", word, reason) <
        1)
        return;
    if (strcmp(reason, "-") == 0)
        reason[0] = '\0';
    rc_job_answer_add(out,
                      strcmp(word, "EXIT") == 0 ? end_of(reason)
                                                : rc_job_word_state(words, word),
                      word, reason);
}

/* Words of directives may stand in quotes, which have no escapes.  Several words after
 * -q would be several queues.
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

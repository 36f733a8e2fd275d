/* Slurm: sbatch(1), srun(1), squeue(1), scancel(1), scontrol(1).
 *
 * squeue tells of jobs that are over for some minutes only (MinJobAge); how a job ended
 * is in its record.
 */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <string.h>

/* The job's codes of squeue(1), by their long names. */
static const struct rc_job_word words[] = {{"PENDING", RC_JOB_WAITING},
                                           {"REQUEUED", RC_JOB_WAITING},
                                           {"REQUEUE_FED", RC_JOB_WAITING},
                                           {"REQUEUE_HOLD", RC_JOB_WAITING},
                                           {"RESV_DEL_HOLD", RC_JOB_WAITING},
                                           {"SPECIAL_EXIT", RC_JOB_WAITING},
                                           {"CONFIGURING", RC_JOB_RUNNING},
                                           {"RUNNING", RC_JOB_RUNNING},
                                           {"COMPLETING", RC_JOB_RUNNING},
                                           {"RESIZING", RC_JOB_RUNNING},
                                           {"SIGNALING", RC_JOB_RUNNING},
                                           {"STAGE_OUT", RC_JOB_RUNNING},
                                           {"STOPPED", RC_JOB_RUNNING},
                                           {"SUSPENDED", RC_JOB_RUNNING},
                                           {"COMPLETED", RC_JOB_DONE},
                                           {"CANCELLED", RC_JOB_CANCELLED},
                                           {"BOOT_FAIL", RC_JOB_FAILED},
                                           {"DEADLINE", RC_JOB_FAILED},
                                           {"FAILED", RC_JOB_FAILED},
                                           {"NODE_FAIL", RC_JOB_FAILED},
                                           {"OUT_OF_MEMORY", RC_JOB_FAILED},
                                           {"PREEMPTED", RC_JOB_FAILED},
                                           {"REVOKED", RC_JOB_FAILED},
                                           {"TIMEOUT", RC_JOB_FAILED},
                                           {NULL, RC_JOB_UNKNOWN}};

/* "123_4|PENDING|Priority", a line for each element. */
static void read_state(const char *answer, int exited, const char *job,
                       struct rc_job_answer *out)
{
    char line[512], word[64], reason[160];

    (void)job;
    for (const char *at = answer; (at = rc_job_next_line(at, line, sizeof line));) {
        word[0] = reason[0] = '\0';
        if (sscanf(line, "%*[^|\n]|%63[^|\n]|%159[^\n]", word, reason) < 1)
            continue;
        rc_job_answer_add(out, rc_job_word_state(words, word), word,
                          strcmp(reason, "None") == 0 ? "" : reason);
    }
    if (!out->word[0])
        rc_job_answer_add(out, exited ? RC_JOB_GONE : RC_JOB_UNKNOWN, "", "");
}

/* In double quotes, where a backslash takes the meaning of what follows. */
static const char *directive_value(const char *value, char *out, size_t room)
{
    const char *unfit = rc_job_directive_plain(value, out, room);
    size_t used = 0;

    if (!unfit || *value == '-' || !*value)
        return unfit;
    if (2 * strlen(value) + 3 > room)
        return "it is too long";
    out[used++] = '"';
    for (; *value; value++) {
        if ((unsigned char)*value < ' ' || *value == 0x7f)
            return "it has a character that cannot be printed";
        if (*value == '"' || *value == '\\')
            out[used++] = '\\';
        out[used++] = *value;
    }
    snprintf(out + used, room - used, "\"");
    return NULL;
}

const struct rc_scheduler rc_scheduler_slurm = {
    .name = "slurm",
    .summary = "Slurm",
    .no_such_job = "Invalid job id",
    .manual = "sbatch(1)",
    .programs = (const char *const[]){"sbatch", "squeue", "scancel", NULL},
    .directive = "#SBATCH",
    .signals = "USR1",
    .directory_bad = "%\\\n", /* a log's path is a pattern, its directory too */
    .node_ranges = true,
    .log_index = "%a",
    .arrays = true,
    .whole_nodes = true,
    .texts = {rc_template_slurm},
    .directive_value = directive_value,
    .read_state = read_state,
};

/* Slurm: sbatch(1), srun(1), squeue(1), scancel(1), scontrol(1).
 *
 * squeue lists jobs that are over for some minutes only (MinJobAge); how a job ended
 * is in its record.
 */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <string.h>

/* The job's codes of squeue(1), by their long names. */
static const char *const words[RC_JOB_STATES] = {
    [RC_JOB_WAITING] =
        "PENDING REQUEUED REQUEUE_FED REQUEUE_HOLD RESV_DEL_HOLD SPECIAL_EXIT",
    [RC_JOB_RUNNING] = "CONFIGURING RUNNING COMPLETING RESIZING SIGNALING STAGE_OUT "
                       "STOPPED SUSPENDED",
    [RC_JOB_DONE] = "COMPLETED",
    [RC_JOB_CANCELLED] = "CANCELLED",
    [RC_JOB_FAILED] = "BOOT_FAIL DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED "
                      "REVOKED TIMEOUT"};

/* Reads "123_4|PENDING|Priority", a line for each element. */
static void read_line(const char *line, const char *job, struct rc_job_answer *out)
{
    char word[64] = "", reason[160] = "";

    (void)job;
    if (sscanf(line, "%*[^|\n]|%63[^|\n]|%159[^\n]", word, reason) >= 1)
        rc_job_answer_add(out, rc_job_word_state(words, word), word,
                          strcmp(reason, "None") == 0 ? "" : reason);
}

const struct rc_scheduler rc_scheduler_slurm = {
    .name = "slurm",
    .summary = "Slurm",
    .no_such_job = "Invalid job id",
    .manual = "sbatch(1)",
    .programs = (const char *const[]){"sbatch", "squeue", "scancel", NULL},
    .ask = (const char *const[]){"sinfo", "-h", "-o", "%P %a %D %T", NULL},
    .directive = "#SBATCH",
    .signals = "USR1",
    .directory_bad = "%\\\n", /* a log's path is a pattern, also its directory */
    .node_ranges = true,
    .log_index = "%a",
    .arrays = true,
    .whole_nodes = true,
    .texts = {rc_template_slurm},
    .quoting = {.quote = '"', .escaped = "\"\\"},
    .read_line = read_line,
};

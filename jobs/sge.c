/* Grid Engine (Son of, Univa, Altair): qsub(1), qstat(1), qdel(1), sge_types(1). */
#include "jobs/descriptors.h"
#include "jobs/templates/texts.h"

#include <stdio.h>
#include <string.h>

/* 'qstat -g d' has a line for each unfinished job or element of all users, with the
 * letters of qstat(1): E error, h hold, q queued, w waiting, t transferring, r running,
 * R restarted, s S T suspended, d deleted.
 */
static void read_line(const char *line, const char *job, struct rc_job_answer *out)
{
    char id[32] = "", word[16] = "";

    if (sscanf(line, " %31s %*s %*s %*s %15s", id, word) != 2 || strcmp(id, job) != 0)
        return;
    /* A job in error stays in the queue, and runs when somebody has cleared it. */
    const char *reason =
        strchr(word, 'E') ? "in error: 'qstat -j ID' says why, 'qmod -cj ID' clears it"
        : strchr(word, 'h') ? "held"
                            : "";
    rc_job_answer_add(out, strpbrk(word, "rtsSTd") ? RC_JOB_RUNNING : RC_JOB_WAITING,
                      word, reason);
}

const struct rc_scheduler rc_scheduler_sge = {
    .name = "sge",
    .summary = "Grid Engine",
    .manual = "qsub(1)",
    .programs = (const char *const[]){"qsub", "qstat", "qdel", "qconf", NULL},
    .ask = (const char *const[]){"qstat", "-g", "c", NULL},
    .directive = "#$",
    .signals = "", /* USR1 at s_rt ends jobs over several hosts at once */
    .log_index = "$TASK_ID",
    .directory_bad = "$\n",
    .first_index = 1,
    .arrays = true,
    .texts = {rc_template_sge},
    .read_line = read_line,
    .silent_of_gone = true,
};

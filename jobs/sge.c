/* Grid Engine (Son of, Univa, Altair): qsub(1), qstat(1), qdel(1), sge_types(1). */
#include "jobs/descriptors.h"

#include <stdio.h>
#include <string.h>

/* The letters of qstat(1): E error, h hold, q queued, w waiting, t transferring, r
 * running, R restarted, s S T suspended, d deleted.
 */
static enum rc_job_state state_of(const char *word)
{
    return strpbrk(word, "rtsSTd") ? RC_JOB_RUNNING : RC_JOB_WAITING;
}

/* A job in error is in the queue, and runs when somebody has cleared it. */
static const char *reason_of(const char *word)
{
    if (strchr(word, 'E'))
        return "in error: 'qstat -j ID' says why, 'qmod -cj ID' clears it";
    return strchr(word, 'h') ? "held" : "";
}

/* 'qstat -g d': a line for each job or element of everybody's that is not over. */
static void read_state(const char *answer, int exited, const char *job,
                       struct rc_job_answer *out)
{
    char line[512], id[32], word[16];

    for (const char *at = answer; (at = rc_job_next_line(at, line, sizeof line));) {
        id[0] = word[0] = '\0';
        if (sscanf(line, " %31s %*s %*s %*s %15s", id, word) != 2 ||
            strcmp(id, job) != 0)
            continue;
        rc_job_answer_add(out, state_of(word), word, reason_of(word));
    }
    if (!out->word[0])
        rc_job_answer_add(out, exited ? RC_JOB_UNKNOWN : RC_JOB_GONE, "", "");
}

/* "85", or of an array "85.1-3:1". */
static int read_id(const char *answer, char *id, size_t room, struct rc_error *err)
{
    int status = rc_job_first_word(answer, id, room, err);

    if (status == RC_OK)
        id[strcspn(id, ".")] = '\0';
    return status != RC_OK || id[0] ? status : rc_job_no_id(answer, err);
}

/* A job submits itself, and asks for its restart by the status 99 where its host may
 * not: not in several queues or on several hosts, where it would wait for ever (8.1.9:
 * "host cleanup has not finished").
 */
const struct rc_scheduler rc_scheduler_sge = {
    .name = "sge",
    .summary = "Grid Engine",
    .manual = "qsub(1)",
    .programs = (const char *const[]){"qsub", "qstat", "qdel", "qconf", NULL},
    .directive = "#$",
    .signals = "", /* USR1 at s_rt ends jobs over several hosts at once */
    .log_index = "$TASK_ID",
    .between = ",",
    .directory_bad = "$\n",
    .first_index = 1,
    .arrays = true,
    .text =
        {
            [RC_JOB_HEADER] = ("#$ -S /bin/bash\n"
                               "#$ -N {{name}}\n"
                               "#$ -cwd\n"
                               "#$ -j y\n"
                               "#$ -o {{log}}\n"
                               "#$ -pe {{pe}} {{ranks_total}}\n"
                               "#$ -l h_rt={{seconds}}\n"
                               "#$ -notify\n"
                               "#$ -r y\n"
                               "#$ -m n\n"
                               "#$ -q {{queue}}\n"
                               "#$ -P {{account}}\n"
                               "#$ -l {{resource}}\n"
                               "#$ -hold_jid {{after_job}}\n"),
            [RC_JOB_SETUP] = ("job=${JOB_ID:-by-hand}\n"
                              "index=${RC_INDEX:-}\n"
                              "if [ \"${SGE_TASK_ID:-undefined}\" != undefined ]; then "
                              "index=$((SGE_TASK_ID - 1)); fi\n"
                              "nodes=$(cut -d' ' -f1 \"${PE_HOSTFILE:-/dev/null}\" | "
                              "tr '\\n' ' ')\n"),
            [RC_JOB_LAUNCH] = ("mpirun -n {{ranks_total}}\n"
                               "{{launch_options}}\n"),
            [RC_JOB_AGAIN] = ("if [ -n \"$after\" ]; then\n"
                              "    next=$(cd \"$dir\" && {{resubmit_after}})\n"
                              "else\n"
                              "    next=$(cd \"$dir\" && {{resubmit}}) ||\n"
                              "        { [ \"${NQUEUES:-1}\" = 1 ] && leave=99; }\n"
                              "fi\n"),
            [RC_JOB_SUBMIT] = ("qsub -terse\n"
                               "-hold_jid {{after}}\n"
                               "-t {{first}}-{{last}}\n"
                               "-o jobs/{{part}}-{{element}}.log\n"
                               "-v RC_INDEX={{index}}\n"
                               "{{script}}\n"),
            [RC_JOB_QUERY] = "qstat -g d -u *\n",
            [RC_JOB_CANCEL] = "qdel {{job}}\n",
        },
    .read_id = read_id,
    .read_state = read_state,
};

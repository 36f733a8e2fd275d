/* Slurm: sbatch(1), srun(1), squeue(1), scancel(1), scontrol(1). */
#include "jobs/descriptors.h"

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

/* "123" or, of several clusters, "123;cluster". */
static int read_id(const char *answer, char *id, size_t room, struct rc_error *err)
{
    int status = rc_job_first_word(answer, id, room, err);

    if (status == RC_OK)
        id[strcspn(id, ";")] = '\0';
    return status != RC_OK || id[0] ? status : rc_job_no_id(answer, err);
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
    .between = ":",
    .text =
        {
            [RC_JOB_HEADER] = ("#SBATCH --job-name={{name}}\n"
                               "#SBATCH --output={{log}}\n"
                               "#SBATCH --open-mode=append\n"
                               "#SBATCH --nodes={{nodes}}\n"
                               "#SBATCH --exclusive\n"
                               "#SBATCH --time={{hms}}\n"
                               "#SBATCH --signal=B:USR1@{{warn_seconds}}\n"
                               "#SBATCH --requeue\n"
                               "#SBATCH --partition={{queue}}\n"
                               "#SBATCH --account={{account}}\n"
                               "#SBATCH --qos={{qos}}\n"
                               "#SBATCH --constraint={{constraint}}\n"
                               "#SBATCH --reservation={{reservation}}\n"
                               "#SBATCH --mem={{memory}}\n"
                               "#SBATCH --gres={{gres}}\n"
                               "#SBATCH --exclude={{exclude}}\n"
                               "#SBATCH --dependency=afterany:{{after_job}}\n"),
            [RC_JOB_SETUP] =
                ("job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}"
                 "${SLURM_ARRAY_TASK_ID:-${SLURM_JOB_ID:-by-hand}}\n"
                 "index=${SLURM_ARRAY_TASK_ID:-${RC_INDEX:-}}\n"
                 "restarts=${SLURM_RESTART_COUNT:-0}\n"
                 "# A job that this one submits would take them for its own.\n"
                 "unset SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT\n"
                 "nodes=${SLURM_JOB_NODELIST:-}\n"
                 "ranks={{ranks_shell}}\n"
                 "case $(srun --mpi=list 2>&1) in\n"
                 "*pmix*) launcher=(srun --mpi=pmix --wait=60 "
                 "--ntasks-per-node=\"$ranks\") ;;\n"
                 "*) launcher=(mpirun --map-by \"ppr:$ranks:node\") ;;\n"
                 "esac\n"
                 "case ${launcher[0]}$(scontrol show config 2>/dev/null) in\n"
                 "srun*TaskPlugin*task/affinity* | srun*TaskPlugin*task/cgroup*) "
                 "launcher+=(--cpu-bind=none) ;;\n"
                 "esac\n"
                 "\n"
                 "# lost: Slurm will start this job again, as after the loss of a node "
                 "(and not\n"
                 "# cancelled), on as many nodes as before; so that it need not wait "
                 "for those,\n"
                 "# one that wants fewer takes its place.\n"
                 "lost() {\n"
                 "    local starts down fewer\n"
                 "    starts=$(scontrol --oneliner show job \"$SLURM_JOB_ID\" "
                 "2>/dev/null |\n"
                 "        sed -n 's/.* Restarts=\\([0-9]*\\).*/\\1/p')\n"
                 "    [ \"${starts:-0}\" -gt \"$restarts\" ] || return 1\n"
                 "    down=$(sinfo --noheader --Node --nodes=\"$SLURM_JOB_NODELIST\" "
                 "--states=down,fail --format=%n | sort -u | wc -l)\n"
                 "    fewer=$((${SLURM_JOB_NUM_NODES:-1} - down))\n"
                 "    if [ \"$down\" -gt 0 ] && [ \"$fewer\" -gt 0 ] &&\n"
                 "        next=$(cd \"$dir\" && {{resubmit_fewer}}); then\n"
                 "        next=${next%%;*}\n"
                 "        scancel \"$SLURM_JOB_ID\"\n"
                 "    fi\n"
                 "    return 0\n"
                 "}\n"),
            [RC_JOB_LAUNCH] = ("\"${launcher[@]}\"\n"
                               "{{launch_options}}\n"),
            [RC_JOB_AGAIN] =
                ("if [ -n \"$after\" ]; then\n"
                 "    next=$(cd \"$dir\" && {{resubmit_after}}) && next=${next%%;*}\n"
                 "elif [ -n \"$fresh\" ]; then\n"
                 "    next=$(cd \"$dir\" && {{resubmit}}) && next=${next%%;*}\n"
                 "else\n"
                 "    trap '' TERM # it comes at once\n"
                 "    scontrol requeue \"$SLURM_JOB_ID\"\n"
                 "fi\n"),
            [RC_JOB_SUBMIT] = ("sbatch --parsable\n"
                               "--nodes={{fewer}}\n"
                               "--dependency=afterany:{{after}}\n"
                               "--array={{first}}-{{last}}\n"
                               "--output=jobs/{{part}}-{{element}}.log\n"
                               "--export=ALL,RC_INDEX={{index}}\n"
                               "{{script}}\n"),
            [RC_JOB_QUERY] = ("squeue --noheader --states=all --array --jobs={{job}} "
                              "--format=%i|%T|%r\n"),
            [RC_JOB_CANCEL] = "scancel {{job}}\n",
        },
    .directive_value = directive_value,
    .read_id = read_id,
    .read_state = read_state,
};

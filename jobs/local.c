/* No batch system: jobs are processes of this machine, in the background. */
#include "jobs/descriptors.h"

#include "campaign/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* When a process began, in the kernel's ticks: with its number it is one of a kind.
 * 0: there is none, or it has ended.
 */
static uint64_t began(int64_t pid)
{
    char path[64], text[1024];
    uint64_t ticks = 0;

    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(text, 1, sizeof text - 1, file) : 0;

    if (file)
        fclose(file);
    text[bytes] = '\0';
    /* The program's name may hold anything; the last ')' ends it.  Field 3 is behind.
     */
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    at += 1;
    for (int field = 3; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%" SCNu64, &ticks) == 1 ? ticks : 0;
}

/* "PID.TICKS" */
static bool read_job(const char *job, int64_t *pid, uint64_t *ticks)
{
    int used = 0;

    return sscanf(job, "%" SCNd64 ".%" SCNu64 "%n", pid, ticks, &used) == 2 &&
           job[used] == '\0' && *pid > 1;
}

static bool lives(const char *job, int64_t *pid)
{
    uint64_t ticks;

    return read_job(job, pid, &ticks) && ticks && began(*pid) == ticks;
}

/* In the child: a session of its own, without the terminal, and nothing of ours open.
 */
static void become(const char *dir, char *const *words)
{
    const int null = open("/dev/null", O_RDWR);

    setsid();
    signal(SIGHUP, SIG_IGN);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    if (null > 2)
        close(null);
    if (chdir(dir) == 0)
        execvp(words[0], words);
    _exit(127);
}

static int submit(const char *dir, char *const *words, char *id, size_t room,
                  struct rc_error *err)
{
    const pid_t child = fork();

    if (child < 0)
        return rc_fail_errno(err, "cannot start a process");
    if (child == 0)
        become(dir, words);
    uint64_t ticks = began(child);
    if (ticks == 0)
        return rc_fail(err, RC_EIO, "process %d has ended at once", (int)child);
    snprintf(id, room, "%d.%" PRIu64, (int)child, ticks);
    return RC_OK;
}

static int query(const char *job, struct rc_job_answer *out, struct rc_error *err)
{
    int64_t pid;

    (void)err;
    if (lives(job, &pid))
        rc_job_answer_add(out, RC_JOB_RUNNING, "running", "");
    else
        rc_job_answer_add(out, RC_JOB_GONE, "", "");
    return RC_OK;
}

/* The words that a process was started with, each with a 0 behind it. */
static size_t read_words(const char *process, char *out, size_t room)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%s/cmdline", process);
    FILE *file = fopen(path, "re");
    const size_t bytes = file ? fread(out, 1, room - 1, file) : 0;

    if (file)
        fclose(file);
    out[bytes] = '\0';
    return bytes;
}

/* One of its words is a job's script, or it is a child of ours that has not begun: the
 * ids in a directory may be a stranger's, who has found another process of the user's.
 */
static bool is_job(int64_t pid)
{
    char process[32], words[8192], own[8192];
    snprintf(process, sizeof process, "%" PRId64, pid);
    const size_t bytes = read_words(process, words, sizeof words);

    for (const char *word = words; word < words + bytes; word += strlen(word) + 1) {
        const char *slash = strrchr(word, '/');
        const size_t length = strlen(word);
        if (slash && length > 3 && strcmp(word + length - 3, ".sh") == 0 &&
            slash - word >= 4 && strncmp(slash - 4, "jobs", 4) == 0)
            return true;
    }
    return bytes && read_words("self", own, sizeof own) == bytes &&
           memcmp(words, own, bytes) == 0;
}

/* The script passes it on to what it has started. */
static int cancel(const char *job, struct rc_error *err)
{
    int64_t pid;

    if (!lives(job, &pid))
        return RC_OK;
    if (!is_job(pid))
        return rc_fail(err, RC_EPERM, "process %" PRId64 " is no job of rollcall's",
                       pid);
    if (kill((pid_t)pid, SIGTERM) != 0 && errno != ESRCH)
        return rc_fail_errno(err, "cannot end process %" PRId64, pid);
    return RC_OK;
}

const struct rc_scheduler rc_scheduler_local = {
    .name = "local",
    .summary = "this machine",
    .manual = "bash(1)",
    .directive = "",
    .signals = "",
    .whole_nodes = true,
    .one_node = true,
    .unlimited = true,
    .text =
        {
            [RC_JOB_HEADER] = (""),
            [RC_JOB_SETUP] =
                ("index=${RC_INDEX:-}\n"
                 "exec >>\"$dir/jobs/$part${index:+-$index}.log\" 2>&1 </dev/null\n"
                 "job=$$.$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)\n"
                 "nodes=$(hostname)\n"
                 "ranks={{ranks_shell}}\n"
                 "before=${RC_AFTER:-}\n"
                 "while [ -n \"$before\" ] && "
                 "[ \"$(sed 's/.*) //' \"/proc/${before%%.*}/stat\" 2>/dev/null | "
                 "cut -d' ' -f20)\" = \"${before#*.}\" ]; do\n"
                 "    sleep 1\n"
                 "done\n"),
            [RC_JOB_LAUNCH] = ("mpirun -n \"$ranks\"\n"
                               "{{launch_options}}\n"),
            [RC_JOB_AGAIN] = ("ending\n"
                              "note \"again $job\"\n"
                              "exec bash \"$dir/$script\"\n"),
            [RC_JOB_SUBMIT] = ("env --unset=RC_AFTER --unset=RC_INDEX\n"
                               "RC_AFTER={{after}}\n"
                               "RC_INDEX={{index}}\n"
                               "bash {{script}}\n"),
            [RC_JOB_QUERY] = "ps -o pid,stat,etime,args -p {{pid}}\n",
            [RC_JOB_CANCEL] = "kill {{pid}}\n",
        },
    .submit = submit,
    .query = query,
    .cancel = cancel,
};

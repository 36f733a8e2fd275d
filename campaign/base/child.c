/* Child processes: started, fed, read until a time limit, and ended.
 *
 * Their output goes to files in memory, not to pipes: nobody has to read while they
 * run, and a grandchild that keeps the streams open keeps nobody waiting.  They are
 * started by posix_spawn(), since fork() of a process with MPI's memory is slow and may
 * harm it.
 */
#include "campaign/base/child.h"

#include "campaign/base/clock.h"
#include "campaign/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_MOST = 16 << 20 /* bytes of each stream */, LOOK_MS = 20 };

/* How a program is run: its three streams are files. */
struct order {
    char *const *words; /* the program, then its arguments, ended by NULL */
    const char *dir;    /* where it runs; NULL: here */
    int stream[3];      /* descriptors of its standard input, output and error */
    unsigned seconds;   /* that it may take */
};

/* Reads all that was written to a stream; *text is NULL without memory.  A process that
 * the child started may still be writing.
 */
static void read_stream(int fd, char **text)
{
    const off_t end = lseek(fd, 0, SEEK_END);
    const size_t there = end < 0 ? 0 : (size_t)end;
    const size_t size = there < OUTPUT_MOST ? there : OUTPUT_MOST;
    size_t done = 0;

    *text = malloc(size + 1);
    while (*text && done < size) {
        const ssize_t n = pread(fd, *text + done, size - done, (off_t)done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (*text)
        (*text)[done] = '\0';
}

static bool said_too_much(const struct order *o)
{
    struct stat file;

    for (int i = 1; i < 3; i++)
        if (fstat(o->stream[i], &file) == 0 && file.st_size > OUTPUT_MOST)
            return true;
    return false;
}

/* A file that becomes readable when the child ends; -1 before Linux 5.3. */
static int open_process(pid_t child)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, child, 0);
#else
    (void)child;
    return -1;
#endif
}

enum outcome { ENDED, TOO_LATE, TOO_MUCH };

/* Waits for the end.  A child that takes too long or prints too much is killed with all
 * that it started, which is in its process group.
 */
static enum outcome await_end(pid_t child, const struct order *o, int *exited)
{
    const uint64_t until = rc_clock_ns() + o->seconds * UINT64_C(1000000000);
    struct pollfd process = {.fd = open_process(child), .events = POLLIN};
    enum outcome outcome = ENDED;
    pid_t ended;

    while ((ended = waitpid(child, exited, WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (said_too_much(o))
            outcome = TOO_MUCH;
        else if (rc_clock_ns() > until)
            outcome = TOO_LATE;
        if (outcome == ENDED) {
            poll(&process, 1, LOOK_MS);
            continue;
        }
        kill(-child, SIGKILL);
        while (waitpid(child, exited, 0) < 0 && errno == EINTR)
            ;
        break;
    }
    if (process.fd >= 0)
        close(process.fd);
    return outcome == ENDED && said_too_much(o) ? TOO_MUCH : outcome;
}

/* Starts it in a group of its own, so that it can be ended with all of its children.
 * Returns 0 or an errno.
 */
static int start_child(const struct order *o, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);

    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed) {
        posix_spawn_file_actions_destroy(&actions);
        return failed;
    }
    for (int i = 0; i < 3 && !failed; i++)
        failed = posix_spawn_file_actions_adddup2(&actions, o->stream[i], i);
    if (!failed && o->dir)
        failed = posix_spawn_file_actions_addchdir_np(&actions, o->dir);
    if (!failed)
        failed = posix_spawnattr_setpgroup(&attributes, 0);
    if (!failed)
        failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!failed)
        failed =
            posix_spawnp(child, o->words[0], &actions, &attributes, o->words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Says why it could not be started: the directory, or the program. */
static int fail_start(const char *program, const char *dir, int failed,
                      struct rc_error *err)
{
    struct stat file;

    if (dir && stat(dir, &file) != 0)
        return rc_fail_errno(err, "cannot enter '%.400s'", dir);
    if (failed == ENOENT && !strchr(program, '/'))
        return rc_fail(err, RC_EMISSING, "no program '%.200s' on the PATH", program);
    errno = failed;
    if (dir && !S_ISDIR(file.st_mode))
        return rc_fail_errno(err, "cannot enter '%.400s'", dir);
    return rc_fail_errno(err, "cannot start '%.200s'", program);
}

/* Runs it to its end.  'exited' is as a shell gives it: 128 and more for a signal. */
static int run_child(const struct order *o, struct rc_child *out, struct rc_error *err)
{
    const char *program = o->words[0];
    pid_t child;
    int exited = 0, failed = start_child(o, &child);

    if (failed)
        return fail_start(program, o->dir, failed, err);
    switch (await_end(child, o, &exited)) {
    case TOO_LATE:
        return rc_fail(err, RC_EIO, "'%.200s' did not answer within %u s", program,
                       o->seconds);
    case TOO_MUCH:
        return rc_fail(err, RC_EIO, "'%.200s' printed more than %d MiB", program,
                       OUTPUT_MOST >> 20);
    case ENDED:
        break;
    }
    out->exited = WIFEXITED(exited) ? WEXITSTATUS(exited) : 128 + WTERMSIG(exited);
    read_stream(o->stream[1], &out->output);
    read_stream(o->stream[2], &out->messages);
    return out->output && out->messages
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for the output of '%.200s'",
                         program);
}

int rc_child_run(char *const *words, const char *dir, const char *input,
                 unsigned seconds, struct rc_child *out, struct rc_error *err)
{
    const char *from = input ? input : "/dev/null";
    struct order o = {.words = words, .dir = dir, .seconds = seconds};

    *out = (struct rc_child){0};
    o.stream[0] = open(from, O_RDONLY | O_CLOEXEC);
    if (o.stream[0] < 0)
        return rc_fail_errno(err, "cannot open '%.400s'", from);
    o.stream[1] = memfd_create("output", MFD_CLOEXEC);
    o.stream[2] = memfd_create("messages", MFD_CLOEXEC);
    const int status =
        o.stream[1] < 0 || o.stream[2] < 0
            ? rc_fail_errno(err, "cannot make a file in memory for '%.200s'", words[0])
            : run_child(&o, out, err);
    for (int i = 0; i < 3; i++)
        if (o.stream[i] >= 0)
            close(o.stream[i]);
    if (status != RC_OK)
        rc_child_fini(out);
    return status;
}

void rc_child_fini(struct rc_child *child)
{
    free(child->output);
    free(child->messages);
    *child = (struct rc_child){0};
}

int rc_child_failed(const struct rc_child *child, const char *what,
                    struct rc_error *err)
{
    const char *text = child->messages[0] ? child->messages : child->output;
    char said[RC_ERROR_TEXT / 2];
    size_t used = 0;

    /* Its lines, with "; " between them. */
    for (text += strspn(text, " \n"); *text && used + 3 < sizeof said; text++) {
        if (*text != '\n') {
            said[used++] = *text;
            continue;
        }
        text += strspn(text, " \n") - 1;
        if (text[1]) {
            said[used++] = ';';
            said[used++] = ' ';
        }
    }
    said[used] = '\0';
    rc_text_printable(said, sizeof said, said);
    return rc_fail(err, RC_EIO, "%.200s ended with %d: %s", what, child->exited,
                   said[0] ? said : "it printed nothing");
}

bool rc_child_is_there(const char *program)
{
    const char *path = getenv("PATH");
    char file[4096];
    struct stat found;

    while (path && *path) {
        const size_t bytes = strcspn(path, ":");
        const int used =
            snprintf(file, sizeof file, "%.*s/%s", (int)bytes, path, program);
        if (bytes && used > 0 && (size_t)used < sizeof file &&
            access(file, X_OK) == 0 && stat(file, &found) == 0 &&
            S_ISREG(found.st_mode))
            return true;
        path += bytes + (path[bytes] == ':');
    }
    return false;
}

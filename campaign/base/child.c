#include "campaign/base/child.h"

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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MOST = 16 << 20, LOOK_MS = 20 };

static void read_stream(int fd, char **text)
{
    off_t size = lseek(fd, 0, SEEK_END);
    size_t done = 0;

    size = size < 0 ? 0 : size;
    size = size > OUTPUT_MOST ? OUTPUT_MOST : size;
    *text = malloc((size_t)size + 1);
    while (*text && done < (size_t)size) {
        const ssize_t n = pread(fd, *text + done, (size_t)size - done, (off_t)done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (*text)
        (*text)[done] = '\0';
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_too_much(int fd)
{
    struct stat file;

    return fstat(fd, &file) == 0 && file.st_size > OUTPUT_MOST;
}

enum outcome { ENDED, TOO_LATE, TOO_MUCH };

/* If it has not ended it was given up, with all that it started. */
static enum outcome await(pid_t child, const int *stream, unsigned seconds, int *exited)
{
    const double until = now() + seconds;
    enum outcome outcome = ENDED;
    pid_t ended;

    while ((ended = waitpid(child, exited, WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (is_too_much(stream[1]) || is_too_much(stream[2]))
            outcome = TOO_MUCH;
        else if (now() > until)
            outcome = TOO_LATE;
        if (outcome == ENDED) {
            poll(NULL, 0, LOOK_MS);
            continue;
        }
        kill(-child, SIGKILL);
        while (waitpid(child, exited, 0) < 0 && errno == EINTR)
            ;
        break;
    }
    return outcome;
}

/* In a group of its own: it can be ended with all of its children. */
static int start(char *const *words, const char *dir, const int *stream, pid_t *child)
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
        failed = posix_spawn_file_actions_adddup2(&actions, stream[i], i);
    if (!failed && dir)
        failed = posix_spawn_file_actions_addchdir_np(&actions, dir);
    if (!failed)
        failed = posix_spawnattr_setpgroup(&attributes, 0);
    if (!failed)
        failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!failed)
        failed = posix_spawnp(child, words[0], &actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Why it could not be started: the directory, or the program. */
static int blame(const char *program, const char *dir, int failed, struct rc_error *err)
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

static int run(char *const *words, const char *dir, const int *stream, unsigned seconds,
               struct rc_child *out, struct rc_error *err)
{
    pid_t child;
    int exited = 0, failed = start(words, dir, stream, &child);

    if (failed)
        return blame(words[0], dir, failed, err);
    switch (await(child, stream, seconds, &exited)) {
    case TOO_LATE:
        return rc_fail(err, RC_EIO, "'%.200s' did not answer within %u s", words[0],
                       seconds);
    case TOO_MUCH:
        return rc_fail(err, RC_EIO, "'%.200s' said more than %d MiB", words[0],
                       OUTPUT_MOST >> 20);
    case ENDED:
        break;
    }
    out->exited = WIFEXITED(exited) ? WEXITSTATUS(exited) : 128 + WTERMSIG(exited);
    read_stream(stream[1], &out->output);
    read_stream(stream[2], &out->messages);
    return out->output && out->messages
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for what '%.200s' said", words[0]);
}

int rc_child_run(char *const *words, const char *dir, const char *input,
                 unsigned seconds, struct rc_child *out, struct rc_error *err)
{
    const char *from = input ? input : "/dev/null";
    int stream[3] = {open(from, O_RDONLY | O_CLOEXEC),
                     memfd_create("output", MFD_CLOEXEC),
                     memfd_create("messages", MFD_CLOEXEC)};
    int status;

    *out = (struct rc_child){0};
    if (stream[0] < 0)
        status = rc_fail_errno(err, "cannot open '%.400s'", from);
    else if (stream[1] < 0 || stream[2] < 0)
        status = rc_fail_errno(err, "no files in memory for '%.200s'", words[0]);
    else
        status = run(words, dir, stream, seconds, out, err);
    for (int i = 0; i < 3; i++)
        if (stream[i] >= 0)
            close(stream[i]);
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

/* Its lines, with "; " between them. */
static void one_line(const char *text, char *out, size_t room)
{
    size_t used = 0;

    for (text += strspn(text, " \n"); *text && used + 3 < room; text++) {
        if (*text != '\n') {
            out[used++] = *text;
            continue;
        }
        text += strspn(text, " \n") - 1;
        if (text[1]) {
            out[used++] = ';';
            out[used++] = ' ';
        }
    }
    out[used] = '\0';
    rc_text_printable(out, room, out);
}

int rc_child_failed(const struct rc_child *child, const char *what,
                    struct rc_error *err)
{
    char said[RC_ERROR_TEXT / 2];

    one_line(child->messages[0] ? child->messages : child->output, said, sizeof said);
    return rc_fail(err, RC_EIO, "%.200s ended with %d: %s", what, child->exited,
                   said[0] ? said : "it said nothing");
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

/* Starts a program at a gate: a pipe from which the child reads before it executes. */
#include "campaign/base/program.h"

#include "campaign/base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { NOT_FOUND = 127 };

/* Runs in the child.  A gate that closes without a byte means that rollcall is gone. */
static _Noreturn void become(char *const *words, bool as_kernel, int gate, int failure)
{
    ssize_t got;
    char word;

    while ((got = read(gate, &word, 1)) < 0 && errno == EINTR)
        ;
    if (got == 1) {
        rc_limits_restore();
        if (as_kernel) {
            const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
            dup2(nothing, STDIN_FILENO);
            dup2(nothing, STDOUT_FILENO);
            personality(ADDR_NO_RANDOMIZE);
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* for a program that never ends */
            signal(SIGPIPE, SIG_DFL);
            signal(SIGXFSZ, SIG_DFL);
        }
        execvp(words[0], words);
        const int why = errno;
        got = write(failure, &why, sizeof why);
    }
    (void)got;
    _exit(NOT_FOUND);
}

int rc_program_start(char *const *words, bool as_kernel, struct rc_program *out,
                     struct rc_error *err)
{
    int gate[2] = {-1, -1}, failure[2] = {-1, -1}, status = RC_OK;

    *out = (struct rc_program){.pid = -1, .gate = -1, .failure = -1};
    if (pipe2(gate, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0 ||
        (out->pid = fork()) < 0)
        status = rc_fail_errno(err, "cannot start '%.400s'", words[0]);
    if (out->pid == 0) {
        close(gate[1]);
        become(words, as_kernel, gate[0], failure[1]);
    }
    if (gate[0] >= 0)
        close(gate[0]);
    if (failure[1] >= 0)
        close(failure[1]);
    out->gate = gate[1];
    out->failure = failure[0];
    if (status != RC_OK)
        (void)rc_program_end(out);
    return status;
}

void rc_program_go(struct rc_program *program)
{
    const ssize_t done =
        write(program->gate, "", 1); /* a child that was killed: EPIPE */

    (void)done;
    close(program->gate);
    program->gate = -1;
}

int rc_program_end(struct rc_program *program)
{
    int why = 0;

    if (program->failure >= 0 &&
        read(program->failure, &why, sizeof why) != (ssize_t)sizeof why)
        why = 0;
    if (program->gate >= 0)
        close(program->gate);
    if (program->failure >= 0)
        close(program->failure);
    program->gate = program->failure = -1;
    return why;
}

bool rc_program_gives_rights(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 &&
           (((file.st_mode & S_ISUID) && file.st_uid != getuid()) ||
            ((file.st_mode & S_ISGID) && file.st_gid != getgid()) ||
            (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0));
}

int rc_program_self(const char *ending, char *out, size_t room, struct rc_error *err)
{
    static const char *const parts[] = {"-main", "-launch"};
    const size_t more = strlen(ending) + 1;
    const ssize_t got = room > more ? readlink("/proc/self/exe", out, room - more) : -1;
    size_t bytes = got > 0 ? (size_t)got : 0;

    if (bytes == room - more)
        errno = ENAMETOOLONG; /* it may have been cut */
    if (bytes == 0 || bytes == room - more)
        return rc_fail_errno(err, "cannot determine where this program is");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t cut = strlen(parts[i]);
        if (bytes > cut && memcmp(out + bytes - cut, parts[i], cut) == 0) {
            bytes -= cut;
            break;
        }
    }
    memcpy(out + bytes, ending, more);
    return RC_OK;
}

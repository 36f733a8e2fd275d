/* Work that may crash, done in a child process whose end is watched.
 *
 * The child is a fork: it has the caller's data and needs no program of its own, but it
 * must not use what a fork breaks, such as MPI.
 */
#include "campaign/base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that dies must not be noticed: no core file, no handlers of MPI or a
 * sanitizer, nothing on stderr.
 */
static void keep_quiet(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,
                                 SIGILL,  SIGALRM, SIGXCPU};
    const struct rlimit none = {0, 0};
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t nothing;

    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        signal(deadly[i], SIG_DFL);
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
    setrlimit(RLIMIT_CORE, &none);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    } else {
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
    }
}

/* Ends the child before it runs the exit handlers of this process, which would close
 * files and connections that both share.
 */
static void leave_at_once(int status, void *nothing)
{
    (void)nothing;
    _exit(status);
}

/* The child reports its success in memory that both share: its exit status may be lost
 * where this process ignores its children or another part of it collects them.
 */
enum rc_survival rc_sandbox_run(void (*work)(const void *arg), const void *arg,
                                unsigned seconds, int *ended)
{
    void *shared =
        mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    volatile char *done = shared;
    enum rc_survival survival = RC_SURVIVED;
    int status = 0;
    pid_t waited;

    if (ended)
        *ended = 0;
    if (shared == MAP_FAILED)
        return RC_SURVIVED;
    const pid_t child = fork();
    if (child == 0) {
        keep_quiet();
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        on_exit(leave_at_once, NULL);
        alarm(seconds);
        work(arg);
        *done = 1;
        _exit(0);
    }
    if (child > 0) {
        do
            waited = waitpid(child, &status, 0);
        while (waited < 0 && errno == EINTR);
        if (ended)
            *ended = status;
        if (!*done)
            survival =
                waited == child && WIFSIGNALED(status) &&
                        (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU)
                    ? RC_TOO_LATE
                    : RC_DIED;
    }
    munmap(shared, 1);
    return survival;
}

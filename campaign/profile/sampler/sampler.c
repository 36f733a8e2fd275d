/* The sampler of a node: reads series and the blocks of threads while the program runs,
 * and writes what it finds.
 *
 * It shares nothing with the job but the user: it has none of its files and a session
 * of its own, and ignores signals that end a job.  It ends when all processes of the
 * program have ended.  If it is killed the record ends, and the program continues.
 */
#include "campaign/profile/sampler/sampler.h"
#include "campaign/profile/sampler/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READY_FD = 3,       /* where the sampler says that it is ready, or why not */
    FILES_MOST = 65536, /* closed one by one, where the kernel cannot close a range */
};

/* The message to the launcher. */
struct message {
    int status;
    char text[RC_ERROR_TEXT];
};

static void tell_launcher(int status, const struct rc_error *err)
{
    struct message message = {.status = status};

    if (status != RC_OK)
        snprintf(message.text, sizeof message.text, "%s", err->text);
    if (write(READY_FD, &message, sizeof message) < 0)
        return; /* the launcher was killed */
}

/* Samples from the program's begin to its end; returns the exit status. */
static int sample_program(struct rc_profile_sampler *s)
{
    struct rc_error err = {.text = ""};
    const int status = rc_profile_sampler_open(s, &err);

    tell_launcher(status, &err);
    if (status != RC_OK)
        return EXIT_FAILURE;
    rc_profile_sampler_rounds(s);
    rc_profile_sampler_end(s);
    rc_profile_sampling_close(s->sampling);
    rc_profile_shared_close(s->shared, true);
    return EXIT_SUCCESS;
}

/* Leaves the job: its session, its files, and the signals that end it. */
static void leave_job(int ready)
{
    static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
                                  SIGPIPE, SIGXFSZ, SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM};
    const int null = open("/dev/null", O_RDWR);
    sigset_t none;

    setsid();
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int fd = 0; fd < READY_FD; fd++)
        dup2(null, fd);
    dup2(ready, READY_FD);
    if (close_range(READY_FD + 1, ~0U, 0) != 0)
        for (int fd = READY_FD + 1; fd < FILES_MOST; fd++)
            close(fd);
    if (chdir("/") != 0)
        return; /* it stays where it is */
    prctl(PR_SET_NAME, "rollcall-sample");
    setenv("PMCD_REQUEST_TIMEOUT", "1", 0); /* rings may overflow during longer waits */
    /* hwloc's plugins are for other devices, and loading them takes half of the start
     */
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
}

/* Runs in the launcher's child, which ends at once, and then in the sampler. */
static int begin_sampler(const struct rc_profile_plan *plan,
                         struct rc_profile_shared *shared, int ready)
{
    struct rc_profile_sampler s = {.plan = plan, .shared = shared};
    struct rc_error err = {.text = ""};

    leave_job(ready);
    if (fork() != 0)
        return EXIT_SUCCESS; /* if fork() failed the launcher gets no message */
    shared->fd = -1;         /* it has been closed */
    const int status = rc_profile_shared_reopen(shared, &err);
    if (status != RC_OK) {
        tell_launcher(status, &err);
        return EXIT_FAILURE;
    }
    return sample_program(&s);
}

int rc_profile_sampler_start(const struct rc_profile_plan *plan,
                             struct rc_profile_shared *shared, struct rc_error *err)
{
    struct message message = {.status = RC_EIO};
    int ready[2];

    if (pipe2(ready, O_CLOEXEC) != 0)
        return rc_fail_errno(err, "cannot start the sampler");
    const pid_t child = fork();
    if (child == 0)
        _exit(begin_sampler(plan, shared, ready[1]));
    close(ready[1]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    ssize_t got;
    while ((got = read(ready[0], &message, sizeof message)) < 0 && errno == EINTR)
        ;
    close(ready[0]);
    if (got != (ssize_t)sizeof message)
        return rc_fail(err, RC_EIO, "the sampler was killed before it was ready");
    message.text[sizeof message.text - 1] = 0;
    return message.status == RC_OK
               ? RC_OK
               : rc_fail(err, (enum rc_status)message.status, "%s", message.text);
}

/* The sampler of a node: reads series and the blocks of threads while the program runs,
 * and writes what it finds.
 *
 *     launcher ---- child, ends at once
 *         |           `-- guardian: waits for the sampler, starts another if it is
 * killed program                `-- sampler
 *
 * Both have nothing of the job's but its user: no files, a session of their own, and
 * signals that end a job do not end them.  A sampler that finds its guardian gone makes
 * another one.  They end when all processes of the program have ended.
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
#include <time.h>
#include <unistd.h>

enum {
    READY_FD = 3,        /* where the sampler says that it is ready, or why not */
    RESTARTS_MOST = 255, /* as many as there are numbers for writers */
    FILES_MOST =
        65536, /* that are closed one by one where the kernel closes no range */
    EXIT_NOT_READY = 2, /* of a sampler that could not begin: no other is tried */
};

/* What the launcher is told. */
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

/* The sampler, from its beginning to its end: -1, and what the process exits with; or
 * the number of the sampler whose guardian this process has become, which has all that
 * this one leaves as it is.
 */
static pid_t sample_program(struct rc_profile_sampler *s, int *exits)
{
    struct rc_error err = {.text = ""};
    const int status = rc_profile_sampler_open(s, &err);

    tell_launcher(status, &err); /* who listens no more does not mind */
    *exits = status == RC_OK ? EXIT_SUCCESS : EXIT_NOT_READY;
    if (status != RC_OK)
        return -1;
    const pid_t copy = rc_profile_sampler_rounds(s);
    if (copy > 0) {
        rc_profile_sampling_close(s->sampling); /* the copy has its own files of it */
        return copy;
    }
    rc_profile_sampler_end(s);
    rc_profile_sampling_close(s->sampling);
    atomic_store(&s->shared->head->sampler, 0);
    rc_profile_shared_close(s->shared, true);
    return -1;
}

/* The guardian: waits for the sampler, and starts another one where it was killed.  -1:
 * that is over; else as fork().
 */
static pid_t guard_sampler(struct rc_profile_sampler *s, pid_t sampler)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    uint32_t restarts = s->restarts;
    int ended = 0;

    while (waitpid(sampler, &ended, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(ended))
        return -1;
    do {
        if (++restarts > RESTARTS_MOST)
            return -1;
        nanosleep(&pause, NULL);
        *s = (struct rc_profile_sampler){.plan = s->plan,
                                         .shared = s->shared,
                                         .restarts = restarts,
                                         .guardian = getpid()};
        sampler = fork();
    } while (sampler < 0);
    return sampler;
}

/* A process of the sampler's: the guardian of 'sampler', or for 0 the sampler itself,
 * and each may become the other.
 */
static int live_on(struct rc_profile_sampler *s, pid_t sampler)
{
    int exits = EXIT_SUCCESS;

    while (sampler >= 0)
        sampler = sampler > 0 ? guard_sampler(s, sampler) : sample_program(s, &exits);
    return exits;
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
    setenv("PMCD_REQUEST_TIMEOUT", "1", 0); /* rings do not wait longer for pmcd */
    /* hwloc's plugins are for other devices, and loading them takes half of the start
     */
    setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
}

/* In the launcher's child, which ends at once, and then in the guardian. */
static int begin_guardian(const struct rc_profile_plan *plan,
                          struct rc_profile_shared *shared, int ready)
{
    struct rc_profile_sampler s = {.plan = plan, .shared = shared};
    struct rc_error err = {.text = ""};

    leave_job(ready);
    if (fork() != 0)
        return EXIT_SUCCESS; /* without a guardian the launcher hears nothing */
    shared->fd = -1;         /* it has been closed */
    const int status = rc_profile_shared_reopen(shared, &err);
    if (status != RC_OK) {
        tell_launcher(status, &err);
        return EXIT_FAILURE;
    }
    s.guardian = getpid();
    return live_on(&s, fork());
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
        _exit(begin_guardian(plan, shared, ready[1]));
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

/* Handlers that note the signals which ask the program to stop.
 *
 * They only set flags, which the loops of a run check between units and between
 * readings: so measured units are written, and journals are closed.
 */
#include "campaign/cli/signals.h"

#include "campaign/base/clock.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { GRACE_S = 5 /* for the present unit */, MORE_S = 1, INCOMPLETE = 3 };
static uint64_t grace_ns = GRACE_S * UINT64_C(1000000000);

/* Batch systems signal the ranks and their launcher, which passes the signal on: two
 * within this time are one.
 */
static const uint64_t same_ns = 500000000;

static const int watched[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
enum { WATCHED = sizeof watched / sizeof watched[0] };

static volatile sig_atomic_t came;  /* the last signal, or 0 */
static volatile sig_atomic_t again; /* a second, different one came */
static volatile uint64_t first_ns;  /* time of the first one */
static const char *volatile inside; /* the user's code that runs, or NULL */
static pid_t owner;                 /* the process that watches; its children do not */

static void note_signal(int signal)
{
    if (getpid() != owner)
        return;
    if (!came) {
        first_ns = rc_clock_ns();
        alarm(GRACE_S + MORE_S);
    } else if (!again && rc_clock_ns() - first_ns > same_ns) {
        again = 1;
        alarm(MORE_S);
    }
    came = signal;
}

/* Ends the process: no other way ends code that does not return.  Each record is in its
 * journal by one write.
 */
static void leave_inside(int signal)
{
    static const char begin[] = "\nrollcall: stopped while '",
                      end[] = "' ran, which did not return; what was measured before "
                              "is in the journals\n";
    const char *what = inside;

    (void)signal;
    alarm(MORE_S);
    if (!what)
        return; /* the loops will notice */
    (void)!write(STDERR_FILENO, begin, sizeof begin - 1);
    (void)!write(STDERR_FILENO, what, strlen(what));
    (void)!write(STDERR_FILENO, end, sizeof end - 1);
    _exit(INCOMPLETE);
}

void rc_signals_watch(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART},
                     late = {.sa_handler = leave_inside, .sa_flags = SA_RESTART}, was;

    owner = getpid();
    sigemptyset(&action.sa_mask);
    sigemptyset(&late.sa_mask);
    sigaction(SIGALRM, &late, NULL);
    for (size_t i = 0; i < WATCHED; i++)
        if (sigaction(watched[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

void rc_signals_leave(void)
{
    struct sigaction was;

    alarm(0);
    for (size_t i = 0; i < WATCHED; i++)
        if (sigaction(watched[i], NULL, &was) == 0 && was.sa_handler == note_signal)
            signal(watched[i], SIG_DFL);
}

int rc_signals_came(void)
{
    return came;
}

bool rc_signals_pressing(void)
{
    static uint64_t since;

    if (!came)
        return false;
    if (since == 0)
        since = rc_clock_ns();
    return again || rc_clock_ns() - since > grace_ns;
}

void rc_signals_hurry(void)
{
    grace_ns = 300000000;
}

void rc_signals_inside(const char *what)
{
    inside = what;
}

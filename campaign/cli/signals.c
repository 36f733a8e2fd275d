/* Handlers that note the signals which ask the program to stop.
 *
 * They only set marks, which the loops of a run look at between units and between
 * readings: what was measured is written, and journals are closed.
 */
#include "campaign/cli/signals.h"

#include "campaign/base/clock.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

static const uint64_t grace_ns = 5000000000; /* for the unit that is measured */

/* Batch systems signal the ranks and their launcher, which passes it on: what comes
 * twice within this time was sent once.
 */
static const uint64_t same_ns = 500000000;

static const int watched[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP};
enum { WATCHED = sizeof watched / sizeof watched[0] };

static volatile sig_atomic_t came;  /* the last signal, or 0 */
static volatile sig_atomic_t again; /* a second one came that was not the same */
static volatile uint64_t first_ns;  /* when the first one came */

static void note_signal(int signal)
{
    if (!came)
        first_ns = rc_clock_ns();
    else if (rc_clock_ns() - first_ns > same_ns)
        again = 1;
    came = signal;
}

void rc_signals_watch(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART}, was;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < WATCHED; i++)
        if (sigaction(watched[i], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

void rc_signals_leave(void)
{
    struct sigaction was;

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

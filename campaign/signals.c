#include "campaign/signals.h"

#include "campaign/base/clock.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

static const uint64_t grace_ns = 5000000000;

static volatile sig_atomic_t came;

static void note(int signal)
{
    came = signal;
}

void rc_signals_watch(void)
{
    static const int watched[] = {SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        sigaction(watched[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
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
    return rc_clock_ns() - since > grace_ns;
}

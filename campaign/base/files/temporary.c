/* Names for files that are not whole yet, and their removal at signals.
 *
 * The handler needs the names and may only call unlinkat(), so they stand in an array
 * of volatile pointers.  It removes nothing in a forked child, whose parent goes on
 * writing.
 */
#include "campaign/base/files/temporary.h"

#include <fnmatch.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/* A process has one or two at a time; a signal removes no more than NAMES of them. */
enum { NAMES = 8, LETTERS = 6 /* random ones in each name */ };
static char *volatile names[NAMES];
static volatile int directories[NAMES]; /* in which they begin */
static volatile pid_t owner;            /* the process that may remove them */

static const int deadly[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,  SIGALRM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM};
enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* The signal is caught once: raised again it ends the process. */
static void remove_all(int number)
{
    for (size_t i = 0; i < NAMES && getpid() == owner; i++)
        if (names[i])
            unlinkat(directories[i], names[i], 0);
    raise(number);
}

char *rc_temporary_name(int at, const char *path)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    struct sigaction action = {.sa_handler = remove_all, .sa_flags = (int)SA_RESETHAND};
    struct sigaction was;
    char random[LETTERS + 1] = "", *name;
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        number = ((uint64_t)time(NULL) << 24) ^ (uint64_t)getpid();
    for (size_t i = 0; i < LETTERS; i++, number /= sizeof letters - 1)
        random[i] = letters[number % (sizeof letters - 1)];
    if (asprintf(&name, "%s.rc-%s.new", path, random) < 0)
        return NULL;
    owner = getpid();
    for (size_t i = 0; i < NAMES; i++)
        if (!names[i]) {
            directories[i] = at;
            names[i] = name;
            break;
        }
    /* Only signals that would end the process: handlers and ignored signals stay. */
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < DEADLY; i++)
        if (sigaction(deadly[i], NULL, &was) == 0 && !(was.sa_flags & SA_SIGINFO) &&
            was.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL);
    return name;
}

void rc_temporary_forget(char *name)
{
    for (size_t i = 0; i < NAMES; i++)
        if (name && names[i] == name)
            names[i] = NULL;
    free(name);
}

bool rc_temporary_is(const char *name)
{
    return fnmatch("?*.rc-[0-9a-z][0-9a-z][0-9a-z][0-9a-z][0-9a-z][0-9a-z].new", name,
                   0) == 0 ||
           strcmp(name, "campaign.h5.new") == 0 ||
           strcmp(name, "metrics.h5.new") == 0 ||
           fnmatch("report.html.[0-9]*.new", name, 0) == 0;
}

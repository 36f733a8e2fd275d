/* One thread of OpenBLAS, which cannot be asked for later: the setting stands in the
 * environment while libraries are initialised, in the place of a variable that none of
 * them reads; where there is none, the program starts again with one more variable.
 */
#include "campaign/cli/threads.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_NUM_THREADS"

/* Spelt as no user does: to be told from what a user has set. */
static const char ours[] = "01";
static char setting[] = VARIABLE "=01";
static char *aside; /* what lay in its place */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The C library takes the environment from where it lies. */
static bool stand_in(char **environment)
{
    static const char *const unread[] = {"_=", "OLDPWD=", "SHLVL=", "PWD="};

    for (size_t u = 0; u < sizeof unread / sizeof *unread; u++)
        for (size_t i = 0; environment[i]; i++)
            if (begins(environment[i], unread[u])) {
                aside = environment[i];
                environment[i] = setting;
                return true;
            }
    return false;
}

/* Executes the program by the name that it was executed by, but not where that is the
 * dynamic loader's: by now the name may be another program's.  The C library has no
 * environment yet, nor should memory be allocated.  Where anything fails the program
 * goes on as it is.
 */
static void start_again(char **argv, char **environment)
{
    const unsigned long name = getauxval(AT_EXECFN);
    const char *path = (const char *)name; /* NOLINT(performance-no-int-to-ptr) */
    size_t count = 0;

    if (!path || !getauxval(AT_BASE))
        return;
    while (environment[count])
        count++;
    char **changed = mmap(NULL, (count + 2) * sizeof *changed, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (changed == MAP_FAILED)
        return;
    memcpy(changed, environment, count * sizeof *changed);
    changed[count] = setting;
    execve(path, argv, changed);
    munmap(changed, (count + 2) * sizeof *changed);
}

/* Not where the program has rights that its user does not have. */
static void ask_for_one(int argc, char **argv, char **environment)
{
    (void)argc;
    if (getauxval(AT_SECURE))
        return;
    for (size_t i = 0; environment[i]; i++)
        if (begins(environment[i], VARIABLE "="))
            return;
    if (!stand_in(environment))
        start_again(argv, environment);
}

/* Called before the constructors of libraries, with the arguments of main(). */
__attribute__((section(".preinit_array"),
               used)) static void (*const before_all)(int, char **,
                                                      char **) = ask_for_one;

void rc_threads_forget(void)
{
    extern char **environ;
    const char *value = getenv(VARIABLE);

    for (size_t i = 0; aside && environ[i]; i++)
        if (environ[i] == setting) {
            environ[i] = aside;
            return;
        }
    if (value && strcmp(value, ours) == 0)
        unsetenv(VARIABLE);
}

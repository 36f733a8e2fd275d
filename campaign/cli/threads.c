/* Starts the program again with one thread of OpenBLAS, which cannot be asked for
 * later.
 */
#include "campaign/cli/threads.h"

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

/* Executes the program by the name that it was executed by, but not where that is the
 * dynamic loader's, nor where the program has rights that its user does not have: by
 * now the name may be another program's.  The C library has no environment yet, nor
 * should memory be allocated.  Where anything fails the program goes on as it is.
 */
static void start_again(int argc, char **argv, char **environment)
{
    const size_t length = strlen(VARIABLE "=");
    const unsigned long name = getauxval(AT_EXECFN);
    const char *path = (const char *)name; /* NOLINT(performance-no-int-to-ptr) */
    size_t count = 0;

    (void)argc;
    if (!path || !getauxval(AT_BASE) || getauxval(AT_SECURE))
        return;
    while (environment[count])
        if (strncmp(environment[count++], setting, length) == 0)
            return;
    char **changed = mmap(NULL, (count + 2) * sizeof *changed, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (changed == MAP_FAILED)
        return;
    memcpy(changed, environment, count * sizeof *changed);
    changed[count] = setting;
    execve(path, argv, changed);
    munmap(changed, (count + 2) * sizeof *changed);
}

/* Called before the constructors of libraries, with the arguments of main(). */
__attribute__((section(".preinit_array"),
               used)) static void (*const before_all)(int, char **,
                                                      char **) = start_again;

void rc_threads_forget(void)
{
    const char *value = getenv(VARIABLE);

    if (value && strcmp(value, ours) == 0)
        unsetenv(VARIABLE);
}

/* Replaces this program by another one of rollcall's. */
#include "campaign/cli/become.h"

#include "campaign/base/program.h"
#include "campaign/cli/tell.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* OpenBLAS makes its threads before main(), so this is set before the program is
 * executed; no user writes the value like that, so it can be recognized.
 */
#define THREADS "OPENBLAS_NUM_THREADS"
static const char one_thread[] = "01";

/* Returns only on failure. */
static void become(const char *ending, char **argv, struct rc_error *err)
{
    static char path[PATH_MAX];

    if (rc_program_self(ending, path, sizeof path, err) != RC_OK)
        return;
    execv(path, argv);
    rc_fail_errno(err, "cannot run '%.400s'", path);
}

int rc_become_main(char **argv)
{
    static struct rc_error err;

    setenv(THREADS, one_thread, 0);
    become("-main", argv, &err);
    rc_tell_failure(NULL, &err, 1);
    return EXIT_FAILURE;
}

void rc_become_launcher(char **argv)
{
    static struct rc_error ignored;

    become("-launch", argv, &ignored);
}

void rc_become_forget(void)
{
    const char *threads = getenv(THREADS);

    if (threads && strcmp(threads, one_thread) == 0)
        unsetenv(THREADS);
}

/* Executes another program of rollcall's in the place of this one. */
#include "campaign/cli/become.h"

#include "campaign/base/program.h"
#include "campaign/cli/tell.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns only where that cannot be. */
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

    become("-main", argv, &err);
    rc_tell_failure(NULL, &err, 1);
    return EXIT_FAILURE;
}

void rc_become_launcher(char **argv)
{
    static struct rc_error ignored;

    become("-launch", argv, &ignored);
}

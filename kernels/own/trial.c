/* Runs a user's code in a child process first, which reports its steps to this one.
 *
 * A shared object can crash, end the process or never return, while it is loaded and in
 * any of its functions.
 */
#include "kernels/own/own.h"

#include "campaign/base/sandbox.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEP_S = 20, AT_BYTES = 256 };

void rc_own_trial_at(const struct rc_own_trial *trial, const char *format, ...)
{
    va_list words;

    va_start(words, format);
    vsnprintf(trial->at, AT_BYTES, format, words);
    va_end(words);
    alarm(STEP_S);
}

static void work_of(const void *trial)
{
    ((const struct rc_own_trial *)trial)->work(trial);
}

int rc_own_trial_run(struct rc_own_trial *trial, struct rc_error *err)
{
    char at[AT_BYTES];
    int ended;

    trial->at =
        mmap(NULL, AT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial->at == MAP_FAILED)
        return rc_fail_errno(err, "cannot try it");
    const enum rc_survival fate = rc_sandbox_run(work_of, trial, STEP_S, &ended);
    snprintf(at, sizeof at, "%s", trial->at);
    munmap(trial->at, AT_BYTES);
    if (fate == RC_SURVIVED)
        return RC_OK;
    if (fate == RC_TOO_LATE)
        return rc_fail(err, RC_ECONFLICT, "%s did not end within %d s", at, STEP_S);
    if (WIFSIGNALED(ended))
        return rc_fail(err, RC_ECONFLICT, "%s was ended by signal %d (%s)", at,
                       WTERMSIG(ended), strsignal(WTERMSIG(ended)));
    return rc_fail(err, RC_ECONFLICT, "%s ended the process, with status %d", at,
                   WEXITSTATUS(ended));
}

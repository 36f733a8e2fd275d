/* The table of schedulers, and a search for the one that is here. */

#include "campaign/base/child.h"
#include "jobs/descriptors.h"

#include <stdlib.h>
#include <string.h>

/* The order of the search: Flux often runs inside another scheduler, and Grid Engine
 * has commands with the same names as those of PBS.
 */
static const struct rc_scheduler *const table[] = {
    &rc_scheduler_flux, &rc_scheduler_slurm, &rc_scheduler_jsrun, &rc_scheduler_lsf,
    &rc_scheduler_sge,  &rc_scheduler_pbs,   &rc_scheduler_local, NULL,
};
enum { COUNT = sizeof table / sizeof table[0] - 1 };

const char *const rc_job_text_names[] = {
    "header", "setup", "launch", "again",  "submit", "query",   "cancel", "head",
    "common", "run",   "deal",   "finish", "noise",  "profile", NULL};
const char *const rc_job_state_names[] = {"unknown", "waiting",   "running", "done",
                                          "failed",  "cancelled", "gone",    NULL};

const char *const rc_scheduler_names[] = {"auto", "flux", "slurm", "jsrun", "lsf",
                                          "sge",  "pbs",  "local", NULL};
_Static_assert(sizeof rc_scheduler_names / sizeof rc_scheduler_names[0] == COUNT + 2,
               "a name for each, and auto");

const struct rc_scheduler *const *rc_schedulers(void)
{
    return table;
}

const struct rc_scheduler *rc_scheduler_find(const char *name)
{
    for (size_t i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

bool rc_scheduler_is_here(const struct rc_scheduler *scheduler)
{
    if (scheduler->variable && !getenv(scheduler->variable))
        return false;
    for (const char *const *p = scheduler->programs; p && *p; p++)
        if (!rc_child_is_there(*p))
            return false;
    return true;
}

const struct rc_scheduler *rc_scheduler_detect(void)
{
    size_t i = 0;

    while (i + 1 < COUNT && !rc_scheduler_is_here(table[i]))
        i++;
    return table[i];
}

/* The table of all sources: what --source NAME may name. */
#include "campaign/sources/source.h"

#include <string.h>

extern const struct rc_source rc_source_papi;
extern const struct rc_source rc_source_sysfs;
extern const struct rc_source rc_source_pcp; /* with libpcp only */
extern const struct rc_source rc_source_nvml;
extern const struct rc_source rc_source_time;
extern const struct rc_source rc_source_model;
extern const struct rc_source rc_source_soft; /* x86-64 with Zydis only */

static const struct rc_source *const sources[] = {
    &rc_source_papi,
    &rc_source_sysfs,
#ifdef RC_HAVE_PCP
    &rc_source_pcp,
#endif
    &rc_source_nvml,
    &rc_source_time,
    &rc_source_model,
#ifdef RC_HAVE_SOFT
    &rc_source_soft,
#endif
    NULL,
};

const struct rc_source *const *rc_sources(void)
{
    return sources;
}

const struct rc_source *rc_source_find(const char *name)
{
    for (size_t i = 0; sources[i]; i++)
        if (strcmp(sources[i]->name, name) == 0)
            return sources[i];
    return NULL;
}

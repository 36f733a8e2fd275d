/* Names of the processor's events, as perf_event_open(2) wants them: libpfm4 knows them
 * all.
 */
#include "campaign/profile/passes/program.h"

#ifdef RC_HAVE_PFM
#include <perfmon/pfmlib_perf_event.h>

bool rc_profile_counter_native(const char *name, struct perf_event_attr *attr)
{
    pfm_perf_encode_arg_t code = {.attr = attr, .size = sizeof code};
    const uint32_t size = attr->size;

    if (pfm_initialize() != PFM_SUCCESS)
        return false;
    const int failed = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3,
                                                 PFM_OS_PERF_EVENT_EXT, &code);
    attr->size = size;
    return failed == PFM_SUCCESS;
}
#else
bool rc_profile_counter_native(const char *name, struct perf_event_attr *attr)
{
    (void)name;
    (void)attr;
    return false;
}
#endif

int rc_profile_counter_find(const char *name, const struct rc_shared_event *before,
                            size_t count, struct rc_shared_event *out,
                            struct rc_error *err)
{
    return rc_profile_counter_find_by(rc_profile_counter_native, name, before, count,
                                      out, err);
}

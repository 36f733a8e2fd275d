/* program.h - the program that is to be recorded or counted, and events that count it
 */
#ifndef RC_CAMPAIGN_PROFILE_PASSES_PROGRAM_H
#define RC_CAMPAIGN_PROFILE_PASSES_PROGRAM_H

#include "campaign/base/error.h"
#include "campaign/perf/perf.h"
#include "campaign/profile/wire/shared.h"

#include <stdbool.h>
#include <stddef.h>

/* The program: words[0] as a shell finds it, in 'path'.  RC_EMISSING or RC_EPERM, and
 * *exits is what a shell would end with then, 127 or 126.  RC_EUSAGE: it is the
 * launcher of a job, which 'rollcall USE -- PROGRAM' is to follow.
 */
int rc_profile_program_find(char *const *words, const char *use, char *path,
                            size_t room, int *exits, struct rc_error *err);

/* Why the library that is to be preloaded will not be loaded into the program, in a few
 * words that live for ever; NULL: it will, as far as its file tells.
 */
const char *rc_profile_program_remark(const char *path);

/* The event of that name as threads are to count it for themselves.  RC_EMISSING: there
 * is no such event.  RC_EPERM, RC_EUNSUPPORTED: it cannot be counted here, which was
 * tried beside the 'count' events before it.
 */
int rc_profile_counter_find(const char *name, const struct rc_shared_event *before,
                            size_t count, struct rc_shared_event *out,
                            struct rc_error *err);

/* The same, where 'native' finds the events of the processor; NULL: there are none. */
int rc_profile_counter_find_by(bool (*native)(const char *, struct perf_event_attr *),
                               const char *name, const struct rc_shared_event *before,
                               size_t count, struct rc_shared_event *out,
                               struct rc_error *err);

/* Whether the event is one of the kernel's own, such as perf::PAGE-FAULTS. */
bool rc_profile_counter_is_generic(const char *name);

/* Fills in type, config and the like of an event of the processor; false: there is
 * none.
 */
bool rc_profile_counter_native(const char *name, struct perf_event_attr *attr);

#endif

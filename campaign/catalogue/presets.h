/* presets.h - compares the library's presets with derived metrics */
#ifndef RC_CAMPAIGN_CATALOGUE_PRESETS_H
#define RC_CAMPAIGN_CATALOGUE_PRESETS_H

#include "campaign/sources/presets.h"
#include "solve/result.h"

#include <stdbool.h>

/* Events that are not among the chosen ones of a suite.  May be NULL: not known. */
struct rc_preset_places {
    /* The representation of an event in the suite's coordinates; false: the event does
     * not exist, or has none.  Names are compared by rc_preset_same_event().
     */
    bool (*represent)(void *context, const char *event, double *coordinates);
    void *context;
};

/* One entry for each metric of the suite that has the name of a preset: "agrees",
 * "agrees: other events that count the same", "differs by ...", or "cannot be checked:
 * ...".  'key' is that of the kind: presets for other counters do not apply to it.  The
 * caller owns *out, free(); its words live in 'pool' and in 'suite'.
 */
int rc_preset_check(const struct rc_preset_list *presets, const char *key,
                    const struct rc_suite_result *suite,
                    const struct rc_preset_places *places, struct rc_pool *pool,
                    struct rc_preset_check **out, size_t *count, struct rc_error *err);

/* Whether two names mean the same event, with or without the PMU in front, in upper or
 * lower case.
 */
bool rc_preset_same_event(const char *a, const char *b);

#endif

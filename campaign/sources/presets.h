/* presets.h - the combinations of events that the library at hand predefines
 *
 * Plain data, so that others can look at them without PAPI.
 */
#ifndef RC_CAMPAIGN_SOURCES_PRESETS_H
#define RC_CAMPAIGN_SOURCES_PRESETS_H

#include "campaign/base/error.h"
#include "campaign/base/memory.h"

#include <stddef.h>

/* One preset: events and how their counts are combined. */
struct rc_preset {
    const char *name;         /* "PAPI_DP_OPS" */
    const char *derived;      /* "NOT_DERIVED", "DERIVED_ADD", "DERIVED_POSTFIX", ... */
    const char *postfix;      /* "N0|N1|2|*|+|" of DERIVED_POSTFIX, else "" */
    const char *const *event; /* native names; N0 of 'postfix' is the first */
    size_t event_count;
};

/* All presets of the library. */
struct rc_preset_list {
    const char *library;    /* "PAPI 7.0.0" */
    const char *const *pmu; /* libpfm's names of the PMUs whose counters they use */
    size_t pmu_count;
    const struct rc_preset *preset; /* those that are defined for this machine */
    size_t count;
};

/* Texts live in 'pool'; the arrays are *out's own, for rc_papi_presets_fini().
 * RC_EUNSUPPORTED: PAPI cannot be used here; *out is empty then.
 */
int rc_papi_presets(struct rc_pool *pool, struct rc_preset_list *out,
                    struct rc_error *err);
void rc_papi_presets_fini(struct rc_preset_list *list);

#endif

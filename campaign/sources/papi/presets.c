/* Reads the presets of PAPI and the combinations that define them.
 *
 * They are not measured: exports compare them with the metrics that were derived
 * (catalogue/presets.c).
 */
#include "campaign/sources/presets.h"
#include "campaign/sources/papi/parts.h"

#include <papi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lists of struct rc_preset_list while they grow. */
struct list {
    struct rc_preset *preset;
    size_t count, room;
    const char **pmu;
    size_t pmu_count, pmu_room;
};

/* Copies a text from one of PAPI's arrays, which may lack the final 0. */
static const char *keep_text(struct rc_pool *pool, const char *text, size_t room)
{
    char *copy = strndup(text, room);
    const char *kept = copy ? rc_pool_copy(pool, copy) : NULL;

    free(copy);
    return kept;
}

static int add_presets(struct list *list, struct rc_pool *pool, struct rc_error *err)
{
    int code = (int)PAPI_PRESET_MASK;

    for (int found = PAPI_enum_event(&code, PAPI_ENUM_FIRST); found == PAPI_OK;
         found = PAPI_enum_event(&code, PAPI_ENUM_EVENTS)) {
        PAPI_event_info_t info;
        memset(&info, 0, sizeof info);
        if (PAPI_get_event_info(code, &info) != PAPI_OK || info.count == 0)
            continue; /* not defined for this machine */
        /* Terms are freed with the list. */
        const size_t count =
            info.count < PAPI_MAX_INFO_TERMS ? info.count : PAPI_MAX_INFO_TERMS;
        const char **event = rc_calloc(count, sizeof *event);
        if (!event ||
            rc_grow(&list->preset, sizeof *list->preset, list->count, &list->room)) {
            free((void *)event);
            return rc_fail(err, RC_ENOMEM, "no memory for %zu presets", list->count);
        }
        struct rc_preset *preset = &list->preset[list->count++];
        *preset = (struct rc_preset){
            .name = keep_text(pool, info.symbol, sizeof info.symbol),
            .derived = keep_text(pool, info.derived, sizeof info.derived),
            .postfix = keep_text(pool, info.postfix, sizeof info.postfix),
            .event = event,
            .event_count = count,
        };
        bool whole = preset->name && preset->derived && preset->postfix;
        for (size_t i = 0; i < count; i++) {
            event[i] = keep_text(pool, info.name[i], sizeof info.name[i]);
            whole = whole && event[i];
        }
        if (!whole)
            return rc_fail(err, RC_ENOMEM, "no memory for %zu presets", list->count);
    }
    return RC_OK;
}

/* Lists the PMUs that presets use: those of the first component, without 'perf' and
 * 'perf_raw', which are names for the kernel's own events.
 */
static int add_pmus(struct list *list, struct rc_pool *pool, struct rc_error *err)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(0);

    for (size_t p = 0; component && p < PAPI_PMU_MAX && component->pmu_names[p]; p++) {
        const char *name = component->pmu_names[p];
        if (strcmp(name, "perf") == 0 || strcmp(name, "perf_raw") == 0)
            continue;
        if (rc_grow(&list->pmu, sizeof *list->pmu, list->pmu_count, &list->pmu_room) ||
            !(list->pmu[list->pmu_count] = rc_pool_copy(pool, name)))
            return rc_fail(err, RC_ENOMEM, "no memory for the names of PMUs");
        list->pmu_count++;
    }
    return RC_OK;
}

int rc_papi_presets(struct rc_pool *pool, struct rc_preset_list *out,
                    struct rc_error *err)
{
    const char *reason = rc_papi_library();
    struct list list = {0};
    char library[64];

    *out = (struct rc_preset_list){.library = "PAPI"};
    if (reason)
        return rc_fail(err, RC_EUNSUPPORTED, "%s", reason);
    int version = PAPI_get_opt(PAPI_LIB_VERSION, NULL);
    snprintf(library, sizeof library, "PAPI %d.%d.%d", PAPI_VERSION_MAJOR(version),
             PAPI_VERSION_MINOR(version), PAPI_VERSION_REVISION(version));
    out->library = rc_pool_copy(pool, library);
    int status = out->library ? add_pmus(&list, pool, err)
                              : rc_fail(err, RC_ENOMEM, "no memory for presets");
    if (status == RC_OK)
        status = add_presets(&list, pool, err);
    out->pmu = list.pmu;
    out->pmu_count = list.pmu_count;
    out->preset = list.preset;
    out->count = list.count;
    if (status != RC_OK)
        rc_papi_presets_fini(out);
    return status;
}

void rc_papi_presets_fini(struct rc_preset_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((void *)list->preset[i].event);
    free((void *)list->preset);
    free((void *)list->pmu);
    *list = (struct rc_preset_list){.library = "PAPI"};
}

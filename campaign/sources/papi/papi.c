/* The papi source: opens and closes the library, and says what its components are.
 *
 * enum.c lists events, scope.c says what they belong to, count.c tries and counts them,
 * presets.c reads the presets.
 */
#include "campaign/sources/papi/parts.h"

#include "campaign/base/text.h"

#include <papi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PAPI stays initialised until the process ends.  PAPI_shutdown() would take
 * the counters of the application and of every other open source away, and
 * the software-defined events of all libraries, which do not come back.
 */
const char *rc_papi_library(void)
{
    static char reason[160];
    int version;

    if (PAPI_is_initialized() != PAPI_NOT_INITED)
        return NULL;
    version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version == PAPI_VER_CURRENT) {
        PAPI_set_debug(PAPI_QUIET);
        /* Some components (GPUs) start only when they are asked for an event.  They are
         * asked here, so that what identify() and components() say does not depend on
         * what was enumerated before.
         */
        for (int i = 0; i < PAPI_num_components(); i++) {
            const PAPI_component_info_t *component = PAPI_get_component_info(i);
            int code = (int)PAPI_NATIVE_MASK;
            if (component && component->disabled == PAPI_EDELAY_INIT)
                (void)PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, i);
        }
        return NULL;
    }
    if (version > 0)
        snprintf(reason, sizeof reason,
                 "PAPI has version %d.%d, and rollcall was built with %d.%d",
                 PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
                 PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
    else
        snprintf(reason, sizeof reason, "PAPI does not start: %s",
                 PAPI_strerror(version));
    return reason;
}

static void papi_close(struct rc_source_state *state)
{
    if (!state)
        return;
    rc_pool_close(state->pool);
    free(state->cpu);
    free(state->event);
    free(state);
}

/* PAPI is started for the process; the state holds only the events' list. */
static int papi_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                     struct rc_error *err)
{
    struct rc_source_state *state = NULL;
    const char *reason;

    *out = NULL;
    if (setup->argument)
        return rc_fail(err, RC_EUSAGE,
                       "source 'papi' takes no argument, found 'papi:%s'",
                       setup->argument);
    reason = rc_papi_library();
    if (reason)
        return rc_fail(err, RC_EUNSUPPORTED, "source 'papi': %s", reason);
    state = rc_calloc(1, sizeof *state);
    if (!state || !(state->pool = rc_pool_create()) ||
        !(state->cpu = rc_calloc(setup->cpu_count, sizeof *state->cpu))) {
        papi_close(state);
        return rc_fail(err, RC_ENOMEM, "source 'papi': no memory");
    }
    if (setup->cpu_count > 0)
        memcpy(state->cpu, setup->cpu, setup->cpu_count * sizeof *state->cpu);
    state->cpu_count = setup->cpu_count;
    *out = state;
    return RC_OK;
}

/* PAPI's version, and its active components with their PMUs. */
static void papi_identify(struct rc_source_state *state, char *out, size_t room)
{
    int version = PAPI_get_opt(PAPI_LIB_VERSION, NULL);

    (void)state;
    if (room == 0)
        return;
    snprintf(out, room, "papi %d.%d.%d", PAPI_VERSION_MAJOR(version),
             PAPI_VERSION_MINOR(version), PAPI_VERSION_REVISION(version));
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);
        if (!component || component->disabled)
            continue;
        rc_text_append(out, room, "; %s", component->name);
        if (component->num_cntrs > 0)
            rc_text_append(out, room, " %d", component->num_cntrs);
        for (size_t p = 0; p < PAPI_PMU_MAX && component->pmu_names[p]; p++)
            rc_text_append(out, room, "%s%s", p == 0 ? ": " : ", ",
                           component->pmu_names[p]);
    }
}

static void papi_components(struct rc_source_state *state,
                            void (*tell)(void *context, const char *component,
                                         const char *reason),
                            void *context)
{
    (void)state;
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);
        if (!component)
            continue;
        if (!component->disabled)
            tell(context, component->name, NULL);
        else
            tell(context, component->name,
                 component->disabled_reason[0] ? component->disabled_reason
                                               : PAPI_strerror(component->disabled));
    }
}

/* A count of work first, for which many PMUs have a fixed counter; then the time, which
 * takes no counter.
 */
static const char *const *papi_references(struct rc_source_state *state)
{
    static const char *const names[] = {"perf::INSTRUCTIONS", "perf::TASK-CLOCK", NULL};

    (void)state;
    return names;
}

const struct rc_source rc_source_papi = {
    .name = "papi",
    .summary = "hardware and software counters of this machine, by PAPI",
    .label = "real",
    .runs_kernels = true,
    .unavailable = rc_papi_library,
    .open = papi_open,
    .close = papi_close,
    .identify = papi_identify,
    .hardware = rc_papi_hardware,
    .references = papi_references,
    .components = papi_components,
    .enumerate = rc_papi_enumerate,
    .trial = rc_papi_trial,
    .arm = rc_papi_arm,
    .disarm = rc_papi_disarm,
    .start = rc_papi_start,
    .stop = rc_papi_stop,
};

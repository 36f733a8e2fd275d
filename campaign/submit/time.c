/* Finds a job's ranks and time limit from this machine.
 *
 * 'submit' runs on a login node, which may differ from the job's nodes; so the time is
 * twice the plan's, and how it comes about is printed.
 */
#include "campaign/submit/job_submit.h"

#include "campaign/base/text.h"
#include "campaign/cli/tell.h"
#include "campaign/plan/estimate.h"
#include "campaign/plan/preview.h"

#include <inttypes.h>
#include <string.h>

enum {
    AROUND_S = 600, /* for start, result file, solving and report */
    STEP_S = 300,   /* limits are rounded up to multiples of this */
    NS = 1000000000
};

/* Explains a time to people, who may know better. */
static void print_time(const struct rc_submit_setting *o,
                       const struct rc_submit_part *part, size_t ranks,
                       const struct rc_catalogue *catalogue,
                       const struct rc_estimate *estimate)
{
    char least[RC_TEXT_SHORT], most[RC_TEXT_SHORT], given[RC_TEXT_SHORT],
        queue[80] = "";

    if (rc_tell_level() == RC_TELL_QUIET)
        return;
    if (part->queue)
        rc_text_printable(queue, sizeof queue, part->queue);
    fprintf(
        stderr,
        "time%s%s: %s, since the plan says %s to %s%s on %" PRIu32 " node%s with "
        "%zu rank%s each, tried on this machine (kind %s); twice that and 10 min "
        "are allowed\n",
        queue[0] ? " in " : "", queue, rc_text_put_duration(given, part->seconds * NS),
        rc_text_put_duration(least, estimate->least_ns),
        rc_text_put_duration(most, estimate->most_ns),
        o->shares ? " for all shares" : "", part->nodes_least,
        rc_text_s(part->nodes_least), ranks, rc_text_s(ranks), catalogue->kind.name);
}

/* Sets a part's time by the plan for 'spec' on this machine. */
static int estimate_time(const struct rc_submit_setting *o, struct rc_submit_part *part,
                         const struct rc_spec *spec, struct rc_error *err)
{
    struct rc_preview preview = {.spec = spec};
    struct rc_estimate result;
    int status;

    if ((status = rc_catalogue_open(spec, true, &preview.catalogue, err)) != RC_OK)
        goto out;
    const struct rc_machine *machine = preview.catalogue->machine;
    const size_t ranks =
        part->ranks ? part->ranks : rc_machine_unit_count(machine, RC_SCOPE_CORE);
    preview.catalogue->workers = (uint32_t)ranks;
    if ((status = rc_preview_make(&preview, err)) != RC_OK)
        goto out;
    const struct rc_estimate_team team = rc_estimate_team(
        machine, ranks, part->nodes_least, rc_units_replicate(&preview.setup));
    rc_estimate(&preview.setup, &preview.units, &team, &result);
    const uint64_t each_ns = o->shares ? result.most_ns / o->shares : result.most_ns;
    const uint64_t wanted = 2 * (each_ns / NS) + AROUND_S;
    part->seconds = (wanted + STEP_S - 1) / STEP_S * STEP_S;
    print_time(o, part, ranks, preview.catalogue, &result);
out:
    rc_preview_fini(&preview);
    rc_catalogue_close(preview.catalogue);
    if (status != RC_OK)
        rc_error_prefix(err, "--time auto: ");
    return status;
}

/* Sets the time of 'noise' from its options and, if each core is measured alone, from
 * this machine's cores.
 */
static int noise_time(const struct rc_submit_setting *o, struct rc_submit_part *part,
                      struct rc_error *err)
{
    char measured[RC_TEXT_SHORT], given[RC_TEXT_SHORT];
    uint64_t seconds = o->noise_seconds;
    struct rc_machine *machine;

    if (o->noise_alone) {
        const int status = rc_machine_open(RC_MACHINE_THIS, NULL, &machine, err);
        if (status != RC_OK)
            return status;
        seconds += seconds * rc_machine_unit_count(machine, RC_SCOPE_CORE);
        rc_machine_close(machine);
    }
    const uint64_t wanted = 2 * seconds + AROUND_S;
    if (wanted > RC_SUBMIT_SECONDS)
        return rc_fail(err, RC_EUSAGE,
                       "noise measures for longer than a job can take, %d days",
                       RC_SUBMIT_SECONDS / 86400);
    part->seconds = (wanted + STEP_S - 1) / STEP_S * STEP_S;
    if (rc_tell_level() > RC_TELL_QUIET)
        fprintf(stderr,
                "time: %s, since noise measures for %s; twice that and 10 min are "
                "allowed\n",
                rc_text_put_duration(given, part->seconds * NS),
                rc_text_put_duration(measured, seconds * NS));
    return RC_OK;
}

int rc_submit_find_ranks(struct rc_submit_setting *setting, struct rc_error *err)
{
    struct rc_machine *machine;
    bool wanted = false;

    for (size_t p = 0; p < setting->part_count; p++)
        wanted = wanted || setting->part[p].ranks == 0;
    if (!wanted || setting->scheduler->whole_nodes)
        return RC_OK;
    int status = rc_machine_open(RC_MACHINE_THIS, NULL, &machine, err);
    if (status != RC_OK)
        return status;
    const uint32_t cores = (uint32_t)rc_machine_unit_count(machine, RC_SCOPE_CORE);
    rc_machine_close(machine);
    for (size_t p = 0; p < setting->part_count; p++)
        if (setting->part[p].ranks == 0)
            setting->part[p].ranks = cores;
    if (rc_tell_level() > RC_TELL_QUIET)
        fprintf(stderr,
                "%" PRIu32 " rank%s on each node, as many as this machine has cores: "
                "--ranks-per-node changes that\n",
                cores, rc_text_s(cores));
    return RC_OK;
}

int rc_submit_find_times(struct rc_submit_setting *setting, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t p = 0; p < setting->part_count; p++) {
        struct rc_submit_part *part = &setting->part[p];
        struct rc_spec spec = {0};
        if (part->seconds || setting->scheduler->unlimited)
            continue;
        if (setting->command == &rc_command_profile)
            status = rc_fail(err, RC_EUSAGE,
                             "how long the program runs is not known: expected --time");
        else if (setting->command == &rc_command_noise)
            status = noise_time(setting, part, err);
        else if (!part->source)
            status = estimate_time(setting, part, &setting->spec, err);
        else if ((status = rc_submit_part_spec(setting, part, &spec, err)) == RC_OK)
            status = estimate_time(setting, part, &spec, err);
        rc_spec_fini(&spec);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Prints what readings of a source cost: for each family of its events (the first word
 * after ":::") the median and the 99th percentile of a start and a stop, in
 * microseconds, of a group with the family's first event that counts and of one with
 * all of them.
 *
 *     bench_readings SOURCE[:ARGUMENT] [READINGS]
 */
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/sources/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 20000, FAMILY = 64 };

static struct listed {
    struct rc_event_sink sink;
    char family[EVENTS][FAMILY];
    uint32_t count;
} listed;

/* "sysfs:::net:eth0:rx_bytes": "net"; "pcp:::sample.bin:bin-100": "sample" */
static int take_event(struct rc_event_sink *sink, const struct rc_event_info *info,
                      struct rc_error *err)
{
    const char *word = strstr(info->name, ":::");

    (void)sink;
    if (listed.count == EVENTS)
        return rc_fail(err, RC_EUNSUPPORTED, "more than %d events", EVENTS);
    word = word ? word + 3 : info->name;
    size_t length = strcspn(word, ":.");
    snprintf(listed.family[listed.count++], FAMILY, "%.*s", (int)length, word);
    return RC_OK;
}

/* Times 'readings' starts and stops. */
static int time_group(const struct rc_source *source, struct rc_source_state *state,
                      const uint32_t *events, size_t count, size_t readings,
                      struct rc_error *err)
{
    double *took = rc_calloc(readings, sizeof *took);
    struct rc_reading *reading = rc_calloc(count, sizeof *reading);
    struct rc_group_state *group = NULL;
    int status = took && reading ? source->arm(state, events, count, &group, err)
                                 : rc_fail(err, RC_ENOMEM, "no memory");

    for (size_t i = 0; i < readings && status == RC_OK; i++) {
        uint64_t begin = rc_clock_ns();
        status = source->start(group, NULL, err);
        if (status == RC_OK)
            status = source->stop(group, reading, err);
        took[i] = (double)(rc_clock_ns() - begin) / 1e3;
    }
    if (status == RC_OK) {
        qsort(took, readings, sizeof *took, rc_order_reals);
        printf("  %6zu %10.1f %10.1f", count, took[readings / 2],
               took[readings * 99 / 100]);
    }
    source->disarm(group);
    free(reading);
    free(took);
    return status;
}

/* A family: the events from 'first' on that have its name and count. */
static int time_family(const struct rc_source *source, struct rc_source_state *state,
                       uint32_t first, const bool *counts, size_t readings,
                       struct rc_error *err)
{
    static uint32_t events[EVENTS];
    size_t count = 0;

    for (uint32_t i = first; i < listed.count; i++)
        if (counts[i] && strcmp(listed.family[i], listed.family[first]) == 0)
            events[count++] = i;
    printf("%-24s", listed.family[first]);
    int status = time_group(source, state, events, 1, readings, err);
    if (status == RC_OK)
        status = time_group(source, state, events, count, readings, err);
    printf("\n");
    return status;
}

int main(int argc, char **argv)
{
    static bool counts[EVENTS];
    char name[64] = "";
    struct rc_source_setup setup = {.seed = 1};
    struct rc_source_state *state = NULL;
    struct rc_enumerate what = {RC_QUALIFIERS_UMASKS, false};
    struct rc_error err = {.text = "expected SOURCE[:ARGUMENT] [READINGS]"};
    const size_t readings = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 1000;
    int status = RC_EUSAGE;

    if (argc < 2 || readings == 0)
        goto out;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[1], ":"), argv[1]);
    const char *colon = strchr(argv[1], ':');
    setup.argument = colon ? colon + 1 : NULL;
    const struct rc_source *source = rc_source_find(name);
    if (!source) {
        rc_fail(&err, RC_EUSAGE, "no source '%s'", name);
        goto out;
    }
    uint64_t begin = rc_clock_ns();
    status = source->open(&setup, &state, &err);
    if (status != RC_OK)
        goto out;
    listed.sink.add = take_event;
    status = source->enumerate(state, &what, &listed.sink, &err);
    if (status != RC_OK)
        goto out;
    printf("%" PRIu32 " events listed in %.1f ms\n", listed.count,
           (double)(rc_clock_ns() - begin) / 1e6);
    for (uint32_t i = 0; i < listed.count; i++) {
        struct rc_trial trial;
        source->trial(state, &i, 1, &trial);
        counts[i] = trial.verdict == RC_VERDICT_OK;
    }
    printf("%-24s  events   median us     p99 us  events   median us     p99 us\n",
           "family");
    for (uint32_t i = 0; i < listed.count && status == RC_OK; i++) {
        bool is_first = counts[i];
        for (uint32_t before = 0; before < i && is_first; before++)
            is_first =
                !counts[before] || strcmp(listed.family[before], listed.family[i]) != 0;
        if (is_first)
            status = time_family(source, state, i, counts, readings, &err);
    }
out:
    if (state)
        rc_source_find(name)->close(state);
    if (status != RC_OK)
        fprintf(stderr, "%s: %s\n", argv[0], err.text);
    return rc_exit_status(status);
}

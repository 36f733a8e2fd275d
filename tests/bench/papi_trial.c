/* Prints how long the papi source takes to list and try all events of this
 * machine, one at a time, and the tally of verdicts.
 *
 *     papi_trial [none|umasks|all]
 */
#include "campaign/base/clock.h"
#include "campaign/sources/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct count {
    struct rc_event_sink sink;
    uint32_t events, presets;
    bool show;
};

static int add(struct rc_event_sink *sink, const struct rc_event_info *info,
               struct rc_error *err)
{
    struct count *count = (struct count *)sink;

    (void)err;
    count->events++;
    count->presets += info->preset;
    if (count->show)
        printf("%s\t%s\t%s\t%s\n", info->name, rc_scope_name(info->scope),
               info->evidence, info->description);
    return RC_OK;
}

static double now(void)
{
    return 1e-9 * (double)rc_clock_ns();
}

static void try_all(const struct rc_source *source, struct rc_source_state *state,
                    uint32_t events)
{
    size_t tally[RC_VERDICT_COUNT] = {0};
    double begin = now();

    for (uint32_t i = 0; i < events; i++) {
        struct rc_trial trial;
        source->trial(state, &i, 1, &trial);
        if (tally[trial.verdict]++ == 0)
            printf("  first '%s': event %u: %s\n", rc_verdict_name(trial.verdict), i,
                   trial.reason);
    }
    printf("trial: %.3f s for %u events\n", now() - begin, events);
    for (int v = 0; v < RC_VERDICT_COUNT; v++)
        if (tally[v])
            printf("  %-20s %zu\n", rc_verdict_name((enum rc_verdict)v), tally[v]);
}

static void tell(void *context, const char *component, const char *reason)
{
    (void)context;
    printf("component %s: %s\n", component, reason ? reason : "active");
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"none", "umasks", "all", NULL};
    const struct rc_source *source = rc_source_find("papi");
    const char *word = argc > 1 ? argv[1] : "all";
    int qualifiers = rc_word_find(word, words);
    struct rc_source_setup setup = {0};
    struct rc_source_state *state = NULL;
    struct count count = {.sink.add = add, .show = argc > 2};
    struct rc_error err = {0};
    char line[4096];

    if (qualifiers < 0) {
        fprintf(stderr, "papi_trial: '%s': expected none, umasks or all\n", word);
        return 2;
    }
    struct rc_enumerate what = {.qualifiers = (enum rc_qualifiers)qualifiers,
                                .presets = true};
    double begin = now();
    if (source->open(&setup, &state, &err) != RC_OK)
        goto failed;
    printf("open: %.3f s\n", now() - begin);
    source->identify(state, line, sizeof line);
    printf("%s\n", line);
    source->components(state, tell, NULL);
    begin = now();
    if (source->enumerate(state, &what, &count.sink, &err) != RC_OK)
        goto failed;
    printf("qualifiers %s: %u events, %u of them presets, listed in %.3f s\n", word,
           count.events, count.presets, now() - begin);
    try_all(source, state, count.events);
    source->hardware(state, line, sizeof line);
    printf("%s\n", line);
    source->close(state);
    return 0;
failed:
    fprintf(stderr, "papi_trial: %s\n", err.text);
    source->close(state);
    return 1;
}

/* The contents of a directory of profiles: a row for each launch on each node. */
#include "campaign/profile/passes/state.h"

#include "campaign/base/text.h"
#include "campaign/profile/passes/passes.h"

#include <inttypes.h>
#include <stdio.h>

static const struct rc_column columns[] = {
    {.name = "launch", .type = RC_CELL_NUMBER},
    {.name = "node"},
    {.name = "begun"},
    {.name = "sampler"},
    {.name = "threads", .type = RC_CELL_NUMBER},
    {.name = "killed", .type = RC_CELL_NUMBER},
    {.name = "series", .type = RC_CELL_NUMBER},
    {.name = "parameters"},
    {.name = "program"},
    {.name = NULL},
};

enum { NUMBER = 24 /* bytes of a number's text */ };

static void add_node(struct rc_rows *rows, const struct rc_profile *profile,
                     const struct rc_profile_node *node)
{
    char launch[NUMBER], threads[NUMBER], killed[NUMBER], series[NUMBER],
        begun[RC_TEXT_TIME], program[1024] = "", parameters[RC_PROFILE_PARAMETERS_TEXT];
    size_t without_word = 0;

    for (size_t i = 0; i < node->thread_count; i++)
        without_word += node->thread[i].closed && node->thread[i].close.killed;
    for (size_t i = 0; i < node->launch.word_count; i++)
        rc_text_append(program, sizeof program, "%s%s", i ? " " : "",
                       node->launch.word[i]);
    snprintf(launch, sizeof launch, "%" PRIu64, node->launch.launch);
    snprintf(threads, sizeof threads, "%zu", node->thread_count);
    snprintf(killed, sizeof killed, "%zu", without_word);
    snprintf(series, sizeof series, "%zu", node->series_count);
    rc_rows_add(
        rows, (const char *const[]){
                  launch, node->launch.node,
                  rc_text_put_time(begun, node->launch.unix_ns / 1000000000),
                  node->ended ? "ended" : "not ended", threads, killed, series,
                  rc_profile_parameters_said(profile, node->launch.launch, parameters),
                  program});
}

/* "1, 4": the passes that are missing. */
static const char *missing_text(const struct rc_profile_passes *passes, char *out,
                                size_t room)
{
    out[0] = 0;
    for (size_t p = 0; p < passes->passes; p++)
        if (passes->launch[p] == RC_PROFILE_NO_LAUNCH)
            rc_text_append(out, room, "%s%zu", *out ? ", " : "", p);
    return out;
}

static int show_rows(const struct rc_profile *profile,
                     const struct rc_profile_passes *passes, enum rc_format format,
                     struct rc_error *err)
{
    struct rc_json own, *json = rc_rows_json(format, &own, stdout);
    char id[RC_JOURNAL_ID_TEXT], missing[256];

    rc_journal_id_text(id, &profile->id);
    missing_text(passes, missing, sizeof missing);
    if (json) {
        rc_json_object(json, NULL);
        rc_json_text(json, "profile", id);
        rc_json_texts(json, "damage", profile->damage, profile->damage_count);
        rc_json_integer(json, "passes", (int64_t)passes->passes);
        rc_json_array(json, "missing_passes");
        for (size_t p = 0; p < passes->passes; p++)
            if (passes->launch[p] == RC_PROFILE_NO_LAUNCH)
                rc_json_integer(json, NULL, (int64_t)p);
        rc_json_end(json);
        rc_json_array(json, "launches");
    } else if (format == RC_FORMAT_TEXT) {
        printf("profile %s, launches: %" PRIu64 "\n", id, profile->launches);
        if (passes->passes > 0)
            printf("passes: %zu of %" PRIu64 " are there%s%s\n",
                   (size_t)passes->passes - passes->missing, passes->passes,
                   *missing ? "; missing: " : "", missing);
        putchar('\n');
    }
    rc_rows_head(stdout, format, columns);
    struct rc_rows *rows = rc_rows_create(stdout, format, columns, json);
    for (size_t i = 0; i < profile->node_count; i++)
        add_node(rows, profile, &profile->node[i]);
    const int status = rc_rows_end(rows, RC_OK, err);
    if (json) {
        rc_json_end(json);
        rc_json_end(json);
        rc_json_close(json);
    }
    return status;
}

int rc_profile_state_show(const char *dir, enum rc_format format, bool *complete,
                          struct rc_error *err)
{
    struct rc_profile *profile;
    struct rc_profile_passes passes;
    int status = rc_profile_read(dir, false, &profile, err);

    if (status != RC_OK)
        return status;
    if ((status = rc_profile_passes_find(dir, profile, &passes, err))) {
        rc_profile_close(profile);
        return status;
    }
    *complete = profile->damage_count == 0 && passes.missing == 0;
    for (size_t i = 0; i < profile->node_count && passes.passes == 0; i++)
        *complete &= profile->node[i].ended;
    status = show_rows(profile, &passes, format, err);
    for (size_t i = 0; i < profile->damage_count && format == RC_FORMAT_TEXT; i++)
        printf("%s%s\n", i ? "" : "\n", profile->damage[i]);
    rc_profile_close(profile);
    return status;
}

/* Any bytes as a machine file: refused with one line, or a machine whose events
 * can be tried, counted and read.
 */
#include "campaign/sources/model/file.h"
#include "campaign/sources/model/trial.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_TRIED 100

static void try_events(const struct rc_model *model)
{
    struct rc_trial trial;
    uint32_t group[EVENTS_TRIED];
    size_t count = 0;

    for (; count < EVENTS_TRIED && count < model->event_count; count++) {
        struct rc_model_at at;
        struct rc_model_terms terms = {0};
        char name[RC_MODEL_NAME_MAX + 1], sum[RC_MODEL_SUM_MAX + 1];
        const struct rc_model_line *line =
            rc_model_line_of(model, (uint32_t)count, &at);
        group[count] = (uint32_t)count;
        rc_model_event_name(model, (uint32_t)count, name);
        if (!name[0])
            abort();
        if (line->time_ns > RC_MODEL_TIME_MAX)
            abort();
        if (line->counts) {
            rc_model_render(line->counts, &line->range, &at, sum, sizeof sum);
            if (rc_model_expression_read(sum, &terms, NULL) != RC_OK)
                abort(); /* the reader has checked all of them */
        }
        free(terms.term);
        rc_model_trial(model, &group[count], 1, &trial);
        if (trial.verdict == RC_VERDICT_UNTRIED ||
            (trial.verdict == RC_VERDICT_OK) != !trial.reason[0])
            abort();
    }
    rc_model_trial(model, group, count, &trial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rc_error err = {.text = ""};
    struct rc_model *model;
    int status = rc_model_from_text("fuzz", (const char *)data, size, &model, &err);

    if (status == RC_OK)
        try_events(model);
    else if (!err.text[0] || strchr(err.text, '\n') || model)
        abort();
    rc_model_file_close(model);
    return 0;
}

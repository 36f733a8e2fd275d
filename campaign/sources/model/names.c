/* Finds the line of an event of a simulated machine, and renders the event's name. */
#include "campaign/base/memory.h"
#include "campaign/sources/model/file.h"

static bool begins_by(const void *line, const void *event)
{
    return ((const struct rc_model_line *)line)->first <= *(const uint32_t *)event;
}

const struct rc_model_line *rc_model_line_of(const struct rc_model *model,
                                             uint32_t event, struct rc_model_at *at)
{
    const struct rc_model_line *line = model->line - 1 +
                                       rc_count_before(model->line, model->line_count,
                                                       sizeof *line, &event, begins_by);

    rc_model_range_at(&line->range, event - line->first, at);
    return line;
}

void rc_model_event_name(const struct rc_model *model, uint32_t event, char *out)
{
    struct rc_model_at at;
    const struct rc_model_line *line = rc_model_line_of(model, event, &at);

    rc_model_render(line->name, &line->range, &at, out, RC_MODEL_NAME_MAX + 1);
}

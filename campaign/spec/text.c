/* Writes a spec as the full text of a campaign file: every setting, also those with
 * their default, so that a later default does not change what was measured.
 */
#include "campaign/spec/options.h"
#include "campaign/spec/parts.h"

#include "io/journal/journal.h"

#include <inttypes.h>
#include <stdlib.h>

static struct rc_spec_raw_list raw_list(const struct rc_list *list)
{
    return (struct rc_spec_raw_list){list->item, (uint32_t)list->count};
}

/* As set_sync() in settings.c reads it. */
static void show_sync(int64_t ms, char *out, size_t room)
{
    if (ms == RC_JOURNAL_SYNC_NEVER || ms == RC_JOURNAL_SYNC_EACH)
        snprintf(out, room, "%s", ms == RC_JOURNAL_SYNC_EACH ? "always" : "never");
    else if (ms % 1000)
        snprintf(out, room, "%" PRId64 "ms", ms);
    else
        snprintf(out, room, "%" PRId64 "s", ms / 1000);
}

void rc_spec_show(const struct rc_spec *spec, struct rc_spec_texts *out)
{
    snprintf(out->presets, sizeof out->presets, "%s", spec->presets ? "yes" : "no");
    snprintf(out->repeat, sizeof out->repeat, "auto");
    if (!spec->repeat_min && spec->repeat_max != 30)
        snprintf(out->repeat, sizeof out->repeat, "auto:%" PRIu32, spec->repeat_max);
    if (spec->repeat_min)
        snprintf(out->repeat, sizeof out->repeat, "%" PRIu32 ":%" PRIu32,
                 spec->repeat_min, spec->repeat_max);
    snprintf(out->target, sizeof out->target, "%.15g", spec->target);
    if (strtod(out->target, NULL) != spec->target) /* 15 digits if they are exact */
        snprintf(out->target, sizeof out->target, "%.17g", spec->target);
    snprintf(out->seed, sizeof out->seed, "%" PRIu64, spec->seed);
    snprintf(out->group_size, sizeof out->group_size, "%" PRIu32, spec->group_size);
    snprintf(out->qualifiers, sizeof out->qualifiers, "%s",
             rc_qualifiers_names[spec->qualifiers]);
    snprintf(out->replicate, sizeof out->replicate, "%s",
             rc_replicate_names[spec->replicate]);
    snprintf(out->smt, sizeof out->smt, "%s", spec->smt ? "yes" : "no");
    show_sync(spec->sync_ms, out->sync, sizeof out->sync);
    out->raw = (struct rc_spec_raw){
        .name = (char *)spec->name,
        .source = raw_list(&spec->sources),
        .suites = raw_list(&spec->suites),
        .axes = raw_list(&spec->axes),
        .events = {spec->events.item, (uint32_t)spec->events.count},
        .scopes = raw_list(&spec->scopes),
        .qualifiers = out->qualifiers,
        .presets = out->presets,
        .repeat = out->repeat,
        .target = out->target,
        .seed = out->seed,
        .group_size = out->group_size,
        .reference = (char *)spec->reference,
        .replicate = out->replicate,
        .smt = out->smt,
        .sync = out->sync,
        .submit = raw_list(&spec->submit),
        .definitions = raw_list(&spec->definitions),
        .metrics = spec->metrics,
        .metrics_count = (uint32_t)spec->metric_count};
}

int rc_spec_text(const struct rc_spec *spec, char **text, size_t *bytes,
                 struct rc_error *err)
{
    struct rc_spec_texts texts = {0};

    rc_spec_show(spec, &texts);
    return rc_yaml_save(&rc_spec_schema, &texts.raw, text, bytes, err);
}

int rc_spec_write(const struct rc_spec *spec, const char *path,
                  enum rc_file_place place, struct rc_error *err)
{
    char *text;
    size_t bytes;
    int status;

    if ((status = rc_spec_text(spec, &text, &bytes, err)) == RC_OK)
        status = rc_file_replace(path, place, text, bytes, err);
    free(text);
    return status;
}

/* Metrics in a campaign file, and the files of definitions that it names.
 *
 * A wrong metric is reported when the file is read, with the line of the file, and not
 * hours later when the campaign is solved.
 */
#include "campaign/spec/parts.h"

#include <inttypes.h>
#include <limits.h>

enum { METRICS_MAX = 1000 };

/* Replaces the texts of a metric by copies in the arena. */
static void copy_texts(struct rc_arena *arena, struct rc_metric_text *text)
{
    char **member[] = {&text->metric,    &text->suite,   &text->description,
                       &text->signature, &text->formula, &text->preset,
                       &text->unit};
    enum { MEMBERS = sizeof member / sizeof member[0] };

    _Static_assert(sizeof *text == MEMBERS * sizeof(char *), "each member is copied");
    for (size_t i = 0; i < MEMBERS; i++)
        if (*member[i])
            *member[i] = (char *)rc_arena_text(arena, *member[i]);
}

/* Checks one metric of the file; 'where' is "metrics[INDEX]". */
static int check_metric(struct rc_spec *spec, struct rc_yaml *file, const char *where,
                        const struct rc_metric_text *text, struct rc_error *err)
{
    struct rc_error problem = {0};
    const char *key;
    char at[96];
    int status = rc_metric_text_check(text, &key, &problem);

    if (status == RC_EUSAGE) {
        snprintf(at, sizeof at, "%s%s%s", where, key ? "." : "", key ? key : "");
        return rc_yaml_blame(file, at, err, "%s: %s", at, problem.text);
    }
    if (status != RC_OK)
        return rc_fail(err, status, "%s", problem.text);
    if (!text->suite)
        return rc_yaml_blame(file, where, err,
                             "%s: metric '%s' has no suite, expected the key 'suite'",
                             where, text->metric);
    if (!rc_suite_find(text->suite)) {
        snprintf(at, sizeof at, "%s.suite", where);
        return rc_yaml_blame(file, at, err, "%s: '%s', expected %s", at, text->suite,
                             rc_spec_suite_expected(spec, text->suite));
    }
    return RC_OK;
}

int rc_spec_metrics_read(struct rc_spec *spec, struct rc_yaml *file,
                         const struct rc_spec_raw *raw, struct rc_error *err)
{
    if (raw->metrics_count > METRICS_MAX)
        return rc_yaml_blame(file, "metrics", err,
                             "metrics: %" PRIu32 " of them, expected at most %d",
                             raw->metrics_count, METRICS_MAX);
    if (!raw->metrics_count)
        return RC_OK;
    spec->metrics =
        rc_arena_array(&spec->arena, raw->metrics_count, sizeof *spec->metrics);
    spec->metric_where =
        rc_arena_array(&spec->arena, raw->metrics_count, sizeof *spec->metric_where);
    int status = rc_spec_check_memory(spec, err);
    if (status != RC_OK)
        return status;
    for (uint32_t i = 0; i < raw->metrics_count; i++) {
        char where[64], line[PATH_MAX + 32];
        snprintf(where, sizeof where, "metrics[%" PRIu32 "]", i);
        status = check_metric(spec, file, where, &raw->metrics[i], err);
        spec->metrics[i] = raw->metrics[i];
        copy_texts(&spec->arena, &spec->metrics[i]);
        snprintf(line, sizeof line, "%s:%zu", file->name, rc_yaml_line(file, where));
        spec->metric_where[i] = rc_arena_text(&spec->arena, line);
        spec->metric_count++;
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_spec_definitions(const struct rc_spec *spec, struct rc_definitions *definitions,
                        struct rc_error *err)
{
    for (size_t i = 0; i < spec->definitions.count; i++) {
        const int status =
            rc_definitions_add_file(definitions, spec->definitions.item[i], err);
        if (status != RC_OK && status != RC_EUSAGE)
            rc_error_prefix(err, "definitions of the campaign file: ");
        if (status != RC_OK)
            return status;
    }
    if (!spec->metric_count)
        return RC_OK;
    return rc_definitions_add_metrics(definitions, spec->metrics, spec->metric_where,
                                      spec->metric_count, err);
}

int rc_spec_metrics_check(const struct rc_spec *spec, struct rc_error *err)
{
    struct rc_definitions *definitions = NULL;
    int status;

    if (!spec->definitions.count && !spec->metric_count)
        return RC_OK;
    if ((status = rc_definitions_create(&definitions, err)) == RC_OK)
        status = rc_spec_definitions(spec, definitions, err);
    rc_definitions_close(definitions);
    return status;
}

/* Metrics in a campaign file, and the files of definitions that it names.
 *
 * What is wrong with a metric is said when the file is read, with the line of the file,
 * and not hours later when the campaign is solved.
 */
#include "campaign/spec/parts.h"

#include "campaign/base/memory.h"
#include "kernels/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS_MAX = 1000 };

/* All members, so that none is forgotten where they are copied and freed. */
#define MEMBERS 7
static void members(struct rc_metric_text *text, char **member[MEMBERS])
{
    char **all[] = {&text->metric,  &text->suite,  &text->description, &text->signature,
                    &text->formula, &text->preset, &text->unit};

    _Static_assert(sizeof all / sizeof all[0] == MEMBERS &&
                       sizeof *text == MEMBERS * sizeof(char *),
                   "each member of struct rc_metric_text is in the list");
    memcpy(member, all, sizeof all);
}

/* -1: no memory; what was copied is freed by rc_spec_metrics_fini(). */
static int copy_text(const struct rc_metric_text *from, struct rc_metric_text *to)
{
    struct rc_metric_text read = *from;
    char **source[MEMBERS], **target[MEMBERS];

    members(&read, source);
    members(to, target);
    for (size_t i = 0; i < MEMBERS; i++) {
        *target[i] = *source[i] ? strdup(*source[i]) : NULL;
        if (*source[i] && !*target[i])
            return -1;
    }
    return 0;
}

/* One metric of the file; 'where' is "metrics[INDEX]". */
static int check_metric(const struct rc_yaml *file, const char *where,
                        const struct rc_metric_text *text, struct rc_error *err)
{
    struct rc_error problem = {0};
    const char *key;
    char at[64];
    int status = rc_metric_text_check(text, &key, &problem);

    if (status == RC_EUSAGE) {
        snprintf(at, sizeof at, "%s%s%s", where, key ? "." : "", key ? key : "");
        return rc_yaml_blame(file, at, err, "%s: %s", at, problem.text);
    }
    if (status != RC_OK)
        return rc_spec_no_memory(err);
    if (!text->suite)
        return rc_yaml_blame(file, where, err,
                             "%s: metric '%s' has no suite, expected the key 'suite'",
                             where, text->metric);
    if (!rc_suite_find(text->suite)) {
        snprintf(at, sizeof at, "%s.suite", where);
        return rc_yaml_blame(file, at, err, "%s: '%s', expected a suite of this build",
                             at, text->suite);
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
    rc_spec_metrics_fini(spec);
    if (!raw->metrics_count)
        return RC_OK;
    spec->metrics = rc_calloc(raw->metrics_count, sizeof *spec->metrics);
    spec->metric_where = rc_calloc(raw->metrics_count, sizeof *spec->metric_where);
    if (!spec->metrics || !spec->metric_where)
        return rc_spec_no_memory(err);
    for (uint32_t i = 0; i < raw->metrics_count; i++) {
        char where[64];
        snprintf(where, sizeof where, "metrics[%" PRIu32 "]", i);
        const int status = check_metric(file, where, &raw->metrics[i], err);
        if (status != RC_OK)
            return status;
        spec->metric_count++;
        if (copy_text(&raw->metrics[i], &spec->metrics[i]) ||
            asprintf(&spec->metric_where[i], "%s:%zu", file->name,
                     rc_yaml_item_line(file, where)) < 0) {
            spec->metric_where[i] = NULL;
            return rc_spec_no_memory(err);
        }
    }
    return RC_OK;
}

void rc_spec_metrics_fini(struct rc_spec *spec)
{
    for (size_t i = 0; i < spec->metric_count; i++) {
        char **member[MEMBERS];
        members(&spec->metrics[i], member);
        for (size_t m = 0; m < MEMBERS; m++)
            free(*member[m]);
        free(spec->metric_where[i]);
    }
    free(spec->metrics);
    free(spec->metric_where);
    spec->metrics = NULL;
    spec->metric_where = NULL;
    spec->metric_count = 0;
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
    return rc_definitions_add_metrics(definitions, spec->metrics,
                                      (const char *const *)spec->metric_where,
                                      spec->metric_count, err);
}

int rc_spec_metrics_check(const struct rc_spec *spec, struct rc_error *err)
{
    struct rc_definitions *definitions = NULL;

    if (!spec->definitions.count && !spec->metric_count)
        return RC_OK;
    int status = rc_definitions_create(&definitions, err);
    if (status == RC_OK)
        status = rc_spec_definitions(spec, definitions, err);
    rc_definitions_close(definitions);
    return status;
}

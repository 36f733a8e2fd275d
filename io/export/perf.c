/* Metrics for the kernel's perf, in the layout of its tools/perf/pmu-events: an array
 * of objects with expressions for perf.  Names of events are those of the kernel's own
 * lists, in lower case.
 */
#include "io/export/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct rc_json json;      /* the open array */
    struct rc_export_sum sum; /* how perf writes sums */
};

/* Whether a list has the name; each name is followed by a comma. */
static bool is_listed(const char *list, const char *whole)
{
    for (const char *at = list; at && (at = strstr(at, whole)); at++)
        if (at == list || at[-1] == ',')
            return true;
    return false;
}

/* perf's names of the kernel's own events have some capitals. */
static const char *name_generic(const struct rc_event_name *name,
                                char out[RC_EXPORT_NAME])
{
    static const char *const heads[] = {"L1-", "LLC-", "dTLB-", "iTLB-"};

    if (name->mask[0] || strncmp(name->event, "PERF_COUNT", 10) == 0)
        return "is not spelt that way by the kernel";
    for (size_t i = 0; i <= strlen(name->event); i++)
        out[i] = (char)tolower((unsigned char)name->event[i]);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncasecmp(out, heads[i], strlen(heads[i])) == 0)
            memcpy(out, heads[i], strlen(heads[i]));
    return NULL;
}

/* Adds the event as in perf's expressions, with the levels at which PAPI counts: perf's
 * default is both. sum->context may be a list of names, each followed by a comma, to
 * which it is added in perf stat's form; then the expression is for people.  An event
 * without a name in perf's list is written as its code.
 */
static const char *put_event(struct rc_export_text *out,
                             const struct rc_store_event *event,
                             struct rc_export_sum *sum)
{
    /* Functions and keywords of perf's expressions. */
    static const char *const words[] = {
        "min",     "max",          "if",        "else",
        "d_ratio", "source_count", "has_event", "strcmp_cpuid_str",
        NULL};
    struct rc_event_name name;
    struct rc_export_text *list = sum->context;
    char all[RC_EXPORT_NAME], shown[RC_EXPORT_NAME + 8], whole[2 * RC_EXPORT_NAME + 30];
    const char *why = rc_export_take_apart(event, &name);

    if (!why)
        why = name.generic ? name_generic(&name, all)
                           : rc_export_tool_name(sum->x, RC_EXPORT_PERF, &name, all);
    if (why)
        return why;
    if (!name.user && !name.kernel)
        return "counts at no level";
    if (rc_word_find(all, words) >= 0)
        return "has the name of a word of perf's expressions";
    const char *levels = name.user ? name.kernel ? "uk" : "u" : "k";
    const bool is_code = strncmp(all, "event=", 6) == 0;
    snprintf(shown, sizeof shown, "%s", all);
    if (is_code && !list)
        snprintf(shown, sizeof shown, "cpu@%s@", all);
    else if (is_code)
        rc_export_spell(&name, RC_EXPORT_PERF, shown);
    if (is_code)
        snprintf(whole, sizeof whole, "cpu/%s,name=%s/%s,", all, shown, levels);
    else
        snprintf(whole, sizeof whole, "%s:%s,", all, levels);
    if (list && !is_listed(list->text, whole))
        rc_export_add(list, "%s", whole);
    for (const char *at = shown; *at; at++)
        rc_export_add(out, "%s%c", strchr("-=,", *at) ? "\\" : "", *at);
    rc_export_add(out, "%s%s", is_code && !list ? "" : ":", levels);
    return NULL;
}

static int put_metric(struct rc_export *x, const struct rc_suite_result *suite,
                      const struct rc_metric_result *metric,
                      struct rc_export_text *text, char why[RC_EXPORT_WHY],
                      void *context, struct rc_error *err)
{
    struct job *job = context;
    struct rc_export_text brief = {0};
    const char *name;
    char group[100];
    int status = rc_export_expression(text, &job->sum, suite, metric, why, err);

    if (status != RC_OK || why[0] || text->failed)
        return status;
    name = rc_export_name(x, "rc_", metric->name, false, 100);
    if (!name)
        return rc_fail(err, RC_ENOMEM, "no memory for the export");
    rc_export_add(&brief, "%s%s%s%s%s",
                  rc_store_kind(x->file, x->kind)->simulated
                      ? "SIMULATED, no hardware was measured: "
                      : "",
                  metric->name, metric->description[0] ? ": " : "", metric->description,
                  metric->verdict == RC_METRIC_APPROXIMATE ? " (approximate)" : "");
    rc_export_line(group, sizeof group, suite->suite, ";");
    rc_json_object(&job->json, NULL);
    rc_json_text(&job->json, "MetricName", name);
    rc_json_text(&job->json, "MetricExpr", text->text);
    rc_json_text(&job->json, "BriefDescription",
                 brief.text ? brief.text : metric->name);
    rc_json_text(&job->json, "MetricGroup", group);
    rc_json_text(&job->json, "ScaleUnit", "1");
    rc_json_end(&job->json);
    free(brief.text);
    return RC_OK;
}

/* A call of perf stat with all events of the metric, each once, and the expression
 * after it as a comment.
 */
int rc_export_perf_line(struct rc_export *x, const struct rc_suite_result *suite,
                        const struct rc_metric_result *metric,
                        struct rc_export_text *out, char why[RC_EXPORT_WHY],
                        struct rc_error *err)
{
    struct rc_export_text list = {0}, expression = {0};
    struct rc_export_sum sum = {
        .x = x, .space = " ", .put_event = put_event, .context = &list};
    char name[200];
    const int status = rc_export_expression(&expression, &sum, suite, metric, why, err);

    rc_export_line(name, sizeof name, metric->name, "");
    out->failed |= list.failed || expression.failed;
    if (!out->failed && !why[0])
        rc_export_add(out, "perf stat -e %.*s COMMAND  # %s = %s", (int)list.length - 1,
                      list.text, name, expression.text);
    free(list.text);
    free(expression.text);
    return status;
}

/* Writes one array with an object for each metric. */
int rc_export_perf(struct rc_store *file, const struct rc_export_choice *choice,
                   FILE *out, FILE *left_out, struct rc_error *err)
{
    struct rc_export x;
    struct job job = {.sum = {.x = &x, .space = " ", .put_event = put_event}};
    int status = rc_export_open(&x, file, choice, out, left_out, err);

    if (status == RC_OK) {
        rc_json_array(rc_json_begin(&job.json, out), NULL);
        status = rc_export_each(&x, NULL, put_metric, &job, err);
        rc_json_close(&job.json);
    }
    rc_export_close(&x);
    return status;
}

static int put_stat(struct rc_export *x, const struct rc_suite_result *suite,
                    const struct rc_metric_result *metric, struct rc_export_text *text,
                    char why[RC_EXPORT_WHY], void *context, struct rc_error *err)
{
    const int status = rc_export_perf_line(x, suite, metric, text, why, err);

    (void)context;
    if (status != RC_OK)
        return status;
    if (!why[0] && !text->failed)
        fprintf(x->out, "%s\n", text->text);
    return RC_OK;
}

/* Writes a line for each metric, to be pasted into a shell. */
int rc_export_perf_stat(struct rc_store *file, const struct rc_export_choice *choice,
                        FILE *out, FILE *left_out, struct rc_error *err)
{
    struct rc_export x;
    int status = rc_export_open(&x, file, choice, out, left_out, err);

    if (status == RC_OK) {
        rc_export_origin(&x, "# ", "Calls of perf stat, one for each metric");
        status = rc_export_each(&x, "# ", put_stat, NULL, err);
    }
    rc_export_close(&x);
    return status;
}

/* Lines to type or paste for counting a metric, for the tools that have such lines. */
#include "io/export/parts.h"

#include <stdlib.h>

const struct rc_export_tool rc_export_tools[RC_EXPORT_TOOLS] = {
    [RC_EXPORT_PAPI] = {"PAPI", rc_export_papi_line},
    [RC_EXPORT_PERF] = {"perf", rc_export_perf_line},
    [RC_EXPORT_LIKWID] = {"LIKWID", rc_export_likwid_line}};

int rc_export_json_lines(struct rc_export *x, const struct rc_suite_result *suite,
                         const struct rc_metric_result *metric, const char *key,
                         struct rc_json *json, struct rc_error *err)
{
    rc_json_object(json, key);
    for (size_t t = 0; t < RC_EXPORT_TOOLS; t++) {
        struct rc_export_text line = {0};
        char why[RC_EXPORT_WHY] = "";
        int status = rc_export_tools[t].line_of(x, suite, metric, &line, why, err);
        if (status == RC_OK && line.failed)
            status = rc_fail(err, RC_ENOMEM, "no memory for lines to paste");
        rc_json_object(json, rc_export_tools[t].name);
        if (why[0] || !line.text)
            rc_json_text(json, "why", why);
        else
            rc_json_text(json, "line", line.text);
        rc_json_end(json);
        free(line.text);
        if (status != RC_OK)
            return status;
    }
    rc_json_end(json);
    return RC_OK;
}

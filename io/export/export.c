/* The formats of exports.  A new one is a file with its function, declared in parts.h,
 * and a line here.
 */
#include "io/export/parts.h"

#include <string.h>

const char *const rc_export_table_names[] = {
    "metrics", "events", "representations", "rates", "laws", "points", NULL};

static const struct rc_export_format formats[] = {
    {"json", rc_export_json, NULL},           {"csv", rc_export_csv, NULL},
    {"csv-raw", rc_export_csv, NULL},         {"papi", rc_export_papi, NULL},
    {"likwid", rc_export_likwid, ".txt"},     {"perf", rc_export_perf, NULL},
    {"perf-stat", rc_export_perf_stat, NULL},
};
enum { COUNT = sizeof formats / sizeof formats[0] };

const struct rc_export_format *rc_export_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

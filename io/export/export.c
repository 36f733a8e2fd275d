/* Which formats of exports there are. A new one is a file with its function, declared
 * in parts.h, and a line here.
 */
#include "io/export/parts.h"

#include <string.h>

const char *const rc_export_table_names[] = {"metrics", "events", "representations",
                                             NULL};

/* X(name, function, ending of a file for each suite), in the order of messages. */
#define FORMATS(X)                                                                     \
    X("json", rc_export_json, NULL)                                                    \
    X("csv", rc_export_csv, NULL)                                                      \
    X("csv-raw", rc_export_csv, NULL)                                                  \
    X("papi", rc_export_papi, NULL)                                                    \
    X("likwid", rc_export_likwid, ".txt")                                              \
    X("perf", rc_export_perf, NULL)                                                    \
    X("perf-stat", rc_export_perf_stat, NULL)

static const struct rc_export_format formats[] = {
#define X(name, function, ending) {name, function, ending},
    FORMATS(X)
#undef X
};
enum { COUNT = sizeof formats / sizeof formats[0] };

const char *const rc_export_format_names[] = {
#define X(name, function, ending) name,
    FORMATS(X)
#undef X
        NULL,
};

const struct rc_export_format *rc_export_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* Which formats of exports there are. A new one is a file with its function, and a
 * line here.
 */
#include "io/export/parts.h"

#include <string.h>

const char *const rc_export_table_names[] = {"metrics", "events", "representations",
                                             NULL};

static const struct rc_export_format formats[] = {
    {"json", rc_export_json},     {"csv", rc_export_csv},   {"papi", rc_export_papi},
    {"likwid", rc_export_likwid}, {"perf", rc_export_perf},
};

const struct rc_export_format *rc_export_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

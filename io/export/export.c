/* Which formats of exports there are. A new one is a file with its descriptor, and a
 * line here.
 */
#include "io/export/parts.h"

#include <string.h>

const char *const rc_export_table_names[] = {"metrics", "events", "representations",
                                             NULL};

static const struct rc_export_format *const formats[] = {
    &rc_export_json,
    &rc_export_csv,
    &rc_export_csv_raw,
    &rc_export_papi,
    &rc_export_likwid,
    &rc_export_perf,
    NULL,
};

const struct rc_export_format *rc_export_find(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

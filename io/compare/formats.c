/* The formats of comparisons, by name.  A new one needs a function, and its name in the
 * lists here.
 */
#include "io/compare/parts.h"

#include <string.h>

static const struct rc_compare_format formats[] = {
    {.name = "text", .write = rc_compare_write_text},
    {.name = "json", .write = rc_compare_write_json},
    {.name = "html", .write = rc_compare_write_html},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

const char *const rc_compare_format_names[] = {"text", "json", "html", NULL};

const struct rc_compare_format *rc_compare_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* Finds the texts of help in help.txt, which the build makes part of the program.
 *
 * A section begins with a line "[NAME]" and goes to the next one: "[run]" describes
 * 'run' in paragraphs, and "[run examples]" has lines that are printed as they are.
 */
#include "campaign/cli/help_parts.h"

#include <stdio.h>
#include <string.h>

const char *rc_help_section(const char *name, const char *part,
                            char out[RC_HELP_SECTION])
{
    char head[64];

    out[0] = '\0';
    snprintf(head, sizeof head, "[%s%s]\n", name, part);
    const char *begin = strstr(rc_help_texts, head);
    if (!begin)
        return out;
    begin += strlen(head);
    const char *end = strstr(begin, "\n\n[");
    snprintf(out, RC_HELP_SECTION, "%.*s",
             (int)(end ? end + 1 - begin : RC_HELP_SECTION), begin);
    return out;
}

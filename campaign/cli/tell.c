/* Lines for people, on the standard error. */
#include "campaign/cli/tell.h"

#include <stdio.h>

void rc_tell(const char *line)
{
    fprintf(stderr, "rollcall: %s\n", line);
}

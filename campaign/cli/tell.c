/* Lines for people, on the standard error. */
#include "campaign/cli/tell.h"

#include <stdio.h>

static enum rc_tell_level wanted = RC_TELL_NORMAL;

void rc_tell_set_level(enum rc_tell_level level)
{
    wanted = level;
}

enum rc_tell_level rc_tell_level(void)
{
    return wanted;
}

void rc_tell(const char *line)
{
    if (wanted > RC_TELL_QUIET)
        fprintf(stderr, "rollcall: %s\n", line);
}

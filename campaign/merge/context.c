/* All steps of a merge share this: lines for people, which go to the job's 'say'. */
#include "campaign/merge/parts.h"

#include <stdarg.h>

bool rc_merge_is_aligned(const struct rc_merge *m)
{
    return m->job->operation != RC_OPERATION_MERGE;
}

static void say_line(struct rc_merge *m, const char *format, va_list args)
{
    char line[2048];

    vsnprintf(line, sizeof line, format, args);
    m->job->say(m->job->arg, line);
}

void rc_merge_say(struct rc_merge *m, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_line(m, format, args);
    va_end(args);
}

void rc_merge_conflict(struct rc_merge *m, const char *format, ...)
{
    va_list args;

    m->conflicts++;
    va_start(args, format);
    say_line(m, format, args);
    va_end(args);
}

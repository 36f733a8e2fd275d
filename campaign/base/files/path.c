/* Names of files, or the line that says that one is too long. */
#include "campaign/base/files/path.h"

#include <stdarg.h>
#include <stdio.h>

int rc_path(char *out, size_t room, struct rc_error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int used = vsnprintf(out, room, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < room)
        return RC_OK;
    rc_fail(err, RC_EUSAGE, "'%.60s...' is too long for the name of a file", out);
    out[0] = 0;
    return RC_EUSAGE;
}

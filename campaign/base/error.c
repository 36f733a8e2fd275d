/* Lines for people that say what failed, and the exit status of each kind of failure.
 */
#include "campaign/base/error.h"

#include "campaign/base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#undef rc_fail
#undef rc_fail_errno

/* The line becomes printable, whatever names are in it: errors go to terminals. */
static void fill_error(struct rc_error *err, enum rc_status status, const char *format,
                       va_list args)
{
    err->status = status;
    err->rank = -1;
    vsnprintf(err->text, sizeof err->text, format, args);
    rc_text_printable(err->text, sizeof err->text, err->text);
}

int rc_fail(struct rc_error *err, enum rc_status status, const char *format, ...)
{
    va_list args;

    if (err) {
        va_start(args, format);
        fill_error(err, status, format, args);
        va_end(args);
    }
    return status;
}

int rc_fail_errno(struct rc_error *err, const char *format, ...)
{
    int number = errno;
    enum rc_status status = number == ENOMEM   ? RC_ENOMEM
                            : number == ENOENT ? RC_EMISSING
                            : number == EACCES || number == EPERM || number == EROFS
                                ? RC_EPERM
                                : RC_EIO;
    va_list args;

    if (err) {
        va_start(args, format);
        fill_error(err, status, format, args);
        va_end(args);
        size_t used = strlen(err->text);
        snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(number));
    }
    return status;
}

void rc_error_prefix(struct rc_error *err, const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list args;

    if (!err)
        return;
    va_start(args, format);
    int used = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, "%.*s",
                 (int)(sizeof text - (size_t)used - 1), err->text);
    rc_text_printable(err->text, sizeof err->text, text);
}

int rc_exit_status(int status)
{
    if (status == RC_OK)
        return 0;
    return status == RC_EUSAGE ? 2 : 1;
}

/* The file log.txt of a run: lines with times, appended by rank 0 and by ranks with
 * problems.
 *
 * The file is open for appending on all ranks and each line is one write(), so lines of
 * several ranks do not mix.  A line that a full disk cut gets its end before the next
 * one.
 */
#include "campaign/base/files/file.h"
#include "campaign/run/progress.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 4096 };

struct rc_log {
    int fd; /* -1: it could not be opened */
    int rank;
    char *path;
    bool torn;               /* the last line was cut by a full disk */
    struct rc_error problem; /* the first one; RC_OK: none */
};

int rc_log_open(const char *dir, int rank, struct rc_log **out, struct rc_error *err)
{
    struct rc_log *log = rc_calloc(1, sizeof *log);

    *out = NULL;
    if (!log || asprintf(&log->path, "%s/log.txt", dir) < 0) {
        free(log);
        return rc_fail(err, RC_ENOMEM, "no memory for a log");
    }
    log->rank = rank;
    log->fd = rc_file_open(log->path, RC_FILE_IN, O_WRONLY | O_APPEND | O_CREAT);
    if (log->fd < 0)
        rc_file_fail_open(&log->problem, log->path);
    *out = log;
    return RC_OK;
}

void rc_log_say(struct rc_log *log, const char *format, ...)
{
    char text[LINE_BYTES], line[LINE_BYTES], seconds[32];
    ssize_t written;
    struct timespec now;
    struct tm utc;
    va_list args;

    if (!log || log->fd < 0)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    size_t length = (size_t)snprintf(line, sizeof line,
                                     "%s%s.%03ldZ rank %d: ", log->torn ? "\n" : "",
                                     seconds, now.tv_nsec / 1000000, log->rank);
    rc_text_printable(line + length, sizeof line - length - 1, text);
    length += strlen(line + length);
    line[length++] = '\n';
    do
        written = write(log->fd, line, length);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length) {
        log->torn = false;
        return;
    }
    if (written >= 0) {
        log->torn = log->torn || written > 0;
        errno = ENOSPC;
    }
    if (log->problem.status == RC_OK)
        rc_fail_errno(&log->problem, "cannot write '%.400s'", log->path);
}

const char *rc_log_problem(const struct rc_log *log)
{
    return log && log->problem.status != RC_OK ? log->problem.text : NULL;
}

void rc_log_close(struct rc_log *log)
{
    if (!log)
        return;
    if (log->fd >= 0)
        close(log->fd);
    free(log->path);
    free(log);
}

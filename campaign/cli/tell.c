/* Lines for people, on the standard error. */
#include "campaign/cli/tell.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

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

/* fprintf() to an unbuffered stream may need more stack than there is. */
void rc_tell_failure(const char *command, const struct rc_error *err, int size)
{
    char line[RC_ERROR_TEXT + 128], rank[32] = "";

    if (err->rank >= 0 && size > 1)
        snprintf(rank, sizeof rank, " (rank %d)", err->rank);
    snprintf(line, sizeof line, "rollcall%s%s: %s%s\n", command ? " " : "",
             command ? command : "", err->text, rank);
    fputs(line, stderr);
}

void rc_tell_open_streams(void)
{
    int file = open("/dev/null", O_RDONLY);

    while (file >= 0 && file < STDERR_FILENO)
        file = dup(file);
    if (file > STDERR_FILENO)
        close(file);
}

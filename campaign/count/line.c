/* A line that shows how many instructions of a program have been stepped. */
#include "campaign/count/line.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/cli/tell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

enum { REDRAW_NS = 250000000, COLUMNS = 80, LINE_BYTES = 128 };

struct rc_count_line {
    struct rc_program_watch watch;
    dev_t terminal;
    uint64_t start_ns, due_ns;
    bool drawn;
    bool within; /* the program is in the middle of a line, as far as is known */
};

static void take_away(struct rc_count_line *line)
{
    if (line->drawn)
        fputs("\r\033[K", stderr);
    fflush(stderr);
    line->drawn = false;
}

static void draw(void *context, uint64_t instructions)
{
    struct rc_count_line *line = context;
    const uint64_t now = rc_clock_ns();
    struct winsize size;
    char text[LINE_BYTES], took[RC_TEXT_SHORT];
    int columns = COLUMNS;

    if (line->within || now < line->due_ns)
        return;
    line->due_ns = now + REDRAW_NS;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 2)
        columns = size.ws_col;
    const double seconds = (double)(now - line->start_ns) / (double)SECOND;
    snprintf(text, sizeof text, "%" PRIu64 " instructions stepped, %.0f a second, %s",
             instructions, seconds > 0 ? (double)instructions / seconds : 0,
             rc_text_put_duration(took, now - line->start_ns));
    fprintf(stderr, "\r%.*s\033[K", columns - 1, text);
    fflush(stderr);
    line->drawn = true;
}

/* Whether that file of the thread is the line's terminal. */
static bool is_here(const struct rc_count_line *line, pid_t tid, uint64_t file)
{
    char path[64];
    struct stat about;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, (int)file);
    return stat(path, &about) == 0 && S_ISCHR(about.st_mode) &&
           (about.st_rdev == line->terminal ||
            about.st_rdev == makedev(5, 0)); /* /dev/tty */
}

/* Only the text of write() is examined for its end of line. */
static void see_call(void *context, const struct rc_program_call *call)
{
    struct rc_count_line *line = context;
    const bool writes = call->number == SYS_write || call->number == SYS_writev ||
                        call->number == SYS_sendmsg || call->number == SYS_sendto;
    char last = 0;

    take_away(line);
    if (!writes || !is_here(line, call->tid, call->argument[0]))
        return;
    if (call->number == SYS_write && call->argument[2] == 0)
        return;
    const uintptr_t end = (uintptr_t)(call->argument[1] + call->argument[2]);
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): another process's */
    struct iovec here = {&last, 1}, there = {(void *)(end - 1), 1};
    if (call->number != SYS_write ||
        process_vm_readv(call->tid, &here, 1, &there, 1, 0) != 1)
        last = 0;
    line->within = last != '\n';
}

bool rc_count_line_open(struct rc_count_line **out)
{
    const char *term = getenv("TERM");
    struct stat about;

    *out = NULL;
    if (rc_tell_level() == RC_TELL_QUIET || !isatty(STDERR_FILENO) || !term ||
        strcmp(term, "dumb") == 0 || fstat(STDERR_FILENO, &about) != 0)
        return false;
    struct rc_count_line *line = rc_calloc(1, sizeof *line);
    if (!line)
        return false;
    line->watch = (struct rc_program_watch){line, draw, see_call};
    line->terminal = about.st_rdev;
    line->start_ns = rc_clock_ns();
    *out = line;
    return true;
}

const struct rc_program_watch *rc_count_line_watch(const struct rc_count_line *line)
{
    return &line->watch;
}

void rc_count_line_close(struct rc_count_line *line)
{
    if (!line)
        return;
    take_away(line);
    free(line);
}

/* The line on the standard error that shows how far a run is.
 *
 * On a terminal it stands on one line that is drawn again and again; otherwise, and in
 * the log, it is written as plain lines at growing distances.
 */
#include "campaign/run/progress.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

enum {
    LINE_BYTES = 512,
    SAID_BYTES = 4096,
    REDRAW_NS = 250000000,
    COLUMNS = 80 /* of a terminal that does not say */
};

struct rc_progress {
    FILE *out;
    struct rc_log *log;
    bool terminal, log_problem_said;
    uint64_t start_ns;
    uint64_t redraw_ns, plain_ns; /* when the next one is due, from the start on */
    char line[LINE_BYTES];        /* that stands on the terminal, or "" */
};

/* "1,234,567" */
static const char *put_count(char *out, uint64_t count)
{
    char digits[RC_TEXT_SHORT];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    size_t used = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = 0;
    return out;
}

/* The time that is left: the rest of the work goes on as fast as what is done.  Work is
 * the plan's estimate, or where there is none the number of units.
 */
static void put_eta(const struct rc_progress_state *state, uint64_t elapsed_ns,
                    char *out, size_t room)
{
    bool by_work = state->work_total_ns > 0;
    double done = (double)(by_work ? state->work_ns : state->units);
    double total = (double)(by_work ? state->work_total_ns : state->units_total);
    char text[RC_TEXT_SHORT];

    if (state->units >= state->units_total)
        return;
    double left = done > 0 ? (total - done) / done * (double)elapsed_ns : -1;
    if (done <= 0 || left > 1e18)
        rc_text_append(out, room, ", ETA unknown");
    else if (left < (double)SECOND)
        rc_text_append(out, room, ", ETA under 1 s");
    else
        rc_text_append(out, room, ", ETA %s",
                       rc_text_put_duration(text, (uint64_t)left));
}

/* The line while the run goes on, or, with 'last', when it is over. */
static void put_line(const struct rc_progress_state *state, uint64_t elapsed_ns,
                     bool last, char *out, size_t room)
{
    char a[RC_TEXT_SHORT], b[RC_TEXT_SHORT];
    double rate = 0;
    unsigned percent = 100; /* only where nothing is left */

    if (state->units < state->units_total) {
        percent = (unsigned)((double)state->units / (double)state->units_total * 100);
        percent = percent > 99 ? 99 : percent;
    }
    snprintf(out, room, "%s of %s units (%u %%)", put_count(a, state->units),
             put_count(b, state->units_total), percent);
    if (elapsed_ns > 0)
        rate = (double)state->events / (double)elapsed_ns * 60 * (double)SECOND;
    if (rate >= 0.5 && rate < 1e18)
        rc_text_append(out, room, ", %s events/min",
                       put_count(a, (uint64_t)(rate + 0.5)));
    if (last)
        rc_text_append(out, room, ", in %s", rc_text_put_duration(a, elapsed_ns));
    else
        put_eta(state, elapsed_ns, out, room);
    if (state->invalid)
        rc_text_append(out, room, ", %s invalid", put_count(a, state->invalid));
    if (state->failed)
        rc_text_append(out, room, ", %s failed", put_count(a, state->failed));
}

int rc_progress_open(FILE *out, struct rc_log *log, struct rc_progress **out_progress,
                     struct rc_error *err)
{
    struct rc_progress *p = rc_calloc(1, sizeof *p);
    const char *term = getenv("TERM");

    *out_progress = p;
    if (!p)
        return rc_fail(err, RC_ENOMEM, "no memory to show progress");
    p->out = out;
    p->log = log;
    p->terminal = isatty(fileno(out)) && term && strcmp(term, "dumb") != 0;
    p->start_ns = rc_clock_ns();
    return RC_OK;
}

/* Shorter than the terminal is wide: a line that wraps could not be taken back. */
static void draw_line(const struct rc_progress *p)
{
    struct winsize size;
    int columns = COLUMNS;

    if (ioctl(fileno(p->out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 2)
        columns = size.ws_col;
    fprintf(p->out, "\r%.*s\033[K", columns - 1, p->line);
    fflush(p->out);
}

static void put_plain(const struct rc_progress *p, const char *line)
{
    if (!p->terminal) {
        fprintf(p->out, "%s\n", line);
        fflush(p->out);
    }
    rc_log_say(p->log, "%s", line);
}

static void say_log_problem(struct rc_progress *p)
{
    const char *problem = rc_log_problem(p->log);

    if (!problem || p->log_problem_said)
        return;
    p->log_problem_said = true;
    rc_progress_say(p, "%s; the run goes on without", problem);
}

void rc_progress_tick(struct rc_progress *p, const struct rc_progress_state *state)
{
    uint64_t elapsed = rc_clock_ns() - p->start_ns;
    bool redraw = p->terminal && elapsed >= p->redraw_ns;
    bool plain = elapsed >= p->plain_ns;
    char line[LINE_BYTES];

    if (!redraw && !plain)
        return;
    put_line(state, elapsed, false, line, sizeof line);
    if (plain) {
        put_plain(p, line);
        p->plain_ns = elapsed + (elapsed < 60 * SECOND    ? 10 * SECOND
                                 : elapsed < 600 * SECOND ? 60 * SECOND
                                                          : 300 * SECOND);
        say_log_problem(p);
    }
    if (redraw) {
        p->redraw_ns = elapsed + REDRAW_NS;
        memcpy(p->line, line, sizeof line);
        draw_line(p);
    }
}

void rc_progress_say(struct rc_progress *p, const char *format, ...)
{
    char text[SAID_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rc_text_printable(text, sizeof text, text);
    fprintf(p->out, "%s%s\n", *p->line ? "\r\033[K" : "", text);
    fflush(p->out);
    if (*p->line)
        draw_line(p);
    rc_log_say(p->log, "%s", text);
}

void rc_progress_close(struct rc_progress *p, const struct rc_progress_state *state)
{
    if (!p)
        return;
    if (state) {
        put_line(state, rc_clock_ns() - p->start_ns, true, p->line, sizeof p->line);
        put_plain(p, p->line);
        if (p->terminal)
            draw_line(p);
    }
    if (p->terminal && *p->line)
        fputc('\n', p->out);
    p->line[0] = 0;
    fflush(p->out);
    say_log_problem(p);
    free(p);
}

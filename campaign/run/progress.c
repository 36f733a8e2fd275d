/* The line on the standard error that shows how far a run is.
 *
 * On a terminal it is one line that is redrawn; otherwise, and in the log, it is
 * written as plain lines at growing distances.
 *
 * A thread exists only during a stage.  It writes to the same terminal, so others write
 * only with the lock held.
 */
#include "campaign/run/progress.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/cli/tell.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

enum {
    LINE_BYTES = 512,
    SAID_BYTES = 4096,
    REDRAW_NS = 250000000,
    COLUMNS = 80 /* of a terminal whose width is not known */
};

/* The plan's estimate counts as if this part of the work had been done in the time that
 * it says: at the start nothing else is known, and soon it hardly matters.
 */
static const double trust = 0.02;

struct rc_progress {
    FILE *out;
    struct rc_log *log;
    bool terminal, log_problem_said;
    enum rc_tell_level level;
    uint64_t start_ns;
    uint64_t redraw_ns, plain_ns; /* when the next line is due, from the start on */
    char line[LINE_BYTES];        /* on the terminal, or "" */

    char stage[LINE_BYTES]; /* the present one, or "" */
    uint64_t stage_ns;      /* when the stage began */
    bool threaded, ending;  /* a thread exists; it is to end */
    pthread_t thread;
    pthread_mutex_t lock; /* of the stage and of the output */
    pthread_cond_t wake;  /* wakes the thread, to end it */
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

/* The time that is left, from the pace so far and from the plan's estimate.  Work is
 * measured by that estimate, or, if there is none, in units.
 */
static void put_eta(const struct rc_progress_state *state, uint64_t elapsed_ns,
                    char *out, size_t room)
{
    const bool by_work = state->work_total_ns > 0;
    double done = (double)(by_work ? state->work_ns : state->units);
    const double total = (double)(by_work ? state->work_total_ns : state->units_total);
    double took = (double)elapsed_ns, left;
    char text[RC_TEXT_SHORT];

    if (state->units >= state->units_total)
        return;
    left = done < total ? total - done : 0;
    if (by_work) {
        took +=
            trust * (double)(state->wall_ns ? state->wall_ns : state->work_total_ns);
        done += trust * total;
    }
    left = done > 0 ? left / done * took : -1;
    if (done <= 0 || left > 1e18)
        rc_text_append(out, room, ", ETA unknown");
    else if (left < (double)SECOND)
        rc_text_append(out, room, ", ETA under 1 s");
    else
        rc_text_append(out, room, ", ETA %s",
                       rc_text_put_duration(text, (uint64_t)left));
}

/* The part that is done: by work if that is known, and never 100 % before the end. */
static unsigned percent_of(const struct rc_progress_state *state)
{
    const bool by_work = state->work_total_ns > 0;
    const double done = (double)(by_work ? state->work_ns : state->units);
    const double total = (double)(by_work ? state->work_total_ns : state->units_total);

    if (state->units >= state->units_total)
        return 100;
    return done / total < 0.99 ? (unsigned)(done / total * 100) : 99;
}

/* The less important parts of a line, the first to be dropped if there is no room. */
enum detail { DETAIL_NONE, DETAIL_AT, DETAIL_RATE };

/* The line during the run, or, with 'last', at its end. */
static void put_line(const struct rc_progress_state *state, uint64_t elapsed_ns,
                     bool last, enum detail detail, char *out, size_t room)
{
    char a[RC_TEXT_SHORT], b[RC_TEXT_SHORT];
    double rate = 0;

    snprintf(out, room, "%s of %s %s (%u %%)", put_count(a, state->units),
             put_count(b, state->units_total), state->what ? state->what : "units",
             percent_of(state));
    if (elapsed_ns > 0)
        rate = (double)state->events / (double)elapsed_ns * 60 * (double)SECOND;
    if (detail >= DETAIL_RATE && rate >= 0.5 && rate < 1e18)
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
    if (detail >= DETAIL_AT && !last && state->at && state->at[0])
        rc_text_append(out, room, "; %s", state->at);
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
    p->level = rc_tell_level();
    p->terminal = p->level > RC_TELL_QUIET && isatty(fileno(out)) && term &&
                  strcmp(term, "dumb") != 0;
    p->start_ns = rc_clock_ns();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    return RC_OK;
}

struct rc_progress *rc_progress_of(MPI_Comm comm)
{
    struct rc_progress *p = NULL;
    struct rc_error ignored = {.rank = -1};

    if (rc_team_rank(comm) == 0)
        (void)rc_progress_open(stderr, NULL, &p, &ignored);
    return p;
}

void rc_progress_start(struct rc_progress *p)
{
    if (p)
        p->start_ns = rc_clock_ns();
}

/* A line must be shorter than the terminal is wide: a wrapped one could not be redrawn.
 */
static int columns_of(const struct rc_progress *p)
{
    struct winsize size;

    return ioctl(fileno(p->out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 2
               ? size.ws_col - 1
               : COLUMNS - 1;
}

static void draw_line(const struct rc_progress *p)
{
    fprintf(p->out, "\r%.*s\033[K", columns_of(p), p->line);
    fflush(p->out);
}

static void put_plain(const struct rc_progress *p, const char *line)
{
    if (!p->terminal && p->level > RC_TELL_QUIET) {
        fprintf(p->out, "%s\n", line);
        fflush(p->out);
    }
    rc_log_say(p->log, "%s", line);
}

/* When the next plain line is due. */
static uint64_t next_plain(uint64_t elapsed_ns)
{
    return elapsed_ns + (elapsed_ns < 60 * SECOND    ? 10 * SECOND
                         : elapsed_ns < 600 * SECOND ? 60 * SECOND
                                                     : 300 * SECOND);
}

static void say_log_problem(struct rc_progress *p)
{
    const char *problem = rc_log_problem(p->log);

    if (!problem || p->log_problem_said)
        return;
    p->log_problem_said = true;
    rc_progress_warn(p, "%s; the run continues without it", problem);
}

/* With the lock held. */
static void show_stage(struct rc_progress *p, uint64_t elapsed_ns)
{
    char line[2 * LINE_BYTES];

    snprintf(line, sizeof line, "%s ... %" PRIu64 " s", p->stage, elapsed_ns / SECOND);
    if (elapsed_ns >= p->plain_ns) {
        put_plain(p, line);
        p->plain_ns = next_plain(elapsed_ns);
    }
    if (p->terminal) {
        snprintf(p->line, sizeof p->line, "%.*s", (int)sizeof p->line - 1, line);
        draw_line(p);
    }
}

static void *keep_stage(void *progress)
{
    struct rc_progress *p = progress;
    struct timespec until;

    pthread_mutex_lock(&p->lock);
    while (!p->ending) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += REDRAW_NS;
        until.tv_sec += until.tv_nsec / (long)SECOND;
        until.tv_nsec %= (long)SECOND;
        if (pthread_cond_timedwait(&p->wake, &p->lock, &until) != 0 && !p->ending)
            show_stage(p, rc_clock_ns() - p->stage_ns);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Ends the stage and its thread. */
static void end_stage(struct rc_progress *p)
{
    char took[RC_TEXT_SHORT];

    if (p->threaded) {
        pthread_mutex_lock(&p->lock);
        p->ending = true;
        pthread_cond_signal(&p->wake);
        pthread_mutex_unlock(&p->lock);
        pthread_join(p->thread, NULL);
        p->threaded = p->ending = false;
    }
    if (p->stage[0] && p->level == RC_TELL_VERBOSE)
        rc_progress_say(p, "%s: %s", p->stage,
                        rc_text_put_duration(took, rc_clock_ns() - p->stage_ns));
    if (p->stage[0])
        p->redraw_ns = p->plain_ns = 0;
    p->stage[0] = 0;
}

/* The thread blocks all signals: they are for the threads that work. */
void rc_progress_stage(struct rc_progress *p, const char *format, ...)
{
    sigset_t all, before;
    va_list args;

    if (!p)
        return;
    end_stage(p);
    va_start(args, format);
    vsnprintf(p->stage, sizeof p->stage, format, args);
    va_end(args);
    rc_text_printable(p->stage, sizeof p->stage, p->stage);
    p->stage_ns = rc_clock_ns();
    p->plain_ns = 10 * SECOND;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    p->threaded = p->level > RC_TELL_QUIET &&
                  pthread_create(&p->thread, NULL, keep_stage, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void clear_line(struct rc_progress *p)
{
    if (p->terminal && *p->line)
        fputs("\r\033[K", p->out);
    p->line[0] = 0;
    fflush(p->out);
}

void rc_progress_hide(struct rc_progress *p)
{
    if (!p)
        return;
    end_stage(p);
    clear_line(p);
    p->redraw_ns = 0;
}

void rc_progress_tick(struct rc_progress *p, const struct rc_progress_state *state)
{
    if (!p)
        return;
    if (p->stage[0])
        end_stage(p);
    const uint64_t elapsed = rc_clock_ns() - p->start_ns;
    const bool redraw = p->terminal && elapsed >= p->redraw_ns;
    char line[LINE_BYTES];
    if (elapsed >= p->plain_ns) {
        put_line(state, elapsed, false, DETAIL_RATE, line, sizeof line);
        put_plain(p, line);
        p->plain_ns = next_plain(elapsed);
        say_log_problem(p);
    }
    if (!redraw)
        return;
    p->redraw_ns = elapsed + REDRAW_NS;
    for (int d = DETAIL_RATE; d >= DETAIL_NONE; d--) {
        put_line(state, elapsed, false, (enum detail)d, p->line, sizeof p->line);
        if (strlen(p->line) <= (size_t)columns_of(p))
            break;
    }
    draw_line(p);
}

/* 'always': also with --quiet. */
static void say(struct rc_progress *p, bool always, const char *format, va_list args)
{
    char text[SAID_BYTES];

    vsnprintf(text, sizeof text, format, args);
    rc_text_printable(text, sizeof text, text);
    pthread_mutex_lock(&p->lock);
    if (always || p->level > RC_TELL_QUIET) {
        fprintf(p->out, "%s%s\n", *p->line ? "\r\033[K" : "", text);
        fflush(p->out);
        if (*p->line)
            draw_line(p);
    }
    pthread_mutex_unlock(&p->lock);
    rc_log_say(p->log, "%s", text);
}

void rc_progress_say(struct rc_progress *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (p)
        say(p, false, format, args);
    va_end(args);
}

void rc_progress_warn(struct rc_progress *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (p)
        say(p, true, format, args);
    va_end(args);
}

void rc_progress_close(struct rc_progress *p, const struct rc_progress_state *state)
{
    if (!p)
        return;
    end_stage(p);
    if (state) {
        put_line(state, rc_clock_ns() - p->start_ns, true, DETAIL_RATE, p->line,
                 sizeof p->line);
        put_plain(p, p->line);
        if (p->terminal) {
            draw_line(p);
            fputc('\n', p->out);
        }
        p->line[0] = 0;
    }
    clear_line(p);
    say_log_problem(p);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* How much of their time the program's threads ran, and how long they waited for a
 * processor, by /proc/PID/task/TID/schedstat.
 */
#include "campaign/profile/sampler/running.h"

#include "campaign/base/clock.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { STARVED_PART = 50 /* a round with 1/50 of waiting is written by itself */ };

void rc_profile_running_begin(struct rc_profile_running *r, uint64_t place,
                              uint32_t pid, uint32_t tid, bool keep_open)
{
    *r = (struct rc_profile_running){.fd = -1, .next.place = place};
    snprintf(r->path, sizeof r->path, "/proc/%" PRIu32 "/task/%" PRIu32 "/schedstat",
             pid, tid);
    if (keep_open)
        r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
}

void rc_profile_running_end(struct rc_profile_running *r)
{
    if (r->fd >= 0)
        close(r->fd);
    r->fd = -1;
    r->path[0] = 0;
}

/* Totals since the thread began; false: it has gone, or the kernel does not count. */
static bool read_totals(struct rc_profile_running *r)
{
    const int fd = r->fd >= 0 ? r->fd : open(r->path, O_RDONLY | O_CLOEXEC);
    char text[128];
    const ssize_t bytes = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
    struct rc_profile_run now = {.at_ns = rc_clock_raw_ns()};

    if (fd >= 0 && fd != r->fd)
        close(fd);
    text[bytes > 0 ? bytes : 0] = 0;
    if (sscanf(text, "%" SCNu64 " %" SCNu64, &now.ran_ns, &now.waited_ns) != 2 ||
        now.ran_ns < r->last.ran_ns || now.waited_ns < r->last.waited_ns ||
        now.ran_ns == 0 || now.at_ns <= r->last.at_ns)
        return false;
    r->last = now;
    return true;
}

static void write_next(struct rc_profile_running *r, struct rc_profile_writer *writer)
{
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_RUNS, .runs = {.run = &r->next, .run_count = 1}};

    if (r->next.since_ns && rc_profile_put(writer, &payload) == RC_OK)
        r->next.since_ns = 0; /* else the stretch grows until the disk has room */
}

void rc_profile_running_round(struct rc_profile_running *r, bool all,
                              struct rc_profile_writer *writer)
{
    const struct rc_profile_run before = r->last;
    bool starved = false;

    if ((r->fd >= 0 || all) && read_totals(r) && before.at_ns) {
        const uint64_t passed = r->last.at_ns - before.at_ns,
                       waited = r->last.waited_ns - before.waited_ns;
        starved = waited > passed / STARVED_PART;
        if (starved)
            write_next(r, writer);
        if (!r->next.since_ns)
            r->next = (struct rc_profile_run){.place = r->next.place,
                                              .since_ns = before.at_ns};
        r->next.at_ns = r->last.at_ns;
        r->next.ran_ns += r->last.ran_ns - before.ran_ns;
        r->next.waited_ns += waited;
    }
    if (starved || all)
        write_next(r, writer);
}

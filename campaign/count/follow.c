/* Runs the program and counts it: by counters that its children and threads inherit
 * (perf_event_open(2)), or by stepping through it.
 */
#include "campaign/count/count.h"

#include "campaign/base/clock.h"
#include "campaign/base/program.h"
#include "campaign/catalogue/catalogue.h"
#include "campaign/cli/launch.h"
#include "campaign/count/line.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/profile/passes/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals that request something of a program: sent to this process they are meant for
 * the program.  The terminal sends them to both.
 */
static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { PASSED_ON = sizeof passed_on / sizeof passed_on[0] };

static volatile pid_t child; /* 0: it has ended */

static void pass_on(int number, siginfo_t *info, void *context)
{
    const int saved_errno = errno;

    (void)context;
    if (child > 0 && info->si_code <= 0)
        kill(child, number);
    errno = saved_errno;
}

static void watch_signals(struct sigaction *was)
{
    struct sigaction action = {.sa_sigaction = pass_on,
                               .sa_flags = SA_SIGINFO | SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < PASSED_ON; i++) /* ignored ones, too: it may want them */
        sigaction(passed_on[i], &action, &was[i]);
}

static void unwatch_signals(const struct sigaction *was)
{
    child = 0;
    for (size_t i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &was[i], NULL);
}

static int wait_for(pid_t pid)
{
    int ended = 0;

    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    return ended;
}

/* Opens a counter for the waiting program and all its descendants. */
static int open_counter(const char *name, pid_t pid)
{
    struct rc_shared_event event;
    struct perf_event_attr attr;
    struct rc_error ignored = {.rank = -1};

    if (rc_profile_counter_find(name, NULL, 0, &event, &ignored) != RC_OK)
        return -1;
    memcpy(&attr, event.attr, sizeof attr);
    attr.disabled = attr.inherit = attr.enable_on_exec = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return rc_perf_open(&attr, pid, -1, -1);
}

static int follow_by_counters(struct rc_count *c, struct rc_program *program,
                              struct rc_error *err)
{
    int *fd = rc_arena_array(&c->arena, c->event_count, sizeof *fd);
    struct {
        uint64_t value, enabled_ns, running_ns;
    } got;

    if (!fd)
        return rc_fail(err, RC_ENOMEM, "no memory for the events");
    for (size_t e = 0; e < c->event_count; e++)
        if ((fd[e] = open_counter(c->event[e].name, program->pid)) < 0 && !c->why[0])
            snprintf(c->why, sizeof c->why, "event '%.200s' cannot be counted: %s",
                     c->event[e].name, strerror(errno));
    rc_program_go(program);
    c->followed.ended = wait_for(program->pid);
    for (size_t e = 0; e < c->event_count; e++) {
        if (fd[e] < 0)
            continue;
        if (read(fd[e], &got, sizeof got) == (ssize_t)sizeof got) {
            c->event[e].value = (double)got.value;
            c->event[e].enabled_ns = got.enabled_ns;
            c->event[e].running_ns = got.running_ns;
        }
        close(fd[e]);
    }
    return RC_OK;
}

/* Opens the soft source, with the simulated caches of the campaign, if it has any. */
static int open_soft(struct rc_count *c, struct rc_catalogue **out,
                     struct rc_error *err)
{
    static const char nothing[] = "name: count\n";
    const struct rc_store_campaign *about = rc_store_campaign(c->campaign.file);
    struct rc_error ignored = {.rank = -1};
    struct rc_spec spec, measured;
    char source[1024] = "soft";

    *out = NULL;
    if (rc_spec_from_text("the campaign file", about->spec, strlen(about->spec),
                          &measured, &ignored) == RC_OK) {
        for (size_t i = 0; i < measured.sources.count; i++)
            if (strncmp(measured.sources.item[i], "soft", strlen("soft")) == 0)
                snprintf(source, sizeof source, "%s", measured.sources.item[i]);
        rc_spec_fini(&measured);
    }
    int status = rc_spec_from_text("defaults", nothing, strlen(nothing), &spec, err);
    if (status != RC_OK)
        return status;
    if ((status = rc_spec_only_source(&spec, source, err)) == RC_OK)
        status = rc_catalogue_open(&spec, false, out, err);
    rc_spec_fini(&spec);
    return status;
}

static int follow_by_steps(struct rc_count *c, const struct rc_open_source *soft,
                           struct rc_group_state *group, struct rc_program *program,
                           struct rc_error *err)
{
    struct rc_error why = {.rank = -1};
    struct rc_reading *reading =
        rc_arena_array(&c->arena, c->event_count, sizeof *reading);

    if (!reading)
        return rc_fail(err, RC_ENOMEM, "no memory for the events");
    if (soft->source->follow(group, program, false, reading, &c->followed, &why) !=
        RC_OK) {
        snprintf(c->why, sizeof c->why, "%s", why.text);
        rc_program_go(program); /* in case it still waits */
        if (!c->followed.ended)
            c->followed.ended = wait_for(program->pid);
        return RC_OK;
    }
    for (size_t e = 0; e < c->event_count; e++) {
        c->event[e].value = (double)reading[e].value;
        c->event[e].enabled_ns = reading[e].enabled_ns;
        c->event[e].running_ns = reading[e].running_ns;
    }
    return RC_OK;
}

/* Arms the soft source's events, by their numbers, as one group. */
static int arm_soft(struct rc_count *c, const struct rc_catalogue *catalogue,
                    struct rc_group_state **out, struct rc_error *err)
{
    uint32_t *number = rc_arena_array(&c->arena, c->event_count, sizeof *number);

    if (!number)
        return rc_fail(err, RC_ENOMEM, "no memory for the events");
    for (size_t e = 0; e < c->event_count; e++) {
        size_t i = 0;
        while (i < catalogue->count &&
               strcmp(catalogue->event[i].name, c->event[e].name) != 0)
            i++;
        if (i == catalogue->count)
            return rc_fail(err, RC_EMISSING, "source 'soft' has no event '%.200s'",
                           c->event[e].name);
        number[e] = catalogue->event[i].number;
        c->event[e].simulated = catalogue->event[i].simulated;
    }
    const struct rc_open_source *soft = &catalogue->source[0];
    return soft->source->arm(soft->state, number, c->event_count, out, err);
}

/* Sets c->why if the kernel would not let the program be counted at all. */
static void judge_rights(struct rc_count *c, const char *path)
{
    if (rc_program_gives_rights(path) && !(c->way == RC_COUNT_STEPS && geteuid() == 0))
        snprintf(c->why, sizeof c->why,
                 "'%.400s' runs with the privileges of another user (setuid, setgid, "
                 "capabilities)",
                 path);
}

/* HDF5 leaves its files open for programs that are started; this closes metrics.h5 for
 * them.
 */
static void keep_from_program(const struct rc_count *c)
{
    char path[PATH_MAX];
    struct rc_error ignored = {.rank = -1};
    struct stat results, file;

    if (rc_campaign_dir_find_results(c->dir, true, path, sizeof path, &ignored) !=
            RC_OK ||
        stat(path, &results) != 0)
        return;
    for (int fd = STDERR_FILENO + 1; fd < 256; fd++)
        if (fstat(fd, &file) == 0 && file.st_dev == results.st_dev &&
            file.st_ino == results.st_ino)
            fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int rc_count_follow(struct rc_count *c, char *const *words, const char *path,
                    int *exits, struct rc_error *err)
{
    struct rc_catalogue *catalogue = NULL;
    struct rc_group_state *group = NULL;
    struct sigaction was[PASSED_ON];
    struct rc_program program;
    int status = RC_OK;

    judge_rights(c, path);
    if (c->way == RC_COUNT_STEPS && !c->why[0] &&
        ((status = open_soft(c, &catalogue, err)) != RC_OK ||
         (status = arm_soft(c, catalogue, &group, err)) != RC_OK))
        goto out;
    keep_from_program(c);
    if ((status = rc_program_start(words, false, &program, err)) != RC_OK)
        goto out;
    struct rc_count_line *line = NULL;
    if (group && rc_launch_rank() == 0 && rc_count_line_open(&line))
        program.watch = rc_count_line_watch(line);
    child = program.pid;
    watch_signals(was);
    const uint64_t start = rc_clock_ns();
    if (c->why[0]) {
        rc_program_go(&program);
        c->followed.ended = wait_for(program.pid);
    } else if (group) {
        status = follow_by_steps(c, &catalogue->source[0], group, &program, err);
    } else {
        status = follow_by_counters(c, &program, err);
    }
    c->took_ns = rc_clock_ns() - start;
    rc_count_line_close(line);
    unwatch_signals(was);
    const int why = rc_program_end(&program);
    if (status != RC_OK)
        goto out;
    if (why != 0) {
        *exits = why == ENOENT || why == ENOTDIR ? 127 : 126;
        status = rc_fail(err, RC_EPERM, "cannot run '%.400s': %s", path, strerror(why));
    }
out:
    if (group)
        catalogue->source[0].source->disarm(group);
    rc_catalogue_close(catalogue);
    return status;
}

/* Collects the counts of a launcher's ranks in the rank that ends last.
 *
 * The programs are the launcher's ranks, so rollcall cannot use MPI: each process
 * leaves its counts in a file of DIR/count.KEY/, and holds a lock there while it looks
 * whether all are complete.  The one that finds all reads and removes them.
 */
#include "campaign/count/count.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/cli/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 1 << 20, FILE_MOST = 1 << 20 };

/* An event that did not count all the time has no value. */
static double value_of(const struct rc_count_event *event)
{
    return event->running_ns < event->enabled_ns ? NAN : event->value;
}

static int signal_of(const struct rc_count *c)
{
    return WIFSIGNALED(c->followed.ended) ? WTERMSIG(c->followed.ended) : 0;
}

/* Writes the signal that ended the program, or 0, and a line for each event. */
static int write_counts(FILE *out, void *context, struct rc_error *err)
{
    const struct rc_count *c = context;

    (void)err;
    fprintf(out, "%d\n", signal_of(c));
    for (size_t e = 0; e < c->event_count; e++)
        fprintf(out, "%.17g %s\n", value_of(&c->event[e]), c->event[e].name);
    return RC_OK;
}

/* Reads a rank's file; events that it does not have stay NAN. */
static void read_counts(const struct rc_count *c, const char *path, double *value,
                        int *signal)
{
    struct rc_error ignored = {.rank = -1};
    char *text = NULL, *rest;
    size_t bytes;

    if (rc_file_read(path, RC_FILE_BELOW, FILE_MOST, &text, &bytes, &ignored) != RC_OK)
        return;
    *signal = (int)strtol(text, &rest, 10);
    rest += *rest == '\n';
    for (size_t e = 0; e < c->event_count && *rest; e++) {
        char *line = rest, *name;
        rest += strcspn(rest, "\n");
        if (*rest)
            *rest++ = 0;
        const double number = strtod(line, &name);
        if (*name == ' ' && strcmp(name + 1, c->event[e].name) == 0)
            value[e] = number;
    }
    free(text);
}

static int make_room(struct rc_count *c, size_t ranks, struct rc_count_ranks *out,
                     struct rc_error *err)
{
    out->ranks = ranks;
    out->rank = rc_arena_array(&c->arena, ranks, sizeof *out->rank);
    out->signal = rc_arena_array(&c->arena, ranks, sizeof *out->signal);
    out->value = rc_arena_array(&c->arena, ranks * c->event_count, sizeof *out->value);
    if (!out->rank || !out->signal || !out->value)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu ranks", ranks);
    for (size_t i = 0; i < ranks * c->event_count; i++)
        out->value[i] = NAN;
    return RC_OK;
}

/* Takes this rank alone, and the reason. */
static int take_own(struct rc_count *c, const char *why, struct rc_count_ranks *out,
                    struct rc_error *err)
{
    const int status = make_room(c, 1, out, err);

    if (status != RC_OK)
        return status;
    out->rank[0] = rc_launch_rank();
    out->signal[0] = signal_of(c);
    for (size_t e = 0; e < c->event_count; e++)
        out->value[e] = value_of(&c->event[e]);
    if (why)
        out->why = rc_arena_text(&c->arena, why);
    return RC_OK;
}

/* With the folder locked: if every rank's file is there, reads and removes them. */
static int look_for_all(struct rc_count *c, const char *folder, size_t ranks,
                        struct rc_count_ranks *out, struct rc_error *err)
{
    char path[PATH_MAX];
    size_t there = 0;

    for (size_t r = 0; r < ranks; r++)
        there += rc_path(path, sizeof path, NULL, "%s/%zu", folder, r) == RC_OK &&
                 access(path, F_OK) == 0;
    if (there < ranks) {
        out->others = true;
        return RC_OK;
    }
    const int status = make_room(c, ranks, out, err);
    for (size_t r = 0; r < ranks && status == RC_OK; r++) {
        (void)rc_path(path, sizeof path, NULL, "%s/%zu", folder, r);
        out->rank[r] = (int)r;
        read_counts(c, path, out->value + r * c->event_count, &out->signal[r]);
    }
    for (size_t r = 0; r < ranks; r++)
        if (rc_path(path, sizeof path, NULL, "%s/%zu", folder, r) == RC_OK)
            unlink(path);
    if (rc_path(path, sizeof path, NULL, "%s/lock", folder) == RC_OK)
        unlink(path);
    rmdir(folder);
    return status;
}

/* "DIR/count.KEY" of this launch, and its number of ranks; false: there are no others.
 */
static bool find_folder(const struct rc_count *c, char *const *words, char *out,
                        size_t room, size_t *ranks)
{
    char job[256], digest[RC_DIGEST_TEXT];

    *ranks = (size_t)rc_launch_size();
    if (!rc_launched() || *ranks < 2 || *ranks > RANKS_MOST ||
        !rc_launch_job(job, sizeof job))
        return false;
    uint64_t key = rc_text_hash(job);
    for (size_t i = 0; words[i]; i++)
        key = rc_text_hash_more(key, words[i], strlen(words[i]) + 1);
    for (size_t e = 0; e < c->event_count; e++)
        key = rc_text_hash_more(key, c->event[e].name, strlen(c->event[e].name) + 1);
    return rc_path(out, room, NULL, "%s/count.%s", c->dir,
                   rc_text_put_digest(digest, key)) == RC_OK;
}

/* Removes this rank's file that a killed launch of the same key may have left. */
void rc_count_gather_begin(const struct rc_count *c, char *const *words)
{
    char folder[PATH_MAX - 32], path[PATH_MAX];
    size_t ranks;

    if (find_folder(c, words, folder, sizeof folder, &ranks) &&
        rc_path(path, sizeof path, NULL, "%s/%d", folder, rc_launch_rank()) == RC_OK)
        unlink(path);
}

int rc_count_gather(struct rc_count *c, char *const *words, struct rc_count_ranks *out,
                    struct rc_error *err)
{
    const struct rc_file_writer writer = {write_counts, c};
    struct rc_error why = {.rank = -1};
    char folder[PATH_MAX - 32], path[PATH_MAX], line[RC_ERROR_TEXT];
    size_t ranks;

    *out = (struct rc_count_ranks){.why = ""};
    if (!find_folder(c, words, folder, sizeof folder, &ranks))
        return take_own(c,
                        rc_launched() && rc_launch_size() != 1
                            ? "the launcher does not say how many ranks there are"
                            : NULL,
                        out, err);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        rc_fail_errno(&why, "cannot make '%.400s'", folder);
    (void)rc_path(path, sizeof path, NULL, "%s/lock", folder);
    const int lock =
        why.text[0] ? -1 : rc_file_open(path, RC_FILE_BELOW, O_RDWR | O_CREAT);
    if (lock < 0 && !why.text[0])
        rc_fail_errno(&why, "cannot open '%.400s'", path);
    (void)rc_path(path, sizeof path, NULL, "%s/%d", folder, rc_launch_rank());
    if (lock < 0 || flock(lock, LOCK_EX) != 0 ||
        rc_file_replace_by(path, RC_FILE_BELOW, &writer, &why) != RC_OK) {
        if (lock >= 0)
            close(lock);
        snprintf(line, sizeof line, "this rank alone: %.900s", why.text);
        return take_own(c, line, out, err);
    }
    const int status = look_for_all(c, folder, ranks, out, err);
    close(lock);
    return status;
}

/* Makes cubes of profiles: one of each launch, then all of them together. */
#include "campaign/profile/tables/cube.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "io/cubex/cubex.h"
#include "solve/waiting/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_NAME = 512 };

/* Metrics beside the tree of times, after which the events follow. */
enum {
    VISITS,
    BYTES,
    KNOWN,
    SYNCHRONIZATIONS, /* what follows it is in the order of COMMUNICATIONS */
    SYNCHRONIZATIONS_SENT,
    SYNCHRONIZATIONS_RECEIVED,
    SYNCHRONIZATIONS_COLLECTIVE,
    COMMUNICATIONS,
    COMMUNICATIONS_SENT,
    COMMUNICATIONS_RECEIVED,
    COMMUNICATIONS_COLLECTIVE,
    BYTES_SENT,
    BYTES_RECEIVED,
    LATE_SENDERS,
    LATE_RECEIVERS,
    BESIDE
};

/* A launch that becomes a cube.  Numbers are those of the cube as they were added. */
struct making {
    const struct rc_profile_sums *sums;
    struct rc_cube *cube;
    size_t time[RC_TIMES], beside[BESIDE];
    size_t *event; /* [of the launch's counters] */
    size_t events;
    struct rc_profile_member *member; /* [of the launch's threads] */
    struct rc_profile_own *own;
    struct rc_arena arena;
};

static int add_metrics(struct making *m, struct rc_error *err)
{
    static const struct {
        const char *name, *unit, *description;
        int parent; /* 0: none */
    } beside[BESIDE] = {
        [VISITS] = {"visits", "1", "instances of regions, and calls of MPI", 0},
        [BYTES] = {"bytes", "byte", "that were handed to MPI, or received", 0},
        [KNOWN] = {"known_waits", "1", "calls of which it is known how long they wait",
                   0},
        [SYNCHRONIZATIONS] = {"synchronizations", "1",
                              "messages without data, and barriers", 0},
        [SYNCHRONIZATIONS_SENT] = {"synchronizations_sent", "1", "from rank to rank",
                                   SYNCHRONIZATIONS},
        [SYNCHRONIZATIONS_RECEIVED] = {"synchronizations_received", "1",
                                       "from rank to rank", SYNCHRONIZATIONS},
        [SYNCHRONIZATIONS_COLLECTIVE] = {"synchronizations_collective", "1", "barriers",
                                         SYNCHRONIZATIONS},
        [COMMUNICATIONS] = {"communications", "1", "messages, and collectives", 0},
        [COMMUNICATIONS_SENT] = {"communications_sent", "1", "from rank to rank",
                                 COMMUNICATIONS},
        [COMMUNICATIONS_RECEIVED] = {"communications_received", "1",
                                     "from rank to rank", COMMUNICATIONS},
        [COMMUNICATIONS_COLLECTIVE] = {"communications_collective", "1",
                                       "but for barriers", COMMUNICATIONS},
        [BYTES_SENT] = {"bytes_sent", "byte", "from rank to rank", 0},
        [BYTES_RECEIVED] = {"bytes_received", "byte", "from rank to rank", 0},
        [LATE_SENDERS] = {"late_senders", "1", "calls that waited for a message", 0},
        [LATE_RECEIVERS] = {"late_receivers", "1",
                            "blocking sends that waited for their receive", 0}};
    const struct rc_profile_launch *launch = &m->sums->node->launch;
    int status = RC_OK;

    for (size_t i = 0; i < RC_TIMES && status == RC_OK; i++) {
        const struct rc_waiting_metric *w = &rc_waiting_metrics[i];
        status = rc_cube_add_metric(
            m->cube, w->parent >= 0 ? (int64_t)m->time[w->parent] : RC_CUBE_TOP,
            w->name, "ns", w->description, &m->time[i], err);
    }
    for (size_t i = 0; i < BESIDE && status == RC_OK; i++)
        status = rc_cube_add_metric(
            m->cube,
            beside[i].parent > 0 ? (int64_t)m->beside[beside[i].parent] : RC_CUBE_TOP,
            beside[i].name, beside[i].unit, beside[i].description, &m->beside[i], err);
    m->events = launch->counter_count;
    m->event = rc_arena_array(&m->arena, m->events, sizeof *m->event);
    if (!m->event)
        return rc_fail(err, RC_ENOMEM, "no memory for the metrics of the profile");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < m->events; i++)
        if ((status = rc_cube_add_metric(m->cube, RC_CUBE_TOP, launch->counter[i], "1",
                                         "counted by threads", &m->event[i], err)) !=
            RC_OK)
            return status;
    return status;
}

/* The paths of a thread; parents come before their paths. */
static int add_paths(struct rc_cube *cube, bool calls, struct rc_profile_member *member,
                     struct rc_error *err)
{
    const struct rc_profile_thread *t = member->thread;
    int status = RC_OK;

    for (size_t p = 1; p < t->path_count && status == RC_OK; p++)
        status = rc_cube_add_path(cube, (int64_t)member->path[t->path[p].parent],
                                  rc_profile_region_name(t, p),
                                  t->path[p].openmp >= 0 ? "openmp" : "user",
                                  &member->path[p], err);
    for (size_t i = 0; i < t->call_count && calls && status == RC_OK; i++)
        if (t->call[i].calls > 0)
            status = rc_cube_add_path(cube, (int64_t)member->path[t->call[i].path],
                                      rc_profile_call_name(t, &t->call[i]), "mpi",
                                      &member->call[i], err);
    return status;
}

/* "rank 3 thread 0"; without ranks processes of a node are numbered. */
static const char *place_name(const struct rc_profile_sums *s, size_t rank,
                              size_t ordinal, char name[PLACE_NAME])
{
    const struct rc_profile_rank *r = &s->rank[rank];
    size_t process = 0;

    while (process < rank && s->rank[rank - process - 1].rank < 0 &&
           strcmp(s->rank[rank - process - 1].node, r->node) == 0)
        process++;
    if (r->rank >= 0)
        snprintf(name, PLACE_NAME, "rank %" PRId64 " thread %zu", r->rank, ordinal);
    else
        snprintf(name, PLACE_NAME, "%.255s process %zu thread %zu", r->node, process,
                 ordinal);
    return name;
}

static int add_member(const struct rc_profile_sums *s, bool calls, struct rc_cube *cube,
                      struct rc_profile_member *member, size_t *ordinals,
                      struct rc_error *err)
{
    const size_t rank = rc_profile_rank_number(s, member->node, member->thread);
    char name[PLACE_NAME];
    const struct rc_cube_place place = {.name =
                                            place_name(s, rank, ordinals[rank], name),
                                        .node = member->node->launch.node,
                                        .rank = s->rank[rank].rank,
                                        .thread = ordinals[rank]};

    ordinals[rank]++;
    const int status = rc_cube_add_place(cube, &place, &member->place, err);
    return status == RC_OK ? add_paths(cube, calls, member, err) : status;
}

int rc_profile_cube_join(const struct rc_profile_sums *sums, bool calls,
                         struct rc_cube *cube, struct rc_arena *arena,
                         struct rc_profile_member **out, struct rc_error *err)
{
    size_t *ordinals = rc_arena_array(arena, sums->rank_count, sizeof *ordinals);
    struct rc_profile_member *m = rc_arena_array(arena, sums->threads, sizeof *m);
    int status = RC_OK;

    *out = m;
    for (size_t n = 0; n < sums->node_count && status == RC_OK; n++)
        for (size_t i = 0; i < sums->node[n].thread_count && status == RC_OK; i++) {
            const struct rc_profile_thread *t = &sums->node[n].thread[i];
            size_t *path = rc_arena_array(arena, t->path_count, sizeof *path),
                   *call = rc_arena_array(arena, t->call_count, sizeof *call);
            if ((status = rc_arena_check(arena, err,
                                         "the call paths of the profile")) != RC_OK)
                break;
            *m = (struct rc_profile_member){&sums->node[n], t, 0, path, call};
            status = add_member(sums, calls, cube, m++, ordinals, err);
        }
    return status;
}

/* To a number of a path and place; a time is one of all that is around it, too. */
static void put(struct making *m, const struct rc_profile_member *member, size_t path,
                size_t metric, double value)
{
    const struct rc_cube *c = m->cube;

    for (int64_t at = (int64_t)c->metric_at[metric]; at >= 0; at = c->metric[at].parent)
        rc_cube_put(m->cube, (size_t)at, c->path_at[path], c->place_at[member->place],
                    value);
}

/* Only to the metric itself. */
static void put_alone(struct making *m, const struct rc_profile_member *member,
                      size_t path, size_t metric, double value)
{
    const struct rc_cube *c = m->cube;

    rc_cube_put(m->cube, c->metric_at[metric], c->path_at[path],
                c->place_at[member->place], value);
}

/* Metrics that the place measured are 0 in all paths before anything is added. */
static void put_zeros(struct making *m, const struct rc_profile_member *member)
{
    for (size_t p = 0; p < m->cube->paths; p++) {
        for (size_t i = 0; i < RC_TIMES; i++)
            put_alone(m, member, p, m->time[i], 0);
        for (size_t i = 0; i < BESIDE; i++)
            put_alone(m, member, p, m->beside[i], 0);
        for (size_t i = 0; i < m->events && !member->thread->place.counters_why[0]; i++)
            put_alone(m, member, p, m->event[i], 0);
    }
}

/* Missing, whatever was there. */
static void put_missing(struct making *m, const struct rc_profile_member *member,
                        size_t path, size_t metric)
{
    const struct rc_cube *c = m->cube;

    *rc_cube_cell(c, c->metric_at[metric], c->path_at[path],
                  c->place_at[member->place]) =
        (struct rc_cube_cell){0, NAN, NAN, NAN, NAN};
}

/* Events of a path alone: where an instance of it, or of one inside, was not counted
 * all the time, they are not known.
 */
static void put_events(struct making *m, const struct rc_profile_member *member)
{
    const struct rc_profile_thread *t = member->thread;

    for (size_t p = 0; p < t->path_count; p++) {
        const struct rc_profile_path *path = &t->path[p];
        const bool lost = path->lost > 0 && (p > 0 || path->lost >= path->measured);
        for (size_t i = 0; i < m->events; i++) {
            put_alone(m, member, member->path[p], m->event[i], m->own->count[p][i]);
            if (!lost)
                continue;
            put_missing(m, member, member->path[p], m->event[i]);
            if (p > 0)
                put_missing(m, member, member->path[path->parent], m->event[i]);
        }
    }
}

/* The time that the profile took in each path of a thread: to find out waiting, which
 * is known of rows of calls, and to record, which is estimated of the whole thread:
 * each operation is taken to be as dear.
 */
static void share_overhead(const struct rc_profile_thread *t, double *overhead)
{
    double operations[RC_SHARED_PATHS] = {0}, all = 0;

    for (size_t p = 0; p < t->path_count; p++) {
        overhead[p] = 0;
        operations[p] += p > 0 ? (double)t->path[p].visits : 0; /* its ends */
        operations[t->path[p].parent] += p > 0 ? (double)t->path[p].visits : 0;
        all += p > 0 ? 2 * (double)t->path[p].visits : 0;
    }
    for (size_t i = 0; i < t->call_count; i++) {
        overhead[t->call[i].path] += (double)t->call[i].apart_ns;
        operations[t->call[i].path] += (double)t->call[i].calls;
        all += (double)t->call[i].calls;
    }
    for (size_t p = 0; p < t->path_count && all > 0; p++)
        overhead[p] += (double)t->close.own_ns * operations[p] / all;
}

/* Regions: time without that of MPI, which is in the paths of its functions.  Outside
 * of its teams a thread that only ever joins those of others is idle.
 */
static void put_regions(struct making *m, const struct rc_profile_member *member)
{
    const struct rc_profile_thread *t = member->thread;
    double overhead[RC_SHARED_PATHS];

    share_overhead(t, overhead);
    for (size_t p = 0; p < t->path_count; p++) {
        const double ns = fmax(m->own->ns[p] - m->own->mpi_ns[p], 0),
                     taken = fmin(overhead[p], ns);
        int metric = p > 0                 ? t->path[p].openmp
                     : t->close.joined > 0 ? RC_TIME_IDLE
                                           : -1;
        metric = metric >= 0 ? metric : RC_TIME_EXECUTION;
        put(m, member, member->path[p], m->time[RC_TIME_OVERHEAD], taken);
        put(m, member, member->path[p], m->time[metric], ns - taken);
        put_alone(m, member, member->path[p], m->beside[VISITS],
                  p > 0 ? (double)t->path[p].visits : 1);
    }
}

/* A part of the call's time: what is around it has that already. */
static void put_waits(struct making *m, const struct rc_profile_member *member,
                      size_t path, const struct rc_profile_wait *wait)
{
    const enum rc_waiting_kind kind = wait->kind < RC_WAITING_KINDS
                                          ? (enum rc_waiting_kind)wait->kind
                                          : RC_WAITING_NONE;
    const int metric = rc_waiting_metric_of_kind(kind),
              completion = rc_waiting_completion_of_kind(kind);

    if (metric < 0)
        return;
    put_alone(m, member, path, m->time[metric], (double)wait->waited_ns);
    if (completion >= 0)
        put_alone(m, member, path, m->time[completion], (double)wait->completing_ns);
    const double part = (double)wait->part_ns, same = (double)wait->same_source_ns;
    if (kind == RC_WAITING_EARLY_WAIT)
        put_alone(m, member, path, m->time[RC_TIME_LATE_COMPLETE], part);
    if (kind == RC_WAITING_LATE_RECEIVER)
        put_alone(m, member, path, m->beside[LATE_RECEIVERS], (double)wait->instances);
    if (kind == RC_WAITING_LATE_SENDER) {
        put_alone(m, member, path, m->time[RC_TIME_WRONG_ORDER], part);
        put_alone(m, member, path, m->time[RC_TIME_WRONG_ORDER_SAME], same);
        put_alone(m, member, path, m->time[RC_TIME_WRONG_ORDER_OTHER], part - same);
        put_alone(m, member, path, m->beside[LATE_SENDERS], (double)wait->instances);
    }
    put_alone(m, member, path, m->beside[KNOWN], (double)wait->known);
}

/* The metric of a call of that kind: MPI_Wait may complete a collective. */
static int metric_of_call(const char *name, const struct rc_profile_wait *wait)
{
    switch (wait && wait->known > 0 ? wait->kind : RC_WAITING_NONE) {
    case RC_WAITING_BARRIER:
        return RC_TIME_SYNCHRONIZATION;
    case RC_WAITING_ALL:
    case RC_WAITING_LATE_BROADCAST:
    case RC_WAITING_EARLY_REDUCE:
    case RC_WAITING_EARLY_SCAN:
        return RC_TIME_COLLECTIVE;
    default:
        return rc_waiting_metric_of_group(rc_waiting_group_of(name));
    }
}

/* Messages and their bytes, by what a function does with them. */
static void put_messages(struct making *m, const struct rc_profile_member *member,
                         size_t path, const char *name,
                         const struct rc_profile_call *call)
{
    const enum rc_waiting_group group = rc_waiting_group_of(name);
    const enum rc_waiting_moves moves = rc_waiting_moves_of(name);
    const double calls = (double)call->calls, bytes = (double)call->bytes,
                 came = (double)call->received,
                 receives = (double)call->started_receives,
                 sends = (double)call->started - receives;
    const double sent[] = {0, calls, 0, calls, sends},
                 received[] = {0, 0, calls, calls, receives},
                 bytes_sent[] = {0, bytes, 0, bytes, bytes - came},
                 bytes_received[] = {0, 0, bytes, came, came};
    const size_t *metric =
        &m->beside[call->log_bytes > 0 ? COMMUNICATIONS : SYNCHRONIZATIONS];

    put(m, member, path, metric[1], sent[moves]);
    put(m, member, path, metric[2], received[moves]);
    put(m, member, path, m->beside[BYTES_SENT], bytes_sent[moves]);
    put(m, member, path, m->beside[BYTES_RECEIVED], bytes_received[moves]);
    if (group == RC_WAITING_SYNCHRONIZES || group == RC_WAITING_COLLECTIVE)
        put(m, member, path,
            m->beside[group == RC_WAITING_COLLECTIVE ? COMMUNICATIONS_COLLECTIVE
                                                     : SYNCHRONIZATIONS_COLLECTIVE],
            calls);
}

/* A thread's time goes to the root: nobody knows in which of its paths it was. */
static void put_running(struct making *m, const struct rc_profile_member *member)
{
    const struct rc_profile_ran ran = rc_profile_ran_of(member->thread);

    if (ran.seen_ns > 0)
        put_alone(m, member, 0, m->time[RC_TIME_NOT_RUNNING], ran.waited_ns);
    else
        put_missing(m, member, 0, m->time[RC_TIME_NOT_RUNNING]);
}

static void put_calls(struct making *m, const struct rc_profile_member *member)
{
    const struct rc_profile_thread *t = member->thread;

    for (size_t i = 0; i < t->call_count; i++) {
        const struct rc_profile_call *call = &t->call[i];
        const struct rc_profile_wait *wait = rc_profile_wait_of(t, call);
        if (call->calls == 0)
            continue;
        const char *name = rc_profile_call_name(t, call);
        put(m, member, member->call[i], m->time[metric_of_call(name, wait)],
            (double)call->ns);
        put_alone(m, member, member->call[i], m->beside[VISITS], (double)call->calls);
        put_alone(m, member, member->call[i], m->beside[BYTES], (double)call->bytes);
        put_messages(m, member, member->call[i], name, call);
        if (wait && wait->known > 0)
            put_waits(m, member, member->call[i], wait);
    }
    for (size_t i = 0; i < t->call_count; i++) {
        const struct rc_cube *c = m->cube;
        const enum rc_waiting_kind kind =
            rc_waiting_kind_of(rc_profile_call_name(t, &t->call[i]));
        if (t->call[i].calls == 0 || kind == RC_WAITING_NONE ||
            rc_cube_cell(c, c->metric_at[m->beside[KNOWN]], c->path_at[member->call[i]],
                         c->place_at[member->place])
                    ->mean > 0)
            continue;
        put_missing(m, member, member->call[i],
                    m->time[rc_waiting_metric_of_kind(kind)]);
        if (rc_waiting_completion_of_kind(kind) >= 0)
            put_missing(m, member, member->call[i],
                        m->time[rc_waiting_completion_of_kind(kind)]);
        if (kind == RC_WAITING_EARLY_WAIT)
            put_missing(m, member, member->call[i], m->time[RC_TIME_LATE_COMPLETE]);
        if (kind == RC_WAITING_LATE_RECEIVER)
            put_missing(m, member, member->call[i], m->beside[LATE_RECEIVERS]);
        if (kind != RC_WAITING_LATE_SENDER)
            continue;
        put_missing(m, member, member->call[i], m->beside[LATE_SENDERS]);
        for (int w = RC_TIME_WRONG_ORDER; w <= RC_TIME_WRONG_ORDER_OTHER; w++)
            put_missing(m, member, member->call[i], m->time[w]);
    }
}

/* Which run it is, and what it ran. */
static int add_words(struct making *m, struct rc_error *err)
{
    const struct rc_profile_launch *launch = &m->sums->node->launch;
    char id[RC_JOURNAL_ID_TEXT], text[1024] = "";

    for (size_t i = 0; i < launch->word_count; i++)
        rc_text_append(text, sizeof text, "%s%s", i ? " " : "", launch->word[i]);
    if (!(m->cube->title = rc_pool_copy(m->cube->texts, text)))
        return rc_fail(err, RC_ENOMEM, "no memory for the words of the profile");
    snprintf(text, sizeof text, "%s/%" PRIu64,
             rc_journal_id_text(id, &m->sums->profile->id), launch->launch);
    return rc_cube_add_source(m->cube, text, err);
}

int rc_profile_cube_of(const struct rc_profile_sums *sums, struct rc_cube **out,
                       struct rc_error *err)
{
    struct making m = {.sums = sums, .cube = rc_cube_create(err)};
    int status;

    *out = NULL;
    m.own = rc_arena_array(&m.arena, 1, sizeof *m.own);
    if (!m.cube || !m.own)
        status = rc_fail(err, RC_ENOMEM, "no memory for the numbers of the profile");
    else if ((status = add_metrics(&m, err)) == RC_OK &&
             (status = rc_profile_cube_join(sums, true, m.cube, &m.arena, &m.member,
                                            err)) == RC_OK &&
             (status = add_words(&m, err)) == RC_OK)
        status = rc_cube_seal(m.cube, err);
    for (size_t i = 0; i < sums->threads && status == RC_OK; i++) {
        const struct rc_profile_member *member = &m.member[i];
        rc_profile_own(member->thread, m.own);
        put_zeros(&m, member);
        put_regions(&m, member);
        put_calls(&m, member);
        put_running(&m, member);
        if (!member->thread->place.counters_why[0])
            put_events(&m, member);
    }
    rc_arena_free(&m.arena);
    if (status == RC_OK)
        *out = m.cube;
    else
        rc_cube_close(m.cube);
    return status;
}

int rc_profile_cube_each(const struct rc_profile *profile, struct rc_cube ***out,
                         size_t *count, struct rc_error *err)
{
    struct rc_cube **each = rc_calloc(profile->node_count, sizeof(struct rc_cube *));
    int status = each ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the launches");

    *count = 0;
    for (size_t n = 0; n < profile->node_count && status == RC_OK; n++) {
        const uint64_t launch = profile->node[n].launch.launch;
        struct rc_profile_sums sums = {0};
        if (n > 0 && profile->node[n - 1].launch.launch == launch)
            continue;
        if ((status = rc_profile_sum(profile, launch, NULL, &sums, err)) == RC_OK &&
            (status = rc_profile_cube_of(&sums, &each[*count], err)) == RC_OK)
            ++*count;
        rc_profile_sums_fini(&sums);
    }
    *out = each;
    return status;
}

void rc_profile_cube_close_each(struct rc_cube **each, size_t count)
{
    for (size_t i = 0; each && i < count; i++)
        rc_cube_close(each[i]);
    free((void *)each);
}

int rc_profile_cube_all(const struct rc_profile *profile, struct rc_cube **out,
                        struct rc_error *err)
{
    struct rc_cube **each;
    size_t count;
    int status = rc_profile_cube_each(profile, &each, &count, err);

    *out = NULL;
    if (status == RC_OK)
        status = rc_cube_merge((const struct rc_cube *const *)each, count, out, err);
    rc_profile_cube_close_each(each, count);
    return status;
}

/* Makes the cube of the journals of a directory. */
static int load_journals(const char *dir, const char *launch, FILE *said,
                         struct rc_cube **out, struct rc_error *err)
{
    struct rc_profile *profile = NULL;
    struct rc_profile_sums sums = {0};
    uint64_t number = 0;
    int status = rc_profile_read(dir, false, &profile, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < profile->damage_count; i++)
        fprintf(said, "%s\n", profile->damage[i]);
    if (!launch)
        status = rc_profile_cube_all(profile, out, err);
    else if ((status = rc_profile_choose_launch(profile, launch, &number, err)) ==
                 RC_OK &&
             (status = rc_profile_sum(profile, number, NULL, &sums, err)) == RC_OK)
        status = rc_profile_cube_of(&sums, out, err);
    rc_profile_sums_fini(&sums);
    rc_profile_close(profile);
    return status;
}

static bool has_cube_file(const char *path, char file[PATH_MAX])
{
    return rc_path(file, PATH_MAX, NULL, "%s/" RC_PROFILE_CUBE_FILE, path) == RC_OK &&
           access(file, F_OK) == 0;
}

int rc_profile_cube_load(const char *path, const char *launch, FILE *said,
                         struct rc_cube **out, struct rc_error *err)
{
    char file[PATH_MAX];
    const bool in_directory = has_cube_file(path, file);
    int status;

    *out = NULL;
    if (!in_directory && !rc_cubex_is_name(path)) {
        status = load_journals(path, launch, said, out, err);
        if (status != RC_OK && status != RC_EMISSING)
            rc_error_prefix(err, "%s: ", path);
        return status;
    }
    if (launch)
        return rc_fail(err, RC_EUSAGE, "--launch: '%s' has no launches of its own",
                       path);
    return rc_cubex_read_file(in_directory ? file : path, out, said, err);
}

bool rc_profile_cube_is_in(const char *path)
{
    char file[PATH_MAX];

    return rc_cubex_is_name(path) || has_cube_file(path, file) ||
           rc_profile_is_in(path);
}

static int write_cube(FILE *out, void *context, struct rc_error *err)
{
    return rc_cubex_write(context, out, err);
}

int rc_profile_cube_save(const struct rc_cube *cube, const char *dir,
                         struct rc_error *err)
{
    const struct rc_file_writer writer = {write_cube, (void *)cube};
    char file[PATH_MAX];
    int status = rc_path(file, sizeof file, err, "%s/" RC_PROFILE_CUBE_FILE, dir);

    if (status != RC_OK)
        return status;
    if (mkdir(dir, 0777) != 0 &&
        (errno != EEXIST || rmdir(dir) != 0 || mkdir(dir, 0777) != 0))
        return rc_fail(err, RC_EUSAGE,
                       "'%s': %s, expected a directory that is not there yet, or is "
                       "empty",
                       dir, strerror(errno));
    if ((status = rc_file_replace_by(file, RC_FILE_IN, &writer, err)) != RC_OK)
        (void)rmdir(dir);
    return status;
}

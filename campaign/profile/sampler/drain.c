/* Reads the blocks of threads and writes what is new in them.
 *
 * Threads do not wait for the reader: they write their blocks meanwhile, names first,
 * then rows, then entries of the ring.  The reader finds out the other way round how
 * far these go, so that all that an entry or a row refers to is there; then it writes
 * them in the thread's order.  Only then it notes them as written (for the ring: by its
 * 'tail'), so that a full disk loses nothing.
 */
#include "campaign/profile/sampler/drain.h"
#include "campaign/profile/sampler/running.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RUNNING_MOST = 256 /* threads whose running time is read in each round */ };

/* A block that is in use, and how much of it was written. */
struct place {
    struct rc_shared_block *block;
    uint64_t number, began; /* of the place; ticks of the thread's begin */
    uint32_t pid, tid;
    uint32_t names, paths, calls;        /* how many are written */
    uint64_t last_ns;                    /* time of the last entry of the ring */
    uint64_t visits, mpi_calls;          /* of all rows, when they were read last */
    uint64_t path_mark[RC_SHARED_PATHS]; /* sums of rows as they were written */
    uint64_t call_mark[RC_SHARED_CALLS];
    uint64_t wait_mark[RC_SHARED_CALLS]; /* 'known' of rows as they were written */
    uint64_t wait_sum;                   /* likewise of the numbers outside of rows */
    struct rc_profile_running running;
};

struct rc_profile_drain {
    const struct rc_profile_shared *shared;
    struct rc_profile_writer *writer;
    struct rc_profile_clock clock;
    struct place **place; /* [blocks]; NULL: the block is not in use */
    uint64_t places, open;
    uint64_t entries, visits, mpi_calls, own_ticks; /* of closed blocks; entries: of
                                                     * all */
    struct rc_profile_span *span;                   /* [RC_SHARED_RING] */
    struct rc_profile_path *path;                   /* [RC_SHARED_PATHS] */
    struct rc_profile_call *call;                   /* [RC_SHARED_CALLS] */
    struct rc_profile_wait *wait;                   /* [RC_SHARED_CALLS] */
};

/* How far a block is written at one moment. */
struct extent {
    uint64_t head;
    uint32_t paths, calls, names;
};

int rc_profile_drain_open(const struct rc_profile_shared *shared,
                          struct rc_profile_writer *writer,
                          struct rc_profile_drain **out, struct rc_error *err)
{
    struct rc_profile_drain *d = rc_calloc(1, sizeof *d);

    *out = d;
    if (!d)
        return rc_fail(err, RC_ENOMEM, "no memory for the sampler");
    d->shared = shared;
    d->writer = writer;
    d->place = rc_calloc(shared->head->block_most, sizeof(struct place *));
    d->span = rc_calloc(RC_SHARED_RING, sizeof *d->span);
    d->path = rc_calloc(RC_SHARED_PATHS, sizeof *d->path);
    d->call = rc_calloc(RC_SHARED_CALLS, sizeof *d->call);
    d->wait = rc_calloc(RC_SHARED_CALLS, sizeof *d->wait);
    rc_profile_clock_begin(&d->clock, shared->head);
    if (d->place && d->span && d->path && d->call && d->wait)
        return RC_OK;
    rc_profile_drain_close(d);
    *out = NULL;
    return rc_fail(err, RC_ENOMEM, "no memory for the sampler");
}

void rc_profile_drain_close(struct rc_profile_drain *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->place && i < d->shared->head->block_most; i++) {
        if (d->place[i]) {
            munmap(d->place[i]->block, RC_SHARED_BLOCK);
            rc_profile_running_end(&d->place[i]->running);
        }
        free(d->place[i]);
    }
    free(d->place);
    free(d->span);
    free(d->path);
    free(d->call);
    free(d->wait);
    free(d);
}

static uint64_t ns_of(const struct rc_profile_drain *d, uint64_t ticks)
{
    return ticks ? rc_profile_clock_ns(&d->clock, ticks) : 0;
}

static uint64_t lasted(const struct rc_profile_drain *d, uint64_t ticks)
{
    return (uint64_t)rc_profile_clock_lasted(&d->clock, ticks);
}

/* Writes which thread it is. */
static int write_place(struct rc_profile_drain *d, const struct place *p,
                       const struct rc_profile_watch *watch)
{
    const struct rc_profile_process *process = rc_profile_watch_find(watch, p->pid);
    const struct rc_shared_block *block = p->block;
    char program[PATH_MAX] = "", cpus[256] = "", path[64];

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", p->pid);
    const ssize_t bytes = readlink(path, program, sizeof program - 1);
    program[bytes > 0 ? bytes : 0] = 0;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/status", p->pid,
             p->tid);
    if (rc_text_value_of(path, "Cpus_allowed_list", cpus, sizeof cpus) != 0) {
        snprintf(path, sizeof path, "/proc/%" PRIu32 "/status", p->pid); /* it ended */
        (void)rc_text_value_of(path, "Cpus_allowed_list", cpus, sizeof cpus);
    }
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_PLACE,
        .place = {.place = p->number,
                  .pid = p->pid,
                  .tid = p->tid,
                  .rank = block->rank < 0 && process ? process->rank : block->rank,
                  .child = block->child != 0,
                  .began_ns = ns_of(d, p->began),
                  .program = program,
                  .cpus = cpus,
                  .counters_why =
                      block->counters_why ? strerror((int)block->counters_why) : ""}};
    return rc_profile_put(d->writer, &payload);
}

static int write_names(struct rc_profile_drain *d, struct place *p, uint32_t used)
{
    if (used <= p->names)
        return RC_OK;
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_NAMES,
        .names = {.place = p->number,
                  .first = p->names,
                  .byte = p->block->name + p->names,
                  .byte_count = used - p->names}};
    const int status = rc_profile_put(d->writer, &payload);
    if (status != RC_OK)
        return status;
    p->names = used;
    return RC_OK;
}

static uint64_t path_mark(const struct rc_shared_path *row)
{
    return row->visits + row->measured + row->ticks + row->lost + 1;
}

/* Writes rows that are new, and with 'all' those that have changed. */
static int write_paths(struct rc_profile_drain *d, struct place *p, uint32_t count,
                       bool all)
{
    uint32_t changed = 0;

    if (all)
        p->visits = 0;
    for (uint32_t i = all ? 0 : p->paths; i < count; i++) {
        const struct rc_shared_path *row = &p->block->path[i];
        p->visits += all && i > 0 ? row->visits : 0;
        const uint64_t mark = path_mark(row);
        if (mark == p->path_mark[i])
            continue;
        p->path_mark[i] = mark;
        atomic_thread_fence(memory_order_acquire); /* later changes give a new mark */
        struct rc_profile_path *out = &d->path[changed++];
        *out = (struct rc_profile_path){.number = i,
                                        .parent = row->parent,
                                        .name = row->name,
                                        .visits = row->visits,
                                        .measured = row->measured,
                                        .ns = lasted(d, row->ticks),
                                        .shortest_ns = lasted(d, row->shortest),
                                        .longest_ns = lasted(d, row->longest),
                                        .lost = row->lost,
                                        .stands_for = row->stands_for};
        for (int c = 0; c < RC_SHARED_COUNTERS; c++)
            out->count[c] = row->count[c];
    }
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_PATHS,
        .paths = {.place = p->number, .path = d->path, .path_count = changed}};
    const int status = changed ? rc_profile_put(d->writer, &payload) : RC_OK;
    if (status != RC_OK) { /* they are to be written again */
        for (uint32_t i = 0; i < changed; i++)
            p->path_mark[d->path[i].number] = 0;
        return status;
    }
    p->paths = count;
    return RC_OK;
}

/* Units of calls.def, as records have them. */
#define COUNT(number) (number)
#define BYTES(number) (number)
#define TIME(ticks) lasted(d, ticks)

static uint64_t call_mark(const struct rc_shared_call *row)
{
    return row->calls + row->ticks + row->bytes + row->apart + 1;
}

static int write_calls(struct rc_profile_drain *d, struct place *p, uint32_t count,
                       bool all)
{
    uint32_t changed = 0;

    if (all)
        p->mpi_calls = 0;
    for (uint32_t i = all ? 0 : p->calls; i < count; i++) {
        const struct rc_shared_call *row = &p->block->call[i];
        p->mpi_calls += all ? row->calls : 0;
        const uint64_t mark = call_mark(row);
        if (mark == p->call_mark[i] || (i == 0 && row->calls == 0))
            continue;
        p->call_mark[i] = mark;
        atomic_thread_fence(memory_order_acquire); /* later changes give a new mark */
        struct rc_profile_call *out = &d->call[changed++];
        *out = (struct rc_profile_call){
            .number = i,
            .path = row->path,
            .name = row->name,
            .module = row->module,
            .site = row->site,
            .ranks = row->ranks,
            .log_bytes = row->log_bytes,
            .nodes = row->nodes,
#define CALL(ticks, member, unit, since) .member = unit(row->ticks),
#include "io/profile/calls.def"
        };
        for (int t = 0; t < RC_SHARED_TIMES; t++)
            out->time[t] = row->time[t];
    }
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_CALLS,
        .calls = {.place = p->number, .call = d->call, .call_count = changed}};
    const int status = changed ? rc_profile_put(d->writer, &payload) : RC_OK;
    if (status != RC_OK) { /* they are to be written again */
        for (uint32_t i = 0; i < changed; i++)
            p->call_mark[d->call[i].number] = 0;
        return status;
    }
    p->calls = count;
    return RC_OK;
}

/* Writes how long calls waited: the thread finds that out for many at once. */
static int write_waits(struct rc_profile_drain *d, struct place *p, uint32_t count)
{
    struct rc_shared_block *b = p->block;
    const struct rc_profile_waits all = {.place = p->number,
                                         .exchanges = atomic_load(&b->exchanges),
                                         .exchange_ns =
                                             lasted(d, atomic_load(&b->exchange_ticks)),
                                         .unmatched = atomic_load(&b->unmatched),
                                         .impossible = atomic_load(&b->impossible),
                                         .wait = d->wait};
    const uint64_t sum = all.exchanges + all.unmatched + all.impossible;
    struct rc_profile_payload payload = {.type = RC_PROFILE_WAITS, .waits = all};
    size_t *changed = &payload.waits.wait_count;

    for (uint32_t i = 0; i < count; i++) {
        const struct rc_shared_call *row = &b->call[i];
        const uint64_t known = row->known;
        if (known == p->wait_mark[i])
            continue;
        p->wait_mark[i] = known;
        atomic_thread_fence(memory_order_acquire); /* later changes give a new mark */
        struct rc_profile_wait *out = &d->wait[(*changed)++];
        *out = (struct rc_profile_wait){
            .number = i,
            .kind = row->waits_for,
#define WAIT(ticks, member, unit, since) .member = unit(row->ticks),
#include "io/profile/calls.def"
        };
        out->known = known;
    }
    if (*changed == 0 && sum == p->wait_sum)
        return RC_OK;
    const int status = rc_profile_put(d->writer, &payload);
    for (size_t i = 0; i < *changed && status != RC_OK; i++)
        p->wait_mark[d->wait[i].number] = 0; /* it is to be written again */
    if (status != RC_OK)
        return status;
    p->wait_sum = sum;
    return RC_OK;
}

/* Each round converts ticks by another line: times that go back by less than JUMP_NS
 * for that reason are corrected, so that entries stay in order.
 */
static uint64_t in_order(struct place *p, uint64_t at_ns)
{
    enum { JUMP_NS = 1000 };

    if (at_ns < p->last_ns && p->last_ns - at_ns < JUMP_NS)
        at_ns = p->last_ns;
    return p->last_ns = at_ns;
}

/* Writes the entries up to 'head', without damaged ones: the program may have written
 * over them.
 */
static int write_spans(struct rc_profile_drain *d, struct place *p, uint64_t head)
{
    struct rc_shared_block *block = p->block;
    const uint64_t tail = atomic_load_explicit(&block->tail, memory_order_relaxed);
    size_t count = 0;

    if (head - tail > RC_SHARED_RING || head == tail) {
        atomic_store_explicit(&block->tail, head, memory_order_release);
        return RC_OK;
    }
    for (uint64_t i = tail; i < head; i++) {
        const struct rc_shared_entry *e = &block->ring[i % RC_SHARED_RING];
        const uint32_t most =
            e->what < RC_SHARED_CALL_BEGAN ? RC_SHARED_PATHS : RC_SHARED_CALLS;
        if (e->what < RC_SHARED_ENTER || e->what > RC_SHARED_CALL_ENDED ||
            e->number >= most)
            continue;
        d->span[count++] =
            (struct rc_profile_span){.at_ns = in_order(p, ns_of(d, e->ticks)),
                                     .what = e->what,
                                     .number = e->number};
    }
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_SPANS,
        .spans = {.place = p->number, .span = d->span, .span_count = count}};
    const int status = rc_profile_put(d->writer, &payload);
    if (status != RC_OK)
        return status;
    d->entries += count;
    atomic_store_explicit(&block->tail, head, memory_order_release);
    return RC_OK;
}

static int write_close(struct rc_profile_drain *d, const struct place *p,
                       const struct rc_profile_watch *watch)
{
    const struct rc_profile_process *process = rc_profile_watch_find(watch, p->pid);
    const struct rc_shared_block *b = p->block;
    const uint64_t ended = atomic_load(&b->ended);
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_CLOSE,
        .close = {.place = p->number,
                  .rank = b->rank < 0 && process ? process->rank : b->rank,
                  .ranks = b->ranks,
                  .ended_ns = ended ? ns_of(d, ended) : d->clock.ns,
                  .killed = ended == 0,
                  .mpi_began_ns = ns_of(d, atomic_load(&b->mpi_began)),
                  .mpi_ended_ns = ns_of(d, atomic_load(&b->mpi_ended)),
                  .lost_entries = atomic_load(&b->lost_entries),
                  .lost_paths = atomic_load(&b->lost_paths),
                  .repaired = atomic_load(&b->repaired),
                  .own_ns = lasted(d, atomic_load(&b->own_ticks)),
                  .joined = atomic_load(&b->joined)}};

    return rc_profile_put(d->writer, &payload);
}

/* Limits a number that the program wrote to the size of its table. */
static uint32_t at_most(uint32_t number, uint32_t most)
{
    return number < most ? number : most;
}

static struct extent extent_of(struct rc_shared_block *b)
{
    struct extent x = {.head = atomic_load_explicit(&b->head, memory_order_acquire)};

    x.paths = at_most(atomic_load_explicit(&b->path_count, memory_order_acquire),
                      RC_SHARED_PATHS);
    x.calls = at_most(atomic_load_explicit(&b->call_count, memory_order_acquire),
                      RC_SHARED_CALLS);
    x.names = at_most(atomic_load_explicit(&b->names_used, memory_order_acquire),
                      RC_SHARED_NAMES);
    return x;
}

static int write_block(struct rc_profile_drain *d, struct place *p,
                       const struct extent *x, bool rows)
{
    int status;

    if ((status = write_names(d, p, x->names)) != RC_OK ||
        (status = write_paths(d, p, x->paths, rows)) != RC_OK ||
        (status = write_calls(d, p, x->calls, rows)) != RC_OK ||
        (rows && (status = write_waits(d, p, x->calls)) != RC_OK))
        return status;
    return write_spans(d, p, x->head);
}

/* A thread whose process has executed another program has a block for each: its running
 * time belongs to the last one.
 */
static void end_running_before(struct rc_profile_drain *d, struct place *p)
{
    const uint32_t used =
        at_most(atomic_load(&d->shared->head->block_used), d->shared->head->block_most);

    for (uint32_t i = 0; i < used; i++) {
        struct place *other = d->place[i];
        if (other && other != p && other->pid == p->pid && other->tid == p->tid)
            rc_profile_running_end(other->began < p->began ? &other->running
                                                           : &p->running);
    }
}

/* Begins to read a block that a thread has claimed.  NULL: there is no memory now, or
 * no room on the disk.
 */
static struct place *take_place(struct rc_profile_drain *d, uint32_t number,
                                struct rc_profile_watch *watch)
{
    struct place *p = rc_calloc(1, sizeof *p);

    if (!p)
        return NULL;
    if (!(p->block = rc_profile_shared_block(d->shared, number)))
        goto failed;
    p->pid = p->block->pid;
    p->tid = p->block->tid;
    p->began = p->block->started;
    p->number = d->places;
    if (write_place(d, p, watch) != RC_OK)
        goto failed;
    (void)rc_profile_watch_add(watch, p->pid, -1, 0); /* else it ends at once */
    rc_profile_running_begin(&p->running, p->number, p->pid, p->tid,
                             d->open < RUNNING_MOST);
    end_running_before(d, p);
    d->places++;
    d->open++;
    d->place[number] = p;
    return p;

failed:
    if (p->block)
        munmap(p->block, RC_SHARED_BLOCK);
    free(p);
    return NULL;
}

/* Whether the thread has claimed another block: its process has executed another
 * program, and the one before has ended with it.
 */
static bool is_replaced(const struct rc_profile_drain *d, const struct place *p)
{
    const uint32_t used = atomic_load(&d->shared->head->block_used);

    for (uint32_t i = 0; i < used && i < d->shared->head->block_most; i++) {
        const struct place *other = d->place[i];
        if (other && other != p && other->pid == p->pid && other->tid == p->tid &&
            other->began > p->began)
            return true;
    }
    return false;
}

/* Ends the place of a thread that has gone: writes the rest and frees the block. */
static void end_place(struct rc_profile_drain *d, uint32_t number,
                      struct rc_profile_watch *watch)
{
    struct place *p = d->place[number];
    const struct extent x = extent_of(p->block);

    rc_profile_watch_told(watch, p->pid, atomic_load(&p->block->process_ns));
    rc_profile_running_round(&p->running, true, d->writer);
    if (write_block(d, p, &x, true) != RC_OK || write_close(d, p, watch) != RC_OK)
        return; /* there is no room on the disk: later */
    d->visits += p->visits;
    d->mpi_calls += p->mpi_calls;
    d->own_ticks += atomic_load(&p->block->own_ticks);
    d->open--;
    d->place[number] = NULL;
    rc_profile_running_end(&p->running);
    munmap(p->block, RC_SHARED_BLOCK);
    free(p);
    atomic_store_explicit(&d->shared->head->state[number], RC_SHARED_FREE,
                          memory_order_release);
}

/* Finds out whether the process is gone, or the block closed, before it reads the last
 * contents.
 */
static void drain_block(struct rc_profile_drain *d, uint32_t number,
                        struct rc_profile_watch *watch, bool rows)
{
    const uint32_t state =
        atomic_load_explicit(&d->shared->head->state[number], memory_order_acquire);
    struct place *p = d->place[number];

    if (state != RC_SHARED_OPEN && state != RC_SHARED_CLOSED)
        return;
    if (!p && !(p = take_place(d, number, watch)))
        return;
    const struct rc_profile_process *process = rc_profile_watch_find(watch, p->pid);
    if (state == RC_SHARED_CLOSED || !process || process->gone ||
        (rows && is_replaced(d, p))) {
        end_place(d, number, watch);
        return;
    }
    const struct extent x = extent_of(p->block);
    rc_profile_running_round(&p->running, rows, d->writer);
    (void)write_block(d, p, &x, rows);
}

void rc_profile_drain_round(struct rc_profile_drain *d, struct rc_profile_watch *watch,
                            bool rows)
{
    const uint32_t most = d->shared->head->block_most;
    const uint32_t used = at_most(atomic_load(&d->shared->head->block_used), most);

    rc_profile_clock_update(&d->clock);
    for (uint32_t i = 0; i < used; i++)
        drain_block(d, i, watch, rows);
}

size_t rc_profile_drain_open_blocks(const struct rc_profile_drain *d)
{
    return d->open;
}

void rc_profile_drain_totals(const struct rc_profile_drain *d,
                             struct rc_profile_cost *out)
{
    uint64_t own_ticks = d->own_ticks;

    out->entries = d->entries;
    out->visits = d->visits;
    out->calls = d->mpi_calls;
    for (uint32_t i = 0; i < d->shared->head->block_most; i++) {
        const struct place *p = d->place[i];
        if (!p)
            continue;
        out->visits += p->visits;
        out->calls += p->mpi_calls;
        own_ticks += atomic_load(&p->block->own_ticks);
    }
    out->own_ns = lasted(d, own_ticks);
}

struct rc_shared_block *rc_profile_drain_block(const struct rc_profile_drain *d,
                                               uint32_t number, uint64_t *place)
{
    const struct place *p =
        number < d->shared->head->block_most ? d->place[number] : NULL;

    *place = p ? p->number : 0;
    return p ? p->block : NULL;
}

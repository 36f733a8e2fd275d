/* Rows of MPI calls in a thread's block: one for all calls with the same key. */
#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"

#include <stddef.h>
#include <string.h>

/* Bits of 'which' in struct rc_preload_call_key, from the lowest on. */
enum { RANKS_BITS = 31, BYTES_BITS = 7, NODES_BITS = 2, CALL_BITS = 10 };
_Static_assert((int)RC_PRELOAD_MPI_CALLS <= 1 << CALL_BITS,
               "a key has no room for them");

static struct rc_preload_call_key key_of(const struct rc_mpi_record *record,
                                         uint32_t path, uint32_t log_bytes)
{
    uint64_t which = path;
    which = which << CALL_BITS | record->call->number;
    which = which << NODES_BITS | record->nodes;
    which = which << BYTES_BITS | log_bytes;
    which = which << RANKS_BITS | record->ranks;
    return (struct rc_preload_call_key){(uintptr_t)record->site, which};
}

static size_t slot_of(struct rc_preload_call_key key)
{
    const uint64_t h = key.site * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((h ^ key.which) * UINT64_C(0xd6e8feb86659fd93) >> 32) %
           RC_PRELOAD_SLOTS;
}

/* Fills in the file that contains the call, and the call's address in that file.  That
 * takes a lock of the loader, so it is only done for new rows.
 */
static void module_find(struct rc_preload_block *block, const void *site,
                        struct rc_shared_call *row)
{
    struct rc_preload_loaded file;
    row->site = (uintptr_t)site;
    if (!rc_preload_loaded_find(site, &file))
        return;
    const char *slash = strrchr(file.name, '/');
    const char *name = slash ? slash + 1 : file.name;
    row->module = rc_preload_name(block, name, strlen(name));
    row->site -= file.base;
}

/* Adds a row and returns its number; 0: there is no room for it or the call's name. */
static uint32_t row_add(struct rc_preload_block *block, struct rc_preload_call_key key,
                        const struct rc_mpi_record *record, uint32_t log_bytes)
{
    uint16_t *name = &block->call_name[record->call->number];
    struct rc_shared_block *shared = &block->shared;
    uint32_t number = atomic_load_explicit(&shared->call_count, memory_order_relaxed);
    if (number >= RC_SHARED_CALLS)
        return 0;
    if (!*name)
        *name = (uint16_t)rc_preload_name(block, record->call->name,
                                          strlen(record->call->name));
    struct rc_shared_call row = {.path = rc_preload_path(block),
                                 .name = *name,
                                 .ranks = record->ranks,
                                 .log_bytes = (uint16_t)log_bytes,
                                 .nodes = (uint16_t)record->nodes};
    if (!row.name)
        return 0;
    module_find(block, record->site, &row);
    shared->call[number] = row;
    block->call_key[number] = key;
    atomic_store_explicit(&shared->call_count, number + 1, memory_order_release);
    return number;
}

/* The last call that was made at this place, or at another one with the same hash. */
static struct rc_preload_last *last_of(struct rc_preload_block *block, const void *site)
{
    const uint64_t hash = (uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15);
    return &block->call_last[(hash >> 32) % RC_PRELOAD_SITES];
}

RC_PRELOAD_HOT void rc_mpi_record_expect(const void *site)
{
    enum { LINE_BYTES = 64 };
    struct rc_preload_block *block = rc_preload_self.block;
    if (!block)
        return;
    const struct rc_shared_call *call = &block->shared.call[last_of(block, site)->row];
    const char *row = (const char *)call;
    for (size_t at = 0; at < offsetof(struct rc_shared_call, known); at += LINE_BYTES)
        __builtin_prefetch(row + at, 1);
}

static bool is_key(const struct rc_preload_call_key *there,
                   struct rc_preload_call_key key)
{
    return there->site == key.site && there->which == key.which;
}

static uint32_t row_find(struct rc_preload_block *block,
                         const struct rc_mpi_record *record)
{
    const uint32_t log_bytes =
        record->moved.bytes ? 64U - (uint32_t)__builtin_clzll(record->moved.bytes) : 0;
    const struct rc_preload_call_key key =
        key_of(record, rc_preload_path(block), log_bytes);
    struct rc_preload_last *last = last_of(block, record->site);
    if (last->row && is_key(&last->key, key))
        return last->row;
    size_t slot = slot_of(key);
    uint32_t row;
    while ((row = block->call_slot[slot]) && !is_key(&block->call_key[row], key))
        slot = (slot + 1) % RC_PRELOAD_SLOTS;
    if (!row)
        row = block->call_slot[slot] = (uint16_t)row_add(block, key, record, log_bytes);
    *last = (struct rc_preload_last){key, row};
    return row;
}

static uint64_t ticks_of(uint64_t ns)
{
    return (ns << 32) / (rc_preload_said.ticks_ns ? rc_preload_said.ticks_ns : 1);
}

/* Adds polls that were not timed to their row, with the time of the last timed one. */
static RC_PRELOAD_HOT void counted_add(struct rc_preload_block *block,
                                       struct rc_preload_poll *poll)
{
    const uint32_t count = poll->given - poll->left;
    struct rc_shared_call *row = &block->shared.call[poll->row];
    poll->given = poll->left;
    row->calls += count;
    row->ticks += poll->took * count;
    row->time[rc_preload_time_class(poll->took)] += count;
    rc_preload_add(&block->shared.polls, count);
    rc_preload_add(&block->shared.own_ticks, count * ticks_of(RC_SHARED_POLL_NS));
}

RC_PRELOAD_HOT void rc_mpi_polls_add(struct rc_preload_block *block)
{
    for (uint32_t i = 0; block->polls >> i; i++)
        if (block->polls >> i & 1)
            counted_add(block, &block->poll[i]);
}

/* Decides, after a poll was timed, how many of the next ones are not timed. */
static RC_PRELOAD_HOT void polls_give(struct rc_preload_block *block,
                                      const struct rc_mpi_record *record, uint32_t row)
{
    enum { COUNTED_MOST = 63, SHORT_NS = 1000 };
    const uint32_t which = record->call->poll - 1U;
    struct rc_preload_poll *poll = &block->poll[which];
    const uint64_t took = record->ended - record->began;
    const bool counts = record->in_vain && row && took < ticks_of(SHORT_NS);
    const uint32_t more = 2 * poll->gap + 1;
    poll->gap = !counts ? 0 : more < COUNTED_MOST ? more : COUNTED_MOST;
    poll->left = poll->given = poll->gap;
    poll->row = row;
    poll->took = took;
    poll->request = record->request;
    block->polls = (block->polls & ~(1U << which)) | (uint32_t)counts << which;
}

RC_PRELOAD_HOT uint32_t rc_mpi_record(const struct rc_mpi_record *record)
{
    struct rc_preload_block *block = rc_preload_enter();
    if (!block)
        return 0;
    if (rc_preload_self
            .timed_from) /* it took 'own', and the time since the call ended */
        rc_preload_self.timed_from =
            record->ended - record->own + (record->call->begins ? record->apart : 0);
    rc_mpi_polls_add(block);
    const uint64_t ticks = record->ended - record->began;
    const uint32_t number = row_find(block, record);
    struct rc_shared_call *row = &block->shared.call[number];
    if (record->call->begins)
        atomic_store(&block->shared.mpi_began, record->ended);
    if (record->call->ends)
        atomic_store(&block->shared.mpi_ended, record->began);
    row->calls++;
    row->ticks += ticks;
    row->bytes += record->moved.bytes;
    if (record->moved.received)
        row->received += record->moved.received;
    if (record->moved.started) {
        row->started += record->moved.started;
        row->started_receives += record->moved.started_receives;
    }
    if (record->apart)
        row->apart += record->apart;
    if (ticks > row->longest)
        row->longest = ticks;
    row->time[rc_preload_time_class(ticks)]++;
    if (ticks > rc_preload_said.long_ticks ||
        (rc_preload_said.trace &&
         !atomic_load_explicit(&block->shared.call_level[number],
                               memory_order_relaxed)))
        rc_preload_call_entries(block, record->began, record->ended, number);
    if (record->call->poll)
        polls_give(block, record, number);
    rc_preload_leave();
    return number;
}

/* Rows of MPI calls in a thread's block: one for all calls that are alike. */
#include "campaign/profile/preload/mpi_layer.h"
#include "campaign/profile/preload/mpi_polls.h"
#include "campaign/profile/preload/preload.h"

#include <string.h>

static size_t slot_of(const struct rc_preload_call_key *key)
{
    uint64_t h = key->site * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)key->path << 48 | (uint64_t)key->call << 32 | key->ranks;
    h = (h ^ key->log_bytes) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(h >> 32) % RC_PRELOAD_SLOTS;
}

static bool key_equal(const struct rc_preload_call_key *a,
                      const struct rc_preload_call_key *b)
{
    return a->site == b->site && a->path == b->path && a->call == b->call &&
           a->ranks == b->ranks && a->log_bytes == b->log_bytes;
}

/* Where the call stands: in which file, and where in it as it lies on disk.  It takes a
 * lock of the loader, for calls that were never there before.
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

/* A new row: its number; 0: there is no room for it, or for the name of its call. */
static uint32_t row_add(struct rc_preload_block *block,
                        const struct rc_preload_call_key *key,
                        const struct rc_mpi_record *record)
{
    struct rc_shared_block *shared = &block->shared;
    uint32_t number = atomic_load_explicit(&shared->call_count, memory_order_relaxed);
    if (number >= RC_SHARED_CALLS)
        return 0;
    if (!block->call_name[key->call])
        block->call_name[key->call] = (uint16_t)rc_preload_name(
            block, record->call->name, strlen(record->call->name));
    struct rc_shared_call row = {.path = key->path,
                                 .name = block->call_name[key->call],
                                 .ranks = key->ranks,
                                 .log_bytes = key->log_bytes};
    if (!row.name)
        return 0;
    module_find(block, record->site, &row);
    shared->call[number] = row;
    block->call_key[number] = *key;
    atomic_store_explicit(&shared->call_count, number + 1, memory_order_release);
    return number;
}

static uint32_t row_find(struct rc_preload_block *block,
                         const struct rc_preload_call_key *key,
                         const struct rc_mpi_record *record)
{
    size_t slot = slot_of(key);
    for (; block->call_slot[slot]; slot = (slot + 1) % RC_PRELOAD_SLOTS) {
        if (key_equal(&block->call_key[block->call_slot[slot]], key))
            return block->call_slot[slot];
    }
    uint32_t row = row_add(block, key, record);
    block->call_slot[slot] = (uint16_t)row;
    return row;
}

uint32_t rc_mpi_record(const struct rc_mpi_record *record)
{
    struct rc_preload_block *block = rc_preload_enter();
    if (!block)
        return 0;
    if (rc_preload_self.timed_from) /* what MPI was asked belongs to it, too */
        rc_preload_self.timed_from =
            record->ended - record->own + (record->call->begins ? record->apart : 0);
    rc_mpi_polls_add(block);
    const uint64_t ticks = record->ended - record->began;
    const struct rc_preload_call_key key = {
        .site = (uintptr_t)record->site,
        .ranks = record->ranks,
        .path = (uint16_t)rc_preload_path(block),
        .call = record->call->number,
        .log_bytes = record->bytes ? 64U - (uint32_t)__builtin_clzll(record->bytes) : 0,
    };
    uint32_t number = row_find(block, &key, record);
    struct rc_shared_call *row = &block->shared.call[number];
    if (record->call->begins)
        atomic_store(&block->shared.mpi_began, record->ended);
    if (record->call->ends)
        atomic_store(&block->shared.mpi_ended, record->began);
    row->calls++;
    row->ticks += ticks;
    row->bytes += record->bytes;
    row->received += record->received;
    if (record->started) {
        row->started += record->started;
        row->started_receives += record->started_receives;
    }
    row->apart += record->apart;
    if (ticks > row->longest)
        row->longest = ticks;
    row->time[rc_preload_time_class(ticks)]++;
    if (ticks > rc_preload_head->long_ticks ||
        (rc_preload_head->trace &&
         !atomic_load_explicit(&block->shared.call_level[number],
                               memory_order_relaxed)))
        rc_preload_call_entries(block, record->began, record->ended, number);
    if (record->call->poll)
        rc_mpi_polls_give(block, record, number);
    rc_preload_leave();
    return number;
}

/* region.c - the regions that a thread is in, and its table of call paths
 *
 * A call path is found by a hash of its parent and its name.  Names are compared as
 * text, since programs build different names in the same buffer.  An instance that
 * finds the tables full is lost, and so is each instance inside of it, which would
 * otherwise get a wrong parent.  Lost instances stay on the stack until they end.
 */
#include "campaign/profile/preload/parts.h"

#include <errno.h>
#include <string.h>

/* A name of a region, as the program passed it: 'text' may be longer than 'bytes'. */
struct name {
    const char *text;
    size_t bytes;
    uint64_t hash;
};

static uint64_t hash_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static struct name name_of(const char *text)
{
    struct name name = {text ? text : "", 0, 0};
    uint64_t word;
    size_t at = 0;
    name.bytes = strnlen(name.text, RC_PRELOAD_NAME);
    for (; name.bytes - at >= sizeof word; at += sizeof word) {
        memcpy(&word, name.text + at, sizeof word);
        name.hash = hash_mix(name.hash, word);
    }
    for (word = name.bytes; at < name.bytes; at++)
        word = word << 8 | (unsigned char)name.text[at];
    name.hash = hash_mix(name.hash, word);
    return name;
}

static bool name_is(const struct rc_preload_block *block, uint32_t number,
                    const struct name *name)
{
    const char *known = block->shared.name + number;
    return !strncmp(known, name->text, name->bytes) && !known[name->bytes];
}

uint32_t rc_preload_name(struct rc_preload_block *block, const char *text, size_t bytes)
{
    struct name name = {text, bytes < RC_PRELOAD_NAME ? bytes : RC_PRELOAD_NAME, 0};
    uint32_t used =
        atomic_load_explicit(&block->shared.names_used, memory_order_relaxed);
    if (!bytes)
        return 0;
    for (uint32_t at = 1; at < used;
         at += (uint32_t)strlen(block->shared.name + at) + 1) {
        if (name_is(block, at, &name))
            return at;
    }
    if (name.bytes + 1 > RC_SHARED_NAMES - used)
        return 0;
    memcpy(block->shared.name + used, text, name.bytes);
    block->shared.name[used + name.bytes] = '\0';
    atomic_store_explicit(&block->shared.names_used, used + (uint32_t)name.bytes + 1,
                          memory_order_release);
    return used;
}

/* Adds a row and returns its number, or 0 if there is no room for it or its name. */
static uint32_t path_add(struct rc_preload_block *block, uint32_t parent,
                         const struct name *name)
{
    uint32_t number =
        atomic_load_explicit(&block->shared.path_count, memory_order_relaxed);
    if (number == RC_SHARED_PATHS)
        return 0;
    uint32_t text = rc_preload_name(block, name->text, name->bytes);
    if (!text && name->bytes)
        return 0;
    block->shared.path[number] =
        (struct rc_shared_path){.parent = parent, .name = text};
    atomic_store_explicit(&block->shared.path_count, number + 1, memory_order_release);
    return number;
}

static uint32_t path_find(struct rc_preload_block *block, uint32_t parent,
                          const struct name *name)
{
    uint64_t slot = name->hash + parent * UINT64_C(0x85ebca6b);
    for (;; slot++) {
        uint16_t *number = &block->path_slot[slot % RC_PRELOAD_SLOTS];
        if (!*number) {
            *number = (uint16_t)path_add(block, parent, name);
            return *number;
        }
        const struct rc_shared_path *path = &block->shared.path[*number];
        if (path->parent == parent && name_is(block, path->name, name))
            return *number;
    }
}

static void count_one(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* Reads the counts of this thread's events.  If that fails the errno is written to the
 * block.
 */
static bool counts_read(struct rc_preload_block *block, uint64_t ticks,
                        struct rc_preload_counts *out)
{
    if (!rc_preload_self.counter_count)
        return false;
    int why = rc_preload_counters_read(ticks, out);
    if (why)
        block->shared.counters_why = (uint64_t)why;
    return !why;
}

/* At level L one in 2^L is measured; this is 2^L. */
static uint64_t share_of(_Atomic uint8_t *level)
{
    return UINT64_C(1) << (atomic_load_explicit(level, memory_order_relaxed) & 31);
}

/* Begins to measure an instance. */
static void frame_measure(struct rc_preload_block *block,
                          struct rc_preload_frame *frame)
{
    frame->counted = rc_preload_self.counter_count &&
                     counts_read(block, rc_preload_ticks(), &frame->counts);
    frame->began = rc_preload_ticks();
    if (block->shared.path[frame->path].measured &
        (share_of(&block->shared.ring_level[frame->path]) - 1))
        return;
    frame->in_ring = rc_preload_room(block, 2);
    if (!frame->in_ring) {
        atomic_fetch_add_explicit(&block->shared.lost_entries, 2, memory_order_relaxed);
        return;
    }
    rc_preload_entry(block, frame->began, RC_SHARED_ENTER, frame->path);
    block->pending++;
}

/* XOR with the path's number staggers the sampling: a measured parent should not always
 * contain a measured child, as the cost of measuring the child is in the parent's time.
 */
static bool is_measured(struct rc_preload_block *block, uint32_t path, uint64_t visit)
{
    const uint64_t every = rc_preload_head->every,
                   share = share_of(&block->shared.path_level[path]);
    if (every > 1) {
        if (visit % every)
            return false;
        visit /= every;
    }
    return ((visit ^ path) & (share - 1)) == 0;
}

/* The call path of a constant name.  The table 'known' is searched by the name's
 * address; only if it is not there the text is compared.
 */
static uint32_t path_known(struct rc_preload_block *block, const char *text)
{
    const uint32_t parent = rc_preload_path(block);
    struct rc_preload_known *known =
        &block->known[(((uintptr_t)text >> 4) + UINT64_C(7) * parent) %
                      RC_PRELOAD_KNOWN];
    if (known->text != text || known->parent != parent) {
        const struct name name = name_of(text);
        *known =
            (struct rc_preload_known){text, parent, path_find(block, parent, &name)};
    }
    return known->path;
}

static bool is_lost(const struct rc_preload_block *block)
{
    return block->depth && !block->frame[block->depth - 1].path;
}

static void frame_open(struct rc_preload_block *block, const char *text,
                       enum rc_preload_api api)
{
    struct rc_preload_frame *frame = &block->frame[block->depth];
    const bool lost = is_lost(block);
    frame->began = 0;
    frame->api = (uint8_t)api;
    frame->in_ring = false;
    frame->path = 0;
    frame->constant = api == RC_PRELOAD_CONSTANT ? text : NULL;
    if (frame->constant && !lost) {
        frame->path = path_known(block, text);
    } else if (!lost) {
        const struct name name = name_of(text);
        frame->path = path_find(block, rc_preload_path(block), &name);
    }
    block->depth++;
    if (!frame->path) {
        frame->hash = name_of(text).hash;
        count_one(&block->shared.lost_paths);
        return;
    }
    uint64_t visit = block->shared.path[frame->path].visits++;
    atomic_store_explicit(&block->shared.open_path, frame->path, memory_order_relaxed);
    if (is_measured(block, frame->path, visit))
        frame_measure(block, frame);
}

/* Adds an instance that has ended to its row. */
static void frame_enter(struct rc_preload_block *block, struct rc_preload_frame *frame,
                        uint64_t ticks)
{
    struct rc_shared_path *path = &block->shared.path[frame->path];
    struct rc_preload_counts now;
    uint64_t took = ticks > frame->began ? ticks - frame->began : 0;
    path->shortest = path->measured && path->shortest < took ? path->shortest : took;
    path->longest = path->longest > took ? path->longest : took;
    /* 'visits' has not changed since this instance began, as a call path cannot be
     * inside of itself.
     */
    path->ticks += took * (path->visits - path->stands_for);
    path->stands_for = path->visits;
    path->measured++;
    if (frame->in_ring) {
        rc_preload_entry(block, ticks, RC_SHARED_LEAVE, frame->path);
        block->pending--;
    }
    if (rc_preload_head->event_count &&
        (!frame->counted || !counts_read(block, ticks, &now) ||
         !rc_preload_counters_add(&frame->counts, &now, path->count)))
        path->lost++;
}

/* Closes the innermost region at time '*ticks'; 0 there is set to the present time when
 * it is first needed.
 */
static void frame_close(struct rc_preload_block *block, uint64_t *ticks)
{
    struct rc_preload_frame *frame = &block->frame[--block->depth];
    if (!frame->path)
        return;
    if (frame->began) {
        *ticks = *ticks ? *ticks : rc_preload_ticks();
        frame_enter(block, frame, *ticks);
    }
    atomic_store_explicit(&block->shared.open_path,
                          block->shared.path[frame->path].parent, memory_order_relaxed);
}

/* Whether an end with this name, or with NULL and this 'api', is the end of the frame.
 */
static bool frame_is(const struct rc_preload_block *block,
                     const struct rc_preload_frame *frame, const char *text,
                     enum rc_preload_api api)
{
    if (!text)
        return frame->api == api;
    if (!frame->path)
        return frame->hash == name_of(text).hash;
    if (frame->constant == text)
        return true;
    uint32_t name = block->shared.path[frame->path].name;
    return !strncmp(block->shared.name + name, text, RC_PRELOAD_NAME);
}

/* Closes the innermost region that such an end is the end of, with those inside of it.
 */
static void frames_close(struct rc_preload_block *block, const char *text,
                         enum rc_preload_api api)
{
    uint64_t ticks = 0;
    uint32_t depth = block->depth;
    while (depth && !frame_is(block, &block->frame[depth - 1], text, api))
        depth--;
    if (!depth) {
        count_one(&block->shared.repaired);
        return;
    }
    for (; block->depth > depth; count_one(&block->shared.repaired))
        frame_close(block, &ticks);
    frame_close(block, &ticks);
}

/* Counts a region of a signal handler that runs between enter and leave as lost. */
static void region_missed(void)
{
    struct rc_preload_block *block = rc_preload_self.block;
    if (rc_preload_self.busy && block)
        count_one(&block->shared.lost_paths);
}

void rc_preload_region_begin(const char *text, enum rc_preload_api api)
{
    struct rc_preload_block *block = rc_preload_enter();
    if (!block) {
        region_missed();
        return;
    }
    if (block->depth < RC_PRELOAD_DEPTH) {
        frame_open(block, text, api);
    } else {
        block->beyond++;
        count_one(&block->shared.lost_paths);
    }
    rc_preload_leave();
}

bool rc_preload_region_count(const char *text)
{
    enum { COUNTED = 64 }; /* one of this many is measured */
    bool counted = false;
    if (rc_preload_head->every > 1 || rc_preload_head->event_count)
        return false;
    struct rc_preload_block *block = rc_preload_enter();
    if (!block)
        return false;
    const uint32_t path = is_lost(block) ? 0 : path_known(block, text);
    if (path && (block->shared.path[path].visits ^ path) % COUNTED) {
        block->shared.path[path].visits++;
        counted = true;
    }
    rc_preload_leave();
    return counted;
}

void rc_preload_region_end(const char *text, enum rc_preload_api api)
{
    struct rc_preload_block *block = rc_preload_enter();
    if (!block)
        return;
    if (block->beyond)
        block->beyond--;
    else
        frames_close(block, text, api);
    rc_preload_leave();
}

void rc_preload_region_add(struct rc_preload_block *block, const char *text,
                           uint64_t began, uint64_t ended)
{
    const struct name name = name_of(text);
    struct rc_preload_frame frame = {
        .began = began, .path = path_find(block, rc_preload_path(block), &name)};
    if (!frame.path) {
        count_one(&block->shared.lost_paths);
        return;
    }
    if (rc_preload_room(block, 2)) {
        rc_preload_entry(block, began, RC_SHARED_ENTER, frame.path);
        block->pending++;
        frame.in_ring = true;
    } else {
        atomic_fetch_add_explicit(&block->shared.lost_entries, 2, memory_order_relaxed);
    }
    block->shared.path[frame.path].visits++;
    frame_enter(block, &frame, ended);
}

void rc_preload_regions_end(struct rc_preload_block *block, uint64_t ticks)
{
    struct rc_shared_path *root = &block->shared.path[0];
    struct rc_preload_counts now;
    for (; block->depth; count_one(&block->shared.repaired))
        frame_close(block, &ticks);
    root->visits = root->measured = root->stands_for = 1;
    root->ticks = root->shortest = root->longest = ticks - block->shared.started;
    if (rc_preload_head->event_count &&
        (!counts_read(block, ticks, &now) ||
         !rc_preload_counters_add(&block->root, &now, root->count)))
        root->lost = 1;
}

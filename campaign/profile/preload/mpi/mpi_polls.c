/* Polls of MPI that find nothing: most are counted only, and where even that takes too
 * much the program is left alone with MPI for a while.
 *
 * A stretch of polls is what a thread asks between two calls of MPI that are no polls.
 * Where counting takes more than it may, which is looked at after each few thousand of
 * polls, only each 2^level-th stretch is counted; in the others the program's own table
 * of functions has MPI's function from the first poll in vain to the next other call.
 * A stretch that is counted stands for those before it that were not.  What a request
 * that was polled has come to is seen in the program's memory at that other call, so
 * that no message is missed.
 */
#include "campaign/profile/preload/mpi/mpi_polls.h"
#include "campaign/base/mix.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    POLLS_MOST = 256, /* that are counted only, one after the other */
    POLL_NS = 1000,   /* what takes longer is recorded each time */
    WINDOW_POLLS = 4096,
    LEVELS_MOST = 8,
    SITES_MOST = 8,   /* places that call one function, of which the table is known */
    MPI_FUNNELED = 1, /* MPI_THREAD_FUNNELED: one thread alone polls */
    GAP_LEAST = 16, /* of stretches that are not counted all: that of the first poll */
    BETWEEN_LEAST =
        8, /* polls by which it is told what the program does between them */
};

/* Of a table of functions of a program or library. */
struct entry {
    _Atomic(void *) function;
};

/* A function of MPI that polls, as one place of the program calls it. */
static struct left_alone {
    const void *site[SITES_MOST];
    struct entry *entry[SITES_MOST]; /* the program's own; NULL: not to be used */
    struct entry *out;               /* entry that has MPI's function now, or NULL */
    void *own;                       /* what it had before */
    const void *at;                  /* site of the poll after which it got that: */
    struct rc_mpi_args args;
    void *word[RC_MPI_POLL_WORDS];
    rc_mpi_handle request[RC_MPI_POLL_REQUESTS];
    struct rc_mpi_status status; /* where the program wants none */
    uint32_t sites;
    int count; /* of requests */
} alone[RC_SHARED_POLLS] RC_PRELOAD_OFTEN;

RC_PRELOAD_OFTEN uint32_t rc_mpi_polls_any;

static uint64_t ticks_of(uint64_t ns)
{
    return (ns << 32) / (rc_preload_said.ticks_ns ? rc_preload_said.ticks_ns : 1);
}

/* So many more, each of which took as long as the one that was recorded. */
static void row_add(struct rc_preload_block *block, const struct rc_preload_poll *poll,
                    uint64_t count)
{
    struct rc_shared_call *row = &block->shared.call[poll->row];
    row->calls += count;
    row->ticks += poll->took * count;
    row->time[rc_preload_time_class(poll->took)] += (uint32_t)count;
}

/* Adds the polls that were only counted to their row. */
static RC_PRELOAD_HOT void counted_add(struct rc_preload_block *block, uint32_t which)
{
    struct rc_preload_poll *poll = &block->poll[which];
    const uint32_t count = poll->given - poll->left;
    poll->given = poll->left;
    if (!count)
        return;
    row_add(block, poll, count);
    poll->stretch += count;
    poll->between += count;
    rc_preload_add(&block->shared.own_ticks, count * ticks_of(RC_SHARED_POLL_NS));
    if (poll->spins)
        return;
    poll->window += count;
    rc_preload_add(&block->shared.poll[which].counted, count);
}

RC_PRELOAD_HOT void rc_mpi_polls_add(struct rc_preload_block *block)
{
    for (uint32_t i = 0; block->polls >> i; i++)
        if (block->polls >> i & 1)
            counted_add(block, i);
}

static uint8_t level_of(const struct rc_preload_block *block, uint32_t which)
{
    return atomic_load_explicit(&block->shared.poll[which].level,
                                memory_order_relaxed) &
           15;
}

/* Whether the program does nothing between polls: then nobody is kept from anything.  A
 * time that was taken has a reading of the clock in it, so that it is longer.
 */
static bool does_spin(const struct rc_preload_poll *poll, uint64_t began, uint64_t took)
{
    if (!poll->since || poll->between < BETWEEN_LEAST)
        return poll->spins;
    return 2 * (began - poll->since) < 3 * took * (poll->between + UINT64_C(1));
}

/* Once a window is full: fewer stretches are counted from now on, if it took too much.
 */
static void window_look(struct rc_preload_block *block, uint32_t which, uint64_t now)
{
    struct rc_preload_poll *poll = &block->poll[which];
    uint8_t level = level_of(block, which);
    if (poll->window_began && poll->window < WINDOW_POLLS)
        return;
    const uint64_t may =
        (now - poll->window_began) / 1000 * rc_preload_head->polls_ppm / 1000;
    uint64_t took = poll->window * ticks_of(RC_SHARED_POLL_NS);
    for (; rc_preload_head->polls_ppm && level < LEVELS_MOST && took > may; took /= 2)
        level++;
    atomic_store_explicit(&block->shared.poll[which].level, level,
                          memory_order_relaxed);
    poll->window = 0;
    poll->window_began = now;
}

RC_PRELOAD_HOT void rc_mpi_polls_give(struct rc_preload_block *block,
                                      const struct rc_mpi_record *record, uint32_t row)
{
    const uint32_t which = record->call->poll - 1U;
    struct rc_preload_poll *poll = &block->poll[which];
    window_look(block, which, record->ended);
    const uint8_t level = level_of(block, which);
    const uint64_t took = record->ended - record->began;
    const bool quick = record->in_vain && row && took < ticks_of(POLL_NS);
    const uint32_t more = poll->gap ? 2 * poll->gap : level ? GAP_LEAST : 1;
    poll->spins = does_spin(poll, record->began, took);
    /* The first of a stretch takes longer, and is no measure of the others. */
    if (!level || !poll->took)
        poll->took = took;
    else if (quick && poll->since)
        poll->took = (3 * poll->took + took) / 4;
    poll->since = record->ended;
    poll->between = 0;
    poll->gap = !quick ? 0 : more < POLLS_MOST ? more : POLLS_MOST;
    poll->left = poll->given = poll->gap;
    poll->row = row;
    poll->request = record->request;
    poll->stretch++;
    block->polls = (block->polls & ~(1U << which)) | (uint32_t)quick << which;
    atomic_store_explicit(&block->shared.poll[which].row, row, memory_order_relaxed);
    if ((level || poll->passed) && block->shared.threads <= MPI_FUNNELED)
        rc_mpi_polls_any |= 1U << which;
}

/* Whether the entry is in the part of its library that is only read once it is loaded.
 */
struct entry_place {
    ElfW(Addr) base, entry;
    bool read_only;
};

static int entry_look(struct dl_phdr_info *info, size_t bytes, void *data)
{
    struct entry_place *place = data;
    (void)bytes;
    if (info->dlpi_addr != place->base)
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_GNU_RELRO &&
            place->entry - place->base - part->p_vaddr < part->p_memsz)
            place->read_only = true;
    }
    return 1;
}

/* The entry of the library's, or program's, table of functions that has this one. */
static struct entry *entry_in(const struct link_map *map, const char *name,
                              const void *own)
{
    const ElfW(Rela) *item = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *texts = NULL;
    size_t bytes = 0;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        const void *at =
            (const void *)d->d_un.d_ptr; /* NOLINT: as the loader left it */
        if (d->d_tag == DT_JMPREL)
            item = at;
        else if (d->d_tag == DT_PLTRELSZ)
            bytes = d->d_un.d_val;
        else if (d->d_tag == DT_SYMTAB)
            symbols = at;
        else if (d->d_tag == DT_STRTAB)
            texts = at;
    }
    if (!item || !symbols || !texts || (ElfW(Addr))item < map->l_addr)
        return NULL;
    for (size_t i = 0; i < bytes / sizeof *item; i++) {
        const ElfW(Addr) at = map->l_addr + item[i].r_offset;
        struct entry *entry = (struct entry *)at; /* NOLINT: likewise */
        const size_t symbol = item[i].r_info >> 32;
        if (strcmp(texts + symbols[symbol].st_name, name) != 0 || at % sizeof *entry ||
            atomic_load(&entry->function) != own)
            continue;
        struct entry_place place = {map->l_addr, at, false};
        return dl_iterate_phdr(entry_look, &place) && !place.read_only ? entry : NULL;
    }
    return NULL;
}

/* The entry by which the function was called; NULL: it is not to be changed.  It takes
 * locks of the loader, for places that were never there before.
 */
static struct entry *entry_of(struct left_alone *a, const char *name, const void *own,
                              const void *site)
{
    struct link_map *map = NULL;
    Dl_info info;
    for (uint32_t i = 0; i < a->sites; i++)
        if (a->site[i] == site)
            return a->entry[i];
    if (a->sites >= SITES_MOST)
        return NULL;
    a->site[a->sites] = site;
    struct entry **entry = &a->entry[a->sites++];
    *entry = NULL;
    if (!dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return NULL;
    if (map->l_name[0] && /* it stays, though the program may close it */
        !dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
        return NULL;
    return *entry = entry_in(map, name, own);
}

/* Which stretches are counted is by chance: programs do the same again and again. */
static bool is_counted(const struct rc_preload_poll *poll, uint8_t level)
{
    return (rc_mix(poll->turn + UINT64_C(1)) & ((1U << level) - 1)) == 0;
}

RC_PRELOAD_HOT void rc_mpi_polls_leave(const struct rc_mpi_args *args, const char *name,
                                       void *own, void *next,
                                       const struct rc_mpi_record *record)
{
    const struct rc_mpi_call *call = args->call;
    const uint32_t which = call->poll - 1U;
    struct rc_preload_block *block = rc_preload_self.block;
    struct left_alone *a = &alone[which];
    const unsigned of = call->who[0];
    const int count = !call->who[1] ? 0 : of ? rc_mpi_integer(args, of) : 1;
    if (!block || a->out || (call->who[1] && call->who[3] != RC_MPI_ONE) ||
        count > RC_MPI_POLL_REQUESTS || block->shared.threads > MPI_FUNNELED)
        return;
    struct rc_preload_poll *poll = &block->poll[which];
    struct entry *entry;
    if (poll->chosen || poll->spins || !poll->gap || rc_mpi_match_lasts() ||
        !(entry = entry_of(a, name, own, record->site)))
        return;
    if (is_counted(poll, level_of(block, which))) {
        poll->chosen = true;
        poll->stretch = 0;
        return;
    }
    a->out = entry;
    a->own = own;
    a->at = record->site;
    memcpy(a->word, args->word, (call->ierror - 1U) * sizeof *a->word); /* in C */
    a->args = (struct rc_mpi_args){call, a->word, false};
    if (call->status && record->request)
        a->word[call->status - 1] = &a->status;
    a->count = count;
    for (int i = 0; i < count; i++)
        a->request[i] = rc_mpi_request(&a->args, call->who[1], i);
    atomic_store_explicit(&a->out->function, next, memory_order_relaxed);
}

/* Whether the program still has these bytes: on the stack of its first thread, above
 * 'frame', or as the kernel says.
 */
static bool is_there(const void *memory, size_t words, uintptr_t frame)
{
    static uintptr_t top; /* of that stack; 1: it is another thread that polls */
    const uintptr_t at = (uintptr_t)memory;
    if (!top)
        top = syscall(SYS_gettid) == getpid() ? getauxval(AT_RANDOM) : 1;
    if (at >= frame && at + words * 8 <= top)
        return true;
    for (size_t i = 0; i < words; i++)
        if (!rc_mpi_is_readable((at & ~(uintptr_t)7) + 8 * i))
            return false;
    return rc_mpi_is_readable((at + words * 8 - 1) & ~(uintptr_t)7);
}

/* Whether one of the polls that were not seen found something; 'lost': more than can be
 * told now.
 */
static bool has_found(const struct left_alone *a, uintptr_t frame, bool *lost)
{
    const uint8_t *who = a->args.call->who;
    rc_mpi_handle none;
    int changed = 0;
    if (a->count == 0 || !rc_mpi_match_no_request(&none))
        return false;
    if (!is_there(a->word[who[1] - 1], (size_t)a->count, frame)) {
        *lost = true;
        return false;
    }
    for (int i = 0; i < a->count; i++) {
        const rc_mpi_handle now = rc_mpi_request(&a->args, who[1], i);
        changed += now != a->request[i];
        *lost |= now != a->request[i] && now != none;
    }
    *lost |= changed > 1; /* there is a status of the last one alone */
    for (unsigned word = a->args.call->flag; changed == 1 && word <= who[2]; word++)
        *lost |= !is_there(a->word[word - 1], word < who[2] ? 1 : RC_MPI_STATUS_WORDS,
                           frame);
    return changed == 1 && !*lost;
}

/* The program calls us again; what it has found meanwhile is recorded. */
static void polls_return(struct left_alone *a, const struct rc_preload_poll *poll,
                         uintptr_t frame, rc_mpi_ends *ends)
{
    struct rc_mpi_record record = {.call = a->args.call, .site = a->at};
    bool lost = false;
    atomic_store_explicit(&a->out->function, a->own, memory_order_relaxed);
    a->out = NULL;
    if (has_found(a, frame, &lost)) {
        record.began = rc_preload_ticks() - poll->took;
        rc_mpi_match_hold(a->request, a->count);
        ends(&a->args, &record, 0);
    } else if (lost) {
        rc_mpi_match_lose();
    }
}

/* A stretch that was to be counted stands, from where the program could have been left
 * alone, for those before it in which it was; at the end of all the last one does.
 * Stretches that were over before that are counted as they are.
 */
static void stretch_end(struct rc_preload_block *block, uint32_t which, bool out,
                        bool last)
{
    struct rc_preload_poll *poll = &block->poll[which];
    counted_add(block, which);
    poll->left = poll->given = 0;
    poll->passed += out;
    if (poll->chosen)
        poll->stands = poll->stretch;
    if ((poll->chosen || last) && poll->passed) {
        row_add(block, poll, (uint64_t)poll->stands * poll->passed);
        poll->passed = 0;
    }
    poll->chosen = false;
    poll->stretch = poll->between = 0;
    poll->since = 0;
    poll->turn++;
}

RC_PRELOAD_HOT void rc_mpi_polls_stretch(uintptr_t frame, bool last, rc_mpi_ends *ends)
{
    const uint32_t any = rc_mpi_polls_any;
    struct rc_preload_block *block = rc_preload_self.block;
    uint32_t out = 0;
    for (uint32_t i = 0; i < RC_SHARED_POLLS; i++) {
        if (!(any >> i & 1) || !alone[i].out)
            continue;
        out |= 1U << i;
        if (block)
            polls_return(&alone[i], &block->poll[i], frame, ends);
    }
    rc_mpi_polls_any = block ? 0 : any; /* a child has none yet: at its next call */
    if (!(block = rc_preload_enter()))
        return;
    for (uint32_t i = 0; i < RC_SHARED_POLLS; i++)
        if (any >> i & 1 || (last && block->poll[i].passed))
            stretch_end(block, i, out >> i & 1, last);
    rc_preload_leave();
}

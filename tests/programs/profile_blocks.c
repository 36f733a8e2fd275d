/* Makes a file of a profile without a sampler, and prints what processes wrote into it.
 *
 * profile_blocks make FILE BLOCKS [LONG [DIR]]   longer calls, in ns, are in rings; 0:
 *                             all; DIR: where nodes find each other
 * profile_blocks sums FILE    RANK CALL CALLS BYTES, of all threads and rows together
 * profile_blocks rows FILE    BLOCK RANK CALL MODULE RANKS CLASS CALLS BYTES
 * profile_blocks threads FILE BLOCK RANK RANKS, whether MPI began and ended,
 *                             entries of the ring and those that were lost
 * profile_blocks waits FILE   RANK CALL CALLS KNOWN, and in us WAITED COMPLETING PART
 *                             (for a wrong order, or after the last access), of all
 *                             threads and rows of a rank; then a line "- - " with
 *                             exchanges and impossible messages of all
 * profile_blocks nodes FILE   RANK CALL NODES CALLS, row by row
 * profile_blocks world FILE   whether the ranks were together (2: yes, 3: no), how many
 *                             were marked, and comparisons of clocks: LOW HIGH, ns
 *
 * A row that contradicts itself is told on the standard error, and the status is 1.
 */
#include "campaign/profile/wire/ticks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rc_shared *head;
static int wrong;

/* Ticks are the processor's own where it has some: how many ns 2^32 of them take. */
#if defined(__x86_64__) || defined(__aarch64__)
enum { CLOCK = RC_SHARED_COUNTER };
#else
enum { CLOCK = RC_SHARED_NS };
#endif
static uint64_t ticks_ns_measure(void)
{
    const struct timespec nap = {0, 20000000};
    uint64_t ns = rc_ticks(RC_SHARED_NS), ticks = rc_ticks(CLOCK);
    nanosleep(&nap, NULL);
    ticks = rc_ticks(CLOCK) - ticks;
    ns = rc_ticks(RC_SHARED_NS) - ns;
    return ticks ? (uint64_t)((double)ns / (double)ticks * 0x1p32) : UINT64_C(1) << 32;
}

static struct rc_shared_block *block_at(uint32_t i)
{
    return (struct rc_shared_block *)((char *)head + RC_SHARED_HEAD +
                                      (size_t)i * RC_SHARED_BLOCK);
}

static void file_make(const char *path, uint32_t blocks, uint64_t long_ns,
                      const char *dir)
{
    off_t bytes = RC_SHARED_HEAD + (off_t)blocks * RC_SHARED_BLOCK;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || ftruncate(file, bytes) ||
        (head = mmap(NULL, RC_SHARED_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                     0)) == MAP_FAILED) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    const uint64_t ticks_ns = ticks_ns_measure();
    const double most = (double)long_ns / (double)ticks_ns * 0x1p32;
    *head =
        (struct rc_shared){.magic = RC_SHARED_MAGIC,
                           .version = RC_SHARED_VERSION,
                           .clock = CLOCK,
                           .block_most = blocks,
                           .ticks_ns = ticks_ns,
                           .long_ticks = most < 0x1p63 ? (uint64_t)most : UINT64_MAX,
                           .trace = long_ns == 0,
                           .every = 1,
                           .anchor_ticks = rc_ticks(CLOCK),
                           .anchor_ns = rc_ticks(RC_SHARED_NS)};
    snprintf(head->dir, sizeof head->dir, "%s", dir);
    close(file);
}

static void file_open(const char *path)
{
    struct stat is;
    int file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &is) ||
        (head = mmap(NULL, (size_t)is.st_size, PROT_READ, MAP_SHARED, file, 0)) ==
            MAP_FAILED) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    close(file);
}

static const char *call_name(const struct rc_shared_block *block, uint32_t row)
{
    return row ? block->name + block->call[row].name : "other";
}

/* Conditions on any row. */
static void row_check(const struct rc_shared_block *block, uint32_t row)
{
    const struct rc_shared_call *call = &block->call[row];
    uint64_t calls = 0;
    for (size_t i = 0; i < RC_SHARED_TIMES; i++)
        calls += call->time[i];
    bool sound = calls == call->calls && call->longest <= call->ticks &&
                 call->path < block->path_count;
    if (row)
        sound &= call->module && call->site && call->calls &&
                 call->bytes >= call->calls * ((UINT64_C(1) << call->log_bytes) / 2) &&
                 (call->log_bytes ? call->bytes < call->calls << call->log_bytes
                                  : !call->bytes);
    if (!sound) {
        fprintf(stderr, "row %u of rank %d, %s: contradicts itself\n", row, block->rank,
                call_name(block, row));
        wrong = 1;
    }
}

static void row_print(uint32_t number, uint32_t row)
{
    const struct rc_shared_block *block = block_at(number);
    const struct rc_shared_call *call = &block->call[row];
    if (call->calls)
        printf("%u %d %s %s %u %u %lu %lu\n", number, block->rank,
               call_name(block, row), row ? block->name + call->module : "-",
               call->ranks, call->log_bytes, (unsigned long)call->calls,
               (unsigned long)call->bytes);
}

static void nodes_print(uint32_t number, uint32_t row)
{
    const struct rc_shared_block *block = block_at(number);
    const struct rc_shared_call *call = &block->call[row];
    if (call->calls)
        printf("%d %s %u %lu\n", block->rank, call_name(block, row), call->nodes,
               (unsigned long)call->calls);
}

/* A sum of rows, printed where the first of them stands. */
static void sum_print(uint32_t number, uint32_t row)
{
    const struct rc_shared_block *first = block_at(number);
    unsigned long calls = 0, bytes = 0;
    for (uint32_t b = 0; b < head->block_used; b++) {
        const struct rc_shared_block *block = block_at(b);
        for (uint32_t r = 0; r < block->call_count; r++) {
            if (block->rank != first->rank ||
                strcmp(call_name(block, r), call_name(first, row)) != 0)
                continue;
            if (b < number || (b == number && r < row))
                return;
            calls += block->call[r].calls;
            bytes += block->call[r].bytes;
        }
    }
    if (calls)
        printf("%d %s %lu %lu\n", first->rank, call_name(first, row), calls, bytes);
}

static double us_of(uint64_t ticks)
{
    return (double)ticks * (double)head->ticks_ns * 0x1p-32 / 1000;
}

/* The waiting of calls, printed where the first of its rows stands. */
static void waits_print(uint32_t number, uint32_t row)
{
    const struct rc_shared_block *first = block_at(number);
    struct rc_shared_call sum = {0};
    for (uint32_t b = 0; b < head->block_used; b++) {
        const struct rc_shared_block *block = block_at(b);
        for (uint32_t r = 0; r < block->call_count; r++) {
            const struct rc_shared_call *call = &block->call[r];
            if (block->rank != first->rank ||
                strcmp(call_name(block, r), call_name(first, row)) != 0)
                continue;
            if (b < number || (b == number && r < row))
                return;
            sum.calls += call->calls;
            sum.known += call->known;
            sum.waited += call->waited;
            sum.completing += call->completing;
            sum.part += call->part;
        }
    }
    if (sum.calls)
        printf("%d %s %lu %lu %.1f %.1f %.1f\n", first->rank, call_name(first, row),
               (unsigned long)sum.calls, (unsigned long)sum.known, us_of(sum.waited),
               us_of(sum.completing), us_of(sum.part));
}

static void thread_print(uint32_t number)
{
    const struct rc_shared_block *block = block_at(number);
    printf("%u %d %d %d %d %lu %lu\n", number, block->rank, block->ranks,
           block->mpi_began >= block->started, block->mpi_ended > block->mpi_began,
           (unsigned long)block->head, (unsigned long)block->lost_entries);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "make") == 0) {
        file_make(argv[2], argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1,
                  argc > 4 ? strtoul(argv[4], NULL, 10) : UINT64_MAX,
                  argc > 5 ? argv[5] : "");
        return 0;
    }
    file_open(argv[2]);
    if (strcmp(argv[1], "world") == 0) {
        printf("%u %u", head->together, head->marked);
        for (uint32_t i = 0; i < head->offset_head; i++)
            printf(" %ld %ld", (long)head->offset[i].low_ns,
                   (long)head->offset[i].high_ns);
        printf("\n");
    }
    for (uint32_t b = 0; b < head->block_used; b++) {
        if (strcmp(argv[1], "threads") == 0)
            thread_print(b);
        for (uint32_t r = 0; r < block_at(b)->call_count; r++) {
            row_check(block_at(b), r);
            if (strcmp(argv[1], "rows") == 0)
                row_print(b, r);
            else if (strcmp(argv[1], "sums") == 0)
                sum_print(b, r);
            else if (strcmp(argv[1], "waits") == 0)
                waits_print(b, r);
            else if (strcmp(argv[1], "nodes") == 0)
                nodes_print(b, r);
        }
    }
    uint64_t exchanges = 0, impossible = 0;
    for (uint32_t b = 0; b < head->block_used; b++) {
        exchanges += block_at(b)->exchanges;
        impossible += block_at(b)->impossible;
    }
    if (strcmp(argv[1], "waits") == 0)
        printf("- - %lu %lu\n", (unsigned long)exchanges, (unsigned long)impossible);
    return wrong;
}

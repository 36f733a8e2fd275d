/* The library that is preloaded into profiled programs, from outside: profile_regions.c
 * runs under it, on a shared file that is made here, and what it left there is counted.
 * No sampler frees or drains anything, but where a test plays it.
 */
#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "campaign/profile/wire/shared.h"
#include "tests/lib/own_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { RANK = 7 };

static struct rc_shared *shared; /* the file, mapped as a whole */
static size_t shared_bytes;

static struct rc_shared_block *block_at(uint32_t number)
{
    return (struct rc_shared_block *)(void *)((char *)shared + RC_SHARED_HEAD +
                                              (size_t)number * RC_SHARED_BLOCK);
}

/* Makes a fresh file with room for so many blocks. */
static bool shared_remake(const char *path, uint32_t blocks)
{
    if (shared)
        munmap(shared, shared_bytes);
    unlink(path);
    shared_bytes = RC_SHARED_HEAD + (size_t)blocks * RC_SHARED_BLOCK;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)shared_bytes))
        return false;
    shared = mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED)
        return false;
    shared->magic = RC_SHARED_MAGIC;
    shared->version = RC_SHARED_VERSION;
    shared->clock = RC_SHARED_NS;
    shared->block_most = blocks;
    shared->every = 1;
    return true;
}

static void shared_make(uint32_t blocks)
{
    assert_true(shared_remake("shared", blocks));
}

/* Starts the program, which reads 'in', with what it prints in the file 'out'. */
static pid_t app_start_from(int in, const char *work, const char *number)
{
    char path[64], self[64];
    pid_t child = fork();
    if (child)
        return child;
    int out = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    snprintf(path, sizeof path, "%s/shared", own_dir);
    snprintf(self, sizeof self, "%ld %d", (long)getpid(), RANK);
    if (dup2(in, 0) != 0 || dup2(out, 1) != 1 || dup2(out, 2) != 2 ||
        setenv(RC_SHARED_PATH_VARIABLE, path, 1) ||
        setenv(RC_SHARED_SELF_VARIABLE, self, 1) ||
        (*RC_TEST_PROFILE_LIBRARY && setenv("LD_PRELOAD", RC_TEST_PROFILE_LIBRARY, 1)))
        _exit(98);
    for (int i = 3; i < 64; i++)
        close(i);
    execl(RC_TEST_PROFILE_APP, "app", work, number, RC_TEST_PROFILE_TOOLS,
          (char *)NULL);
    _exit(97);
}

static pid_t app_start(const char *work, const char *number)
{
    return app_start_from(0, work, number);
}

static int app_status(pid_t child)
{
    int status = -1;
    return waitpid(child, &status, 0) == child ? status : -1;
}

/* Runs the program; it prints nothing, and ends well. */
static void app_run(const char *work, const char *number)
{
    struct stat is;
    assert_int_equal(app_status(app_start(work, number)), 0);
    assert_int_equal(stat("out", &is), 0);
    if (strcmp(work, "signals"))
        assert_int_equal(is.st_size, 0);
}

/* The row of a path, "outer/inner", or NULL. */
static const struct rc_shared_path *path_find(const struct rc_shared_block *block,
                                              const char *wanted)
{
    uint32_t at = 0;
    for (const char *name = wanted;; name += strcspn(name, "/") + 1) {
        size_t bytes = strcspn(name, "/");
        uint32_t i = 1;
        for (; i < block->path_count; i++) {
            const char *is = block->name + block->path[i].name;
            if (block->path[i].parent == at && strlen(is) == bytes &&
                !strncmp(is, name, bytes))
                break;
        }
        if (i == block->path_count)
            return NULL;
        at = i;
        if (!name[bytes])
            return &block->path[at];
    }
}

static void expect_visits(const struct rc_shared_block *block, const char *wanted,
                          uint64_t visits)
{
    const struct rc_shared_path *path = path_find(block, wanted);
    if (!path)
        fail_msg("no path '%s'", wanted);
    assert_int_equal(path->visits, visits);
    assert_int_equal(path->measured, visits);
    assert_int_equal(path->lost, 0);
    assert_true(path->longest >= path->shortest);
    assert_true(path->ticks >= path->longest);
    assert_true(path->ticks <= path->longest * visits);
}

/* Entries come in pairs, nested, and no later one is earlier: how many pairs. */
static uint64_t expect_pairs(const struct rc_shared_block *block)
{
    static uint32_t open[RC_SHARED_RING];
    uint64_t depth = 0, last = block->started;
    assert_true(block->head - block->tail <= RC_SHARED_RING);
    for (uint64_t i = block->tail; i < block->head; i++) {
        const struct rc_shared_entry *entry = &block->ring[i % RC_SHARED_RING];
        assert_true(entry->ticks >= last);
        last = entry->ticks;
        if (entry->what == RC_SHARED_ENTER) {
            open[depth++] = entry->number;
            continue;
        }
        assert_int_equal(entry->what, RC_SHARED_LEAVE);
        assert_true(depth > 0);
        assert_int_equal(entry->number, open[--depth]);
    }
    assert_int_equal(depth, 0);
    return (block->head - block->tail) / 2;
}

/* A thread that ended by itself, and has lost nothing. */
static const struct rc_shared_block *expect_closed(uint32_t number)
{
    const struct rc_shared_block *block = block_at(number);
    assert_int_equal(shared->state[number], RC_SHARED_CLOSED);
    assert_int_equal(block->rank, RANK);
    assert_true(block->ended >= block->started);
    assert_int_equal(block->open_path, 0);
    assert_int_equal(block->path[0].visits, 1);
    assert_int_equal(block->path[0].ticks, block->ended - block->started);
    return block;
}

static void expect_lost(const struct rc_shared_block *block, uint64_t entries,
                        uint64_t paths, uint64_t repaired)
{
    assert_int_equal(block->lost_entries, entries);
    assert_int_equal(block->lost_paths, paths);
    assert_int_equal(block->repaired, repaired);
}

static void what_is_no_shared_file_is_left_alone(void **state)
{
    enum { MAGIC, VERSION, BLOCKS, EVENTS, SHORT, MODE, LINK, FIFO, GONE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        shared_make(2);
        shared->magic += i == MAGIC;
        shared->version += i == VERSION;
        shared->block_most += i == BLOCKS;
        shared->event_count += i == EVENTS ? RC_SHARED_COUNTERS + 1 : 0;
        if (i == SHORT)
            assert_int_equal(truncate("shared", RC_SHARED_HEAD - 1), 0);
        if (i == MODE)
            assert_int_equal(chmod("shared", 0640), 0);
        if (i == LINK)
            assert_false(rename("shared", "other") || symlink("other", "shared"));
        if (i == FIFO)
            assert_false(unlink("shared") || mkfifo("shared", 0600));
        if (i == GONE)
            assert_int_equal(unlink("shared"), 0);
        app_run("nested", "2");
        if (i != SHORT)
            assert_int_equal(shared->block_used, 0);
    }
}

static void regions_are_counted_by_their_paths(void **state)
{
    (void)state;
    for (uint32_t clock = RC_SHARED_NS; clock <= RC_SHARED_COUNTER; clock++) {
        shared_make(2);
        shared->clock = clock;
        uint64_t began = rc_clock_raw_ns();
        app_run("nested", "3");
        uint64_t took = rc_clock_raw_ns() - began;
        assert_int_equal(shared->block_used, 1);
        assert_int_equal(shared->no_block, 0);
        const struct rc_shared_block *block = expect_closed(0);
        expect_lost(block, 0, 0, 0);
        assert_int_equal(block->path_count, 5);
        assert_int_equal(block->names_used, 1 + sizeof "outer" + sizeof "inner");
        expect_visits(block, "outer", 3);
        expect_visits(block, "outer/inner", 6);
        expect_visits(block, "outer/", 3);
        expect_visits(block, "inner", 1);
        assert_int_equal(block->child, 0);
        assert_int_equal(expect_pairs(block), 13);
        if (clock == RC_SHARED_NS)
            assert_in_range(block->path[0].ticks, 1, took);
        assert_true(block->path[0].ticks > path_find(block, "outer")->ticks);
        assert_true(path_find(block, "outer")->ticks >
                    path_find(block, "outer/inner")->ticks);
    }
}

static void recursion_is_a_path_each_until_the_table_is_full(void **state)
{
    const struct rc_shared_block *block;
    (void)state;
    shared_make(1);
    app_run("recursion", "10");
    block = expect_closed(0);
    expect_lost(block, 0, 0, 0);
    assert_int_equal(block->path_count, 12);
    assert_int_equal(expect_pairs(block), 11);
    expect_visits(block, "behind", 1);

    shared_make(1);
    app_run("recursion", "5000");
    block = expect_closed(0);
    assert_int_equal(block->path_count, RC_SHARED_PATHS);
    expect_lost(block, 0, 5000 - (RC_SHARED_PATHS - 1) + 1, 0);
    assert_int_equal(expect_pairs(block), RC_SHARED_PATHS - 1);
    for (uint32_t i = 1; i < RC_SHARED_PATHS; i++) {
        assert_int_equal(block->path[i].parent, i - 1);
        assert_int_equal(block->path[i].visits, 1);
        assert_int_equal(block->path[i].measured, 1);
    }
}

static void ends_without_a_beginning_are_repaired(void **state)
{
    (void)state;
    shared_make(1);
    app_run("mismatch", "0");
    const struct rc_shared_block *block = expect_closed(0);
    expect_lost(block, 0, 0, 5);
    assert_int_equal(block->path_count, 5);
    expect_visits(block, "a", 1);
    expect_visits(block, "a/b", 1);
    expect_visits(block, "a/b/c", 1);
    expect_visits(block, "", 1);
    assert_int_equal(expect_pairs(block), 4);
}

static void names_that_find_no_room_are_lost_with_what_is_inside(void **state)
{
    (void)state;
    shared_make(1);
    app_run("names", "5");
    const struct rc_shared_block *block = expect_closed(0);
    assert_int_equal(block->path_count, RC_SHARED_PATHS);
    expect_visits(block, "00000", 2);
    expect_visits(block, "01021", 2);
    expect_visits(block, "inside", 1);
    expect_lost(block, 0, (4000 - 1022) * 2 + 4, 0);

    shared_make(1);
    app_run("names", "200");
    block = expect_closed(0);
    const uint32_t before = 1 + sizeof "inside",
                   room = (RC_SHARED_NAMES - before) / 201;
    assert_int_equal(block->path_count, room + 2);
    assert_int_equal(block->names_used, before + room * 201);
    expect_visits(block, "inside", 1);
    expect_lost(block, 0, (4000 - room) * 2 + 4, 0);
}

static void bytes_of_a_name_behind_the_255th_do_not_count(void **state)
{
    (void)state;
    shared_make(1);
    app_run("long-name", "254");
    assert_int_equal(expect_closed(0)->path_count, 3);
    shared_make(1);
    app_run("long-name", "255");
    const struct rc_shared_block *block = expect_closed(0);
    assert_int_equal(block->path_count, 2);
    assert_int_equal(block->names_used, 1 + 256);
    assert_int_equal(block->path[1].visits, 2);
}

static void a_ring_that_is_full_loses_whole_pairs(void **state)
{
    (void)state;
    shared_make(1);
    app_run("times", "20000");
    const struct rc_shared_block *block = expect_closed(0);
    const uint64_t fit = (RC_SHARED_RING - 4) / 2;
    expect_lost(block, (20000 - fit) * 2, 0, 0);
    expect_visits(block, "outer/middle/inner", 20000);
    assert_int_equal(path_find(block, "outer/middle/inner")->stands_for, 20000);
    assert_true(block->own_ticks > 0);
    assert_int_equal(expect_pairs(block), fit + 2);
}

static void each_so_many_th_instance_is_measured(void **state)
{
    (void)state;
    shared_make(1);
    shared->every = 4;
    app_run("times", "10");
    const struct rc_shared_block *block = expect_closed(0);
    expect_visits(block, "outer", 1);
    const struct rc_shared_path *inner = path_find(block, "outer/middle/inner");
    assert_int_equal(inner->visits, 10);
    assert_int_equal(inner->measured, 3);
    assert_int_equal(inner->stands_for, 9); /* the first, then each with 3 before it */
    assert_int_equal(expect_pairs(block), 5);
}

static void threads_have_blocks_of_their_own(void **state)
{
    static const char *const count[] = {"1", "2", "8", "64"};
    (void)state;
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++) {
        uint32_t n = (uint32_t)strtoul(count[i], NULL, 10);
        bool seen[65] = {false};
        shared_make(65);
        app_run("threads", count[i]);
        assert_int_equal(shared->block_used, n + 1);
        assert_int_equal(expect_closed(0)->path_count, 1);
        for (uint32_t k = 1; k <= n; k++) {
            const struct rc_shared_block *block = expect_closed(k);
            expect_lost(block, 0, 0, 0);
            assert_int_equal(block->pid, block_at(0)->pid);
            assert_int_not_equal(block->tid, block_at(k - 1)->tid);
            const struct rc_shared_path *inner = path_find(block, "thread/inner");
            assert_non_null(inner);
            assert_in_range(inner->visits, 1, n);
            assert_false(seen[inner->visits]);
            seen[inner->visits] = true;
            assert_int_equal(expect_pairs(block), inner->visits + 1);
        }
    }
}

static void threads_without_room_are_counted(void **state)
{
    (void)state;
    shared_make(2);
    app_run("threads", "5");
    assert_int_equal(shared->block_used, 2);
    assert_int_equal(shared->no_block, 4);
    expect_lost(expect_closed(1), 0, 0, 0);
    shared_make(0);
    app_run("threads", "5");
    assert_int_equal(shared->no_block, 6);
}

/* In a file system of its own that has room for the head and two blocks: 77 if it may
 * not be mounted, 0 if all is as it should be.
 */
static int run_in_small_room(void)
{
    if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("small", own_dir, "tmpfs", 0, "size=2200k,mode=0777") || chdir(own_dir))
        return 77;
    if (!shared_remake("shared", 9))
        return 1;
    if (app_status(app_start("one-by-one", "5")))
        return 2;
    if (shared->no_block != 4 || shared->block_used != 3)
        return 3;
    return shared->state[0] == RC_SHARED_CLOSED &&
                   shared->state[1] == RC_SHARED_CLOSED &&
                   shared->state[2] == RC_SHARED_FREE
               ? 0
               : 4;
}

static void a_full_file_system_costs_blocks_and_nothing_else(void **state)
{
    (void)state;
    pid_t child = fork();
    if (!child)
        _exit(run_in_small_room());
    int status = app_status(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static void a_block_that_others_had_is_as_a_new_one(void **state)
{
    (void)state;
    shared_make(2);
    memset(block_at(0), 0xff, RC_SHARED_BLOCK);
    app_run("nested", "2");
    const struct rc_shared_block *block = expect_closed(0);
    expect_lost(block, 0, 0, 0);
    assert_int_equal(block->path_count, 5);
    assert_int_equal(block->call_count, 1);
    assert_int_equal(block->counters_why, 0);
    assert_int_equal(block->mpi_began, 0);
    assert_int_equal(block->call[0].calls, 0);
    expect_visits(block, "outer/inner", 4);
    expect_visits(block, "inner", 1);
    assert_int_equal(expect_pairs(block), 9);
}

struct drained {
    uint64_t closed;
    uint64_t visits; /* of "thread/inner" */
};

/* Frees blocks that are closed, as the sampler does, until the program has ended.  It
 * writes a byte for each, if there is a 'step': then no thread may be without a block.
 */
static struct drained drain(pid_t child, uint32_t blocks, int step)
{
    struct drained drained = {0};
    int status = 0;
    for (bool ended = false; !ended; sched_yield()) {
        ended = waitpid(child, &status, WNOHANG) == child;
        for (uint32_t i = 0; i < blocks; i++) {
            if (shared->state[i] != RC_SHARED_CLOSED)
                continue;
            const struct rc_shared_path *inner = path_find(block_at(i), "thread/inner");
            drained.visits += inner ? inner->visits : 0;
            drained.closed++;
            atomic_store(&shared->state[i], RC_SHARED_FREE);
            if (step >= 0)
                assert_int_equal(write(step, "", 1), 1);
        }
        if (step >= 0)
            assert_int_equal(shared->no_block, 0);
    }
    assert_int_equal(status, 0);
    return drained;
}

/* 200 threads, of which two may be ahead of the test, and the program have three
 * blocks.
 */
static void blocks_go_round(void **state)
{
    int step[2];
    (void)state;
    shared_make(3);
    assert_int_equal(pipe(step), 0);
    assert_int_equal(write(step[1], "\0", 2), 2);
    const struct drained drained =
        drain(app_start_from(step[0], "in-step", "200"), 3, step[1]);
    close(step[0]);
    close(step[1]);
    assert_int_equal(drained.closed, 201);
    assert_int_equal(drained.visits, 199 * 200 / 2);
}

/* Threads come and go as they like. */
static void threads_find_a_block_or_are_counted(void **state)
{
    (void)state;
    shared_make(3);
    const struct drained drained = drain(app_start("one-by-one", "200"), 3, -1);
    assert_true(drained.closed >= 3);
    assert_int_equal(drained.closed + shared->no_block, 201);
    if (!shared->no_block)
        assert_int_equal(drained.visits, 199 * 200 / 2);
}

static void children_have_blocks_of_their_own(void **state)
{
    (void)state;
    shared_make(4);
    app_run("fork", "3");
    const struct rc_shared_block *block = expect_closed(0);
    assert_int_equal(block->child, 0);
    expect_lost(block, 0, 0, 0);
    expect_visits(block, "parent", 1);
    assert_int_equal(expect_pairs(block), 1);
    for (uint32_t i = 1; i < 4; i++) {
        block = expect_closed(i);
        assert_int_equal(block->child, 1);
        assert_int_not_equal(block->pid, block_at(0)->pid);
        assert_int_equal(block->tid, block->pid);
        expect_lost(block, 0, 0, 0);
        expect_visits(block, "child", 3);
        assert_int_equal(expect_pairs(block), 3);
    }
}

static void an_exec_closes_the_block_before(void **state)
{
    (void)state;
    shared_make(2);
    app_run("exec", "2");
    const struct rc_shared_block *block = block_at(0);
    assert_int_equal(shared->state[0], RC_SHARED_CLOSED);
    assert_true(block->ended > block->started);
    expect_visits(block, "before", 2);
    block = expect_closed(1);
    assert_int_equal(block->pid, block_at(0)->pid);
    assert_int_equal(block->child, 0);
    expect_visits(block, "outer/middle/inner", 2);
}

static void the_ways_to_end_are_told_apart(void **state)
{
    (void)state;
    shared_make(1);
    app_run("exit-inside", "0");
    const struct rc_shared_block *block = expect_closed(0);
    expect_lost(block, 0, 0, 2);
    expect_visits(block, "main/deep", 1);
    assert_int_equal(expect_pairs(block), 2);

    shared_make(2);
    app_run("exit-beside", "0");
    expect_closed(0);
    assert_int_equal(shared->state[1], RC_SHARED_OPEN);
    assert_true(block_at(1)->ended > block_at(1)->started);
    expect_visits(block_at(1), "waits", 1);

    shared_make(1);
    app_run("quit", "0");
    assert_int_equal(shared->state[0], RC_SHARED_OPEN);
    assert_int_equal(block_at(0)->ended, 0);
    assert_int_equal(block_at(0)->open_path, 1);
    assert_int_equal(block_at(0)->head, 1);
}

static uint64_t visits_of(const struct rc_shared_block *block, const char *wanted)
{
    const struct rc_shared_path *path = path_find(block, wanted);
    return path ? path->visits : 0;
}

static void a_signal_handler_has_regions_or_they_are_counted(void **state)
{
    char text[32] = "";
    (void)state;
    shared_make(1);
    app_run("signals", "60");
    FILE *out = fopen("out", "r");
    assert_non_null(out);
    assert_non_null(fgets(text, sizeof text, out));
    fclose(out);
    const struct rc_shared_block *block = expect_closed(0);
    assert_int_equal(block->repaired, 0);
    assert_int_equal(visits_of(block, "handler") + visits_of(block, "main/handler") +
                         block->lost_paths,
                     strtoul(text, NULL, 10));
}

static void tools_functions_name_regions_and_still_do_their_own(void **state)
{
    (void)state;
    shared_make(1);
    app_run("tools", "5");
    const struct rc_shared_block *block = expect_closed(0);
    expect_lost(block, 0, 0, 0);
    expect_visits(block, "papi", 6);
    expect_visits(block, "papi/cali", 5);
    expect_visits(block, "papi/cali/roctx", 5);

    shared_make(1);
    app_run("without-tools", "5");
    block = expect_closed(0);
    expect_lost(block, 0, 0, 5);
    expect_visits(block, "push/left open", 5);
}

/* Threads count page faults. */
static void count_faults(void)
{
    const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                         .size = sizeof attr,
                                         .config = PERF_COUNT_SW_PAGE_FAULTS,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(shared->event[i].attr, &attr, sizeof attr);
        shared->event[i].attr_bytes = sizeof attr;
    }
    shared->event_count = 3;
}

static void threads_count_their_own_events(void **state)
{
    (void)state;
    shared_make(2);
    count_faults();
    app_run("pages", "1000");
    for (uint32_t i = 0; i < 2; i++) {
        const struct rc_shared_block *block = expect_closed(i);
        if (block->counters_why == EACCES || block->counters_why == EPERM)
            skip();
        assert_int_equal(block->counters_why, 0);
        expect_visits(block, "pages", 1);
        for (int k = 0; k < 3; k++) {
            assert_in_range(path_find(block, "pages")->count[k], 1000, 1050);
            assert_in_range(block->path[0].count[k], 2000, 1000000);
        }
        assert_int_equal(path_find(block, "pages")->count[3], 0);
        assert_int_equal(block->path[0].lost, 0);
    }
    shared_make(1);
    count_faults();
    app_run("leaves", "10");
    expect_visits(expect_closed(0), "main", 10);
    shared_make(2);
    count_faults();
    app_run("fork", "1");
    expect_visits(expect_closed(1), "child", 3);
}

static void events_that_cannot_be_counted_are_lost_and_say_why(void **state)
{
    (void)state;
    shared_make(1);
    count_faults();
    shared->event[1].attr[0] = 0xee; /* there is no such type */
    app_run("times", "3");
    const struct rc_shared_block *block = expect_closed(0);
    assert_int_not_equal(block->counters_why, 0);
    const struct rc_shared_path *inner = path_find(block, "outer/middle/inner");
    assert_int_equal(inner->lost, 3);
    assert_int_equal(inner->measured, 3);
    assert_int_equal(inner->count[0], 0);
    assert_int_equal(block->path[0].lost, 1);
}

static void nothing_is_read_from_files_in_the_place_of_counters(void **state)
{
    struct rlimit before;
    (void)state;
    shared_make(1);
    count_faults();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, before.rlim_max}),
                     0);
    app_run("close-all", "1024");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rc_shared_block *block = expect_closed(0);
    if (block->counters_why == EACCES || block->counters_why == EPERM)
        skip();
    assert_int_equal(block->counters_why, EBADF);
    expect_visits(block, "before", 1);
    assert_int_equal(path_find(block, "after")->visits, 5);
    assert_int_equal(path_find(block, "after")->lost, 5);
}

static void a_call_leaves_errno_and_files_as_they_are(void **state)
{
    (void)state;
    shared_make(1);
    app_run("leaves", "10");
    expect_visits(expect_closed(0), "main", 10);
    shared_make(0);
    app_run("leaves", "10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_shared_file_is_left_alone),
        cmocka_unit_test(regions_are_counted_by_their_paths),
        cmocka_unit_test(recursion_is_a_path_each_until_the_table_is_full),
        cmocka_unit_test(ends_without_a_beginning_are_repaired),
        cmocka_unit_test(names_that_find_no_room_are_lost_with_what_is_inside),
        cmocka_unit_test(bytes_of_a_name_behind_the_255th_do_not_count),
        cmocka_unit_test(a_ring_that_is_full_loses_whole_pairs),
        cmocka_unit_test(each_so_many_th_instance_is_measured),
        cmocka_unit_test(threads_have_blocks_of_their_own),
        cmocka_unit_test(threads_without_room_are_counted),
        cmocka_unit_test(a_full_file_system_costs_blocks_and_nothing_else),
        cmocka_unit_test(a_block_that_others_had_is_as_a_new_one),
        cmocka_unit_test(blocks_go_round),
        cmocka_unit_test(threads_find_a_block_or_are_counted),
        cmocka_unit_test(children_have_blocks_of_their_own),
        cmocka_unit_test(an_exec_closes_the_block_before),
        cmocka_unit_test(the_ways_to_end_are_told_apart),
        cmocka_unit_test(a_signal_handler_has_regions_or_they_are_counted),
        cmocka_unit_test(tools_functions_name_regions_and_still_do_their_own),
        cmocka_unit_test(threads_count_their_own_events),
        cmocka_unit_test(events_that_cannot_be_counted_are_lost_and_say_why),
        cmocka_unit_test(nothing_is_read_from_files_in_the_place_of_counters),
        cmocka_unit_test(a_call_leaves_errno_and_files_as_they_are),
    };
    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}

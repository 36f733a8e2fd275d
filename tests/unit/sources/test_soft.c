#include "tests/lib/test.h"

#include "tests/unit/kernels/soft_bench.h"
#include "tests/unit/kernels/soft_kernels.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct rc_source *const soft = &rc_source_soft;

typedef void kernel(struct rc_kernel *buffer, uint64_t number);

static void measure(struct bench *bench, kernel *run, void *buffer, uint64_t number)
{
    const struct rc_suite suite = {.name = "test", .run = run};

    bench_run(bench, &suite, buffer, 0, number);
}

static int64_t reading_of(const struct bench *bench, const char *name)
{
    char full[96];

    snprintf(full, sizeof full, "soft::%s", name);
    return bench_read(bench, full);
}

static bool has(const char *feature)
{
    __builtin_cpu_init();
    if (strcmp(feature, "avx") == 0)
        return __builtin_cpu_supports("avx");
    if (strcmp(feature, "avx2") == 0)
        return __builtin_cpu_supports("avx2");
    if (strcmp(feature, "fma") == 0)
        return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
    if (strcmp(feature, "avx512") == 0)
        return __builtin_cpu_supports("avx512f");
    return true;
}

static void bad_arguments_are_refused_with_what_was_expected(void **state)
{
    static const struct {
        const char *argument, *message;
        int status;
    } bad[] = {
        {"x", "soft: unknown setting 'x', expected 'host' or a list of", RC_EUSAGE},
        {"l1=32K/8", "soft: unknown setting 'l1', did you mean 'l1d'?", RC_EUSAGE},
        {"l1d", "soft: 'l1d': expected l1d=VALUE", RC_EUSAGE},
        {"l1d=", "soft: l1d=: expected SIZE/WAYS such as 32K/8", RC_EUSAGE},
        {"l1d=32K", "soft: l1d=32K: expected SIZE/WAYS", RC_EUSAGE},
        {"l1d=32K/", "soft: l1d=32K/: expected SIZE/WAYS", RC_EUSAGE},
        {"l1d=32K/8x", "soft: l1d=32K/8x: expected SIZE/WAYS", RC_EUSAGE},
        {"l1d=0/8", "soft: l1d=0/8: expected SIZE/WAYS", RC_EUSAGE},
        {"l1d=32K/0", "soft: l1d=32K/0: expected SIZE/WAYS", RC_EUSAGE},
        {"l1d=-1K/8", "soft: l1d=-1K/8: expected SIZE/WAYS", RC_EUSAGE},
        {"l2=2T/8", "soft: l2=2T/8: expected SIZE/WAYS", RC_EUSAGE},
        {"l2=1M/65", "soft: l2=1M/65: expected SIZE/WAYS", RC_EUSAGE},
        {"l1d=none", "soft: l1d=none: expected SIZE/WAYS", RC_EUSAGE},
        {"l3=1000/3", "soft: l3: 1000 bytes do not divide into sets of 3 lines",
         RC_EUSAGE},
        {"line=48", "soft: line=48: expected a power of two from 16 to 1024",
         RC_EUSAGE},
        {"line=2048", "soft: line=2048: expected a power of two", RC_EUSAGE},
        {"line=256,l1d=1K/8",
         "soft: l1d: 1024 bytes do not divide into sets of 8 lines", RC_EUSAGE},
        {"dtlb=0", "soft: dtlb=0: expected ENTRIES", RC_EUSAGE},
        {"dtlb=5000", "soft: dtlb=5000: expected ENTRIES up to 4096", RC_EUSAGE},
        {"dtlb=64/3", "soft: dtlb=64/3: expected ENTRIES", RC_EUSAGE},
        {"dtlb=64/0", "soft: dtlb=64/0: expected ENTRIES", RC_EUSAGE},
        {"prefetch=yes", "soft: prefetch=yes: expected none or next", RC_EUSAGE},
        {"predictor=100", "soft: predictor=100: expected a power of two", RC_EUSAGE},
        {"predictor=8", "soft: predictor=8: expected a power of two", RC_EUSAGE},
        {"window=257", "soft: window=257: expected a whole number from 0 to 256",
         RC_EUSAGE},
        {"window=1,window=2", "soft: 'window' is given twice", RC_EUSAGE},
        {"window=1,,line=64", "soft: unknown setting ''", RC_EUSAGE},
        {"window=1,", "soft: unknown setting ''", RC_EUSAGE},
        {"line=64,host", "soft: unknown setting 'host'", RC_EUSAGE},
        {"host", "soft: host: the cache sizes of this machine are not known",
         RC_EUNSUPPORTED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct rc_source_setup setup = {.argument = bad[i].argument};
        struct rc_source_state *source = (struct rc_source_state *)&setup;
        struct rc_error err = {.text = ""};
        assert_int_equal(soft->open(&setup, &source, &err), bad[i].status);
        assert_null(source);
        if (strncmp(err.text, bad[i].message, strlen(bad[i].message)) != 0)
            fail_msg("'%s' gave '%s'", bad[i].argument, err.text);
    }
}

static void very_long_arguments_are_refused(void **state)
{
    static char argument[5000];
    const struct rc_source_setup setup = {.argument = argument};
    struct rc_source_state *source;
    struct rc_error err = {.text = ""};

    (void)state;
    memset(argument, 'x', sizeof argument - 1);
    assert_int_equal(soft->open(&setup, &source, &err), RC_EUSAGE);
}

static void the_geometry_is_what_the_argument_said(void **state)
{
    struct rc_geometry host = rc_request_default.geometry;
    struct rc_source_setup setup = {.argument = "host,prefetch=next",
                                    .geometry = &host};
    struct rc_source_state *source;
    struct rc_error err = {.text = ""};
    char text[400];

    (void)state;
    host.l3 = (struct rc_cache_geometry){3000000, 11}; /* no whole number of sets */
    assert_int_equal(soft->open(&setup, &source, &err), RC_OK);
    assert_int_equal(soft->geometry(source)->l3.bytes, 3000000);
    soft->close(source);
    setup.argument = "l1d=32K/8,l2=1M/16,l3=none,line=128,dtlb=64/4,window=7";
    assert_int_equal(soft->open(&setup, &source, &err), RC_OK);
    assert_int_equal(soft->geometry(source)->l1d.bytes, 32768);
    assert_int_equal(soft->geometry(source)->l2.ways, 16);
    assert_int_equal(soft->geometry(source)->l3.bytes, 0);
    assert_int_equal(soft->geometry(source)->vector_bits, host.vector_bits);
    soft->identify(source, text, sizeof text);
    assert_string_equal(text,
                        "soft:l1d=32768/8,l1i=4096/8,l2=1048576/16,l3=none,"
                        "line=128,dtlb=64/4,prefetch=none,predictor=4096,window=7");
    soft->close(source);
}

/* Counts of one run of a kernel, its 'ret' included. */
struct count {
    const char *event;
    int64_t expected;
};

#define COUNTS(...)                                                                    \
    (const struct count[])                                                             \
    {                                                                                  \
        __VA_ARGS__,                                                                   \
        {                                                                              \
            NULL, 0                                                                    \
        }                                                                              \
    }

static const struct exact {
    kernel *run;
    uint64_t number;
    const char *feature;
    const struct count *counts;
} exact[] = {
    {k_empty, 0, "",
     COUNTS({"instructions", 1}, {"loads", 1}, {"stores", 0}, {"bytes_loaded", 8},
            {"branches", 1}, {"returns", 1}, {"category_ret", 1}, {"isa_i86", 1})},
    {k_loop, 1000, "",
     COUNTS({"instructions", 2001}, {"branch_conditional", 1000}, {"branch_taken", 999},
            {"branch_not_taken", 1}, {"branches", 1001}, {"int_add", 1000},
            {"category_binary", 1000}, {"category_cond_br", 1000}, {"loads", 1},
            {"stores", 0})},
    {k_scalar, 100, "",
     COUNTS({"instructions", 801}, {"fp_sp_scalar", 200}, {"fp_dp_scalar", 400},
            {"fp_sp_128", 0}, {"fp_dp_128", 0}, {"fp_sp_add", 100}, {"fp_sp_mul", 100},
            {"fp_dp_add", 100}, {"fp_dp_div", 100}, {"fp_dp_sqrt", 100},
            {"fp_sp_operations", 200}, {"fp_dp_operations", 400}, {"loads", 101},
            {"load_accesses_8", 101}, {"isa_sse", 200}, {"isa_sse2", 400})},
    {k_sse, 100, "",
     COUNTS({"instructions", 901}, {"fp_sp_128", 200}, {"fp_dp_128", 100},
            {"fp_sp_scalar", 0}, {"fp_dp_scalar", 0}, {"fp_sp_operations", 800},
            {"fp_dp_operations", 200}, {"int_simd_128", 100}, {"int_mov", 0},
            {"int_logic", 0}, {"int_add", 100})},
    {k_avx, 100, "avx",
     COUNTS({"instructions", 602}, {"fp_sp_256", 100}, {"fp_dp_256", 100},
            {"fp_dp_scalar", 100}, {"fp_sp_128", 100}, {"fp_sp_operations", 1200},
            {"fp_dp_operations", 500}, {"load_accesses_32", 100})},
    {k_fma, 100, "fma",
     COUNTS({"instructions", 802}, {"fp_dp_256_fma", 100}, {"fp_sp_256_fma", 100},
            {"fp_dp_scalar_fma", 100}, {"fp_sp_scalar_fma", 100},
            {"fp_dp_128_fma", 100}, {"fp_dp_256", 0}, {"fp_sp_256", 0},
            {"fp_dp_scalar", 0}, {"fp_sp_scalar", 0}, {"fp_dp_128", 0},
            {"fp_dp_operations", 1400}, {"fp_sp_operations", 1800},
            {"int_simd_256", 100}, {"load_accesses_4", 100}, {"isa_fma", 500})},
    {k_avx512, 100, "avx512",
     COUNTS({"instructions", 802}, {"fp_dp_512", 200}, {"fp_sp_512", 100},
            {"fp_dp_512_fma", 100}, {"fp_sp_512_fma", 100}, {"int_simd_512", 100},
            {"load_accesses_64", 100}, {"load_accesses_8", 101},
            {"fp_dp_operations", 3200}, {"fp_sp_operations", 4800},
            {"isa_avx512f_512", 600})},
    {k_branches, 10, "",
     COUNTS({"instructions", 10 * 14 + 2}, {"branch_conditional", 30},
            {"branch_taken", 5 + 9}, {"branch_not_taken", 10 + 5 + 1},
            {"branch_direct", 11}, {"branch_indirect", 10}, {"calls", 20},
            {"calls_indirect", 10}, {"returns", 21},
            {"branches", 30 + 11 + 10 + 20 + 21}, {"stores", 20}, {"loads", 21})},
    {k_memory_branches, 0, "",
     COUNTS({"instructions", 9}, {"branch_direct", 1}, {"branch_indirect", 1},
            {"calls", 1}, {"calls_indirect", 1}, {"returns", 2}, {"branches", 5},
            {"loads", 4}, {"stores", 3}, {"bytes_loaded", 32}, {"bytes_stored", 24})},
    {k_loop_instruction, 50, "",
     COUNTS({"instructions", 2 + 100 + 2}, {"branch_conditional", 52},
            {"branch_taken", 49 + 1}, {"branch_not_taken", 2})},
    {k_sizes, 0, "",
     COUNTS({"instructions", 18}, {"loads", 11}, {"stores", 10}, {"load_accesses_1", 1},
            {"load_accesses_2", 1}, {"load_accesses_4", 1}, {"load_accesses_8", 6},
            {"load_accesses_16", 1}, {"load_accesses_other", 1},
            {"store_accesses_1", 1}, {"store_accesses_2", 1}, {"store_accesses_4", 1},
            {"store_accesses_8", 5}, {"store_accesses_16", 1},
            {"store_accesses_other", 1}, {"bytes_loaded", 1 + 2 + 4 + 16 + 48 + 10},
            {"bytes_stored", 1 + 2 + 4 + 16 + 40 + 10})},
    {k_sizes_avx, 0, "avx",
     COUNTS({"load_accesses_32", 1}, {"store_accesses_32", 1}, {"bytes_stored", 32})},
    {k_sizes_avx512, 0, "avx512",
     COUNTS({"load_accesses_64", 1}, {"store_accesses_64", 1}, {"bytes_stored", 64})},
    {k_strings, 40, "",
     COUNTS({"instructions", 18}, {"string_iterations", 40 + 3 + 0 + 1 + 6},
            {"load_accesses_1", 46}, {"store_accesses_1", 42}, {"store_accesses_8", 3},
            {"load_accesses_2", 1}, {"loads", 4}, {"stores", 6},
            {"bytes_stored", 40 + 24 + 1 + 4 + 1}, {"bytes_loaded", 40 + 2 + 6 + 8})},
    {k_gather, 0, "avx2",
     COUNTS({"instructions", 9}, {"gathers", 2}, {"loads", 5}, {"load_accesses_8", 7},
            {"bytes_loaded", 16 + 32 + 32 + 16 + 8})},
    {k_masked, 0, "avx512",
     COUNTS({"instructions", 13}, {"loads", 3}, {"stores", 3}, {"scatters", 1},
            {"bytes_loaded", 8 + 8}, {"bytes_stored", 8 + 8 + 8},
            {"store_accesses_4", 2}, {"store_accesses_8", 2})},
    {k_crossings, 0, "",
     COUNTS({"instructions", 6}, {"load_line_crossings", 2}, {"load_page_crossings", 1},
            {"store_line_crossings", 2}, {"store_page_crossings", 1})},
    {k_locked, 0, "",
     COUNTS({"instructions", 10}, {"locked", 3}, {"prefetches", 3}, {"loads", 4},
            {"stores", 3}, {"int_lea", 1})},
    {k_integers, 0, "",
     COUNTS({"instructions", 30}, {"int_add", 9}, {"int_compare", 1}, {"int_mul", 2},
            {"int_logic", 10}, {"int_shift", 4}, {"int_mov", 4}, {"int_lea", 1},
            {"loads", 4}, {"stores", 1})},
    {k_flags, 0, "", COUNTS({"instructions", 10}, {"loads", 4}, {"stores", 5})},
    {k_shadow, 0, "", COUNTS({"instructions", 6}, {"loads", 2}, {"bytes_loaded", 16})},
    {k_syscall, 0, "", COUNTS({"instructions", 10}, {"syscalls", 2}, {"stores", 3})},
};

static void check_loops(const char *argument)
{
    struct bench *bench = bench_open(argument);
    bool right = true;

    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        if (!has(exact[i].feature))
            continue;
        memset(bench->buffer, 0, sizeof bench->buffer);
        /* For the gather: of four elements' masks the first and the third. */
        bench->buffer[16 + 7] = bench->buffer[16 + 23] = 0x80;
        measure(bench, exact[i].run, bench->buffer, exact[i].number);
        for (const struct count *c = exact[i].counts; c->event; c++)
            if (reading_of(bench, c->event) != c->expected) {
                right = false;
                print_error("kernel %zu: %s: %lld, expected %lld\n", i, c->event,
                            (long long)reading_of(bench, c->event),
                            (long long)c->expected);
            }
    }
    assert_true(right);
    bench_close(bench);
}

static void loops_of_known_counts_are_counted_to_the_last(void **state)
{
    (void)state;
    check_loops(NULL);
    check_loops("steps=trapped");
}

static void equal_work_gives_equal_readings_of_every_event(void **state)
{
    struct bench *bench = bench_open(NULL);
    int64_t first[BENCH_EVENTS] = {0};

    (void)state;
    memset(bench->buffer, 0, sizeof bench->buffer);
    for (int k = 0; k < 3; k++) {
        measure(bench, k_random, bench->buffer, 300);
        if (k == 0)
            for (size_t i = 0; i < bench->count; i++)
                first[i] = bench->reading[i].value;
        for (size_t i = 0; i < bench->count; i++)
            assert_int_equal(bench->reading[i].value, first[i]);
    }
    assert_int_equal(bench->reading[0].enabled_ns, bench->reading[0].running_ns);
    bench_close(bench);
}

static void twice_the_iterations_count_twice_the_difference(void **state)
{
    struct bench *bench = bench_open(NULL);
    int64_t count[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        measure(bench, k_sse, bench->buffer, 100 * (uint64_t)(i + 1));
        count[i] = reading_of(bench, "instructions");
    }
    assert_int_equal(count[1] - count[0], 900);
    assert_int_equal(count[2] - count[1], 900);
    bench_close(bench);
}

/* Without a suite, what lies between the return of start() and the call of
 * stop() is counted, the caller's own few instructions included.
 */
static int64_t count_between(struct bench *bench, uint64_t number)
{
    struct rc_error err = {.text = ""};

    assert_int_equal(soft->start(bench->group, NULL, &err), RC_OK);
    k_loop(NULL, number);
    assert_int_equal(soft->stop(bench->group, bench->reading, &err), RC_OK);
    return reading_of(bench, "branch_conditional");
}

static void without_a_suite_everything_between_start_and_stop_counts(void **state)
{
    struct bench *bench = bench_open(NULL);
    int64_t one = count_between(bench, 1), many = count_between(bench, 501);

    (void)state;
    assert_int_equal(many - one, 500);
    assert_in_range(one, 1, 100);
    bench_close(bench);
}

static void several_runs_in_one_reading_add_up(void **state)
{
    struct bench *bench = bench_open(NULL);
    const struct rc_suite suite = {.name = "test", .run = k_loop};
    const struct rc_measurement what = {.suite = &suite};
    struct rc_error err = {.text = ""};

    (void)state;
    assert_int_equal(soft->start(bench->group, &what, &err), RC_OK);
    for (uint64_t i = 0; i < 5; i++)
        suite.run(NULL, 10);
    assert_int_equal(soft->stop(bench->group, bench->reading, &err), RC_OK);
    assert_int_equal(reading_of(bench, "instructions"), 5 * 21);
    bench_close(bench);
}

static void zero_forgets_the_counts_and_keeps_the_caches_warm(void **state)
{
    struct bench *bench = bench_open(NULL);
    const struct rc_suite suite = {.name = "test", .run = k_crossings};
    const struct rc_measurement what = {.suite = &suite};
    struct rc_error err = {.text = ""};

    (void)state;
    assert_int_equal(soft->start(bench->group, &what, &err), RC_OK);
    suite.run((struct rc_kernel *)bench->buffer, 0);
    assert_int_equal(soft->zero(bench->group, &err), RC_OK);
    suite.run((struct rc_kernel *)bench->buffer, 0);
    assert_int_equal(soft->stop(bench->group, bench->reading, &err), RC_OK);
    assert_int_equal(reading_of(bench, "instructions"), 6);
    assert_int_equal(reading_of(bench, "sim_l1d_miss"), 0);
    assert_int_equal(reading_of(bench, "sim_l1d_hit"), 10);
    bench_close(bench);
}

static void stepped_code_does_not_see_that_it_is_stepped(void **state)
{
    struct bench *bench = bench_open(NULL);
    uint64_t *word = (uint64_t *)(void *)bench->buffer;

    (void)state;
    measure(bench, k_flags, bench->buffer, 0);
    assert_int_equal(word[0] & 0x100, 0);
    assert_int_equal(word[1] & 0x100, 0);
    measure(bench, k_syscall, bench->buffer, 0);
    assert_int_equal(word[0], getpid());
    assert_int_equal(word[1] & 0x100, 0);
    assert_int_equal(word[2], 0); /* rcx was the address after the call */
    bench_close(bench);
}

static bool trap_flag_is_set(void)
{
    return (__builtin_ia32_readeflags_u64() & 0x100) != 0;
}

static void note_nothing(int number)
{
    (void)number;
}

static void signals_are_left_as_they_were(void **state)
{
    struct bench *bench = bench_open(NULL);
    static char own_stack[65536];
    const stack_t stack = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    struct sigaction mine = {.sa_handler = note_nothing, .sa_flags = SA_RESTART}, now;
    stack_t stack_before, stack_now;
    sigset_t blocked, before, mask;

    (void)state;
    sigemptyset(&mine.sa_mask);
    sigaddset(&mine.sa_mask, SIGUSR1);
    sigaction(SIGTRAP, &mine, NULL);
    sigaltstack(&stack, &stack_before);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTRAP);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_SETMASK, &blocked, &before);
    assert_null(soft->unavailable());
    measure(bench, k_loop, NULL, 10);
    sigaction(SIGTRAP, NULL, &now);
    assert_ptr_equal(now.sa_handler, note_nothing);
    assert_int_equal(now.sa_flags & SA_RESTART, SA_RESTART);
    assert_int_equal(sigismember(&now.sa_mask, SIGUSR1), 1);
    sigprocmask(SIG_SETMASK, &before, &mask);
    for (int i = 1; i < 32; i++)
        assert_int_equal(sigismember(&mask, i), sigismember(&blocked, i));
    sigaltstack(&stack_before, &stack_now);
    assert_ptr_equal(stack_now.ss_sp, own_stack);
    assert_false(trap_flag_is_set());
    assert_int_equal(reading_of(bench, "instructions"), 21);
    mine.sa_handler = SIG_DFL;
    sigaction(SIGTRAP, &mine, NULL);
    bench_close(bench);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms = alarms + 1;
}

static void other_signals_are_served_and_not_counted(void **state)
{
    struct bench *bench = bench_open(NULL);
    const struct itimerval often = {.it_interval = {0, 2000}, .it_value = {0, 2000}};
    const struct itimerval never = {.it_value = {0, 0}};
    struct sigaction action = {.sa_handler = on_alarm}, old;

    (void)state;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, &old);
    alarms = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    measure(bench, k_loop, NULL, 100000);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    assert_true(alarms > 0);
    assert_int_equal(reading_of(bench, "instructions"), 200001);
    bench_close(bench);
}

static void blocks_all_signals(struct rc_kernel *buffer, uint64_t number)
{
    sigset_t all, *old = (sigset_t *)buffer;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, old);
    k_loop(buffer, number);
    sigprocmask(SIG_SETMASK, old, NULL);
}

static void code_that_blocks_all_signals_is_still_counted(void **state)
{
    struct bench *bench = bench_open(NULL);
    sigset_t before, old, after;

    (void)state;
    sigprocmask(SIG_SETMASK, NULL, &before);
    measure(bench, blocks_all_signals, &old, 100);
    sigprocmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(reading_of(bench, "syscalls"), 2);
    assert_true(reading_of(bench, "branch_conditional") >= 100);
    for (int i = 1; i < 32; i++) {
        assert_int_equal(sigismember(&old, i), sigismember(&before, i));
        assert_int_equal(sigismember(&after, i), sigismember(&before, i));
    }
    bench_close(bench);
}

static volatile sig_atomic_t breakpoints;

static void on_breakpoint(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    breakpoints = breakpoints + 1;
}

static void *count_to_a_thousand(void *number)
{
    for (volatile int *n = number; *n < 1000; *n = *n + 1)
        ;
    return NULL;
}

/* A thread and a process, each of which does what it has to. */
static void branches_out(struct rc_kernel *buffer, uint64_t number)
{
    int *result = (int *)buffer;
    pthread_t thread;

    (void)number;
    if (pthread_create(&thread, NULL, count_to_a_thousand, &result[0]) == 0)
        pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    waitpid(child, &result[1], 0);
}

static void threads_and_children_of_stepped_code_do_their_work(void **state)
{
    struct bench *bench = bench_open(NULL);
    int *result = (int *)(void *)bench->buffer;

    (void)state;
    measure(bench, branches_out, bench->buffer, 0);
    assert_int_equal(result[0], 1000);
    assert_true(WIFEXITED(result[1]));
    assert_int_equal(WEXITSTATUS(result[1]), 7);
    assert_true(reading_of(bench, "syscalls") > 3);
    bench_close(bench);
}

static void breakpoints_go_to_the_handler_that_was_there(void **state)
{
    struct bench *bench = bench_open(NULL);
    struct sigaction action = {.sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO};
    struct sigaction old;

    (void)state;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, &old);
    breakpoints = 0;
    measure(bench, k_breakpoint, NULL, 0);
    sigaction(SIGTRAP, &old, NULL);
    assert_int_equal(breakpoints, 1);
    assert_int_equal(reading_of(bench, "instructions"), 5);
    bench_close(bench);
}

static void *protected_page;

static void on_fault(int number)
{
    (void)number;
    mprotect(protected_page, 4096, PROT_READ | PROT_WRITE);
}

static void instructions_that_fault_and_are_retried_count_once(void **state)
{
    struct bench *bench = bench_open(NULL);
    struct sigaction action = {.sa_handler = on_fault}, old;

    (void)state;
    protected_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(protected_page, MAP_FAILED);
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &old);
    measure(bench, k_fault, protected_page, 0);
    sigaction(SIGSEGV, &old, NULL);
    assert_int_equal(reading_of(bench, "instructions"), 4);
    assert_int_equal(reading_of(bench, "loads"), 2);
    munmap(protected_page, 4096);
    bench_close(bench);
}

static void replaces_the_handler(struct rc_kernel *buffer, uint64_t number)
{
    struct sigaction ignore = {.sa_handler = note_nothing};

    (void)buffer;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGTRAP, &ignore, NULL);
    k_loop(NULL, number);
}

static void stepping_that_was_lost_is_an_error_and_no_reading(void **state)
{
    struct bench *bench = bench_open(NULL);
    const struct rc_suite suite = {.name = "test", .run = replaces_the_handler};
    const struct rc_measurement what = {.suite = &suite};
    struct rc_error err = {.text = ""};

    (void)state;
    assert_int_equal(soft->start(bench->group, &what, &err), RC_OK);
    suite.run(NULL, 1);
    assert_int_equal(soft->stop(bench->group, bench->reading, &err), RC_EUNSUPPORTED);
    assert_non_null(strstr(err.text, "stepping was lost"));
    assert_false(trap_flag_is_set());
    measure(bench, k_loop, NULL, 10);
    assert_int_equal(reading_of(bench, "instructions"), 21);
    bench_close(bench);
}

static void a_process_steps_one_group_at_a_time(void **state)
{
    struct bench *one = bench_open(NULL), *two = bench_open(NULL);
    struct rc_error err = {.text = ""};

    (void)state;
    assert_int_equal(soft->start(one->group, NULL, &err), RC_OK);
    int status = soft->start(two->group, NULL, &err);
    assert_int_equal(soft->stop(one->group, one->reading, &err), RC_OK);
    assert_int_equal(status, RC_ECONFLICT);
    measure(two, k_loop, NULL, 10);
    assert_int_equal(reading_of(two, "instructions"), 21);
    bench_close(one);
    bench_close(two);
}

/* nop; nop; ret, and then with other code in its place. */
static void code_that_changed_is_decoded_anew(void **state)
{
    struct bench *bench = bench_open(NULL);
    static const uint8_t first[] = {0x90, 0x90, 0xc3}, second[] = {0x50, 0x58, 0xc3};
    uint8_t *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    if (code == MAP_FAILED)
        skip();
    /* Right in front of a page that cannot be read. */
    assert_int_equal(mprotect(code + 4096, 4096, PROT_NONE), 0);
    uint8_t *at = code + 4096 - sizeof first;
    kernel *run = (kernel *)(uintptr_t)at; // NOLINT: code made of data
    memcpy(at, first, sizeof first);
    measure(bench, run, NULL, 0);
    assert_int_equal(reading_of(bench, "category_nop"), 2);
    memcpy(at, second, sizeof second);
    measure(bench, run, NULL, 0);
    assert_int_equal(reading_of(bench, "category_nop"), 0);
    assert_int_equal(reading_of(bench, "stores"), 1);
    munmap(code, 8192);
    bench_close(bench);
}

static void predictable_branches_are_predicted_and_random_ones_not(void **state)
{
    struct bench *bench = bench_open(NULL);

    (void)state;
    measure(bench, k_loop, NULL, 2000);
    assert_in_range(reading_of(bench, "sim_branch_mispredicted"), 0, 2);
    measure(bench, k_random, NULL, 4000);
    assert_int_equal(reading_of(bench, "branch_conditional"), 8000);
    assert_in_range(reading_of(bench, "sim_branch_mispredicted"), 1900, 2100);
    /* Each wrong path leads to the loop branch at once. */
    assert_int_equal(reading_of(bench, "sim_branch_wrong_path"),
                     reading_of(bench, "sim_branch_mispredicted"));
    assert_int_equal(reading_of(bench, "sim_branch_executed"),
                     8000 + reading_of(bench, "sim_branch_mispredicted"));
    assert_int_equal(reading_of(bench, "sim_branch_predicted") +
                         reading_of(bench, "sim_branch_mispredicted"),
                     8000);
    bench_close(bench);
}

static void each_exact_ideal_that_a_processor_counts_has_one_event(void **state)
{
    struct bench *bench = bench_open(NULL);
    const char *seen[RC_IDEAL_COUNT];
    size_t count = 0;

    (void)state;
    for (int i = 0; i < RC_IDEAL_COUNT; i++) {
        enum rc_ideal ideal = (enum rc_ideal)i;
        const char *event = rc_soft_event_of_ideal(ideal);
        if (strcmp(rc_ideal_suite(ideal), "gpu-flops") == 0 || ideal == RC_IDEAL_CYC ||
            ideal == RC_IDEAL_CHAIN || rc_ideal_useful(ideal)) {
            assert_null(event);
            continue;
        }
        assert_non_null(event);
        assert_int_equal(rc_ideal_exact(ideal), strncmp(event, "soft::sim_", 10) != 0);
        for (size_t k = 0; k < count; k++)
            assert_string_not_equal(event, seen[k]);
        seen[count++] = event;
        reading_of(bench, event + strlen("soft::")); /* fails if there is none */
    }
    bench_close(bench);
}

static void names_are_unique_and_say_what_is_simulated(void **state)
{
    struct bench *bench = bench_open(NULL);

    (void)state;
    for (size_t i = 0; i < bench->count; i++) {
        assert_int_equal(bench->simulated[i],
                         strncmp(bench->name[i], "soft::sim_", 10) == 0);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(bench->name[i], bench->name[k]);
    }
    bench_close(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments_are_refused_with_what_was_expected),
        cmocka_unit_test(very_long_arguments_are_refused),
        cmocka_unit_test(the_geometry_is_what_the_argument_said),
        cmocka_unit_test(loops_of_known_counts_are_counted_to_the_last),
        cmocka_unit_test(equal_work_gives_equal_readings_of_every_event),
        cmocka_unit_test(twice_the_iterations_count_twice_the_difference),
        cmocka_unit_test(without_a_suite_everything_between_start_and_stop_counts),
        cmocka_unit_test(several_runs_in_one_reading_add_up),
        cmocka_unit_test(zero_forgets_the_counts_and_keeps_the_caches_warm),
        cmocka_unit_test(stepped_code_does_not_see_that_it_is_stepped),
        cmocka_unit_test(signals_are_left_as_they_were),
        cmocka_unit_test(other_signals_are_served_and_not_counted),
        cmocka_unit_test(code_that_blocks_all_signals_is_still_counted),
        cmocka_unit_test(threads_and_children_of_stepped_code_do_their_work),
        cmocka_unit_test(breakpoints_go_to_the_handler_that_was_there),
        cmocka_unit_test(instructions_that_fault_and_are_retried_count_once),
        cmocka_unit_test(stepping_that_was_lost_is_an_error_and_no_reading),
        cmocka_unit_test(a_process_steps_one_group_at_a_time),
        cmocka_unit_test(code_that_changed_is_decoded_anew),
        cmocka_unit_test(predictable_branches_are_predicted_and_random_ones_not),
        cmocka_unit_test(each_exact_ideal_that_a_processor_counts_has_one_event),
        cmocka_unit_test(names_are_unique_and_say_what_is_simulated),
    };
    const char *reason = soft->unavailable();

    if (reason) {
        print_message("skipped: %s\n", reason);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

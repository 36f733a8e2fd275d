/* The time source: its events, costs and bias, and clocks that are coarse or stand still.
 */
#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "campaign/sources/source.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WALL, BEGIN, END, THREAD, EVENTS };
static const char *const names[] = {"time::wall", "time::begin", "time::end",
                                    "time::thread"};

static const struct rc_source *source;

/* A clock that goes on by such steps only; 0: as it is; UINT64_MAX: there is none. */
static uint64_t coarse_ns[CLOCK_THREAD_CPUTIME_ID + 1];
int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    const uint64_t step =
        clock >= 0 && clock <= CLOCK_THREAD_CPUTIME_ID ? coarse_ns[clock] : 0;
    const int status = step == UINT64_MAX ? -1 : __real_clock_gettime(clock, out);

    if (status == 0 && step)
        out->tv_nsec -= (long)((uint64_t)out->tv_nsec % step);
    return status;
}

static struct rc_source_state *open_time(void)
{
    const struct rc_source_setup setup = {.argument = NULL};
    struct rc_source_state *state = NULL;
    struct rc_error err = {.text = ""};

    if (source->open(&setup, &state, &err) != RC_OK)
        fail_msg("%s", err.text);
    return state;
}

static struct rc_group_state *arm(struct rc_source_state *state, size_t count,
                                  const uint32_t *events)
{
    struct rc_group_state *group = NULL;
    struct rc_error err = {.text = ""};

    if (source->arm(state, events, count, &group, &err) != RC_OK)
        fail_msg("%s", err.text);
    return group;
}

static struct rc_group_state *arm_all(struct rc_source_state *state)
{
    return arm(state, EVENTS, (const uint32_t[]){WALL, BEGIN, END, THREAD});
}

static void refuses_bad_input(void **fixture)
{
    const struct rc_source_setup setup = {.argument = "x"};
    struct rc_source_state *state = NULL;
    struct rc_group_state *group = NULL;
    struct rc_reading reading[EVENTS];
    struct rc_error err = {.text = ""};

    (void)fixture;
    assert_int_equal(source->open(&setup, &state, &err), RC_EUSAGE);
    assert_string_equal(err.text, "source 'time' takes no argument, found 'time:x'");
    assert_null(state);
    state = open_time();
    assert_int_equal(source->arm(state, (const uint32_t[]){EVENTS}, 1, &group, &err),
                     RC_EMISSING);
    assert_string_equal(err.text, "time: no event number 4");
    assert_null(group);
    group = arm_all(state);
    assert_int_equal(source->stop(group, reading, &err), RC_ECONFLICT);
    source->disarm(group);
    source->disarm(NULL);
    source->close(state);
    source->close(NULL);
}

/* A clock that is missing or coarse: of the thread it takes one event, else all. */
static void judges_clocks(void **fixture)
{
    const struct rc_source_setup setup = {.argument = NULL};
    const uint64_t steps[] = {UINT64_MAX, 10000000};
    struct rc_source_state *state;
    struct rc_error err = {.text = ""};
    struct rc_trial trial;
    char text[256];

    (void)fixture;
    for (size_t i = 0; i < 2; i++) {
        coarse_ns[CLOCK_THREAD_CPUTIME_ID] = steps[i];
        state = open_time();
        source->trial(state, (const uint32_t[]){THREAD}, 1, &trial);
        assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
        assert_non_null(strstr(trial.reason, "the clock of a thread"));
        source->trial(state, (const uint32_t[]){WALL, END}, 2, &trial);
        assert_int_equal(trial.verdict, RC_VERDICT_OK);
        assert_in_range(source->least_ns(state), 1, 10000000);
        source->costs(state, text, sizeof text);
        assert_null(strstr(text, "time::thread"));
        source->close(state);
    }
    coarse_ns[CLOCK_THREAD_CPUTIME_ID] = 0;
    coarse_ns[CLOCK_MONOTONIC] = 4000000;
    assert_int_equal(source->open(&setup, &state, &err), RC_EUNSUPPORTED);
    assert_string_equal(err.text, "source 'time': CLOCK_MONOTONIC stands still, or its "
                                  "steps are longer than 100000 ns");
    assert_null(state);
    /* One that stands still between calls: a reading lasts 100 of its steps. */
    coarse_ns[CLOCK_MONOTONIC] = 40000;
    state = open_time();
    assert_true(source->least_ns(state) >= 4000000);
    source->close(state);
    coarse_ns[CLOCK_MONOTONIC] = 0;
}

static int check_listed(struct rc_event_sink *sink, const struct rc_event_info *info,
                        struct rc_error *err)
{
    static uint32_t count;
    const bool is_state = count == BEGIN || count == END;

    (void)sink, (void)err;
    assert_string_equal(info->name, names[count]);
    assert_int_equal(info->scope, RC_SCOPE_CORE);
    assert_int_equal(info->state, is_state);
    assert_int_equal(info->tick_ns, is_state ? 0 : 1);
    assert_false(info->simulated);
    count++;
    return RC_OK;
}

static void lists_and_tries_its_events(void **fixture)
{
    struct rc_source_state *state = open_time();
    struct rc_event_sink sink = {check_listed};
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    (void)fixture;
    assert_int_equal(source->enumerate(state, NULL, &sink, NULL), RC_OK);
    for (uint32_t i = 0; i < EVENTS; i++) {
        source->trial(state, &i, 1, &trial);
        assert_int_equal(trial.verdict, RC_VERDICT_OK);
    }
    source->trial(state, (const uint32_t[]){END, WALL, THREAD, BEGIN}, EVENTS, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_OK);
    source->close(state);
}

/* Wall time is from begin to end, and a lap begins where the one before ends. */
static void readings_agree(void **fixture)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct rc_source_state *state = open_time();
    struct rc_group_state *group = arm_all(state);
    struct rc_reading r[3][EVENTS];
    const uint64_t before = rc_clock_ns();

    (void)fixture;
    assert_int_equal(source->start(group, NULL, NULL), RC_OK);
    nanosleep(&pause, NULL);
    assert_int_equal(source->lap(group, r[0], NULL), RC_OK);
    assert_int_equal(source->lap(group, r[1], NULL), RC_OK);
    assert_int_equal(source->stop(group, r[2], NULL), RC_OK);
    const uint64_t after = rc_clock_ns();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(r[i][WALL].value, r[i][END].value - r[i][BEGIN].value);
        for (int e = 0; e < EVENTS; e++) {
            assert_null(r[i][e].why);
            assert_int_equal(r[i][e].enabled_ns, r[i][e].running_ns);
        }
        if (i > 0)
            assert_int_equal(r[i][BEGIN].value, r[i - 1][END].value);
    }
    assert_true((uint64_t)r[0][BEGIN].value >= before);
    assert_true((uint64_t)r[2][END].value <= after);
    assert_true(r[0][WALL].value >= pause.tv_nsec);
    assert_true(r[0][THREAD].value < r[0][WALL].value / 2);
    source->disarm(group);
    source->close(state);
}

static void *burn(void *stop)
{
    while (!atomic_load((atomic_bool *)stop))
        ;
    return NULL;
}

/* Another thread's time is not counted; the thread's own is, and no more than all. */
static void counts_its_own_thread(void **fixture)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    struct rc_source_state *state = open_time();
    struct rc_group_state *group = arm(state, 2, (const uint32_t[]){THREAD, WALL});
    struct rc_reading r[2];
    atomic_bool stop = false;
    pthread_t other;

    (void)fixture;
    assert_int_equal(pthread_create(&other, NULL, burn, &stop), 0);
    assert_int_equal(source->start(group, NULL, NULL), RC_OK);
    nanosleep(&pause, NULL);
    assert_int_equal(source->stop(group, r, NULL), RC_OK);
    atomic_store(&stop, true);
    pthread_join(other, NULL);
    assert_true(r[0].value < r[1].value / 2);
    assert_int_equal(source->start(group, NULL, NULL), RC_OK);
    const uint64_t begin = rc_clock_thread_ns();
    while (rc_clock_thread_ns() - begin < 10000000)
        ;
    assert_int_equal(source->stop(group, r, NULL), RC_OK);
    assert_true(r[0].value >= 10000000);
    source->disarm(group);
    source->close(state);
}

/* Never inlined: its time depends on where its code lies. */
static __attribute__((noinline)) void work(void)
{
    for (int i = 0; i < 3000; i++)
        __asm__ volatile("" ::: "memory");
}

static int by_size(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static int64_t median_of(int64_t *value, size_t count)
{
    qsort(value, count, sizeof *value, by_size);
    return value[count / 2];
}

static int64_t time_bare(void)
{
    const uint64_t begin = rc_clock_ns();

    work();
    return (int64_t)(rc_clock_ns() - begin);
}

static int64_t time_under(struct rc_group_state *group, bool works)
{
    struct rc_reading r[EVENTS];

    source->start(group, NULL, NULL);
    if (works)
        work();
    source->stop(group, r, NULL);
    return r[WALL].value;
}

/* The same loop between two calls of clock_gettime(), and under the source, in turns
 * that follow each other at once: the differences of turns do not depend on what else
 * the machine does.
 */
static void has_no_bias_beyond_its_cost(void **fixture)
{
    enum { TURNS = 8001 };
    static int64_t bare[TURNS], under[TURNS], empty[TURNS], more[TURNS];
    struct rc_source_state *state = open_time();
    struct rc_group_state *group = arm_all(state);
    char text[256];
    unsigned wall_ns = 0;

    (void)fixture;
    source->costs(state, text, sizeof text);
    assert_int_equal(sscanf(text, "an empty reading is %u ns of time::wall", &wall_ns),
                     1);
    for (int i = 0; i < TURNS; i++) {
        if (i % 2)
            bare[i] = time_bare();
        under[i] = time_under(group, true);
        if (i % 2 == 0)
            bare[i] = time_bare();
        more[i] = under[i] - bare[i];
        empty[i] = time_under(group, false);
    }
    const int64_t bias = median_of(more, TURNS);
    printf("loop: %" PRId64 " ns by clock_gettime, %" PRId64 " by time::wall, %" PRId64
           " more; empty: %" PRId64 ", said: %u\n",
           median_of(bare, TURNS), median_of(under, TURNS), bias,
           median_of(empty, TURNS), wall_ns);
    assert_true(bias <= wall_ns && bias >= -(int64_t)wall_ns);
    assert_true(source->least_ns(state) >= 100 * (uint64_t)wall_ns);
    source->disarm(group);
    source->close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bad_input),
        cmocka_unit_test(judges_clocks),
        cmocka_unit_test(lists_and_tries_its_events),
        cmocka_unit_test(readings_agree),
        cmocka_unit_test(counts_its_own_thread),
        cmocka_unit_test(has_no_bias_beyond_its_cost),
    };

    source = rc_source_find("time");
    if (!source) {
        fprintf(stderr, "there is no source 'time'\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

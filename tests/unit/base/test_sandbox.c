#include "tests/lib/test.h"

#include "campaign/base/sandbox.h"
#include "tests/lib/open_files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_S = 20 };

static void do_nothing(const void *arg)
{
    (void)arg;
}

static void say_and_raise(const void *arg)
{
    fprintf(stderr, "last words\n");
    printf("of the child\n");
    fflush(stdout);
    raise(*(const int *)arg);
}

static void say_and_abort(const void *arg)
{
    (void)arg;
    fprintf(stderr, "last words\n");
    abort();
}

static void write_nowhere(const void *arg)
{
    *(volatile char *)(*(char *const *)arg) = 1;
}

static void overflow(const void *arg)
{
    volatile char *memory = malloc(16);

    if (memory)
        memory[*(const size_t *)arg] = 1;
    free((void *)memory);
    abort();
}

static void leave(const void *arg)
{
    exit(*(const int *)arg);
}

static pid_t us;

static void last_words(void)
{
    if (getpid() != us)
        fprintf(stderr, "a handler ran\n");
}

static void sleep_long(const void *arg)
{
    (void)arg;
    for (;;)
        pause();
}

static void limit_and_spin(const void *arg)
{
    const struct rlimit limit = {1, 2};

    (void)arg;
    setrlimit(RLIMIT_CPU, &limit);
    for (volatile unsigned long i = 0;; i++)
        ;
}

static void spin(const void *arg)
{
    (void)arg;
    for (volatile unsigned long i = 0;; i++)
        ;
}

/* Nothing is printed while it is tried. */
static void expect(enum rc_survival survival, void (*work)(const void *),
                   const void *arg, unsigned seconds)
{
    char said[64] = {0};
    const int streams[2] = {STDOUT_FILENO, STDERR_FILENO};
    int kept[2], file = memfd_create("said", MFD_CLOEXEC);

    assert_true(file >= 0);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        kept[i] = dup(streams[i]);
        dup2(file, streams[i]);
    }
    enum rc_survival is = rc_sandbox_run(work, arg, seconds, NULL);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], streams[i]);
        close(kept[i]);
    }
    ssize_t got = pread(file, said, sizeof said - 1, 0);
    close(file);
    assert_int_equal(got, 0);
    assert_string_equal(said, "");
    assert_int_equal(is, survival);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_death_is_told_in_silence(void **state)
{
    static const int deadly[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,
                                 SIGILL,  SIGKILL, SIGTERM};
    char *nowhere = (char *)16;
    const size_t behind = 16;

    (void)state;
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        expect(RC_DIED, say_and_raise, &deadly[i], PATIENCE_S);
    expect(RC_DIED, say_and_abort, NULL, PATIENCE_S);
    expect(RC_DIED, write_nowhere, &nowhere, PATIENCE_S);
    expect(RC_DIED, overflow, &behind, PATIENCE_S);
}

static void one_that_ends_the_process_did_not_come_through(void **state)
{
    const int fine = 0, failed = 3;

    (void)state;
    expect(RC_DIED, leave, &fine, PATIENCE_S);
    expect(RC_DIED, leave, &failed, PATIENCE_S);
}

static void one_that_does_not_end_is_ended(void **state)
{
    (void)state;
    expect(RC_TOO_LATE, sleep_long, NULL, 1);
    expect(RC_TOO_LATE, spin, NULL, 1);
    expect(RC_TOO_LATE, limit_and_spin, NULL, PATIENCE_S * 3);
}

static void one_that_comes_through_runs_no_exit_handlers(void **state)
{
    (void)state;
    us = getpid();
    atexit(last_words);
    expect(RC_SURVIVED, do_nothing, NULL, PATIENCE_S);
}

static void children_may_be_ignored(void **state)
{
    const int deadly = SIGSEGV;

    (void)state;
    signal(SIGCHLD, SIG_IGN);
    expect(RC_SURVIVED, do_nothing, NULL, PATIENCE_S);
    expect(RC_DIED, say_and_raise, &deadly, PATIENCE_S);
    signal(SIGCHLD, SIG_DFL);
}

/* In a process of its own: any of the three streams of ours may be closed. */
static void closed_streams_do_no_harm(void **state)
{
    (void)state;
    for (int closed = 0; closed < 8; closed++) {
        const pid_t pid = fork();
        if (pid == 0) {
            for (int fd = 0; fd < 3; fd++)
                if (closed & 1 << fd)
                    close(fd);
            _exit(rc_sandbox_run(do_nothing, NULL, PATIENCE_S, NULL) != RC_SURVIVED ||
                  rc_sandbox_run(say_and_abort, NULL, PATIENCE_S, NULL) != RC_DIED);
        }
        int ended = -1;
        assert_int_equal(waitpid(pid, &ended, 0), pid);
        assert_int_equal(ended, 0);
    }
}

static void no_file_is_left_open(void **state)
{
    const int before = open_files();

    (void)state;
    expect(RC_SURVIVED, do_nothing, NULL, PATIENCE_S);
    expect(RC_DIED, say_and_abort, NULL, PATIENCE_S);
    assert_int_equal(open_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_is_told_in_silence),
        cmocka_unit_test(one_that_ends_the_process_did_not_come_through),
        cmocka_unit_test(one_that_does_not_end_is_ended),
        cmocka_unit_test(one_that_comes_through_runs_no_exit_handlers),
        cmocka_unit_test(children_may_be_ignored),
        cmocka_unit_test(closed_streams_do_no_harm),
        cmocka_unit_test(no_file_is_left_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "campaign/cli/tell.h"
#include "campaign/run/progress.h"
#include "tests/lib/own_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

/* The clock stands still unless a test moves it. */
static uint64_t now_ns;
uint64_t __wrap_rc_clock_ns(void);
uint64_t __wrap_rc_clock_ns(void)
{
    return now_ns;
}

static const char *contents(const char *path)
{
    static char text[65536];
    FILE *stream = fopen(path, "r");

    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    return text;
}

static void lines_say_how_far_how_fast_and_how_long(void **state)
{
    static const struct {
        struct rc_progress_state state;
        uint64_t elapsed_ns;
        const char *line;
    } cases[] = {
        {{.units_total = 1024}, 0, "0 of 1,024 units (0 %), ETA unknown"},
        {{.units = 412, .units_total = 1024, .events = 16246, .invalid = 2},
         120 * SECOND,
         "412 of 1,024 units (40 %), 8,123 events/min, ETA 3 min, 2 invalid"},
        {{.units = 1, .units_total = 2, .work_ns = 1, .work_total_ns = 11},
         10 * SECOND,
         "1 of 2 units (9 %), ETA 82.0 s"},
        {{.units_total = 3, .work_total_ns = 120 * SECOND, .wall_ns = 60 * SECOND},
         0,
         "0 of 3 units (0 %), ETA 60.0 s"}, /* the plan's word for it */
        {{.units_total = 3,
          .work_ns = 30 * SECOND,
          .work_total_ns = 120 * SECOND,
          .at = "flops: repetition 2, point 7 of 48"},
         90 * SECOND,
         "0 of 3 units (25 %), ETA 4 min; flops: repetition 2, point 7 of 48"},
        {{.units = 1, .units_total = 2, .work_total_ns = 11},
         10 * SECOND,
         "1 of 2 units (0 %), ETA 8 min"},
        {{.units = 1, .units_total = 2, .work_ns = 12, .work_total_ns = 11},
         10 * SECOND,
         "1 of 2 units (99 %), ETA under 1 s"},
        {{.units = 3, .units_total = 4, .what = "points"},
         3 * SECOND,
         "3 of 4 points (75 %), ETA 1.0 s"},
        {{.units = 1, .units_total = 1000000},
         36 * SECOND,
         "1 of 1,000,000 units (0 %), ETA 10000.0 h"},
        {{.units = 1, .units_total = UINT64_MAX},
         3600 * SECOND,
         "1 of 18,446,744,073,709,551,615 units (0 %), ETA unknown"},
        {{.units = 999, .units_total = 1000, .failed = 1000},
         SECOND,
         "999 of 1,000 units (99 %), ETA under 1 s, 1,000 failed"},
        {{.units = UINT64_MAX - 1, .units_total = UINT64_MAX},
         SECOND,
         "18,446,744,073,709,551,614 of 18,446,744,073,709,551,615 units (99 %), ETA "
         "under 1 s"},
        {{.units = 2, .units_total = 2, .events = 1},
         60 * SECOND,
         "2 of 2 units (100 %), 1 events/min"},
        {{0}, 60 * SECOND, "0 of 0 units (100 %)"},
        {{.units = 1, .units_total = 2, .events = UINT64_MAX},
         1,
         "1 of 2 units (50 %), ETA under 1 s"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_progress *progress;
        struct rc_error err;
        char *text;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(rc_progress_open(out, NULL, &progress, &err), RC_OK);
        now_ns += cases[i].elapsed_ns;
        rc_progress_tick(progress, &cases[i].state);
        rc_progress_close(progress, NULL);
        fclose(out);
        assert_int_equal(text[bytes - 1], '\n');
        text[bytes - 1] = 0;
        assert_string_equal(text, cases[i].line);
        free(text);
    }
}

static void plain_lines_come_ever_more_rarely(void **state)
{
    char *text;
    size_t bytes, lines = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct rc_progress_state so_far = {.units_total = 10};
    struct rc_progress *progress;
    struct rc_log *log;
    struct rc_error err;

    (void)state;
    now_ns = 5 * SECOND;
    assert_int_equal(rc_log_open(".", 0, &log, &err), RC_OK);
    assert_int_equal(rc_progress_open(out, log, &progress, &err), RC_OK);
    for (int tick = 0; tick < 4 * 3600; tick++, now_ns += SECOND / 4) /* an hour */
        rc_progress_tick(progress, &so_far);
    so_far.units = 10;
    rc_progress_close(progress, &so_far);
    fclose(out);
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    /* 0, 10, ... 60 s; 2, 3, ... 10 min; 15, 20, ... 55 min; the end. */
    assert_int_equal(lines, 7 + 9 + 9 + 1);
    assert_memory_equal(text, "0 of 10 units (0 %), ETA unknown\n0 of 10", 40);
    assert_non_null(strstr(text, "10 of 10 units (100 %), in 60 min\n"));
    assert_null(strpbrk(text, "\r\033"));
    lines = 0;
    for (const char *p = contents("log.txt"); *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 7 + 9 + 9 + 1); /* the log has the same */
    rc_log_close(log);
    free(text);
}

static void what_is_said_is_one_printable_line_and_logged(void **state)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct rc_progress *progress;
    struct rc_log *log;
    struct rc_error err;

    (void)state;
    unlink("log.txt");
    assert_int_equal(rc_log_open(".", 3, &log, &err), RC_OK);
    assert_int_equal(rc_progress_open(out, log, &progress, &err), RC_OK);
    rc_progress_say(progress, "event '%s' is %s", "a\nb\033[2J\xff", "bad");
    rc_log_say(log, "%s", "only\rhere");
    rc_progress_close(progress, NULL);
    rc_progress_close(NULL, NULL);
    fclose(out);
    assert_string_equal(text, "event 'a?b?[2J?' is bad\n");
    const char *logged = contents("log.txt");
    assert_non_null(strstr(logged, "Z rank 3: event 'a?b?[2J?' is bad\n"));
    assert_non_null(strstr(logged, "Z rank 3: only?here\n"));
    assert_null(rc_log_problem(log));
    rc_log_close(log);
    free(text);
}

/* Reads as much as is expected, however long the system takes to bring it over. */
static void expect_on_terminal(int master, const char *expected)
{
    char text[1024];
    size_t used = 0, wanted = strlen(expected);
    struct pollfd ready = {master, POLLIN, 0};

    while (used < wanted && poll(&ready, 1, 10000) == 1) {
        ssize_t got = read(master, text + used, sizeof text - 1 - used);
        assert_true(got > 0);
        used += (size_t)got;
    }
    text[used] = 0;
    assert_string_equal(text, expected);
}

static void a_terminal_has_one_line_rewritten_four_times_a_second(void **state)
{
    struct winsize size = {.ws_row = 24, .ws_col = 31};
    struct rc_progress_state so_far = {.units_total = 10, .invalid = 1};
    struct rc_progress *progress;
    struct rc_error err;
    int master, slave;

    (void)state;
    if (openpty(&master, &slave, NULL, NULL, &size) != 0) {
        print_message("there are no pseudo terminals here: %s\n", strerror(errno));
        skip();
    }
    setenv("TERM", "xterm", 1);
    FILE *out = fdopen(slave, "w");
    now_ns = 0;
    assert_int_equal(rc_progress_open(out, NULL, &progress, &err), RC_OK);
    rc_progress_say(progress, "hello");
    for (int i = 0; i < 10; i++, now_ns += SECOND / 20) /* half a second */
        rc_progress_tick(progress, &so_far);
    /* 30 of 31 columns, so that it does not wrap */
    expect_on_terminal(master, "hello\r\n\r0 of 10 units (0 %), ETA unkno\033[K"
                               "\r0 of 10 units (0 %), ETA unkno\033[K");
    rc_progress_say(progress, "bad\nnews");
    expect_on_terminal(master,
                       "\r\033[Kbad?news\r\n\r0 of 10 units (0 %), ETA unkno\033[K");
    so_far.units = 10;
    rc_progress_close(progress, &so_far);
    expect_on_terminal(master, "\r10 of 10 units (100 %), in 500\033[K\r\n");

    setenv("TERM", "dumb", 1);
    assert_int_equal(rc_progress_open(out, NULL, &progress, &err), RC_OK);
    rc_progress_tick(progress, &so_far);
    rc_progress_close(progress, NULL);
    expect_on_terminal(master, "10 of 10 units (100 %), 1 invalid\r\n");
    fclose(out);
    close(master);
}

/* Less and less is said, until what is left is cut. */
static void a_line_that_is_too_long_loses_what_matters_least(void **state)
{
    static const struct {
        unsigned short columns;
        const char *line;
    } cases[] = {
        {80, "\r1 of 4 units (25 %), 60 events/min, ETA 3.0 s; flops: point 7 of 48"},
        {60, "\r1 of 4 units (25 %), ETA 3.0 s; flops: point 7 of 48"},
        {40, "\r1 of 4 units (25 %), ETA 3.0 s"},
        {20, "\r1 of 4 units (25 %)"},
    };
    const struct rc_progress_state so_far = {
        .units = 1, .units_total = 4, .events = 1, .at = "flops: point 7 of 48"};
    struct rc_progress *progress;
    struct rc_error err;
    int master, slave;

    (void)state;
    if (openpty(&master, &slave, NULL, NULL, NULL) != 0) {
        print_message("there are no pseudo terminals here: %s\n", strerror(errno));
        skip();
    }
    setenv("TERM", "xterm", 1);
    FILE *out = fdopen(slave, "w");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct winsize size = {.ws_row = 24, .ws_col = cases[i].columns};
        char expected[128];
        assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
        assert_int_equal(rc_progress_open(out, NULL, &progress, &err), RC_OK);
        now_ns += SECOND;
        rc_progress_tick(progress, &so_far);
        rc_progress_hide(progress);
        snprintf(expected, sizeof expected, "%s\033[K\r\033[K", cases[i].line);
        expect_on_terminal(master, expected);
        rc_progress_close(progress, NULL);
    }
    fclose(out);
    close(master);
}

/* The clock of the test stands still, that of the thread does not. */
static void a_stage_is_redrawn_by_itself_and_leaves_nothing(void **state)
{
    struct rc_progress *progress;
    struct rc_error err;
    int master, slave;

    (void)state;
    if (openpty(&master, &slave, NULL, NULL, NULL) != 0) {
        print_message("there are no pseudo terminals here: %s\n", strerror(errno));
        skip();
    }
    setenv("TERM", "xterm", 1);
    FILE *out = fdopen(slave, "w");
    assert_int_equal(rc_progress_open(out, NULL, &progress, &err), RC_OK);
    rc_progress_stage(progress, "making %s", "a\nfile");
    expect_on_terminal(master, "\rmaking a?file ... 0 s\033[K");
    rc_progress_close(progress, NULL);
    fclose(out);
    close(master);
}

static void people_who_want_no_remarks_get_warnings_only(void **state)
{
    const struct rc_progress_state so_far = {.units_total = 4};
    struct rc_progress *progress;
    struct rc_error err;
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    (void)state;
    rc_tell_set_level(RC_TELL_QUIET);
    assert_int_equal(rc_progress_open(out, NULL, &progress, &err), RC_OK);
    rc_progress_stage(progress, "making it");
    rc_progress_tick(progress, &so_far);
    rc_progress_say(progress, "hello");
    rc_progress_warn(progress, "it burns");
    rc_progress_close(progress, &so_far);
    rc_tell_set_level(RC_TELL_NORMAL);
    fclose(out);
    assert_string_equal(text, "it burns\n");
    free(text);
}

static void a_rank_that_says_nothing_has_no_progress(void **state)
{
    const struct rc_progress_state so_far = {.units_total = 4};

    (void)state;
    rc_progress_start(NULL);
    rc_progress_stage(NULL, "making it");
    rc_progress_tick(NULL, &so_far);
    rc_progress_say(NULL, "hello");
    rc_progress_warn(NULL, "hello");
    rc_progress_hide(NULL);
    rc_progress_close(NULL, &so_far);
}

static void a_log_that_cannot_be_opened_is_said_once_and_stops_nobody(void **state)
{
    static const struct {
        const char *dir, *problem;
    } bad[] = {
        {"nowhere", "cannot open 'nowhere/log.txt': No such file or directory"},
        {"holds-directory",
         "'holds-directory/log.txt' is a directory, expected a file"},
        {"holds-link", "'holds-link/log.txt' is a symbolic link or is reached through "
                       "one: links are not followed in a campaign's directory"},
        {"holds-fifo", "'holds-fifo/log.txt' is a pipe, expected a file"},
    };

    (void)state;
    assert_int_equal(mkdir("holds-directory", 0777) |
                         mkdir("holds-directory/log.txt", 0777) |
                         mkdir("holds-link", 0777) | mkdir("holds-fifo", 0777),
                     0);
    assert_int_equal(symlink("../precious", "holds-link/log.txt"), 0);
    assert_int_equal(mkfifo("holds-fifo/log.txt", 0666), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_progress_state so_far = {.units_total = 1};
        struct rc_progress *progress;
        struct rc_log *log;
        struct rc_error err;
        char *text, expected[256];
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(rc_log_open(bad[i].dir, 0, &log, &err), RC_OK);
        assert_string_equal(rc_log_problem(log), bad[i].problem);
        assert_int_equal(rc_progress_open(out, log, &progress, &err), RC_OK);
        rc_progress_tick(progress, &so_far);
        now_ns += 60 * SECOND;
        rc_progress_tick(progress, &so_far);
        rc_progress_close(progress, NULL);
        fclose(out);
        snprintf(expected, sizeof expected,
                 "0 of 1 units (0 %%), ETA unknown\n%s; the run continues without "
                 "it\n0 of 1 "
                 "units (0 %%), ETA unknown\n",
                 bad[i].problem);
        assert_string_equal(text, expected);
        rc_log_say(log, "nothing happens");
        rc_log_close(log);
        free(text);
    }
    assert_int_equal(access("precious", F_OK), -1);
    rc_log_say(NULL, "nothing happens");
    assert_null(rc_log_problem(NULL));
    rc_log_close(NULL);
}

/* In a child, since it mounts: 77 where that is not allowed. */
static int on_a_full_disk(void)
{
    static char block[16384];
    struct rc_log *log;
    const char *problem;
    int fd;

    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "full", "tmpfs", 0, "size=64k") != 0 ||
        (fd = open("full/filler", O_CREAT | O_WRONLY, 0666)) < 0)
        return 77;
    if (rc_log_open("full", 0, &log, NULL) != RC_OK)
        return 1;
    rc_log_say(log, "first");
    while (write(fd, block, sizeof block) > 0)
        ;
    for (int i = 0; i < 3; i++) /* 4 KiB each, of which the first block has room left */
        rc_log_say(log, "%4000d", i);
    problem = rc_log_problem(log);
    if (!problem ||
        strcmp(problem, "cannot write 'full/log.txt': No space left on device") != 0)
        return 2;
    if (ftruncate(fd, 0) != 0)
        return 3;
    rc_log_say(log, "room again");
    rc_log_close(log);
    const char *text = contents("full/log.txt"), *again = strstr(text, "room again\n");
    if (!strstr(text, "rank 0: first\n") || !again)
        return 4;
    while (again > text && again[-1] != '\n')
        again--;
    return again[4] == '-' ? 0 : 5; /* the line begins with its time */
}

static void a_full_disk_costs_lines_and_no_more(void **state)
{
    int status;

    (void)state;
    assert_int_equal(mkdir("full", 0777), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(on_a_full_disk());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("nothing can be mounted here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void endless_lines_end(void **state)
{
    struct rc_log *log;
    struct rc_error err;

    (void)state;
    unlink("log.txt");
    assert_int_equal(rc_log_open(".", 0, &log, &err), RC_OK);
    rc_log_say(log, "%100000d", 7);
    rc_log_say(log, "next");
    rc_log_close(log);
    const char *text = contents("log.txt");
    assert_int_equal(strcspn(text, "\n"), 4095 - 1);
    assert_non_null(strstr(text, "rank 0: next\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_say_how_far_how_fast_and_how_long),
        cmocka_unit_test(plain_lines_come_ever_more_rarely),
        cmocka_unit_test(what_is_said_is_one_printable_line_and_logged),
        cmocka_unit_test(a_terminal_has_one_line_rewritten_four_times_a_second),
        cmocka_unit_test(a_line_that_is_too_long_loses_what_matters_least),
        cmocka_unit_test(a_stage_is_redrawn_by_itself_and_leaves_nothing),
        cmocka_unit_test(people_who_want_no_remarks_get_warnings_only),
        cmocka_unit_test(a_rank_that_says_nothing_has_no_progress),
        cmocka_unit_test(a_log_that_cannot_be_opened_is_said_once_and_stops_nobody),
        cmocka_unit_test(a_full_disk_costs_lines_and_no_more),
        cmocka_unit_test(endless_lines_end),
    };
    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}

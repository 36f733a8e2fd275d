#include "tests/lib/test.h"

#include "campaign/base/child.h"
#include "campaign/base/text.h"
#include "tests/lib/open_files.h"
#include "tests/lib/own_dir.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 << 20, PATIENCE_S = 120 };

static void expect_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static int shell(const char *script, const char *input, unsigned seconds,
                 struct rc_child *out, struct rc_error *err)
{
    char *const words[] = {"sh", "-c", (char *)script, NULL};
    int status = rc_child_run(words, NULL, input, seconds, out, err);

    expect_no_child();
    return status;
}

static void expect_failure(char *const *words, const char *dir, const char *input,
                           int status, const char *message)
{
    struct rc_error err = {0};
    struct rc_child child;

    assert_int_equal(rc_child_run(words, dir, input, PATIENCE_S, &child, &err), status);
    assert_string_equal(err.text, message);
    assert_null(child.output);
    assert_null(child.messages);
    expect_no_child();
}

static void put(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void what_cannot_be_started_is_told(void **state)
{
    char *missing[] = {"no-such-program", "x", NULL};
    char *path[] = {"./no/such", NULL};
    char *folder[] = {"./folder", NULL};
    char *text[] = {"./text", NULL};
    char *other[] = {"./interpreter", NULL};
    char *empty[] = {"", NULL};
    char *odd[] = {"a\nb", NULL};
    char *good[] = {"true", NULL};

    (void)state;
    assert_int_equal(mkdir("folder", 0755), 0);
    put("text", "\x7f no program\n", 0755);
    put("interpreter", "#!/no/such/program\n", 0755);
    expect_failure(missing, NULL, NULL, RC_EMISSING,
                   "no program 'no-such-program' on the PATH");
    expect_failure(path, NULL, NULL, RC_EMISSING,
                   "cannot start './no/such': No such file or directory");
    expect_failure(folder, NULL, NULL, RC_EPERM,
                   "cannot start './folder': Permission denied");
    expect_failure(text, NULL, NULL, RC_EIO,
                   "cannot start './text': Exec format error");
    expect_failure(other, NULL, NULL, RC_EMISSING,
                   "cannot start './interpreter': No such file or directory");
    expect_failure(empty, NULL, NULL, RC_EMISSING, "no program '' on the PATH");
    expect_failure(odd, NULL, NULL, RC_EMISSING, "no program 'a?b' on the PATH");
    expect_failure(good, "nowhere", NULL, RC_EMISSING,
                   "cannot enter 'nowhere': No such file or directory");
    expect_failure(good, "text", NULL, RC_EIO, "cannot enter 'text': Not a directory");
    expect_failure(good, NULL, "nowhere", RC_EMISSING,
                   "cannot open 'nowhere': No such file or directory");
}

static void statuses_and_signals_are_told(void **state)
{
    static const struct {
        const char *script;
        int exited;
    } ends[] = {{"exit 0", 0},          {"exit 1", 1},         {"exit 3", 3},
                {"exit 127", 127},      {"exit 255", 255},     {"kill -TERM $$", 143},
                {"kill -KILL $$", 137}, {"kill -SEGV $$", 139}};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct rc_error err = {0};
        struct rc_child child;
        assert_int_equal(shell(ends[i].script, NULL, PATIENCE_S, &child, &err), RC_OK);
        assert_int_equal(child.exited, ends[i].exited);
        assert_string_equal(child.output, "");
        rc_child_fini(&child);
    }
}

static void output_and_messages_are_apart(void **state)
{
    struct rc_error err = {0};
    struct rc_child child;

    (void)state;
    assert_int_equal(shell("echo a; echo b >&2; echo c; printf d >&2", NULL, PATIENCE_S,
                           &child, &err),
                     RC_OK);
    assert_string_equal(child.output, "a\nc\n");
    assert_string_equal(child.messages, "b\nd");
    rc_child_fini(&child);
    rc_child_fini(&child);
}

static void words_are_no_shell_s(void **state)
{
    char *const words[] = {"printf", "%s|", "$HOME", "a b", "", "*;'\"\n", "-x", NULL};
    struct rc_error err = {0};
    struct rc_child child;

    (void)state;
    assert_int_equal(rc_child_run(words, NULL, NULL, PATIENCE_S, &child, &err), RC_OK);
    assert_string_equal(child.output, "$HOME|a b||*;'\"\n|-x|");
    rc_child_fini(&child);
}

static void it_runs_in_a_directory_and_reads_a_file(void **state)
{
    char *const words[] = {"sh", "-c", "cat; pwd", NULL};
    struct rc_error err = {0};
    struct rc_child child;
    char expected[128];

    (void)state;
    assert_int_equal(mkdir("it's $here\n", 0755), 0);
    put("input", "one\ntwo", 0644);
    snprintf(expected, sizeof expected, "one\ntwo%s/it's $here\n\n", own_dir);
    assert_int_equal(
        rc_child_run(words, "it's $here\n", "input", PATIENCE_S, &child, &err), RC_OK);
    assert_string_equal(child.output, expected);
    rc_child_fini(&child);
    assert_int_equal(shell("cat", NULL, PATIENCE_S, &child, &err), RC_OK);
    assert_string_equal(child.output, "");
    rc_child_fini(&child);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int read_pid(const char *path)
{
    FILE *file = fopen(path, "r");
    int pid = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    return pid;
}

/* Whoever its children are handed to has them as zombies for a moment. */
static bool is_over(int pid)
{
    char path[64], state = 'X';

    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d %*s %c", &state) != 1)
        state = 'X';
    if (file)
        fclose(file);
    return state == 'Z' || state == 'X';
}

static void one_that_does_not_end_is_given_up_with_its_children(void **state)
{
    struct rc_error err = {0};
    struct rc_child child;
    const double began = now();
    char expected[64];
    unsigned seconds;

    (void)state;
    /* On a slow machine its child may not have begun within a second. */
    for (seconds = 1; seconds < 60 && access("pid", F_OK) != 0; seconds *= 4)
        assert_int_equal(
            shell("trap '' TERM INT HUP\nsh -c \"trap '' TERM; echo \\$\\$ >pid.new; "
                  "mv pid.new pid; sleep 300; :\"; :",
                  NULL, seconds, &child, &err),
            RC_EIO);
    snprintf(expected, sizeof expected, "'sh' did not answer within %u s", seconds / 4);
    assert_string_equal(err.text, expected);
    assert_true(now() - began < 200);
    assert_null(child.output);
    for (int tries = 0; !is_over(read_pid("pid")); tries++) {
        assert_true(tries < 3000);
        usleep(10000);
    }
}

static void one_that_leaves_something_running_is_not_waited_for(void **state)
{
    struct rc_error err = {0};
    struct rc_child child;
    const double began = now();

    (void)state;
    assert_int_equal(
        shell("sleep 300 & echo $! >pid; echo ready", NULL, PATIENCE_S, &child, &err),
        RC_OK);
    assert_string_equal(child.output, "ready\n");
    assert_true(now() - began < 100);
    assert_int_equal(kill(read_pid("pid"), SIGKILL), 0);
    rc_child_fini(&child);
}

static void large_output_is_read_whole(void **state)
{
    struct rc_error err = {0};
    struct rc_child child;

    (void)state;
    assert_int_equal(shell("head -c 16777216 /dev/zero | tr '\\0' x; echo end >&2",
                           NULL, PATIENCE_S, &child, &err),
                     RC_OK);
    assert_int_equal(strlen(child.output), MOST);
    assert_string_equal(child.messages, "end\n");
    rc_child_fini(&child);
}

static void one_that_never_stops_talking_is_given_up(void **state)
{
    struct rc_error err = {0};
    struct rc_child child;
    const double began = now();

    (void)state;
    assert_int_equal(shell("yes", NULL, PATIENCE_S, &child, &err), RC_EIO);
    assert_string_equal(err.text, "'sh' printed more than 16 MiB");
    assert_int_equal(shell("yes >&2", NULL, PATIENCE_S, &child, &err), RC_EIO);
    assert_string_equal(err.text, "'sh' printed more than 16 MiB");
    assert_true(now() - began < 10);
}

static void output_with_zero_bytes_ends_at_the_first(void **state)
{
    struct rc_error err = {0};
    struct rc_child child;

    (void)state;
    assert_int_equal(shell("printf 'a\\0b\\377'", NULL, PATIENCE_S, &child, &err),
                     RC_OK);
    assert_string_equal(child.output, "a");
    rc_child_fini(&child);
}

/* In a process of its own: any of the three streams of ours may be closed. */
static void closed_streams_do_no_harm(void **state)
{
    (void)state;
    for (int closed = 0; closed < 8; closed++) {
        const pid_t pid = fork();
        if (pid == 0) {
            struct rc_child child;
            char *const words[] = {"sh", "-c", "cat; echo a; echo b >&2", NULL};
            for (int fd = 0; fd < 3; fd++)
                if (closed & 1 << fd)
                    close(fd);
            _exit(rc_child_run(words, NULL, NULL, PATIENCE_S, &child, NULL) != RC_OK ||
                  strcmp(child.output, "a\n") != 0 ||
                  strcmp(child.messages, "b\n") != 0);
        }
        int ended = -1;
        assert_int_equal(waitpid(pid, &ended, 0), pid);
        assert_int_equal(ended, 0);
    }
}

static void no_file_is_left_open(void **state)
{
    const int before = open_files();
    char *missing[] = {"no-such-program", NULL};
    struct rc_error err = {0};
    struct rc_child child;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(shell("echo a", NULL, PATIENCE_S, &child, &err), RC_OK);
        rc_child_fini(&child);
        expect_failure(missing, NULL, NULL, RC_EMISSING,
                       "no program 'no-such-program' on the PATH");
        assert_int_equal(shell("sleep 9", NULL, 0, &child, &err), RC_EIO);
    }
    assert_int_equal(open_files(), before);
}

static void what_it_said_stands_on_one_line(void **state)
{
    static const struct {
        const char *script, *message;
    } said[] = {
        {"exit 3", "qsub ended with 3: it printed nothing"},
        {"echo a; exit 1", "qsub ended with 1: a"},
        {"echo a; echo b >&2; exit 1", "qsub ended with 1: b"},
        {"printf '\\n\\n a\\n\\n  b\\n\\n' >&2; exit 1", "qsub ended with 1: a; b"},
        {"printf 'a\\033[31m\\tb\\377' >&2; exit 1", "qsub ended with 1: a?[31m?b?"},
        {"printf '\\n \\n'; exit 1", "qsub ended with 1: it printed nothing"},
        {"kill -9 $$", "qsub ended with 137: it printed nothing"},
    };
    struct rc_error err = {0};
    struct rc_child child;

    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        assert_int_equal(shell(said[i].script, NULL, PATIENCE_S, &child, &err), RC_OK);
        assert_int_equal(rc_child_failed(&child, "qsub", &err), RC_EIO);
        assert_string_equal(err.text, said[i].message);
        rc_child_fini(&child);
    }
    assert_int_equal(shell("yes 'é' | head -n 5000", NULL, PATIENCE_S, &child, &err),
                     RC_OK);
    assert_int_equal(rc_child_failed(&child, "qsub", &err), RC_EIO);
    assert_true(strlen(err.text) > 400 && strlen(err.text) < RC_ERROR_TEXT);
    assert_true(rc_text_is_utf8(err.text));
    rc_child_fini(&child);
}

static void programs_are_looked_for_on_the_path(void **state)
{
    char *old = strdup(getenv("PATH"));

    (void)state;
    assert_true(rc_child_is_there("sh"));
    assert_false(rc_child_is_there("no-such-program"));
    assert_int_equal(mkdir("bin", 0755), 0);
    assert_int_equal(mkdir("bin/folder", 0755), 0);
    put("bin/text", "", 0644);
    put("bin/program", "", 0755);
    assert_int_equal(setenv("PATH", ":nowhere::bin:", 1), 0);
    assert_true(rc_child_is_there("program"));
    assert_false(rc_child_is_there("folder"));
    assert_false(rc_child_is_there("text"));
    assert_false(rc_child_is_there("sh"));
    assert_int_equal(unsetenv("PATH"), 0);
    assert_false(rc_child_is_there("program"));
    assert_int_equal(setenv("PATH", old, 1), 0);
    free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_started_is_told),
        cmocka_unit_test(one_that_does_not_end_is_given_up_with_its_children),
        cmocka_unit_test(one_that_never_stops_talking_is_given_up),
        cmocka_unit_test(closed_streams_do_no_harm),
        cmocka_unit_test(statuses_and_signals_are_told),
        cmocka_unit_test(output_and_messages_are_apart),
        cmocka_unit_test(words_are_no_shell_s),
        cmocka_unit_test(it_runs_in_a_directory_and_reads_a_file),
        cmocka_unit_test(one_that_leaves_something_running_is_not_waited_for),
        cmocka_unit_test(large_output_is_read_whole),
        cmocka_unit_test(output_with_zero_bytes_ends_at_the_first),
        cmocka_unit_test(no_file_is_left_open),
        cmocka_unit_test(what_it_said_stands_on_one_line),
        cmocka_unit_test(programs_are_looked_for_on_the_path),
    };

    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}

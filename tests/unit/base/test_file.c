#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "tests/lib/own_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int put(const char *path, const char *text, struct rc_error *err)
{
    return rc_file_replace(path, RC_FILE_GIVEN, text, strlen(text), err);
}

static void expect_contents(const char *path, const char *expected)
{
    struct rc_error err = {0};
    char *text;
    size_t bytes;

    assert_int_equal(rc_file_read(path, RC_FILE_GIVEN, 1 << 20, &text, &bytes, &err),
                     RC_OK);
    assert_string_equal(text, expected);
    assert_int_equal(bytes, strlen(expected));
    free(text);
}

/* Nothing lies aside. */
static void expect_entries(const char *path, int expected)
{
    char command[128];
    int count = -1;

    snprintf(command, sizeof command, "ls -A '%s' | wc -l", path);
    FILE *stream = popen(command, "r");
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%d", &count), 1);
    pclose(stream);
    assert_int_equal(count, expected);
}

static void what_is_no_file_is_refused_and_stays(void **state)
{
    static const struct {
        const char *path;
        enum rc_status status;
        const char *message;
    } bad[] = {
        {"bad/directory", RC_EUSAGE, "'bad/directory' is a directory, expected a file"},
        {"bad/to-directory", RC_EUSAGE,
         "'bad/to-directory' is a directory, expected a file"},
        {"bad/socket", RC_EUSAGE, "'bad/socket' is a socket, expected a file"},
        {"bad/loose", RC_EUSAGE, "'bad/loose' is a dangling link"},
        {"bad/round", RC_EUSAGE, "'bad/round' is a dangling link"},
        {"bad/fifo", RC_EIO, "nobody reads from 'bad/fifo'"},
        {"bad/file/x", RC_EIO, NULL},
        {"bad/none/x", RC_EMISSING, NULL},
        {"", RC_EUSAGE, "'' is not a name, expected the name of a file"},
    };
    struct sockaddr_un address = {AF_UNIX, "bad/socket"};
    struct rc_error err = {0};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    assert_int_equal(mkdir("bad", 0777) | mkdir("bad/directory", 0777) |
                         symlink("directory", "bad/to-directory") |
                         symlink("/nowhere/x", "bad/loose") |
                         symlink("round", "bad/round") | mkfifo("bad/fifo", 0666) |
                         bind(fd, (struct sockaddr *)&address, sizeof address),
                     0);
    assert_int_equal(put("bad/file", "whole", &err), RC_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(put(bad[i].path, "text", &err), bad[i].status);
        if (bad[i].message)
            assert_string_equal(err.text, bad[i].message);
    }
    assert_int_equal(rc_file_replace("bad/directory", RC_FILE_IN, "text", 4, &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "'bad/directory' is a directory, expected a file");
    expect_contents("bad/file", "whole");
    expect_entries("bad", 7);
    expect_entries("bad/directory", 0);
    close(fd);
}

static void a_file_is_made_and_replaced_whole(void **state)
{
    struct rc_error err = {0};
    struct stat before, after;

    (void)state;
    assert_int_equal(mkdir("good", 0777), 0);
    assert_int_equal(put("good/f", "first\n", &err), RC_OK);
    expect_contents("good/f", "first\n");
    assert_int_equal(stat("good/f", &before), 0);
    assert_int_equal(put("good/f", "", &err), RC_OK);
    expect_contents("good/f", "");
    assert_int_equal(stat("good/f", &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino); /* another file, put in place */
    expect_entries("good", 1);
}

static int killed(FILE *out, void *context, struct rc_error *err)
{
    (void)context;
    (void)err;
    fputs("half", out);
    fflush(out);
    raise(SIGKILL);
    return RC_OK;
}

static void a_kill_while_writing_leaves_the_old_file_and_nothing_else(void **state)
{
    const struct rc_file_writer writer = {killed, NULL};
    struct rc_error err = {0};
    int end;

    (void)state;
    assert_int_equal(mkdir("kill", 0777), 0);
    int nameless = open("kill", O_TMPFILE | O_WRONLY, 0666);
    if (nameless < 0)
        skip(); /* this file system has no files without a name */
    close(nameless);
    assert_int_equal(put("kill/f", "whole", &err), RC_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        rc_file_replace_by("kill/f", RC_FILE_GIVEN, &writer, &err);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFSIGNALED(end));
    expect_contents("kill/f", "whole");
    expect_entries("kill", 1);
}

static void a_link_stays_and_what_it_leads_to_is_replaced(void **state)
{
    struct rc_error err = {0};
    struct stat info;

    (void)state;
    assert_int_equal(mkdir("links", 0777) | mkdir("links/far", 0777) |
                         symlink("far/f", "links/l") | symlink("l", "links/ll"),
                     0);
    assert_int_equal(put("links/far/f", "old", &err), RC_OK);
    assert_int_equal(put("links/ll", "new", &err), RC_OK);
    expect_contents("links/far/f", "new");
    assert_int_equal(lstat("links/ll", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat("links/l", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    expect_entries("links", 3);
    expect_entries("links/far", 1);
}

static int put_in(const char *path, enum rc_file_place place)
{
    return rc_file_replace(path, place, "new", 3, &(struct rc_error){0});
}

static void in_a_campaigns_directory_no_link_is_followed(void **state)
{
    static const struct {
        const char *path;
        enum rc_file_place place;
        bool opens;
    } tries[] = {
        {"camp/d/file", RC_FILE_IN, true},
        {"camp/dl/file", RC_FILE_IN, true},
        {"camp/dl//sub/file", RC_FILE_BELOW, true},
        {"camp/d/link", RC_FILE_IN, false},
        {"camp/d/round", RC_FILE_IN, false},
        {"camp/d/sub/link", RC_FILE_BELOW, false},
        {"camp/d/sublink/file", RC_FILE_BELOW, false},
        {"camp/d/sublink//file", RC_FILE_BELOW, false},
        {"camp/d/link", RC_FILE_GIVEN, true},
    };
    struct stat info;

    (void)state;
    assert_int_equal(mkdir("camp", 0777) | mkdir("camp/d", 0777) |
                         mkdir("camp/d/sub", 0777) | symlink("d", "camp/dl") |
                         symlink("../../precious", "camp/d/link") |
                         symlink("round", "camp/d/round") |
                         symlink("../../../precious", "camp/d/sub/link") |
                         symlink("sub", "camp/d/sublink"),
                     0);
    assert_int_equal(put("precious", "old", &(struct rc_error){0}) |
                         put("camp/d/file", "", &(struct rc_error){0}) |
                         put("camp/d/sub/file", "", &(struct rc_error){0}),
                     0);
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct rc_error err = {0};
        int fd = rc_file_open(tries[i].path, tries[i].place, O_RDONLY);
        if (fd < 0)
            assert_int_equal(rc_file_fail_open(&err, tries[i].path), RC_EUSAGE);
        assert_true((fd >= 0) == tries[i].opens);
        if (fd < 0)
            assert_non_null(strstr(err.text, "is a symbolic link or is reached"));
        else
            close(fd);
    }
    assert_int_equal(rc_file_open("camp/d/sublink", RC_FILE_IN, O_DIRECTORY), -1);
    assert_int_equal(errno, ELOOP);
    assert_int_equal(put_in("camp/d/sublink/file", RC_FILE_BELOW), RC_EUSAGE);
    assert_int_equal(put_in("camp/d/link", RC_FILE_IN), RC_OK); /* in its place */
    assert_int_equal(put_in("camp/d/sub/link", RC_FILE_BELOW), RC_OK);
    expect_contents("precious", "old");
    expect_contents("camp/d/link", "new");
    assert_int_equal(lstat("camp/d/link", &info), 0);
    assert_true(S_ISREG(info.st_mode));
    expect_entries("camp/d", 5);
    expect_entries("camp/d/sub", 2);
}

static void a_file_that_is_replaced_keeps_its_mode(void **state)
{
    const mode_t modes[] = {0600, 0640, 0444, 0755};
    const enum rc_file_place places[] = {RC_FILE_GIVEN, RC_FILE_IN};
    struct rc_error err = {0};
    struct stat info;

    (void)state;
    assert_int_equal(put("mode", "", &err) | symlink("mode", "to-mode"), 0);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(chmod("mode", modes[i / 2]), 0);
        assert_int_equal(put_in(i % 2 ? "mode" : "to-mode", places[i % 2]), RC_OK);
        assert_int_equal(stat("mode", &info), 0);
        assert_int_equal(info.st_mode & 0777, modes[i / 2]);
    }
    if (geteuid() != 0)
        return;
    assert_int_equal(chown("mode", 65534, 65533), 0);
    assert_int_equal(put_in("mode", RC_FILE_IN), RC_OK);
    assert_int_equal(stat("mode", &info), 0);
    assert_int_equal(info.st_uid, 65534);
    assert_int_equal(info.st_gid, 65533);
}

static void only_files_and_nameless_pipes_are_read(void **state)
{
    struct rc_error err = {0};
    char *text, path[32];
    size_t bytes;
    int ends[2];

    (void)state;
    assert_int_equal(mkfifo("named", 0666), 0);
    assert_int_equal(rc_file_read("named", RC_FILE_GIVEN, 9, &text, &bytes, &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "'named' is a pipe, expected a file");
    assert_int_equal(rc_file_read("/dev/zero", RC_FILE_GIVEN, 9, &text, &bytes, &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "'/dev/zero' is a device, expected a file");
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "text", 4), 4);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(rc_file_read(path, RC_FILE_GIVEN, 9, &text, &bytes, &err), RC_OK);
    assert_string_equal(text, "text");
    free(text);
    close(ends[0]);
}

/* Nodes of our own: nothing here may rename over those of the system. */
static void devices_are_written_to_and_stay(void **state)
{
    struct rc_error err = {0};
    struct stat info;

    (void)state;
    if (mknod("full", S_IFCHR | 0666, makedev(1, 7)) != 0 ||
        mknod("null", S_IFCHR | 0666, makedev(1, 3)) != 0) {
        print_message("no devices can be made here: %s\n", strerror(errno));
        skip();
    }
    int fd = open("null", O_WRONLY);
    if (fd < 0) {
        print_message("no devices can be opened here: %s\n", strerror(errno));
        skip();
    }
    close(fd);
    assert_int_equal(put("full", "text", &err), RC_EIO);
    assert_string_equal(err.text, "cannot write 'full': No space left on device");
    assert_int_equal(put("null", "text", &err), RC_OK);
    assert_int_equal(stat("full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    assert_int_equal(stat("null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void disks_are_refused(void **state)
{
    struct rc_error err = {0};

    (void)state;
    if (mknod("disk", S_IFBLK | 0666, makedev(7, 250)) != 0) {
        print_message("no devices can be made here: %s\n", strerror(errno));
        skip();
    }
    assert_int_equal(put("disk", "text", &err), RC_EUSAGE);
    assert_string_equal(err.text, "'disk' is a disk, expected a file");
}

static void a_pipe_that_is_read_gets_all_of_it(void **state)
{
    enum { BYTES = 300000 }; /* more than a pipe holds */
    char *text = malloc(BYTES);
    struct rc_error err = {0};
    int status;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', BYTES);
    assert_int_equal(mkfifo("pipe", 0666), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    pid_t child = fork();
    if (child == 0) {
        size_t got = 0;
        ssize_t part;
        fcntl(reader, F_SETFL, 0);
        while ((part = read(reader, text, BYTES)) > 0 || got == 0)
            got += part > 0 ? (size_t)part : 0;
        _exit(got == BYTES ? 0 : 1);
    }
    assert_int_equal(rc_file_replace("pipe", RC_FILE_GIVEN, text, BYTES, &err), RC_OK);
    close(reader);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    free(text);
}

/* As with '--write /dev/stdout > FILE'. */
static void standard_output_goes_on_where_it_is(void **state)
{
    struct rc_error err = {0};
    int status;

    (void)state;
    assert_int_equal(put("output", "", &err), RC_OK);
    pid_t child = fork();
    if (child == 0) {
        int fd = open("output", O_WRONLY);
        bool well = fd >= 0 && dup2(fd, STDOUT_FILENO) == STDOUT_FILENO &&
                    write(STDOUT_FILENO, "before ", 7) == 7 &&
                    put("/dev/stdout", "text", NULL) == RC_OK &&
                    write(STDOUT_FILENO, " after", 6) == 6;
        _exit(well ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_contents("output", "before text after");
}

static void a_file_too_large_or_missing_is_not_read(void **state)
{
    struct rc_error err = {0};
    char *text;
    size_t bytes;

    (void)state;
    assert_int_equal(put("large", "0123456789", &err), RC_OK);
    assert_int_equal(rc_file_read("large", RC_FILE_GIVEN, 9, &text, &bytes, &err),
                     RC_EUSAGE);
    assert_null(text);
    assert_int_equal(rc_file_read("missing", RC_FILE_GIVEN, 9, &text, &bytes, &err),
                     RC_EMISSING);
    assert_string_equal(err.text, "cannot open 'missing': No such file or directory");
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_file_is_refused_and_stays),
        cmocka_unit_test(a_file_is_made_and_replaced_whole),
        cmocka_unit_test(a_kill_while_writing_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(a_link_stays_and_what_it_leads_to_is_replaced),
        cmocka_unit_test(in_a_campaigns_directory_no_link_is_followed),
        cmocka_unit_test(a_file_that_is_replaced_keeps_its_mode),
        cmocka_unit_test(only_files_and_nameless_pipes_are_read),
        cmocka_unit_test(devices_are_written_to_and_stay),
        cmocka_unit_test(disks_are_refused),
        cmocka_unit_test(a_pipe_that_is_read_gets_all_of_it),
        cmocka_unit_test(standard_output_goes_on_where_it_is),
        cmocka_unit_test(a_file_too_large_or_missing_is_not_read),
    };
    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}

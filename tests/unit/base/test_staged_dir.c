/* Directories in which results grow, and the names of what is in them. */
#include "tests/lib/test.h"

#include "campaign/base/files/path.h"
#include "campaign/base/files/staged_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "/tmp/rc-staged-XXXXXX";

static const char *in_top(const char *name)
{
    static char path[4][PATH_MAX];
    static size_t at;

    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", top, name);
    return path[at];
}

static void write_file(const char *name)
{
    FILE *file = fopen(in_top(name), "we");

    assert_non_null(file);
    fclose(file);
}

static int enter(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : -1;
}

static int leave(void **state)
{
    struct stat found;

    (void)state;
    rc_staged_dir_remove(top);
    return lstat(top, &found) == 0 ? -1 : 0;
}

static void a_path_that_is_too_long_is_refused(void **state)
{
    char path[16];
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_path(path, sizeof path, &err, "%s/%d", "12345678901", 123),
                     RC_OK);
    assert_string_equal(path, "12345678901/123");
    assert_int_equal(rc_path(path, sizeof path, &err, "%s/%d", "12345678901", 1234),
                     RC_EUSAGE);
    assert_string_equal(err.text,
                        "'12345678901/123...' is too long for the name of a file");
    assert_string_equal(path, "");
    assert_int_equal(rc_path(path, sizeof path, NULL, "%17d", 1), RC_EUSAGE);
}

static void a_stage_begins_empty_and_what_links_lead_to_stays(void **state)
{
    struct rc_error err;

    (void)state;
    assert_int_equal(mkdir(in_top("others"), 0777), 0);
    write_file("others/file");
    assert_int_equal(rc_staged_dir_make(in_top("stage"), &err), RC_OK);
    assert_int_equal(mkdir(in_top("stage/journal"), 0777), 0);
    write_file("stage/journal/left");
    assert_int_equal(symlink(in_top("others"), in_top("stage/link")), 0);
    assert_int_equal(rc_staged_dir_make(in_top("stage"), &err), RC_OK);
    assert_int_equal(rmdir(in_top("stage")), 0);
    assert_int_equal(symlink(in_top("others"), in_top("stage")), 0);
    rc_staged_dir_remove(in_top("stage"));
    rc_staged_dir_remove(in_top("stage"));
    assert_int_equal(access(in_top("stage"), F_OK), -1);
    assert_int_equal(access(in_top("others/file"), F_OK), 0);
    assert_int_equal(rc_staged_dir_make(in_top("not/there"), &err), RC_EMISSING);
}

static void what_is_whole_is_put_in_place_in_order(void **state)
{
    const char *const names[] = {"a", "b", NULL};
    struct rc_error err;

    (void)state;
    assert_int_equal(mkdir(in_top("dir"), 0777), 0);
    assert_int_equal(rc_staged_dir_make(in_top("dir/.stage"), &err), RC_OK);
    write_file("dir/.stage/a");
    assert_int_equal(
        rc_staged_dir_place(in_top("dir/.stage"), names, in_top("dir"), &err),
        RC_EMISSING);
    assert_non_null(strstr(err.text, "dir/.stage/b"));
    assert_int_equal(access(in_top("dir/a"), F_OK), 0);
    write_file("dir/.stage/a");
    write_file("dir/.stage/b");
    assert_int_equal(
        rc_staged_dir_place(in_top("dir/.stage"), names, in_top("dir"), &err), RC_OK);
    assert_int_equal(access(in_top("dir/b"), F_OK), 0);
    assert_int_equal(rmdir(in_top("dir/.stage")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_that_is_too_long_is_refused),
        cmocka_unit_test(a_stage_begins_empty_and_what_links_lead_to_stays),
        cmocka_unit_test(what_is_whole_is_put_in_place_in_order),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

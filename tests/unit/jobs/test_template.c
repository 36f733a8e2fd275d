#include "tests/lib/test.h"

#include "jobs/descriptors.h"
#include "jobs/fill.h"
#include "jobs/template.h"
#include "tests/lib/own_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTIONS                                                                       \
    "expected a section in brackets: one of header, setup, launch, again, submit, "    \
    "query, cancel, head, common, run, deal, finish, noise, profile"

static int from_text(const char *text, struct rc_template *out, struct rc_error *err)
{
    return rc_template_from_text(&rc_scheduler_slurm, "site", text, strlen(text), out,
                                 err);
}

static void expect_empty(const struct rc_template *t)
{
    for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
        assert_null(t->text[i]);
        assert_null(t->where[i]);
    }
}

static void wrong_files_are_told_by_line(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "site:1: found 'the end of the file', " SECTIONS},
        {"\n# all a comment\n", "site:3: found 'the end of the file', " SECTIONS},
        {"# no end of the line", "site:2: found 'the end of the file', " SECTIONS},
        {"x=1\n[header]\n", "site:1: found 'x=1', " SECTIONS},
        {"\n\n  # x\n[header]\n", "site:3: found '  # x', " SECTIONS},
        {"[]\n", "site:1: found '[]', " SECTIONS},
        {"[header\n", "site:1: found '[header', " SECTIONS},
        {"[header] \n", "site:1: found '[header] ', " SECTIONS},
        {" [header]\n", "site:1: found ' [header]', " SECTIONS},
        {"[header]\r\n[setup]\r\n", "site:1: found '[header]?', " SECTIONS},
        {"[headers]\n", "site:1: found '[headers]', " SECTIONS},
        {"[Header]\n", "site:1: found '[Header]', " SECTIONS},
        {"[setup]\na\n[Header]\n", "site:3: found '[Header]', " SECTIONS},
        {"[setup]\na\n[re-submit]\n", "site:3: found '[re-submit]', " SECTIONS},
        {"[setup]\na\n[run2]\n", "site:3: found '[run2]', " SECTIONS},
        {"[setup]\na\n[auto]\nb\n", "site:3: found '[auto]', " SECTIONS},
        {"[setup]\na\n[run]\n[setup]\n", "site:4: the section [setup] is there twice"},
        {"[run]\n[run]", "site:2: the section [run] is there twice"},
        {"\x1b[31m\n", "site:1: found '?[31m', " SECTIONS},
        {"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "xxxxxxxxxxxxxxxxxxxx",
         "site:1: found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "xxxxxxxxxxx', " SECTIONS},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_template t;
        assert_int_equal(from_text(bad[i].text, &t, &err), RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
        expect_empty(&t);
    }
}

static void zero_bytes_are_refused(void **state)
{
    static const char text[] = "[header]\na\0b\n";
    struct rc_error err = {0};
    struct rc_template t;

    (void)state;
    assert_int_equal(rc_template_from_text(&rc_scheduler_slurm, "site", text,
                                           sizeof text - 1, &t, &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "site: a zero byte, expected text");
    expect_empty(&t);
}

static void files_that_cannot_be_read_are_told(void **state)
{
    struct rc_error err = {0};
    struct rc_template t;

    (void)state;
    assert_int_equal(rc_template_open(&rc_scheduler_slurm, "nowhere", &t, &err),
                     RC_EMISSING);
    assert_string_equal(err.text, "cannot open 'nowhere': No such file or directory");
    expect_empty(&t);
    assert_int_equal(rc_template_open(&rc_scheduler_slurm, ".", &t, &err), RC_EUSAGE);
    assert_string_equal(err.text, "'.' is a directory, expected a file");
    expect_empty(&t);
    assert_int_equal(rc_template_open(&rc_scheduler_slurm, "/dev/zero", &t, &err),
                     RC_EUSAGE);
    assert_non_null(strstr(err.text, "/dev/zero"));
    expect_empty(&t);
}

static void a_file_changes_the_sections_that_it_has(void **state)
{
    struct rc_error err = {0};
    struct rc_template own, t;

    (void)state;
    assert_int_equal(rc_template_open(&rc_scheduler_slurm, NULL, &own, &err), RC_OK);
    assert_int_equal(from_text("# for us\n\n[setup]\n[ -n \"$x\" ]\n\n[x y]\n"
                               "[again]\n# [launch]\nsrun",
                               &t, &err),
                     RC_OK);
    assert_string_equal(t.text[RC_JOB_SETUP], "[ -n \"$x\" ]\n\n[x y]\n");
    assert_string_equal(t.text[RC_JOB_AGAIN], "");
    assert_string_equal(t.text[RC_JOB_LAUNCH], "srun");
    assert_string_equal(t.where[RC_JOB_SETUP], "site's setup");
    assert_string_equal(t.where[RC_JOB_HEADER], "slurm's header");
    for (size_t i = 0; i < RC_JOB_TEXTS; i++)
        if (i != RC_JOB_SETUP && i != RC_JOB_AGAIN && i != RC_JOB_LAUNCH)
            assert_string_equal(t.text[i], own.text[i]);
    rc_template_fini(&t);
    rc_template_fini(&t);
    rc_template_fini(&own);
}

static char *written(const struct rc_template *t)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    assert_non_null(out);
    rc_template_write(t, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* A written template is read again as the same, also with sections without a newline.
 */
static void what_is_written_reads_back(void **state)
{
    (void)state;
    for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++)
        for (int changed = 0; changed < 2; changed++) {
            struct rc_error err = {0};
            struct rc_template t, back;
            static const char file[] = "[submit]\na $script\n[again]\nx";
            if (changed)
                assert_int_equal(
                    rc_template_from_text(*s, "site", file, sizeof file - 1, &t, &err),
                    RC_OK);
            else
                assert_int_equal(rc_template_open(*s, NULL, &t, &err), RC_OK);
            char *text = written(&t);
            assert_int_equal(
                rc_template_from_text(*s, "back", text, strlen(text), &back, &err),
                RC_OK);
            for (size_t i = 0; i < RC_JOB_TEXTS; i++) {
                if (!changed || i != RC_JOB_AGAIN)
                    assert_string_equal(back.text[i], t.text[i]);
                else
                    assert_string_equal(back.text[i], "x\n");
            }
            char *again = written(&back);
            assert_string_equal(again, text);
            free(again);
            free(text);
            rc_template_fini(&back);
            rc_template_fini(&t);
        }
}

static void files_are_read_as_texts_are(void **state)
{
    struct rc_error err = {0};
    struct rc_template t;
    FILE *file = fopen("site's file", "w");

    (void)state;
    fputs("[query]\nq $1 ${set_job-}\n", file);
    fclose(file);
    assert_int_equal(rc_template_open(&rc_scheduler_local, "site's file", &t, &err),
                     RC_OK);
    assert_string_equal(t.text[RC_JOB_QUERY], "q $1 ${set_job-}\n");
    assert_string_equal(t.where[RC_JOB_QUERY], "site's file's query");
    assert_true(rc_template_uses(&t, "job"));
    assert_false(rc_template_uses(&t, "jo"));
    rc_template_fini(&t);
}

static void names_are_listed_once(void **state)
{
    struct rc_error err = {0};
    struct rc_template t;
    char names[1000], little[12];

    (void)state;
    assert_int_equal(
        from_text("[header]\n# {{b}} {{a}} {{ab}} {{b}} {{}} {{a b}} {{\n[setup]\n"
                  "$a ${set_a} set_x $set_ \"$set_aa\" ${set_b-}\n"
                  "[launch]\n[again]\n[submit]\n[query]\n[cancel]\n[head]\n[common]\n"
                  "[run]\n[deal]\n[finish]\n[noise]\n$set_ac$set_b$set_",
                  &t, &err),
        RC_OK);
    rc_template_names(&t, names, sizeof names);
    assert_string_equal(names, "b, a, ab, aa, ac");
    rc_template_names(&t, little, 4);
    assert_string_equal(little, "b, ");
    rc_template_fini(&t);
}

/* Templates from before values were variables are reported. */
static void placeholders_in_shell_are_told(void **state)
{
    static const char *const sections[] = {"setup", "launch", "again",  "submit",
                                           "query", "cancel", "common", "run"};

    (void)state;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        struct rc_error err = {0};
        struct rc_template t;
        char text[80], expected[200];
        snprintf(text, sizeof text, "[header]\n# {{qos}}\n[%s]\n\n: {{ {{qos}}\n",
                 sections[i]);
        snprintf(
            expected, sizeof expected,
            "site's %s, line 2: {{qos}} in shell, expected variables: \"$qos\", or "
            "\"$set_qos\" of --set, as --show-template has them",
            sections[i]);
        assert_int_equal(from_text(text, &t, &err), RC_EUSAGE);
        assert_string_equal(err.text, expected);
        expect_empty(&t);
    }
}

static void all_texts_of_all_schedulers_are_whole(void **state)
{
    (void)state;
    for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++) {
        struct rc_error err = {0};
        struct rc_template t;
        char *text = NULL, name[RC_FILL_NAME];
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        struct rc_fill *fill = rc_fill_create();
        assert_int_equal(rc_template_open(*s, NULL, &t, &err), RC_OK);
        for (const char *at = t.text[RC_JOB_HEADER]; (at = rc_fill_next(at, name));)
            rc_fill_set(fill, name, "1");
        assert_int_equal(
            rc_fill_header(fill, *s, "header", t.text[RC_JOB_HEADER], out, &err),
            RC_OK);
        fclose(out);
        assert_null(strstr(text, "{{"));
        for (size_t i = RC_JOB_HEADER + 1; i < RC_JOB_TEXTS; i++) {
            assert_non_null(t.text[i]);
            assert_true(t.text[i][0]);
            assert_null(rc_fill_next(t.text[i], name));
        }
        free(text);
        rc_fill_close(fill);
        rc_template_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_told_by_line),
        cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_told),
        cmocka_unit_test(a_file_changes_the_sections_that_it_has),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(files_are_read_as_texts_are),
        cmocka_unit_test(names_are_listed_once),
        cmocka_unit_test(placeholders_in_shell_are_told),
        cmocka_unit_test(all_texts_of_all_schedulers_are_whole),
    };

    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}

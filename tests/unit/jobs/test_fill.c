#include "tests/lib/test.h"

#include "campaign/base/text.h"
#include "jobs/descriptors.h"
#include "jobs/fill.h"
#include "tests/lib/own_dir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 16, RANDOM = 40, RANDOM_BYTES = 30 };

/* Words that people type, names of files, and words that try to be more than a word. */
static const char *const typed[] = {"",
                                    " ",
                                    "a",
                                    "a b",
                                    " a  b ",
                                    "'",
                                    "''",
                                    "\"",
                                    "'\"'\"'",
                                    "it's",
                                    "$HOME",
                                    "${HOME}",
                                    "$(touch made)",
                                    "`touch made`",
                                    "';touch made;'",
                                    "\";touch made;\"",
                                    "\\",
                                    "\\'",
                                    "\\\\n",
                                    "\n",
                                    "a\nb",
                                    "a\n",
                                    "\n#SBATCH --uid=root\n",
                                    "\n#$ -o made\n#BSUB -o made\n",
                                    "x\ntouch made\n",
                                    "-",
                                    "-n",
                                    "--",
                                    "-rf",
                                    "!",
                                    "!!",
                                    "a!b!",
                                    "~",
                                    "~root",
                                    "*",
                                    "?",
                                    "[a-z]",
                                    "{a,b}",
                                    "{1..9}",
                                    "#",
                                    "a #b",
                                    "&",
                                    ";",
                                    "|",
                                    "<",
                                    ">made",
                                    "(",
                                    "()",
                                    "=",
                                    "=ls",
                                    "a=b",
                                    "%s",
                                    "{{name}}",
                                    "{{",
                                    "}}",
                                    "\t",
                                    "\r",
                                    "\r\n",
                                    "\x01\x02\x1b[31m\x7f",
                                    "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xa1",
                                    "\xff\xfe\x80",
                                    "\xc3",
                                    "\xe2\x80\xa8"};
enum { TYPED = sizeof typed / sizeof typed[0], VALUES = TYPED + RANDOM + 1 };

/* One that takes values as they are, or not at all. */
static const struct rc_scheduler simple = {
    .name = "simple", .summary = "Simple", .directive = "#SIMPLE"};

static char *values[VALUES];

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 16;
}

/* The typed ones, some of random bytes, and a long one of all bytes. */
static int setup(void **state)
{
    uint32_t seed = 7;
    size_t count = 0;

    if (enter_own_dir(state))
        return -1;
    for (; count < TYPED; count++)
        values[count] = strdup(typed[count]);
    for (; count < VALUES; count++) {
        const size_t bytes = count + 1 < VALUES ? next(&seed) % RANDOM_BYTES : LONG;
        values[count] = calloc(1, bytes + 1);
        for (size_t i = 0; values[count] && i < bytes; i++)
            values[count][i] = (char)(1 + next(&seed) % 255);
    }
    return 0;
}

static int teardown(void **state)
{
    for (size_t i = 0; i < VALUES; i++)
        free(values[i]);
    return remove_own_dir(state);
}

/* A text that is being written. */
struct text {
    FILE *out;
    char *text;
    size_t bytes;
};

static void text_open(struct text *t)
{
    *t = (struct text){0};
    t->out = open_memstream(&t->text, &t->bytes);
    assert_non_null(t->out);
}

static const char *text_end(struct text *t)
{
    assert_int_equal(fclose(t->out), 0);
    return t->text;
}

static struct rc_fill *fill_of(const char *name, const char *value)
{
    struct rc_fill *fill = rc_fill_create();

    assert_non_null(fill);
    rc_fill_set(fill, name, value);
    assert_int_equal(rc_fill_check(fill, NULL), RC_OK);
    return fill;
}

/* Fills in and gives back what came of it, to be freed; NULL: refused. */
static char *filled(const struct rc_fill *fill, const struct rc_scheduler *scheduler,
                    const char *text, struct rc_error *err)
{
    struct text t;

    text_open(&t);
    int status = rc_fill_header(fill, scheduler, "here", text, t.out, err);
    text_end(&t);
    if (status == RC_OK)
        return t.text;
    assert_int_equal(status, RC_EUSAGE);
    free(t.text);
    return NULL;
}

/* The words that a shell makes of a script that prints them with a 0 after each. */
static size_t shell_reads(const char *shell, const char *script, char *out, size_t room)
{
    char command[64];
    FILE *file = fopen("s", "w");

    assert_non_null(file);
    fputs(script, file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "exec %s s 2>&1", shell);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t bytes = fread(out, 1, room, pipe);
    assert_int_equal(pclose(pipe), 0);
    assert_int_equal(access("made", F_OK), -1);
    unlink("s");
    return bytes;
}

static void expect_values(const char *shell, const char *script)
{
    enum { ROOM = 2 * LONG };
    char *out = malloc(ROOM);
    size_t at = 0;

    assert_non_null(out);
    const size_t bytes = shell_reads(shell, script, out, ROOM);
    for (size_t i = 0; i < VALUES; i++) {
        const size_t expected = strlen(values[i]) + 1;
        assert_true(at + expected <= bytes);
        assert_memory_equal(out + at, values[i], expected);
        at += expected;
    }
    assert_int_equal(at, bytes);
    free(out);
}

static void quoted_words_are_read_back_by_shells(void **state)
{
    struct text t;

    (void)state;
    text_open(&t);
    fputs("printf '%s\\0'", t.out);
    for (size_t i = 0; i < VALUES; i++) {
        fputc(' ', t.out);
        rc_fill_quote(values[i], t.out);
    }
    fputc('\n', t.out);
    text_end(&t);
    expect_values("bash", t.text);
    expect_values("dash", t.text);
    free(t.text);
}

static void values_are_variables_of_the_shell(void **state)
{
    struct rc_fill *fill = rc_fill_create();
    struct rc_error err = {0};
    struct text t;

    (void)state;
    text_open(&t);
    for (size_t i = 0; i < VALUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%zu", i);
        if (i % 2)
            rc_fill_set(fill, name, values[i]);
        else
            assert_true(rc_fill_set_by_user(fill, name, values[i]));
    }
    rc_fill_set(fill, "none", NULL);
    assert_int_equal(rc_fill_check(fill, &err), RC_OK);
    rc_fill_assign(fill, t.out);
    fputs("set -u\nprintf '%s' \"$none\"\nprintf '%s\\0'", t.out);
    for (size_t i = 0; i < VALUES; i++)
        fprintf(t.out, " \"$%sv%zu\"", i % 2 ? "" : "set_", i);
    text_end(&t);
    expect_values("bash", t.text);
    expect_values("dash", t.text);
    free(t.text);
    rc_fill_close(fill);
}

/* A batch system that looks for directives in the whole script finds none in values. */
static void no_line_of_a_quoted_value_begins_as_the_value_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < VALUES; i++) {
        struct text t;
        text_open(&t);
        rc_fill_quote(values[i], t.out);
        text_end(&t);
        for (const char *at = t.text; (at = strchr(at, '\n'));)
            assert_int_equal(*++at, '\'');
        free(t.text);
    }
}

static void expect_one_printable_line(const char *text)
{
    char *end = strchr(text, '\n'), line[2 * LONG];

    assert_non_null(end);
    assert_string_equal(end, "\n");
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    char copy[sizeof line];
    assert_string_equal(rc_text_printable(copy, sizeof copy, line), line);
}

static void values_in_comments_stay_on_the_line(void **state)
{
    static const char *const lines[] = {"# {{v}}", "   # it's {{v}} \"and\" {{v}}"};
    struct rc_error err = {0};
    char out[64];

    (void)state;
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++)
        for (size_t i = 0; i < VALUES; i++) {
            struct rc_fill *fill = fill_of("v", values[i]);
            char *text = filled(fill, &rc_scheduler_slurm, lines[l], &err);
            assert_non_null(text);
            expect_one_printable_line(text);
            if (i < TYPED && strchr(typed[i], '\n'))
                assert_int_equal(shell_reads("bash", text, out, sizeof out), 0);
            free(text);
            rc_fill_close(fill);
        }
}

static void patterns_stand_in_directives_as_they_are(void **state)
{
    struct rc_fill *fill = rc_fill_create();
    struct rc_error err = {0};

    (void)state;
    rc_fill_set_pattern(fill, "v", "$a%b\ntouch made\n");
    char *text = filled(fill, &simple, "# {{v}}\n#SIMPLE {{v}}\n", &err);
    assert_string_equal(text, "# $a%b?touch made?\n#SIMPLE $a%b?touch made?\n");
    free(text);
    rc_fill_close(fill);
}

static void directives_take_plain_values_and_refuse_all_else(void **state)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.,:=+@/%^~-";

    (void)state;
    for (size_t i = 0; i < VALUES; i++) {
        struct rc_fill *fill = fill_of("v", values[i]);
        struct rc_error err = {0};
        char *text = filled(fill, &simple, "#SIMPLE --qos={{v}}", &err);
        const bool is_plain = values[i][0] && values[i][0] != '-' &&
                              values[i][strspn(values[i], plain)] == '\0';
        assert_int_equal(text != NULL, is_plain);
        if (text) {
            expect_one_printable_line(text);
            assert_memory_equal(text, "#SIMPLE --qos=", 14);
            assert_memory_equal(text + 14, values[i], strlen(values[i]));
        } else {
            assert_memory_equal(err.text, "Simple cannot take the v '", 26);
        }
        free(text);
        rc_fill_close(fill);
    }
}

static void refusals_of_directives_say_why(void **state)
{
    static const struct {
        const char *value, *message;
    } bad[] = {
        {"", "Simple cannot take the v '': it is empty"},
        {"-x", "Simple cannot take the v '-x': it begins with a dash and would be an "
               "option"},
        {"a b", "Simple cannot take the v 'a b': expected letters, digits and "
                "_.,:=+@/%^~- only"},
        {"a\n#SIMPLE -x", "Simple cannot take the v 'a?#SIMPLE -x': expected letters, "
                          "digits and _.,:=+@/%^~- only"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_fill *fill = fill_of("v", bad[i].value);
        struct rc_error err = {0};
        assert_null(filled(fill, &simple, "#SIMPLE -q {{v}}", &err));
        assert_string_equal(err.text, bad[i].message);
        rc_fill_close(fill);
    }
}

/* Every scheduler's own lines: one line, or a reason. */
static void no_value_leaves_a_directive_of_any_scheduler(void **state)
{
    (void)state;
    for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++) {
        char line[64];
        snprintf(line, sizeof line, "%s -x {{v}}", (*s)->directive);
        for (size_t i = 0; i < VALUES && (*s)->directive[0]; i++) {
            struct rc_fill *fill = fill_of("v", values[i]);
            struct rc_error err = {0};
            char *text = filled(fill, *s, line, &err);
            if (text)
                expect_one_printable_line(text);
            else
                assert_true(err.text[0]);
            free(text);
            rc_fill_close(fill);
        }
    }
}

static void lines_without_a_value_are_left_out(void **state)
{
    static const struct {
        const char *text, *expected;
    } good[] = {
        {"", ""},
        {"\n", "\n"},
        {"\n\na", "\n\na\n"},
        {"a", "a\n"},
        {"# {{none}} b\n", ""},
        {"# {{none}}{{empty}}\nb\n", "b\n"},
        {"# a={{empty}} {{one}}\n", "# a= 1\n"},
        {"# x{{one}}y{{one}}\n# {{none}}\nz", "# x1y1\nz\n"},
        {"#SBATCH {{gone}}\nz", "z\n"},
        {"#SBATCH -{{one}}=\"{{one}}\"\n", "#SBATCH -1=\"1\"\n"},
        {"#SBATCH {{none}}\n# {{none}}\n", ""},
        {"# {{ {{one}}\n", NULL},
        {"{ {one}}\n", "{ {one}}\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct rc_fill *fill = fill_of("one", "1");
        struct rc_error err = {0};
        rc_fill_set(fill, "empty", "");
        rc_fill_set(fill, "gone", "x");
        rc_fill_set(fill, "gone", NULL);
        char *text = filled(fill, &rc_scheduler_slurm, good[i].text, &err);
        if (good[i].expected)
            assert_string_equal(text, good[i].expected);
        else
            assert_null(text);
        free(text);
        rc_fill_close(fill);
    }
}

static void broken_placeholders_are_told_with_their_line(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"{{", "here, line 1: '{{' is not a placeholder, expected {{name}}"},
        {"a\nb {{c\n", "here, line 2: '{{c' is not a placeholder, expected {{name}}"},
        {"a\nb {{c}\nd",
         "here, line 2: '{{c}' is not a placeholder, expected {{name}}"},
        {"{{}}", "here, line 1: '{{}}' is not a placeholder, expected {{name}}"},
        {"{{a b}}", "here, line 1: '{{a b}}' is not a placeholder, expected {{name}}"},
        {"{{1a}}", "here, line 1: '{{1a}}' is not a placeholder, expected {{name}}"},
        {"{{_a}}", "here, line 1: '{{_a}}' is not a placeholder, expected {{name}}"},
        {"{{a-b}}", "here, line 1: '{{a-b}}' is not a placeholder, expected {{name}}"},
        {"{{{v}}}", "here, line 1: '{{{v}}}' is not a placeholder, expected {{name}}"},
        {"{{\xff}}", "here, line 1: '{{?}}' is not a placeholder, expected {{name}}"},
        {"# {{\n", "here, line 1: '{{' is not a placeholder, expected {{name}}"},
        {"#SBATCH {{x\n",
         "here, line 1: '{{x' is not a placeholder, expected {{name}}"},
        {"\n\necho {{v}}",
         "here, line 3: {{v}} stands neither in a directive nor in a comment"},
        {"true # {{v}}",
         "here, line 1: {{v}} stands neither in a directive nor in a comment"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_fill *fill = fill_of("v", "x");
        struct rc_error err = {0};
        assert_null(filled(fill, &rc_scheduler_slurm, bad[i].text, &err));
        assert_string_equal(err.text, bad[i].message);
        rc_fill_close(fill);
    }
}

static void names_are_letters_digits_and_underscores(void **state)
{
    static const char *const good[] = {"a", "A", "a1", "a_b_", "Z9"};
    static const char *const bad[] = {"",    "1",   "_a",       "a-b", "a b",
                                      "a.b", "a\n", "\xc3\xa9", "a}",  "{{a}}"};
    char name[70];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(rc_fill_is_name(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(rc_fill_is_name(bad[i]));
    memset(name, 'a', sizeof name);
    name[63] = '\0';
    assert_true(rc_fill_is_name(name));
    name[63] = 'a';
    name[64] = '\0';
    assert_false(rc_fill_is_name(name));
}

static void the_names_of_a_text_are_found(void **state)
{
    char name[RC_FILL_NAME];
    const char *at = "{{ {{a b}} {{bb}}{{b}} {{c} {{{d}} {{}}";

    (void)state;
    at = rc_fill_next(at, name);
    assert_string_equal(name, "bb");
    at = rc_fill_next(at, name);
    assert_string_equal(name, "b");
    at = rc_fill_next(at, name);
    assert_string_equal(name, "d");
    assert_null(rc_fill_next(at, name));
    assert_null(rc_fill_next("", name));
}

static void values_are_replaced_and_those_of_rollcall_are_not_for_users(void **state)
{
    struct rc_fill *fill = fill_of("v", "1");
    struct rc_error err = {0};
    struct text t;

    (void)state;
    rc_fill_set(fill, "v", "2");
    rc_fill_set_count(fill, "n", 18446744073709551615ULL);
    rc_fill_set(fill, "none", NULL);
    assert_false(rc_fill_set_by_user(fill, "v", "3"));
    assert_false(rc_fill_set_by_user(fill, "none", "3"));
    assert_true(rc_fill_set_by_user(fill, "u", NULL));
    assert_true(rc_fill_set_by_user(fill, "u", "4"));
    assert_int_equal(rc_fill_check(fill, &err), RC_OK);
    char *text = filled(fill, &simple, "# {{v}} {{n}} {{u}}\n# {{none}}", &err);
    assert_string_equal(text, "# 2 18446744073709551615 4\n");
    free(text);
    text_open(&t);
    rc_fill_assign(fill, t.out);
    assert_string_equal(text_end(&t),
                        "v=2\nn=18446744073709551615\nnone=''\nset_u=4\n");
    free(t.text);
    rc_fill_close(fill);
    rc_fill_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quoted_words_are_read_back_by_shells),
        cmocka_unit_test(values_are_variables_of_the_shell),
        cmocka_unit_test(no_line_of_a_quoted_value_begins_as_the_value_does),
        cmocka_unit_test(values_in_comments_stay_on_the_line),
        cmocka_unit_test(patterns_stand_in_directives_as_they_are),
        cmocka_unit_test(directives_take_plain_values_and_refuse_all_else),
        cmocka_unit_test(refusals_of_directives_say_why),
        cmocka_unit_test(no_value_leaves_a_directive_of_any_scheduler),
        cmocka_unit_test(lines_without_a_value_are_left_out),
        cmocka_unit_test(broken_placeholders_are_told_with_their_line),
        cmocka_unit_test(names_are_letters_digits_and_underscores),
        cmocka_unit_test(the_names_of_a_text_are_found),
        cmocka_unit_test(values_are_replaced_and_those_of_rollcall_are_not_for_users),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

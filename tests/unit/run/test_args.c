#include "tests/lib/test.h"

#include "campaign/cli/args.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/help_parts.h"

#include <stdio.h>
#include <string.h>

static const char *const formats[] = {"text", "json", NULL};
static const struct rc_option option_output = {
    .name = "output", .letter = 'o', .argument = "DIR", .summary = "where"};
static const struct rc_option option_format = {
    .name = "format", .argument = "F", .words = formats, .summary = "how"};
static const struct rc_option option_form = {.name = "form", .summary = "a flag"};
static const struct rc_option option_event = {.name = "event",
                                              .letter = 'e',
                                              .argument = "E",
                                              .repeats = true,
                                              .summary = "what"};
static const struct rc_option *const options[] = {&option_output, &option_format,
                                                  &option_form, &option_event, NULL};

static int nothing(struct rc_session *session, const struct rc_args *args,
                   struct rc_error *err)
{
    (void)session;
    (void)args;
    (void)err;
    return RC_OK;
}

static const struct rc_command command = {.name = "try",
                                          .summary = "tries",
                                          .operands = "[WORD]",
                                          .operands_most = 1,
                                          .options = options,
                                          .run = nothing};

enum { WORDS_MOST = 8 };

static int parse(const char *const *line, struct rc_args *out, struct rc_error *err)
{
    static char *argv[WORDS_MOST + 1];
    int argc = 0;

    for (; line[argc]; argc++)
        argv[argc] = (char *)line[argc];
    argv[argc] = NULL;
    return rc_args_parse(&command, argc, argv, out, err);
}

static void bad_lines_name_the_option_and_the_nearest(void **state)
{
    static const struct {
        const char *line[WORDS_MOST];
        const char *message;
    } bad[] = {
        {{"try", "--outptu", "x"},
         "unknown option '--outptu', did you mean '--output'?"},
        {{"try", "--zzzzzzzz"}, "unknown option '--zzzzzzzz', see 'rollcall help try'"},
        {{"try", "--zzzzzzzz=5"},
         "unknown option '--zzzzzzzz', see 'rollcall help try'"},
        {{"try", "-x"}, "unknown option '-x', see 'rollcall help try'"},
        {{"try", "-o"}, "option '-o' needs an argument: DIR, see 'rollcall help try'"},
        {{"try", "--output"},
         "option '--output' needs an argument: DIR, see 'rollcall help try'"},
        {{"try", "--form=x"}, "option '--form' takes no argument"},
        {{"try", "--fo"}, "option '--fo' is ambiguous, write it out"},
        {{"try", "--format", "xml"}, "--format: 'xml', expected one of: text, json"},
        {{"try", "--format", "jso"},
         "--format: 'jso', expected one of: text, json; did you mean 'json'?"},
        {{"try", "--format", ""}, "--format: '', expected one of: text, json"},
        {{"try", "a", "b"}, "unexpected argument 'b', expected: rollcall try [WORD]"},
        {{"try", "--", "-a", "-b"},
         "unexpected argument '-b', expected: rollcall try [WORD]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_args args;
        assert_int_equal(parse(bad[i].line, &args, &err), RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
        assert_null(args.given);
    }
}

static void options_and_operands_may_be_mixed(void **state)
{
    const char *const line[] = {"try", "-oA", "word",     "--output=B",
                                "-e",  "1",   "--event=", NULL};
    struct rc_error err;
    struct rc_args args;

    (void)state;
    assert_int_equal(parse(line, &args, &err), RC_OK);
    assert_string_equal(rc_args_value(&args, &option_output), "B");
    assert_null(rc_args_value(&args, &option_format));
    assert_true(rc_args_has(&args, &option_event));
    assert_false(rc_args_has(&args, &option_form));
    assert_int_equal(args.given_count, 4);
    assert_string_equal(args.given[3].value, "");
    assert_int_equal(args.operand_count, 1);
    assert_string_equal(args.operands[0], "word");
    rc_args_fini(&args);
}

static void what_stands_behind_two_dashes_is_an_operand(void **state)
{
    const char *const line[] = {"try", "--form", "--", "--output", NULL};
    struct rc_error err;
    struct rc_args args;

    (void)state;
    assert_int_equal(parse(line, &args, &err), RC_OK);
    assert_true(rc_args_has(&args, &option_form));
    assert_string_equal(args.operands[0], "--output");
    rc_args_fini(&args);
}

static void an_empty_name_in_a_list_is_refused(void **state)
{
    static const char *const bad[] = {"", ",", "a,", ",a", "a,,b"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *line[] = {"try", "-e", "x,y", "-e", bad[i], NULL};
        struct rc_arg_words words;
        struct rc_error err = {.rank = -1};
        struct rc_args args;
        char expected[100];
        assert_int_equal(parse(line, &args, &err), RC_OK);
        assert_int_equal(rc_args_words(&args, &option_event, true, &words, &err),
                         RC_EUSAGE);
        snprintf(expected, sizeof expected, "--event: expected names, found '%s'",
                 bad[i]);
        assert_string_equal(err.text, expected);
        rc_arg_words_fini(&words);
        rc_args_fini(&args);
    }
}

static void lists_are_taken_apart_and_other_values_stay_whole(void **state)
{
    static const char *const line[] = {"try", "-e", "a,b", "-oA,B", "-e", "c", NULL};
    static const char *const split[] = {"a", "b", "c"}, *const whole[] = {"a,b", "c"};
    struct rc_arg_words words;
    struct rc_error err = {.rank = -1};
    struct rc_args args;

    (void)state;
    assert_int_equal(parse(line, &args, &err), RC_OK);
    for (int lists = 0; lists < 2; lists++) {
        assert_int_equal(rc_args_words(&args, &option_event, lists, &words, &err),
                         RC_OK);
        assert_int_equal(words.count, 2 + lists);
        for (size_t i = 0; i < words.count; i++)
            assert_string_equal(words.word[i], lists ? split[i] : whole[i]);
        assert_null(words.word[words.count]);
        rc_arg_words_fini(&words);
    }
    assert_int_equal(rc_args_words(&args, &option_form, true, &words, &err), RC_OK);
    assert_int_equal(words.count, 0);
    rc_arg_words_fini(&words);
    rc_args_fini(&args);
}

static void help_is_an_option_of_every_command(void **state)
{
    const char *const line[] = {"try", "-h", "too", "many", NULL};
    struct rc_error err;
    struct rc_args args;

    (void)state;
    assert_int_equal(parse(line, &args, &err), RC_OK);
    assert_true(args.wants_help);
    rc_args_fini(&args);
}

static void unknown_commands_name_the_nearest(void **state)
{
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_command_unknown(rc_commands(), "docter", &err), RC_EUSAGE);
    assert_string_equal(err.text, "unknown command 'docter', did you mean 'doctor'?");
    assert_int_equal(rc_command_unknown(rc_commands(), "", &err), RC_EUSAGE);
    assert_string_equal(err.text, "unknown command '', see 'rollcall help'");
}

static void the_table_of_commands_is_complete(void **state)
{
    const struct rc_command *const *all = rc_commands();
    char text[RC_HELP_SECTION];

    (void)state;
    assert_string_equal(rc_help_section("nothing", "", text), "");
    for (size_t i = 0; all[i]; i++) {
        assert_non_null(all[i]->summary);
        assert_non_null(all[i]->operands);
        assert_true(strlen(rc_help_section(all[i]->name, "", text)) > 20);
        assert_int_equal(
            strncmp(rc_help_section(all[i]->name, " examples", text), "  ", 2), 0);
        assert_non_null(all[i]->run);
        assert_ptr_equal(rc_command_find(rc_commands(), all[i]->name), all[i]);
        for (size_t n = 0; all[i]->see && all[i]->see[n]; n++) {
            assert_non_null(rc_command_find(rc_commands(), all[i]->see[n]));
            assert_string_not_equal(all[i]->see[n], all[i]->name);
        }
        for (size_t o = 0; all[i]->options[o]; o++) {
            assert_non_null(all[i]->options[o]->summary);
            for (size_t p = 0; p < o; p++)
                assert_string_not_equal(all[i]->options[o]->name,
                                        all[i]->options[p]->name);
        }
    }
    assert_null(rc_command_find(rc_commands(), "nothing"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lines_name_the_option_and_the_nearest),
        cmocka_unit_test(options_and_operands_may_be_mixed),
        cmocka_unit_test(what_stands_behind_two_dashes_is_an_operand),
        cmocka_unit_test(an_empty_name_in_a_list_is_refused),
        cmocka_unit_test(lists_are_taken_apart_and_other_values_stay_whole),
        cmocka_unit_test(help_is_an_option_of_every_command),
        cmocka_unit_test(unknown_commands_name_the_nearest),
        cmocka_unit_test(the_table_of_commands_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

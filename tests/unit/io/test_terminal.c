#include "tests/lib/test.h"

#include "io/text/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { LONG = 10000 };

struct sheet {
    char *text;
    size_t bytes;
    struct rc_page page;
};

static void begin(struct sheet *s, size_t width, bool whole)
{
    rc_page_init(&s->page, open_memstream(&s->text, &s->bytes));
    s->page.width = width;
    s->page.whole = whole;
}

/* Frees nothing: what was written is in 's->text' until end_sheet(). */
static const char *written(struct sheet *s)
{
    fflush(s->page.out);
    return s->text;
}

static void end_sheet(struct sheet *s)
{
    fclose(s->page.out);
    rc_page_fini(&s->page);
    free(s->text);
}

static void columns_that_are_no_width_are_not_believed(void **state)
{
    static const struct {
        const char *columns;
        size_t width;
    } table[] = {{NULL, 80},   {"", 80},    {"8x", 80},
                 {"0", 80},    {"-5", 80},  {"99999999999999999999999", 80},
                 {" 100", 80}, {"1", 20},   {"100000", 1000},
                 {"20", 20},   {"132", 132}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct sheet s;
        if (table[i].columns)
            setenv("COLUMNS", table[i].columns, 1);
        else
            unsetenv("COLUMNS");
        rc_page_init(&s.page, open_memstream(&s.text, &s.bytes));
        assert_int_equal(s.page.width, table[i].width);
        assert_false(s.page.colour);
        assert_true(s.page.whole);
        end_sheet(&s);
    }
    unsetenv("COLUMNS");
}

/* The terminal's stream; its other end is kept open in '*master'. */
static FILE *open_terminal(int *master, unsigned short columns)
{
    const struct winsize size = {.ws_row = 24, .ws_col = columns};

    *master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(*master >= 0);
    assert_int_equal(grantpt(*master), 0);
    assert_int_equal(unlockpt(*master), 0);
    assert_int_equal(ioctl(*master, TIOCSWINSZ, &size), 0);
    return fopen(ptsname(*master), "w");
}

static void a_terminal_says_how_wide_it_is(void **state)
{
    static const struct {
        unsigned short columns;
        size_t width;
    } table[] = {{0, 70}, {1, 20}, {100, 100}, {65535, 1000}};

    (void)state;
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    setenv("COLUMNS", "70", 1);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct rc_page page;
        int master;
        FILE *out = open_terminal(&master, table[i].columns);
        assert_non_null(out);
        rc_page_init(&page, out);
        assert_int_equal(page.width, table[i].width);
        /* One without a width is mpirun's: its output may go to a file. */
        assert_int_equal(page.whole, table[i].columns == 0);
        assert_int_equal(page.colour, table[i].columns != 0);
        rc_page_fini(&page);
        fclose(out);
        close(master);
    }
    unsetenv("COLUMNS");
}

static void colour_is_used_only_where_it_is_wanted(void **state)
{
    static const struct {
        const char *term, *none;
        bool colour;
    } table[] = {{NULL, NULL, false},   {"", NULL, false},   {"dumb", NULL, false},
                 {"xterm", NULL, true}, {"xterm", "", true}, {"xterm", "1", false},
                 {"xterm", "0", false}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct rc_page page;
        int master;
        FILE *out = open_terminal(&master, 80);
        assert_non_null(out);
        unsetenv("TERM");
        unsetenv("NO_COLOR");
        if (table[i].term)
            setenv("TERM", table[i].term, 1);
        if (table[i].none)
            setenv("NO_COLOR", table[i].none, 1);
        rc_page_init(&page, out);
        assert_int_equal(page.colour, table[i].colour);
        rc_page_fini(&page);
        fclose(out);
        close(master);
    }
    unsetenv("NO_COLOR");
}

static void characters_take_the_columns_that_a_terminal_gives_them(void **state)
{
    static const struct {
        const char *text, *shown;
        size_t columns;
    } table[] = {{"", "", 0},
                 {"a\x1b[31mb", "a?[31mb", 7},
                 {"a\nb\tc\x7f", "a?b?c?", 6},
                 {"\xff\xfe", "??", 2},
                 {"\xed\xa0\x80", "???", 3},
                 {"\xc2\x9b", "?", 1}, /* a control of C1 */
                 /* NOLINTNEXTLINE(misc-misleading-bidirectional): right to left */
                 {"\xe2\x80\xaexyz", "?xyz", 4},
                 {"a\xe2\x80\x8b", "a?", 2},          /* a blank without a width */
                 {"\xe6\xbc\xa2", "\xe6\xbc\xa2", 2}, /* a wide one */
                 {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", 2}, /* four bytes */
                 {"e\xcc\x81", "e\xcc\x81", 1}};              /* a combining one */

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct sheet s;
        begin(&s, 80, true);
        assert_int_equal(rc_page_columns(&s.page, table[i].text), table[i].columns);
        rc_page_word(&s.page, table[i].text);
        assert_int_equal(s.page.at, table[i].columns ? table[i].columns : 1);
        assert_string_equal(written(&s), table[i].shown);
        end_sheet(&s);
    }
}

/* The longest line, in columns; all of it is ASCII. */
static size_t longest_line(const char *text)
{
    size_t longest = 0;

    while (*text) {
        const size_t bytes = strcspn(text, "\n");
        longest = bytes > longest ? bytes : longest;
        text += bytes + (text[bytes] == '\n');
    }
    return longest;
}

static void paragraphs_are_wrapped_within_the_width(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 20, false);
    s.page.indent = 2;
    s.page.hang = 4;
    rc_page_words(&s.page, "%s", "one two three  four five six");
    rc_page_tail(&s.page, ",");
    rc_page_word(&s.page, "a b");
    rc_page_end(&s.page);
    rc_page_end(&s.page);
    assert_string_equal(written(&s), "  one two three four\n    five six, a b\n");
    end_sheet(&s);
}

static void a_word_keeps_its_comma_and_columns_go_on_in_the_next_line(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 10, false);
    s.page.hang = 1;
    rc_page_words(&s.page, "one");
    rc_page_listed(&s.page, "three6", ",");
    rc_page_listed(&s.page, "ten_of_ten", ",");
    rc_page_tail(&s.page, "5 5 5 5 5");
    rc_page_column(&s.page, 4);
    rc_page_word(&s.page, "x");
    rc_page_column(&s.page, 8);
    rc_page_word(&s.page, "y");
    rc_page_end(&s.page);
    rc_page_column(&s.page, 0);
    rc_page_word(&s.page, "z");
    rc_page_end(&s.page);
    assert_string_equal(written(&s), "one\n three6,\n ten_of_te\n n,\n"
                                     " 5 5 5 5 5\n    x   y\n  z\n");
    end_sheet(&s);
}

static void only_lines_that_are_too_wide_are_wrapped(void **state)
{
    char text[] = "a table   1\n\n  some words that are wider than\n    it\nlast";
    struct sheet s;

    (void)state;
    begin(&s, 20, true);
    rc_page_text(&s.page, text);
    fflush(s.page.out);
    assert_string_equal(
        s.text, "a table   1\n\n  some words that\n    are wider than\n    it\nlast\n");
    end_sheet(&s);
}

static void long_words_are_broken_on_a_terminal_and_whole_elsewhere(void **state)
{
    char *name = malloc(LONG + 1);

    (void)state;
    memset(name, 'x', LONG);
    name[LONG] = 0;
    for (int whole = 0; whole < 2; whole++) {
        struct sheet s;
        begin(&s, 40, whole);
        s.page.hang = 2;
        rc_page_words(&s.page, "event %s is gone", name);
        rc_page_end(&s.page);
        assert_int_equal(longest_line(written(&s)), whole ? LONG + 2 : 40);
        assert_int_equal(strstr(written(&s), name) != NULL, whole);
        end_sheet(&s);
    }
    free(name);
}

static const struct rc_table_column columns[] = {
    {.name = "metric"}, {.name = "error", .right = true}, {.name = "made of"}, {0}};

static void put(struct rc_table *table, const char *a, const char *b, const char *c)
{
    const char *cells[] = {a, b, c};

    rc_table_put(table, RC_STYLE_PLAIN, cells);
}

static void tables_are_aligned_and_cells_go_on_in_further_lines(void **state)
{
    struct rc_table *table = rc_table_create(columns);
    struct rc_error err;
    struct sheet s;

    (void)state;
    begin(&s, 36, false);
    s.page.indent = 2;
    put(table, "\xe6\xbc\xa2", "1e-16", "one two three four");
    put(table, "b", NULL, "five");
    put(table, "a metric", "2", "a_word_that_is_broken");
    assert_int_equal(rc_table_write(table, &s.page, &err), RC_OK);
    assert_string_equal(written(&s), "  metric    error  made of\n"
                                     "  \xe6\xbc\xa2        1e-16  one two three\n"
                                     "                   four\n"
                                     "  b                five\n"
                                     "  a metric      2  a_word_that_is_br\n"
                                     "                   oken\n");
    end_sheet(&s);
    rc_table_close(table);
}

static void a_table_without_rows_is_nothing(void **state)
{
    struct rc_table *table = rc_table_create(columns);
    struct rc_error err;
    struct sheet s;

    (void)state;
    begin(&s, 36, false);
    assert_int_equal(rc_table_write(table, &s.page, &err), RC_OK);
    assert_string_equal(written(&s), "");
    end_sheet(&s);
    rc_table_close(table);
}

static void a_table_without_memory_fails_when_it_is_written(void **state)
{
    struct rc_error err;
    struct sheet s;

    (void)state;
    begin(&s, 36, false);
    put(NULL, "a", "1", "b");
    assert_int_equal(rc_table_write(NULL, &s.page, &err), RC_ENOMEM);
    assert_string_equal(written(&s), "");
    end_sheet(&s);
}

static void hostile_cells_stay_in_their_table(void **state)
{
    char *name = malloc(LONG + 1);

    (void)state;
    memset(name, 'y', LONG);
    name[LONG] = 0;
    for (int whole = 0; whole < 2; whole++) {
        struct rc_table *table = rc_table_create(columns);
        struct rc_error err;
        struct sheet s;
        begin(&s, 60, whole);
        put(table, "two\nlines\x1b[2J", "\r", name);
        put(table, name, "1", "short");
        assert_int_equal(rc_table_write(table, &s.page, &err), RC_OK);
        assert_non_null(strstr(written(&s), "two?lines?[2J"));
        assert_null(strpbrk(written(&s), "\r\x1b"));
        assert_int_equal(strstr(written(&s), name) != NULL, whole);
        if (!whole)
            assert_true(longest_line(written(&s)) <= 60);
        end_sheet(&s);
        rc_table_close(table);
    }
    free(name);
}

static void a_table_that_cannot_fit_ends_all_the_same(void **state)
{
    static const struct rc_table_column many[] = {
        {"a", false}, {"b", false}, {"c", false}, {"d", false}, {"e", false}, {0}};
    const char *cells[] = {"aaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbb", "c", "d",
                           "eeeeeeeeeeeeeeeeeeee"};
    struct rc_table *table = rc_table_create(many);
    struct rc_error err;
    struct sheet s;

    (void)state;
    begin(&s, 20, false);
    rc_table_put(table, RC_STYLE_BAD, cells);
    assert_int_equal(rc_table_write(table, &s.page, &err), RC_OK);
    assert_int_equal(longest_line(written(&s)), 8 + 2 + 8 + 2 + 1 + 2 + 1 + 2 + 8);
    end_sheet(&s);
    rc_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_that_are_no_width_are_not_believed),
        cmocka_unit_test(a_terminal_says_how_wide_it_is),
        cmocka_unit_test(colour_is_used_only_where_it_is_wanted),
        cmocka_unit_test(characters_take_the_columns_that_a_terminal_gives_them),
        cmocka_unit_test(paragraphs_are_wrapped_within_the_width),
        cmocka_unit_test(a_word_keeps_its_comma_and_columns_go_on_in_the_next_line),
        cmocka_unit_test(only_lines_that_are_too_wide_are_wrapped),
        cmocka_unit_test(long_words_are_broken_on_a_terminal_and_whole_elsewhere),
        cmocka_unit_test(tables_are_aligned_and_cells_go_on_in_further_lines),
        cmocka_unit_test(a_table_without_rows_is_nothing),
        cmocka_unit_test(a_table_without_memory_fails_when_it_is_written),
        cmocka_unit_test(hostile_cells_stay_in_their_table),
        cmocka_unit_test(a_table_that_cannot_fit_ends_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

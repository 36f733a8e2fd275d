#include "tests/test.h"

#include "campaign/base/child.h"
#include "io/figure.h"
#include "io/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *draw(const struct rc_figure *figure)
{
    char *text = NULL;
    size_t bytes;
    struct rc_error err = {.rank = -1};
    FILE *out = open_memstream(&text, &bytes);

    if (rc_figure_draw(figure, out, &err) != RC_OK)
        fail_msg("%s", err.text);
    fclose(out);
    return text;
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* An element for each that ends: of the few sorts that figures have. */
static void assert_balanced(const char *svg)
{
    assert_int_equal(count_of(svg, "<g>") + count_of(svg, "<g "),
                     count_of(svg, "</g>"));
    assert_int_equal(count_of(svg, "<svg"), 1);
    assert_int_equal(count_of(svg, "</svg>"), 1);
    assert_int_equal(count_of(svg, "<text>"), count_of(svg, "</text>"));
}

static void texts_are_escaped_and_never_commands(void **state)
{
    static const char *const evil[] = {"`touch evil`",
                                       "\"; system('touch evil'); \"",
                                       "'); system('touch evil') #",
                                       "</title><script>alert(1)</script>",
                                       "a\nEND\nsystem 'touch evil'",
                                       "zq0qzxxx",
                                       "rgb(1,1,1)",
                                       "@x {/Symbol a}_b^c ~",
                                       "\xf0\x9f\xa6\x8a\xff"};
    const double y[] = {1, 2, 3}, tic[] = {0, 1, 2};
    (void)state;

    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        const char *const tics[] = {evil[i], evil[i], evil[i]};
        const struct rc_figure_series series = {.title = evil[i],
                                                .style = RC_FIGURE_LINE_POINTS,
                                                .colour = RC_COLOUR_1,
                                                .count = 3,
                                                .y = y};
        const struct rc_figure_label label = {.x = 1, .y = 1, .text = evil[i]};
        const struct rc_figure figure = {
            .title = evil[i],
            .x = {.title = evil[i], .tic = tic, .tic_text = tics, .tic_count = 3},
            .y = {.title = evil[i]},
            .series = &series,
            .series_count = 1,
            .label = &label,
            .label_count = 1};
        char *svg = draw(&figure), shown[256];
        FILE *out = fmemopen(shown, sizeof shown, "w");
        rc_html_put(out, evil[i]);
        fclose(out);
        assert_balanced(svg);
        assert_null(strstr(svg, "<script"));
        /* Title, axes, three tics, label, key and the series' own title. */
        assert_int_equal(count_of(svg, shown), 8);
        free(svg);
    }
    assert_int_not_equal(access("evil", F_OK), 0);
}

static void figures_take_the_colours_of_the_page(void **state)
{
    const double x[] = {0, 1, 2}, y[] = {1, NAN, INFINITY}, x2[] = {1, 2, 3},
                 y2[] = {2, 3, 4};
    (void)state;

    for (int style = RC_FIGURE_LINE; style <= RC_FIGURE_BOX; style++) {
        const struct rc_figure_series series = {.style = (enum rc_figure_style)style,
                                                .colour = RC_COLOUR_8,
                                                .count = 3,
                                                .x = x,
                                                .y = y,
                                                .x2 = x2,
                                                .y2 = y2};
        const struct rc_figure figure = {.title = "",
                                         .series = &series,
                                         .series_count = 1,
                                         .x = {.low = -1, .high = 4},
                                         .y = {.low = 0, .high = 5}};
        char *svg = draw(&figure);
        assert_balanced(svg);
        assert_null(strstr(svg, "rgb("));
        assert_non_null(strstr(svg, "var(--ink)"));
        free(svg);
    }
}

static void a_figure_of_nothing_is_empty(void **state)
{
    const struct rc_figure_series none = {.title = "none", .count = 0};
    const struct rc_figure figure = {
        .title = "empty", .series = &none, .series_count = 1};
    (void)state;

    char *svg = draw(&figure);
    assert_balanced(svg);
    free(svg);
}

static int remember(void *context, size_t number, const char *svg, size_t bytes,
                    struct rc_error *err)
{
    char expected[32];
    (void)err;

    assert_int_equal(number, (*(size_t *)context)++);
    assert_int_equal(strlen(svg), bytes);
    snprintf(expected, sizeof expected, "<title>figure %zu<", number);
    assert_non_null(strstr(svg, expected));
    assert_balanced(svg);
    return RC_OK;
}

static void many_figures_come_in_their_order(void **state)
{
    struct rc_figures *figures = rc_figures_create();
    struct rc_error err = {.rank = -1};
    const double y[] = {1, 10, 100};
    size_t seen = 0;
    (void)state;

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 40; i++) {
            char title[32];
            const struct rc_figure_series series = {.count = 3, .y = y};
            const struct rc_figure figure = {.title = title,
                                             .series = &series,
                                             .series_count = 1,
                                             .y = {.log = i % 2}};
            snprintf(title, sizeof title, "figure %zu", i);
            assert_int_equal(rc_figures_add(figures, &figure, &err), RC_OK);
        }
        seen = 0;
        assert_int_equal(rc_figures_draw(figures, remember, &seen, &err), RC_OK);
        assert_int_equal(seen, 40);
    }
    rc_figures_close(figures);
}

static void without_gnuplot_it_says_which_package(void **state)
{
    const struct rc_figure figure = {.title = ""};
    struct rc_error err = {.rank = -1};
    char *path = strdup(getenv("PATH"));
    (void)state;

    setenv("PATH", "/nowhere", 1);
    assert_int_equal(rc_figure_draw(&figure, stdout, &err), RC_EMISSING);
    assert_non_null(strstr(err.text, "gnuplot-nox"));
    setenv("PATH", path, 1);
    free(path);
}

/* The program waits for two minutes and more, this test for a second. */
int __real_rc_child_feed(const struct rc_child_task *task, struct rc_child *out,
                         struct rc_error *err);
int __wrap_rc_child_feed(const struct rc_child_task *task, struct rc_child *out,
                         struct rc_error *err);
static unsigned patience_s;

int __wrap_rc_child_feed(const struct rc_child_task *task, struct rc_child *out,
                         struct rc_error *err)
{
    struct rc_child_task ours = *task;

    assert_in_range(task->seconds, 60, 600);
    if (patience_s)
        ours.seconds = patience_s;
    return __real_rc_child_feed(&ours, out, err);
}

static void whatever_gnuplot_does_the_drawing_ends(void **state)
{
    static const struct {
        const char *script, *message;
    } bad[] = {
        {"trap '' TERM INT HUP; sleep 100; :", "'gnuplot' did not answer within 1 s"},
        {"while :; do :; done", "'gnuplot' did not answer within 1 s"},
        {"cat /proc/self/fd/0; sleep 100", "'gnuplot' did not answer within 1 s"},
        {"exec yes", "'gnuplot' said more than 64 MiB"},
        {"exec yes >&2", "'gnuplot' said more than 64 MiB"},
        {"kill -9 $$", "gnuplot was killed by signal 9"},
        {"kill -11 $$", "gnuplot was killed by signal 11"},
        {"exit 3", "gnuplot failed with exit status 3"},
        {"echo oops >&2; exit 3", "gnuplot failed with exit status 3: oops"},
        {"exec head -c 1000 /dev/zero", "gnuplot drew 0 of 1 figures"},
        {"exit 0", "gnuplot drew 0 of 1 figures"},
    };
    const struct rc_figure figure = {.title = ""};
    char place[] = "/tmp/rollcall-figure-XXXXXX", program[64], path[4096];
    char *old = strdup(getenv("PATH"));
    (void)state;

    assert_non_null(mkdtemp(place));
    snprintf(program, sizeof program, "%s/gnuplot", place);
    snprintf(path, sizeof path, "%s:%s", place, old);
    setenv("PATH", path, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rc_error err = {.rank = -1};
        FILE *file = fopen(program, "w");
        assert_non_null(file);
        fprintf(file, "#!/bin/sh\n%s\n", bad[i].script);
        fclose(file);
        chmod(program, 0755);
        patience_s = strstr(bad[i].message, "within") ? 1 : 0;
        assert_int_equal(rc_figure_draw(&figure, stdout, &err), RC_EIO);
        assert_string_equal(err.text, bad[i].message);
    }
    patience_s = 0;
    setenv("PATH", old, 1);
    free(old);
    unlink(program);
    rmdir(place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_gnuplot_does_the_drawing_ends),
        cmocka_unit_test(texts_are_escaped_and_never_commands),
        cmocka_unit_test(figures_take_the_colours_of_the_page),
        cmocka_unit_test(a_figure_of_nothing_is_empty),
        cmocka_unit_test(many_figures_come_in_their_order),
        cmocka_unit_test(without_gnuplot_it_says_which_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The kernels command: suites, points, ideals and bases.
 *
 * Nothing is measured: the tables have the suites' expect() of each point.
 */
#include "campaign/base/text.h"
#include "campaign/catalogue/catalogue.h"
#include "campaign/cli/commands.h"
#include "campaign/spec/options.h"
#include "io/text/rows.h"
#include "io/text/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static RC_OPTIONS(options, &rc_option_suite, &rc_option_axis, &rc_option_kernel,
                  &rc_option_source, &rc_option_format, &rc_option_campaign);

static RC_COLUMNS(columns, RC_TEXT("suite"), RC_TEXT("point"), RC_TEXT("ideal"),
                  RC_NUMBER("count"), RC_TEXT("basis"), RC_TEXT("exact"),
                  RC_TEXT("unusable"), RC_NUMBER("low"), RC_NUMBER("high"));

enum { WIDTH = 9, NAME = 22 }; /* of a count; of a point's name, at least */

/* The widest text of a count of the suite. */
static size_t width_of(const struct rc_suite_request *request,
                       const struct rc_suite *suite, const struct rc_points *points)
{
    char text[64];
    size_t width = WIDTH;

    for (size_t i = 0; i < points->count; i++)
        for (size_t j = 0; j < suite->ideal_count; j++) {
            const struct rc_point *point = &points->point[i];
            rc_range_put(text, sizeof text,
                         rc_expect_range(suite, request, point, suite->ideals[j]), 6);
            width = strlen(text) > width ? strlen(text) : width;
        }
    return width;
}

/* Prints some columns of the matrix: the ideals from 'first' to before 'end'. */
static void text_columns(const struct rc_suite_request *request,
                         const struct rc_suite *suite, const struct rc_points *points,
                         size_t name, size_t width, size_t first, size_t end)
{
    char text[64];

    printf("\n  %-*s", (int)name, "point");
    for (size_t j = first; j < end; j++)
        printf(" %*s", (int)width, rc_ideal_name(suite->ideals[j]));
    printf("\n");
    for (size_t i = 0; i < points->count; i++) {
        const struct rc_point *point = &points->point[i];
        printf("  %-*s", (int)name, point->name);
        for (size_t j = first; j < end; j++) {
            rc_range_put(text, sizeof text,
                         rc_expect_range(suite, request, point, suite->ideals[j]), 6);
            printf(" %*s", (int)width, text);
        }
        printf("\n");
    }
}

/* Prints the matrix of points and ideals, per iteration, with as many columns side by
 * side as fit, then the ideals' meanings and the points that cannot run here.  Compiled
 * kernels have no ideals of their own: their useful work is shown.
 */
static void text_basis(const struct rc_suite_request *request,
                       const struct rc_suite *of, const struct rc_points *points,
                       struct rc_page *page)
{
    static const enum rc_ideal useful[] = {RC_IDEAL_B_STREAM, RC_IDEAL_B_ALLOC,
                                           RC_IDEAL_B_ONCE, RC_IDEAL_OPS_USEFUL};
    struct rc_suite shown = *of;
    const struct rc_suite *suite = &shown;
    size_t column = 11;

    if (of->made_by) {
        column = 13;
        shown.ideals = useful;
        shown.ideal_count = sizeof useful / sizeof useful[0];
    }
    const size_t width = width_of(request, suite, points);
    size_t name = NAME, side;

    for (size_t i = 0; i < points->count; i++)
        name =
            strlen(points->point[i].name) > name ? strlen(points->point[i].name) : name;
    side = page->width > name + 2 ? (page->width - name - 2) / (width + 1) : 0;
    side = side ? side : 1;
    for (size_t first = 0; first < suite->ideal_count; first += side)
        text_columns(request, suite, points, name, width, first,
                     first + side < suite->ideal_count ? first + side
                                                       : suite->ideal_count);
    printf("\n");
    for (size_t j = 0; j < suite->ideal_count; j++) {
        rc_page_begin(page, 2);
        rc_page_word(page, rc_ideal_name(suite->ideals[j]));
        rc_page_column(page, column);
        page->hang = column;
        rc_page_words(page, "%s", rc_ideal_summary(suite->ideals[j]));
    }
    for (size_t i = 0; i < points->count; i++)
        if (points->point[i].unusable)
            rc_page_line(page, 2, "%s cannot run here: %s", points->point[i].name,
                         points->point[i].unusable);
    rc_page_end(page);
    printf("\n");
}

/* Prints the axes that users may set, with words or unit, and default. */
static void text_axes(const struct rc_suite *suite, struct rc_page *page)
{
    const struct rc_axis *axis = suite->chosen;

    for (; axis && axis->name; axis++) {
        char words[512] = "";
        if (axis->words)
            rc_text_append_list(words, sizeof words, axis->words);
        rc_page_begin(page, 2);
        page->hang = 6;
        rc_page_words(page, "--axis %s=LIST: %s%s%s; default %s", axis->name,
                      axis->summary,
                      axis->words   ? ": "
                      : *axis->unit ? ", in "
                                    : "",
                      axis->words ? words : axis->unit,
                      axis->standard ? axis->standard : "by the machine");
    }
    rc_page_end(page);
}

/* Adds a row for each ideal that is known on the point, in the suite's basis or not. */
static void rows_suite(struct rc_rows *rows, const struct rc_suite_request *request,
                       const struct rc_suite *suite, const struct rc_points *points)
{
    const char *reason = suite->usable ? suite->usable() : NULL;
    char number[32], low[32], high[32];

    for (size_t i = 0; i < points->count; i++)
        for (int j = 0; j < RC_IDEAL_COUNT; j++) {
            const struct rc_point *point = &points->point[i];
            enum rc_ideal ideal = (enum rc_ideal)j;
            const struct rc_range range = rc_expect_range(suite, request, point, ideal);
            const double count = rc_range_exact(range);
            bool in_basis = false;
            if (!rc_range_says(range))
                continue;
            for (size_t b = 0; b < suite->ideal_count; b++)
                in_basis |= suite->ideals[b] == ideal;
            snprintf(number, sizeof number, "%.17g", count);
            snprintf(low, sizeof low, "%.17g", range.low);
            snprintf(high, sizeof high, "%.17g", range.high);
            RC_ROWS_PUT(rows, suite->name, point->name, rc_ideal_name(ideal),
                        isnan(count) ? NULL : number, in_basis ? "yes" : "no",
                        rc_ideal_exact(ideal) ? "yes" : "no",
                        reason ? reason : point->unusable, low,
                        isinf(range.high) ? NULL : high);
        }
}

static int show_suite(const struct rc_spec *spec,
                      const struct rc_suite_request *request,
                      const struct rc_suite *suite, enum rc_format format,
                      struct rc_json *json, struct rc_error *err)
{
    struct rc_points points = {0};
    int status = suite->points(request, &points, err);

    if (status != RC_OK)
        goto out;
    if (format == RC_FORMAT_TEXT) { /* summary, and how many points can run here */
        const char *reason = suite->usable ? suite->usable() : NULL;
        struct rc_page page;
        size_t usable = 0;
        for (size_t i = 0; i < points.count; i++)
            usable += !points.point[i].unusable;
        rc_page_init(&page, stdout);
        rc_page_begin(&page, 0);
        page.hang = 4;
        rc_page_words(&page, "%s: %s", suite->name, suite->summary);
        rc_page_line(&page, 2, "%zu points, %zu ideal%s, footprint %s", points.count,
                     suite->ideal_count, rc_text_s(suite->ideal_count),
                     rc_footprint_name(suite->footprint));
        if (suite->made_by) {
            rc_page_tail(&page, ";");
            rc_page_words(&page, "compiled: %s", suite->made_by(request));
        }
        if (reason || usable < points.count)
            rc_page_tail(&page, ";");
        if (reason)
            rc_page_words(&page, "cannot run here: %s", reason);
        else if (usable < points.count)
            rc_page_words(&page, "%zu points cannot run here", points.count - usable);
        rc_page_end(&page);
        if (spec->suites.count) { /* --suite */
            text_axes(suite, &page);
            text_basis(request, suite, &points, &page);
        }
        rc_page_fini(&page);
        goto out;
    }
    struct rc_rows *rows = rc_rows_create(stdout, format, columns, json);
    rows_suite(rows, request, suite, &points);
    status = rc_rows_end(rows, RC_OK, err);
out:
    rc_points_fini(&points);
    return status;
}

/* Shows all chosen suites, in one table. */
static int show_suites(const struct rc_spec *spec,
                       const struct rc_suite_request *request, enum rc_format format,
                       struct rc_error *err)
{
    struct rc_json own, *json = rc_rows_json(format, &own, stdout);
    int status = RC_OK;

    rc_rows_head(stdout, format, columns);
    if (json) {
        rc_json_object(json, NULL);
        rc_json_array(json, "counts");
    }
    for (size_t i = 0; rc_suites()[i]; i++)
        if (rc_spec_names_suite(spec, rc_suites()[i]) &&
            (status = show_suite(spec, request, rc_suites()[i], format, json, err)))
            break;
    rc_json_close(json);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const bool has_source = rc_args_has(args, &rc_option_source);
    struct rc_catalogue *catalogue = NULL;
    struct rc_machine *machine = NULL;
    struct rc_suite_request request = {0};
    struct rc_spec spec;
    int status = rc_spec_resolve(args, NULL, RC_FILE_GIVEN, &spec, err);

    (void)session;
    if (status != RC_OK)
        return status;
    const struct rc_axes axes = rc_spec_axes(&spec);
    /* Points are chosen by the sizes of caches: those of the named source, else of this
     * machine.
     */
    if (has_source)
        status = rc_catalogue_open(&spec, false, &catalogue, err);
    else
        status = rc_machine_open(RC_MACHINE_THIS, NULL, &machine, err);
    if (status == RC_OK)
        request =
            has_source
                ? rc_catalogue_request(catalogue, 0)
                : (struct rc_suite_request){.geometry = rc_machine_geometry(machine)};
    request.axes = &axes;
    rc_catalogue_close(catalogue);
    rc_machine_close(machine);
    if (status == RC_OK)
        status =
            show_suites(&spec, &request,
                        rc_rows_format(rc_args_value(args, &rc_option_format)), err);
    rc_spec_fini(&spec);
    return status;
}

const struct rc_command rc_command_kernels = {
    .name = "kernels",
    .summary = "lists suites, points, ideals and bases",
    .operands = "",
    .options = options,
    .mpi = RC_MPI_NONE,
    .see = (const char *const[]){"events", "verify", "plan", NULL},
    .run = run,
};

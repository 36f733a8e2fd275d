#include "tests/lib/test.h"

#include "kernels/icache/icache.h"
#include "kernels/kernel.h"
#include "tests/lib/request.h"
#include "tests/unit/kernels/lru.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES, CONDITION, KIND, INSTRUCTIONS };

#define K UINT64_C(1024)
#define M (UINT64_C(1024) * 1024)

struct machine {
    const char *name;
    struct rc_geometry geometry;
};

#define MACHINE(text, code, cw, two, tw, each)                                         \
    {                                                                                  \
        text,                                                                          \
        {                                                                              \
            .l1i = {code, cw}, .l2 = {two, tw}, .line_bytes = (each),                  \
            .page_bytes = 4096                                                         \
        }                                                                              \
    }

static const struct machine machines[] = {
    MACHINE("tiny", 1 * K, 2, 4 * K, 4, 64),
    MACHINE("32 KiB, 1 MiB", 32 * K, 8, 1 * M, 16, 64),
    MACHINE("64 KiB of 4 ways, 2 MiB", 64 * K, 4, 2 * M, 8, 64),
    MACHINE("lines of 128 bytes", 32 * K, 8, 512 * K, 8, 128),
    MACHINE("lines of 32 bytes", 16 * K, 4, 256 * K, 8, 32),
    MACHINE("no L2", 32 * K, 8, 0, 0, 64),
    MACHINE("L2 of 3 x 2^n", 32 * K, 8, 1536 * K, 12, 64),
};
#define MACHINES (sizeof machines / sizeof machines[0])

static const struct rc_suite *icache(void)
{
    const struct rc_suite *suite = rc_suite_find("icache");

    assert_non_null(suite);
    return suite;
}

static void skip_where_code_cannot_be_generated(void)
{
    if (icache()->usable())
        skip();
}

static struct rc_points points_of(const struct rc_geometry *geometry)
{
    struct rc_points points = {0};
    struct rc_error err = {0};

    assert_int_equal(icache()->points(REQUEST(geometry), &points, &err), RC_OK);
    assert_true(points.count > 0);
    return points;
}

static struct rc_point point_of(int64_t bytes, int64_t condition)
{
    return (struct rc_point){.name = "p", .axis = {bytes, condition}};
}

static void code_of_impossible_size_is_refused(void **state)
{
    static const int64_t bad[] = {-1, 0, 63, INT64_C(1) << 40, INT64_MAX, INT64_MIN};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_point point = point_of(bad[i], 1);
        struct rc_error err = {0};
        struct rc_kernel *kernel = (struct rc_kernel *)&err;
        assert_int_equal(icache()->setup(&rc_request_default, &point, &kernel, &err),
                         RC_EUSAGE);
        assert_null(kernel);
        assert_non_null(strstr(err.text, "point 'p': no code of "));
    }
    icache()->teardown(NULL);
}

static void lines_that_nothing_fills_so_are_refused(void **state)
{
    static const int64_t bad[][2] = {{-1, 1},
                                     {RC_ICACHE_KINDS, 1},
                                     {INT64_MAX, 5},
                                     {RC_ICACHE_MOV, 0},
                                     {RC_ICACHE_MOV, -1},
                                     {RC_ICACHE_LOAD, 17},
                                     {RC_ICACHE_BRANCH, 14},
                                     {RC_ICACHE_NOP, INT64_MIN}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_point point = point_of(4096, 0);
        struct rc_error err = {0};
        struct rc_kernel *kernel = (struct rc_kernel *)&err;
        point.axis[KIND] = bad[i][0];
        point.axis[INSTRUCTIONS] = bad[i][1];
        if (bad[i][0] == RC_ICACHE_BRANCH && rc_icache_full(RC_ICACHE_BRANCH, 64) == 14)
            continue;
        assert_int_equal(icache()->setup(&rc_request_default, &point, &kernel, &err),
                         RC_EUSAGE);
        assert_null(kernel);
        assert_non_null(strstr(err.text, "point 'p': no lines of "));
    }
}

static void sizes_lie_in_every_level_and_away_from_all_edges(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const struct rc_geometry *geometry = &machines[m].geometry;
        uint64_t l1 = geometry->l1i.bytes, l2 = geometry->l2.bytes;
        struct rc_points points = points_of(geometry);
        bool seen[3] = {false};
        for (size_t i = 0; i < points.count; i++) {
            uint64_t bytes = (uint64_t)points.point[i].axis[BYTES];
            seen[bytes <= l1 ? 0 : bytes <= l2 ? 1 : 2] = true;
            assert_true(4 * bytes <= 3 * l1 || 2 * bytes >= 3 * l1);
            assert_true(4 * bytes <= 3 * l2 || 2 * bytes >= 3 * l2);
            assert_null(points.point[i].unusable);
        }
        assert_true(seen[0] && seen[2] && seen[1] == (l2 > 0));
        rc_points_fini(&points);
    }
}

static void a_machine_that_does_not_tell_its_caches_has_points_that_say_so(void **state)
{
    const struct rc_geometry unknown = {0};
    struct rc_points points = points_of(&unknown);

    (void)state;
    for (size_t i = 0; i < points.count; i++) {
        assert_string_equal(points.point[i].unusable,
                            "the sizes of this machine's caches are not known");
        assert_true(rc_expect(icache(), REQUEST(&unknown), &points.point[i],
                              RC_IDEAL_L1IM) >= 0);
    }
    rc_points_fini(&points);
}

/* The lines of a pass, in order: the blocks and the end. */
static void lines_too_narrow_for_a_block_are_said_to_be(void **state)
{
    struct rc_geometry narrow = machines[0].geometry;

    (void)state;
    narrow.line_bytes = 16;
    struct rc_points points = points_of(&narrow);
    assert_true(points.count > 0);
    for (size_t i = 0; i < points.count; i++)
        assert_non_null(strstr(points.point[i].unusable, "lines of this size"));
    rc_points_fini(&points);
}

static void compare(const struct machine *machine, const struct rc_point *point)
{
    const struct rc_geometry *geometry = &machine->geometry;
    const struct rc_cache_geometry levels[3] = {geometry->l1i, geometry->l2};
    uint64_t blocks = (uint64_t)point->axis[BYTES] / geometry->line_bytes;
    struct lru_caches caches;

    assert_int_equal(lru_init(&caches, levels, geometry->line_bytes), 0);
    for (int pass = 0; pass < 3; pass++) {
        lru_forget_counts(&caches);
        for (uint64_t i = 0; i <= blocks; i++)
            lru_access(&caches, (i + 1) * geometry->line_bytes, false);
    }
    const struct {
        enum rc_ideal ideal;
        uint64_t counted;
    } all[] = {
        {RC_IDEAL_L1IM, caches.level[0].misses},
        {RC_IDEAL_L1IH, caches.level[0].hits},
        {RC_IDEAL_L2IH, caches.level[1].hits},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double expected = rc_expect(icache(), REQUEST(geometry), point, all[i].ideal);
        double counted = (double)all[i].counted / (double)blocks;
        if (fabs(expected - counted) > 0.01)
            fail_msg("%s on '%s', %s: expected %g, simulated %g", point->name,
                     machine->name, rc_ideal_name(all[i].ideal), expected, counted);
    }
    lru_fini(&caches);
}

static void expectations_are_what_an_exact_simulation_counts(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct rc_points points = points_of(&machines[m].geometry);
        for (size_t i = 0; i < points.count; i++)
            compare(&machines[m], &points.point[i]);
        rc_points_fini(&points);
    }
}

static void a_condition_that_fails_leaves_only_the_heads(void **state)
{
    struct rc_point whole = point_of(4096, 1), touched = point_of(4096, 0);
    struct rc_icache_counts counts = rc_icache_counts(64);
    const struct rc_geometry *geometry = &rc_request_default.geometry;

    (void)state;
    assert_int_equal(counts.head + counts.body + counts.body_branches, 64 / 4);
    assert_true(rc_expect(icache(), REQUEST(geometry), &whole, RC_IDEAL_INS) ==
                16 + counts.pass / 64.0);
    assert_true(rc_expect(icache(), REQUEST(geometry), &touched, RC_IDEAL_INS) ==
                counts.head + counts.pass / 64.0);
    assert_true(rc_expect(icache(), REQUEST(geometry), &whole, RC_IDEAL_CR) ==
                2 + 1 / 64.0);
    assert_true(rc_expect(icache(), REQUEST(geometry), &touched, RC_IDEAL_CR) ==
                1 + 1 / 64.0);
    assert_true(rc_expect(icache(), REQUEST(geometry), &whole, RC_IDEAL_T) < 0.02);
    assert_true(rc_expect(icache(), REQUEST(geometry), &touched, RC_IDEAL_T) >= 1);
    assert_true(rc_expect(icache(), REQUEST(geometry), &whole, RC_IDEAL_M) == 0);
    assert_int_equal(
        isnan(rc_expect(icache(), REQUEST(geometry), &touched, RC_IDEAL_M)) != 0, 1);
}

enum { POINTS_MOST = 64 };

/* A count on all points of a machine, of length 1; false where there is none. */
static bool column_of(const struct rc_geometry *geometry,
                      const struct rc_points *points, enum rc_ideal ideal,
                      double column[POINTS_MOST])
{
    double sum = 0;

    assert_true(points->count <= POINTS_MOST);
    for (size_t i = 0; i < points->count; i++) {
        column[i] = rc_expect(icache(), REQUEST(geometry), &points->point[i], ideal);
        assert_true(column[i] >= 0);
        sum += column[i] * column[i];
    }
    for (size_t i = 0; i < points->count && sum > 0; i++)
        column[i] /= sqrt(sum);
    return sum > 0;
}

static double product(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* The part of 'lines', of length 1, that no sum of two columns has. */
static double left_by(const double *lines, const double *a, const double *b,
                      size_t count)
{
    const double ab = product(a, b, count), la = product(lines, a, count),
                 lb = product(lines, b, count), rest = 1 - ab * ab;
    const double of_b = lb - ab * la;

    return sqrt(fmax(0, 1 - la * la - (rest > 1e-9 ? of_b * of_b / rest : 0)));
}

static void no_sum_of_two_exact_ideals_is_nearly_the_lines_entered(void **state)
{
    static double column[RC_IDEAL_COUNT][POINTS_MOST];

    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const struct rc_geometry *geometry = &machines[m].geometry;
        struct rc_points points = points_of(geometry);
        double lines[POINTS_MOST], sum = 0;
        enum rc_ideal ideal[RC_IDEAL_COUNT];
        size_t ideals = 0;
        for (size_t i = 0; i < points.count; i++) {
            lines[i] =
                rc_expect(icache(), REQUEST(geometry), &points.point[i],
                          RC_IDEAL_L1IM) +
                rc_expect(icache(), REQUEST(geometry), &points.point[i], RC_IDEAL_L1IH);
            sum += lines[i] * lines[i];
        }
        for (size_t i = 0; i < points.count; i++)
            lines[i] /= sqrt(sum);
        for (enum rc_ideal q = 0; q < RC_IDEAL_COUNT; q++)
            if (rc_ideal_exact(q) && column_of(geometry, &points, q, column[ideals]))
                ideal[ideals++] = q;
        for (size_t i = 0; i < ideals; i++)
            for (size_t j = 0; j <= i; j++) {
                double left = left_by(lines, column[i], column[j], points.count);
                if (left < 0.05)
                    fail_msg("on '%s' %s and %s leave %g of the lines",
                             machines[m].name, rc_ideal_name(ideal[i]),
                             rc_ideal_name(ideal[j]), left);
            }
        assert_true(ideals >= 7);
        rc_points_fini(&points);
    }
}

/* The largest of a matrix's singular values over the least: rotations make its columns
 * orthogonal, two at a time.
 */
static double condition_of(double (*column)[POINTS_MOST], size_t columns, size_t rows)
{
    double least = INFINITY, most = 0;

    for (int sweep = 0; sweep < 60; sweep++)
        for (size_t i = 0; i < columns; i++)
            for (size_t j = 0; j < i; j++) {
                double *a = column[i], *b = column[j];
                double ab = product(a, b, rows);
                double angle =
                    atan2(2 * ab, product(a, a, rows) - product(b, b, rows)) / 2;
                for (size_t r = 0; r < rows; r++) {
                    double turned = a[r] * cos(angle) + b[r] * sin(angle);
                    b[r] = b[r] * cos(angle) - a[r] * sin(angle);
                    a[r] = turned;
                }
            }
    for (size_t i = 0; i < columns; i++) {
        double length = sqrt(product(column[i], column[i], rows));
        least = fmin(least, length);
        most = fmax(most, length);
    }
    return most / least;
}

/* With columns of length 1 the condition is 39 to 41 for lines of 64 bytes, 72 for 128
 * and 21 for 32: only in nops INS is not the sum of others.
 */
static void points_tell_lines_and_exact_ideals_apart(void **state)
{
    static const enum rc_ideal ideals[] = {
        RC_IDEAL_L1IM,      RC_IDEAL_L1IH,    RC_IDEAL_L2IH,  RC_IDEAL_INS,
        RC_IDEAL_INT_MOV,   RC_IDEAL_INT_ADD, RC_IDEAL_LOADS, RC_IDEAL_CR,
        RC_IDEAL_INT_LOGIC, RC_IDEAL_T,       RC_IDEAL_D};
    enum { COLUMNS = sizeof ideals / sizeof ideals[0] };
    static double column[COLUMNS][POINTS_MOST];

    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const struct rc_geometry *geometry = &machines[m].geometry;
        struct rc_points points = points_of(geometry);
        if (geometry->l2.bytes) { /* or nothing hits there */
            for (size_t i = 0; i < COLUMNS; i++)
                assert_true(column_of(geometry, &points, ideals[i], column[i]));
            double condition = condition_of(column, COLUMNS, points.count);
            if (!(condition < 80))
                fail_msg("on '%s': condition %g", machines[m].name, condition);
        }
        rc_points_fini(&points);
    }
}

/* Each kind has each number of instructions once, in three sizes. */
static void points_of_one_kind_are_exact_in_all_that_they_are(void **state)
{
    const struct rc_geometry *geometry = &rc_request_default.geometry;
    struct rc_points points = points_of(geometry);
    size_t found = 0;

    (void)state;
    for (size_t i = 0; i < points.count; i++) {
        const struct rc_point *p = &points.point[i];
        if (p->axis[KIND] == RC_ICACHE_TESTED) {
            assert_int_equal(found, 0); /* new ones come last */
            continue;
        }
        const double each = (double)p->axis[INSTRUCTIONS];
        const double pass = (double)geometry->line_bytes / (double)p->axis[BYTES];
        const bool jumps = !strstr(p->name, "-full");
        const double ins = rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_INS);
        assert_true(ins > each && ins <= each + 4 * pass);
        assert_true(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_M) == 0);
        assert_true(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_L1DM) == 0);
        assert_true(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_MEM_RD) == 0);
        assert_true(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_MEM_WR) == 0);
        assert_true(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_CE) ==
                    rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_CR));
        assert_true(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_L1DH) ==
                    (p->axis[KIND] == RC_ICACHE_LOAD ? each - jumps : 0));
        assert_true(fabs(rc_expect(icache(), REQUEST(geometry), p, RC_IDEAL_D) -
                         jumps) <= pass);
        found++;
    }
    assert_int_equal(found, 3 * RC_ICACHE_KINDS);
    rc_points_fini(&points);
}

static void
code_that_leaves_no_room_in_the_last_cache_says_nothing_of_memory(void **state)
{
    struct rc_point point = point_of(768 * 1024, 1);
    struct rc_geometry geometry = rc_request_default.geometry;

    (void)state;
    assert_true(rc_expect(icache(), REQUEST(&geometry), &point, RC_IDEAL_MEM_RD) == 0);
    geometry.l3.bytes = 0;
    assert_true(
        isnan(rc_expect(icache(), REQUEST(&geometry), &point, RC_IDEAL_MEM_RD)) != 0);
    point = point_of(256 * 1024, 1);
    assert_true(rc_expect(icache(), REQUEST(&geometry), &point, RC_IDEAL_MEM_RD) == 0);
}

static void iterations_are_whole_passes_within_the_budget(void **state)
{
    static const uint64_t budgets[] = {0, 1, 1000, 20000, 1000000};

    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const struct rc_geometry *geometry = &machines[m].geometry;
        struct rc_points points = points_of(geometry);
        for (size_t i = 0; i < points.count; i++)
            for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
                const struct rc_point *point = &points.point[i];
                uint64_t blocks = (uint64_t)point->axis[BYTES] / geometry->line_bytes;
                uint64_t n = icache()->iterations(REQUEST(geometry), point, budgets[b]);
                double ins =
                    rc_expect(icache(), REQUEST(geometry), point, RC_IDEAL_INS);
                assert_true(n >= blocks && n % blocks == 0);
                if (budgets[b])
                    assert_true(n == blocks || (double)n * ins <= (double)budgets[b]);
            }
        rc_points_fini(&points);
    }
}

static void every_number_of_blocks_is_executed_and_found_out(void **state)
{
    static const uint64_t counts[] = {1, 2, 31, 32, 33, 63, 64, 1000, 100000};

    (void)state;
    skip_where_code_cannot_be_generated();
    for (size_t m = 0; m < MACHINES; m++)
        for (int64_t which = 0; which < 3 * RC_ICACHE_KINDS; which++) {
            const uint32_t line_bytes = machines[m].geometry.line_bytes;
            struct rc_point point = point_of(32 * (int64_t)line_bytes, which == 0);
            const enum rc_icache_kind kind = (enum rc_icache_kind)(which / 3);
            if (kind > RC_ICACHE_TESTED) {
                point.axis[KIND] = kind;
                point.axis[INSTRUCTIONS] = which % 3 == 0 ? 1
                                           : which % 3 == 1
                                               ? 5
                                               : rc_icache_full(kind, line_bytes);
            }
            struct rc_error err = {0};
            struct rc_kernel *kernel;
            assert_int_equal(
                icache()->setup(REQUEST(&machines[m].geometry), &point, &kernel, &err),
                RC_OK);
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                icache()->run(kernel, counts[i]);
                assert_int_equal(icache()->verify(kernel, counts[i], &err), RC_OK);
                assert_int_equal(icache()->verify(kernel, counts[i] + 1, &err),
                                 RC_ECONFLICT);
            }
            icache()->teardown(kernel);
        }
}

static void verify_refuses_what_did_not_run(void **state)
{
    struct rc_point point = point_of(4096, 1);
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    (void)state;
    skip_where_code_cannot_be_generated();
    assert_int_equal(icache()->setup(&rc_request_default, &point, &kernel, &err),
                     RC_OK);
    assert_int_equal(icache()->verify(kernel, 64, &err), RC_ECONFLICT);
    assert_string_equal(err.text, "the generated code never ran");
    icache()->run(kernel, 0);
    assert_int_equal(icache()->verify(kernel, 0, &err), RC_ECONFLICT);
    icache()->run(kernel, 64);
    assert_int_equal(icache()->verify(kernel, 128, &err), RC_ECONFLICT);
    assert_string_equal(err.text, "the generated code entered 64 blocks, not 128");
    icache()->teardown(kernel);
}

static void no_page_is_ever_writable_and_executable(void **state)
{
    struct rc_point point = point_of(1 << 20, 1);
    struct rc_error err = {0};
    struct rc_kernel *kernel;
    char line[512];

    (void)state;
    skip_where_code_cannot_be_generated();
    assert_int_equal(icache()->setup(&rc_request_default, &point, &kernel, &err),
                     RC_OK);
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        assert_null(strstr(line, " rwx"));
    fclose(maps);
    icache()->teardown(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_impossible_size_is_refused),
        cmocka_unit_test(lines_that_nothing_fills_so_are_refused),
        cmocka_unit_test(sizes_lie_in_every_level_and_away_from_all_edges),
        cmocka_unit_test(
            a_machine_that_does_not_tell_its_caches_has_points_that_say_so),
        cmocka_unit_test(lines_too_narrow_for_a_block_are_said_to_be),
        cmocka_unit_test(expectations_are_what_an_exact_simulation_counts),
        cmocka_unit_test(a_condition_that_fails_leaves_only_the_heads),
        cmocka_unit_test(no_sum_of_two_exact_ideals_is_nearly_the_lines_entered),
        cmocka_unit_test(points_tell_lines_and_exact_ideals_apart),
        cmocka_unit_test(points_of_one_kind_are_exact_in_all_that_they_are),
        cmocka_unit_test(
            code_that_leaves_no_room_in_the_last_cache_says_nothing_of_memory),
        cmocka_unit_test(iterations_are_whole_passes_within_the_budget),
        cmocka_unit_test(every_number_of_blocks_is_executed_and_found_out),
        cmocka_unit_test(verify_refuses_what_did_not_run),
        cmocka_unit_test(no_page_is_ever_writable_and_executable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/test.h"

#include "kernels/buffer.h"
#include "kernels/caches.h"
#include "kernels/chase.h"
#include "kernels/kernel.h"
#include "tests/lru.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES, STRIDE, PPB, THREADS, WIDTH };

#define K UINT64_C(1024)
#define M (UINT64_C(1024) * 1024)

struct machine {
    const char *name;
    struct rc_geometry geometry;
};

#define MACHINE(text, d, dw, two, tw, three, hw)                                       \
    {                                                                                  \
        text,                                                                          \
        {                                                                              \
            .l1d = {d, dw}, .l1i = {d, dw}, .l2 = {two, tw}, .l3 = {three, hw},        \
            .line_bytes = 64, .page_bytes = 4096, .huge_page_bytes = 2 * M             \
        }                                                                              \
    }

/* Small enough to be simulated access by access. */
static const struct machine machines[] = {
    MACHINE("tiny", 1 * K, 2, 4 * K, 4, 16 * K, 8),
    MACHINE("default", 32 * K, 8, 1 * M, 16, 8 * M, 16),
    MACHINE("48 KiB of 12 ways, L3 of 60 K sets", 48 * K, 12, 2 * M, 16, 15 * M, 4),
    MACHINE("no L3", 32 * K, 8, 512 * K, 8, 0, 0),
    MACHINE("no L2", 64 * K, 4, 0, 0, 0, 0),
    MACHINE("L3 smaller than L2", 32 * K, 8, 1 * M, 16, 768 * K, 12),
    MACHINE("unknown ways", 8 * K, 0, 32 * K, 0, 0, 0),
    MACHINE("direct mapped", 16 * K, 1, 256 * K, 1, 1 * M, 1),
};
#define MACHINES (sizeof machines / sizeof machines[0])

static const struct rc_suite *suite_of(bool writes)
{
    const struct rc_suite *suite = rc_suite_find(writes ? "dcache-write" : "dcache");

    assert_non_null(suite);
    return suite;
}

static struct rc_points points_of(const struct rc_suite *suite,
                                  const struct rc_geometry *geometry)
{
    struct rc_points points = {0};
    struct rc_error err = {0};

    assert_int_equal(suite->points(geometry, &points, &err), RC_OK);
    assert_true(points.count > 0);
    return points;
}

static struct rc_point point_of(int64_t bytes, int64_t stride, int64_t ppb)
{
    return (struct rc_point){.name = "p", .axis = {bytes, stride, ppb, 1, 8}};
}

static void points_without_a_walk_are_refused(void **state)
{
    static const int64_t bad[][3] = {
        {0, 64, 16},    {-1, 64, 16},   {4096, 0, 16},          {4096, -64, 16},
        {4096, 8, 16},  {4096, 60, 16}, {64, 128, 16},          {4096, 64, 0},
        {4096, 64, -1}, {1, 64, 16},    {1 << 20, 1 << 17, 16},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int writes = 0; writes < 2; writes++) {
            struct rc_point point = point_of(bad[i][0], bad[i][1], bad[i][2]);
            struct rc_error err = {0};
            struct rc_kernel *kernel = (struct rc_kernel *)&err;
            assert_int_equal(
                suite_of(writes)->setup(&rc_geometry_default, &point, &kernel, &err),
                RC_EUSAGE);
            assert_null(kernel);
            assert_string_equal(err.text, "point 'p': no walk with these parameters");
        }
}

static void accesses_of_impossible_width_are_refused(void **state)
{
    static const int64_t bad[] = {-1, 3, 5, 12, 17, 32};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_point point = point_of(4096, 64, 16);
        struct rc_error err = {0};
        struct rc_kernel *kernel;
        point.axis[WIDTH] = bad[i];
        assert_int_equal(
            suite_of(false)->setup(&rc_geometry_default, &point, &kernel, &err),
            RC_EUSAGE);
        assert_null(kernel);
    }
}

static void lines_too_narrow_for_a_link_are_stepped_over(void **state)
{
    struct rc_geometry narrow = machines[0].geometry;

    (void)state;
    narrow.line_bytes = 16;
    struct rc_points points = points_of(suite_of(false), &narrow);
    assert_true(points.count > 0);
    for (size_t i = 0; i < points.count; i++)
        assert_int_equal(points.point[i].axis[1], 32); /* the stride */
    rc_points_fini(&points);
}

static void a_buffer_larger_than_memory_is_refused_before_it_is_touched(void **state)
{
    struct rc_point point = point_of((int64_t)1 << 50, 64, 16);
    struct rc_error err = {0};
    struct rc_kernel *kernel;
    struct rc_buffer buffer;

    (void)state;
    assert_int_equal(
        suite_of(false)->setup(&rc_geometry_default, &point, &kernel, &err), RC_ENOMEM);
    assert_null(kernel);
    assert_non_null(strstr(err.text, "no memory for a buffer of "));
    assert_int_equal(rc_buffer_init(&buffer, UINT64_MAX, 2 * M, &err), RC_ENOMEM);
    assert_null(buffer.data);
    rc_buffer_fini(&buffer);
}

static void nothing_is_torn_down_without_harm(void **state)
{
    (void)state;
    suite_of(false)->teardown(NULL);
    suite_of(true)->teardown(NULL);
}

static void check_walk(uint64_t lines, uint64_t stride, uint64_t per_block)
{
    unsigned char *buffer = calloc(lines, stride), *seen = calloc(lines, 1);
    uint32_t *order = calloc(per_block, sizeof *order);
    uint64_t visited = 0;

    assert_non_null(buffer);
    assert_non_null(seen);
    assert_non_null(order);
    const struct rc_chase_line *first =
        rc_chase_link(buffer, lines, stride, per_block, 7, order);
    const struct rc_chase_line *line = first;
    do {
        uint64_t offset = (uint64_t)((const unsigned char *)line - buffer);
        assert_int_equal(offset % stride, 0);
        assert_true(offset / stride < lines);
        assert_int_equal(seen[offset / stride], 0);
        assert_int_equal(offset / stride / per_block, visited / per_block);
        assert_int_equal(line->position, visited);
        seen[offset / stride] = 1;
        visited++;
        line = line->next;
    } while (line != first && visited <= lines);
    assert_int_equal(visited, lines);
    free(order);
    free(seen);
    free(buffer);
}

static void a_walk_visits_every_line_once_block_after_block(void **state)
{
    static const uint64_t lines[] = {1, 2, 3, 63, 64, 65, 1000, 4096, 5000};
    static const uint64_t per_block[] = {1, 2, 16, 64, 1000, 4096, 8192};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (size_t j = 0; j < sizeof per_block / sizeof per_block[0]; j++)
            for (uint64_t stride = 64; stride <= 128; stride += 64)
                check_walk(lines[i], stride, per_block[j]);
}

static void link_places(uint64_t *place, uint64_t lines, uint64_t seed)
{
    unsigned char *buffer = calloc(lines, 64);
    uint32_t *order = calloc(lines, sizeof *order);

    assert_non_null(buffer);
    assert_non_null(order);
    const struct rc_chase_line *line =
        rc_chase_link(buffer, lines, 64, lines, seed, order);
    for (uint64_t i = 0; i < lines; i++, line = line->next)
        place[i] = (uint64_t)((const unsigned char *)line - buffer) / 64;
    free(order);
    free(buffer);
}

static void equal_seeds_give_equal_walks_and_others_do_not(void **state)
{
    uint64_t a[1024], b[1024], c[1024];
    size_t same = 0;

    (void)state;
    link_places(a, 1024, 5);
    link_places(b, 1024, 5);
    link_places(c, 1024, 6);
    assert_memory_equal(a, b, sizeof a);
    for (size_t i = 0; i < 1024; i++)
        same += a[i] == c[i];
    assert_true(same < 16); /* one is expected by chance */
}

/* By chance a step goes to one of the four nearest lines in 4 of 1024 cases,
 * and a difference equals the one before it in about one of 1024.
 */
static void a_walk_has_no_steps_to_follow(void **state)
{
    uint64_t place[1024];
    int64_t before = 0;
    uint64_t near = 0, repeated = 0, distance = 0;

    (void)state;
    link_places(place, 1024, 5);
    for (size_t i = 1; i < 1024; i++) {
        int64_t step = (int64_t)place[i] - (int64_t)place[i - 1];
        near += llabs(step) <= 2;
        repeated += step == before;
        distance += (uint64_t)llabs(step);
        before = step;
    }
    assert_true(near < 16);
    assert_true(repeated < 8);
    assert_in_range(distance / 1023, 1024 / 3 - 32, 1024 / 3 + 32);
}

static size_t level_of(const struct rc_geometry *geometry, uint64_t bytes)
{
    return bytes <= geometry->l1d.bytes  ? 1
           : bytes <= geometry->l2.bytes ? 2
           : bytes <= geometry->l3.bytes ? 3
                                         : 4;
}

static void sizes_lie_in_every_level_and_away_from_all_edges(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        const struct rc_geometry *geometry = &machines[m].geometry;
        const uint64_t edges[] = {geometry->l1d.bytes, geometry->l2.bytes,
                                  geometry->l3.bytes};
        struct rc_points points = points_of(suite_of(false), geometry);
        bool seen[5] = {false};
        for (size_t i = 0; i < points.count; i++) {
            uint64_t bytes = (uint64_t)points.point[i].axis[BYTES];
            seen[level_of(geometry, bytes)] = true;
            for (size_t e = 0; e < 3; e++)
                if (edges[e])
                    assert_true(4 * bytes <= 3 * edges[e] || 2 * bytes >= 3 * edges[e]);
        }
        assert_true(seen[1] && seen[4]);
        assert_true(seen[2] == (geometry->l2.bytes > 0));
        assert_true(seen[3] == (geometry->l3.bytes > geometry->l2.bytes));
        rc_points_fini(&points);
    }
}

static void points_are_the_same_each_time_and_have_names_of_their_own(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct rc_points a = points_of(suite_of(false), &machines[m].geometry);
        struct rc_points b = points_of(suite_of(true), &machines[m].geometry);
        assert_int_equal(a.count, b.count);
        for (size_t i = 0; i < a.count; i++) {
            assert_string_equal(a.point[i].name, b.point[i].name);
            assert_memory_equal(a.point[i].axis, b.point[i].axis,
                                sizeof a.point[i].axis);
            assert_int_equal(a.point[i].axis[THREADS], 1);
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(a.point[i].name, a.point[j].name);
        }
        rc_points_fini(&a);
        rc_points_fini(&b);
    }
}

static void a_machine_that_does_not_tell_its_caches_has_points_that_say_so(void **state)
{
    const struct rc_geometry unknown = {0};
    struct rc_points points = points_of(suite_of(false), &unknown);

    (void)state;
    for (size_t i = 0; i < points.count; i++) {
        assert_string_equal(points.point[i].unusable,
                            "the sizes of this machine's caches are not known");
        assert_true(
            rc_expect(suite_of(false), &unknown, &points.point[i], RC_IDEAL_L1DM) >= 0);
    }
    rc_points_fini(&points);
}

static void large_caches_bring_large_blocks_and_say_where_memory_ends(void **state)
{
    const struct machine huge =
        MACHINE("huge", 32 * K, 8, 1 * M, 8, UINT64_C(512) << 20, 16);
    const struct machine beyond =
        MACHINE("beyond", 32 * K, 8, 1 * M, 8, UINT64_C(512) << 40, 16);
    struct rc_points points = points_of(suite_of(false), &huge.geometry);
    bool large_block = false;

    (void)state;
    for (size_t i = 0; i < points.count; i++)
        large_block = large_block || points.point[i].axis[PPB] == 512;
    assert_true(large_block);
    assert_true(points.count <= 64);
    rc_points_fini(&points);
    points = points_of(suite_of(false), &beyond.geometry);
    size_t last = points.count;
    while (last > 0 && points.point[last - 1].axis[WIDTH] != 8)
        last--;
    assert_int_equal(points.count - last, 4); /* of other widths, in L1 */
    assert_non_null(points.point[last - 1].unusable);
    assert_null(points.point[0].unusable);
    assert_null(points.point[last].unusable);
    rc_points_fini(&points);
}

/* One pass of the suite's own walk through simulated caches, after passes that
 * are not counted.
 */
static void simulate(struct lru_caches *caches, const struct rc_point *point,
                     bool writes, int passes)
{
    uint64_t stride = (uint64_t)point->axis[STRIDE];
    uint64_t lines = (uint64_t)point->axis[BYTES] / stride;
    uint64_t per_block = (uint64_t)point->axis[PPB] * 4096 / stride;
    uint32_t *order = calloc(per_block, sizeof *order);
    struct rc_buffer buffer;
    struct rc_error err;

    assert_non_null(order);
    assert_int_equal(rc_buffer_init(&buffer, lines * stride, 2 * M, &err), RC_OK);
    const struct rc_chase_line *line =
        rc_chase_link(buffer.data, lines, stride, per_block, 1, order);
    for (int pass = 0; pass < passes; pass++) {
        lru_forget_counts(caches);
        for (uint64_t i = 0; i < lines; i++, line = line->next) {
            lru_access(caches, (uint64_t)(uintptr_t)line, false);
            if (writes)
                lru_access(caches, (uint64_t)(uintptr_t)line + 8, true);
        }
    }
    rc_buffer_fini(&buffer);
    free(order);
}

static void compare(const struct machine *machine, const struct rc_point *point,
                    bool writes)
{
    const struct rc_suite *suite = suite_of(writes);
    const struct rc_geometry *geometry = &machine->geometry;
    const struct rc_cache_geometry levels[] = {geometry->l1d, geometry->l2,
                                               geometry->l3};
    struct lru_caches caches;

    assert_int_equal(lru_init(&caches, levels, 64), 0);
    simulate(&caches, point, writes, 3);
    int64_t line_count = point->axis[BYTES] / point->axis[STRIDE];
    double lines = (double)line_count;
    const struct lru *l1 = &caches.level[0], *l2 = &caches.level[1],
                     *l3 = &caches.level[2];
    const struct {
        enum rc_ideal ideal;
        double counted;
    } all[] = {
        {RC_IDEAL_L1DM, (double)l1->misses},
        {RC_IDEAL_L1DH, (double)l1->hits - (writes ? lines : 0)},
        {RC_IDEAL_L2DH, (double)l2->hits},
        {RC_IDEAL_L3DH, (double)l3->hits},
        {RC_IDEAL_L1DWH, writes ? lines : 0},
        {RC_IDEAL_L1WB, (double)l1->written_back},
        {RC_IDEAL_L2WB, (double)l2->written_back},
        {RC_IDEAL_L3WB, (double)l3->written_back},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double expected = rc_expect(suite, geometry, point, all[i].ideal);
        if (fabs(expected - all[i].counted / lines) > 0.01)
            fail_msg("%s on '%s', %s: expected %g, simulated %g", point->name,
                     machine->name, rc_ideal_name(all[i].ideal), expected,
                     all[i].counted / lines);
    }
    lru_fini(&caches);
}

static void expectations_are_what_an_exact_simulation_counts(void **state)
{
    (void)state;
    for (size_t m = 0; m < MACHINES; m++) {
        struct rc_points points = points_of(suite_of(false), &machines[m].geometry);
        for (size_t i = 0; i < points.count; i++) {
            bool large = points.point[i].axis[BYTES] > 8 << 20;
            if (large && points.point[i].axis[STRIDE] == 64)
                continue; /* the walk at 128 bytes says the same in half the time */
            compare(&machines[m], &points.point[i], true);
            if (!large)
                compare(&machines[m], &points.point[i], false);
        }
        rc_points_fini(&points);
    }
}

/* Sizes near the edges, too, where sets fill unevenly: one level alone. */
static void miss_shares_are_exact_at_any_size(void **state)
{
    static const struct rc_cache_geometry shapes[] = {{1024, 2}, {4096, 4}, {3072, 3},
                                                      {6144, 4}, {2048, 0}, {960, 3}};

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (uint64_t lines = 1; lines < 200; lines++)
            for (uint64_t step = 1; step <= 2; step++) {
                struct rc_cache_geometry levels[3] = {shapes[s]};
                struct lru_caches caches;
                assert_int_equal(lru_init(&caches, levels, 64), 0);
                for (int pass = 0; pass < 2; pass++) {
                    lru_forget_counts(&caches);
                    for (uint64_t i = 0; i < lines; i++)
                        lru_access(&caches, i * step * 64, false);
                }
                double share = rc_cache_miss_share(&shapes[s], 64, lines, step);
                assert_true(fabs(share * (double)lines -
                                 (double)caches.level[0].misses) < 1e-6);
                lru_fini(&caches);
            }
}

static void exact_ideals_are_known_on_every_point(void **state)
{
    static const enum rc_ideal exact[] = {RC_IDEAL_INS, RC_IDEAL_LOADS, RC_IDEAL_STORES,
                                          RC_IDEAL_CR,  RC_IDEAL_T,     RC_IDEAL_D};
    static const double expected[2][6] = {{1 + 2.0 / 64, 1, 0, 1.0 / 64, 1.0 / 64, 0},
                                          {2 + 2.0 / 64, 1, 1, 1.0 / 64, 1.0 / 64, 0}};

    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        const struct rc_suite *suite = suite_of(writes);
        struct rc_point point = point_of(8192, 64, 16);
        for (size_t i = 0; i < 6; i++)
            assert_true(rc_expect(suite, &rc_geometry_default, &point, exact[i]) ==
                        expected[writes][i]);
        for (unsigned i = 0; i < RC_IDEAL_COUNT; i++)
            if (rc_ideal_exact(i))
                assert_true(rc_expect(suite, &rc_geometry_default, &point, i) >= 0);
    }
}

static void iterations_are_whole_loops_within_the_budget(void **state)
{
    static const uint64_t budgets[] = {0, 1, 129, 130, 1000, 20000, 1000000};

    (void)state;
    for (int writes = 0; writes < 2; writes++)
        for (size_t m = 0; m < MACHINES; m++) {
            const struct rc_suite *suite = suite_of(writes);
            const struct rc_geometry *geometry = &machines[m].geometry;
            struct rc_points points = points_of(suite, geometry);
            for (size_t i = 0; i < points.count; i++)
                for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++) {
                    uint64_t n =
                        suite->iterations(geometry, &points.point[i], budgets[b]);
                    double instructions =
                        (double)n *
                        rc_expect(suite, geometry, &points.point[i], RC_IDEAL_INS);
                    assert_true(n >= 64 && n % 64 == 0);
                    if (budgets[b])
                        assert_true(n == 64 || instructions <= (double)budgets[b]);
                }
            rc_points_fini(&points);
        }
}

static void verify_refuses_what_did_not_run(void **state)
{
    (void)state;
    for (int writes = 0; writes < 2; writes++) {
        const struct rc_suite *suite = suite_of(writes);
        struct rc_point point = point_of(8192, 64, 16);
        struct rc_error err = {0};
        struct rc_kernel *kernel;
        assert_int_equal(suite->setup(&rc_geometry_default, &point, &kernel, &err),
                         RC_OK);
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        assert_int_equal(suite->verify(kernel, 128, &err), RC_ECONFLICT);
        assert_string_equal(err.text, "the pointer chase never ran");
        suite->run(kernel, 0);
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        suite->run(kernel, 128);
        assert_int_equal(suite->verify(kernel, 256, &err), RC_ECONFLICT);
        assert_string_equal(err.text, "the pointer chase made 128 accesses, not 256");
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        assert_int_equal(suite->verify(kernel, 128, &err), RC_OK);
        suite->teardown(kernel);
    }
}

static void every_number_of_accesses_is_made_and_found_out(void **state)
{
    static const uint64_t counts[] = {1, 2, 63, 64, 65, 127, 128, 129, 1000, 64000};
    static const int64_t widths[] = {8, 1, 2, 4, 16};

    (void)state;
    for (int i = 0; i < 2 * 5; i++)
        for (int64_t bytes = 128; bytes <= 1 << 20; bytes *= 8) {
            const struct rc_suite *suite = suite_of(i % 2);
            struct rc_point point = point_of(bytes, 64, 16);
            struct rc_error err = {0};
            point.axis[WIDTH] = widths[i / 2];
            struct rc_kernel *kernel;
            assert_int_equal(suite->setup(&rc_geometry_default, &point, &kernel, &err),
                             RC_OK);
            for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
                suite->run(kernel, counts[c]);
                assert_int_equal(suite->verify(kernel, counts[c], &err), RC_OK);
                assert_int_equal(suite->verify(kernel, counts[c] + 1, &err),
                                 RC_ECONFLICT);
            }
            suite->teardown(kernel);
        }
}

static void a_note_is_given_only_where_pages_are_small(void **state)
{
    const struct rc_suite *suite = suite_of(false);
    struct rc_point one_page = point_of(4096, 64, 16);
    struct rc_point many = point_of(4 << 20, 128, 16);
    struct rc_geometry small_pages = machines[0].geometry;
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    (void)state;
    small_pages.huge_page_bytes = 0;
    assert_int_equal(suite->setup(&small_pages, &one_page, &kernel, &err), RC_OK);
    assert_null(suite->note(kernel));
    suite->teardown(kernel);
    assert_int_equal(suite->setup(&small_pages, &many, &kernel, &err), RC_OK);
    assert_non_null(suite->note(kernel));
    suite->teardown(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_without_a_walk_are_refused),
        cmocka_unit_test(accesses_of_impossible_width_are_refused),
        cmocka_unit_test(lines_too_narrow_for_a_link_are_stepped_over),
        cmocka_unit_test(a_buffer_larger_than_memory_is_refused_before_it_is_touched),
        cmocka_unit_test(nothing_is_torn_down_without_harm),
        cmocka_unit_test(a_walk_visits_every_line_once_block_after_block),
        cmocka_unit_test(equal_seeds_give_equal_walks_and_others_do_not),
        cmocka_unit_test(a_walk_has_no_steps_to_follow),
        cmocka_unit_test(sizes_lie_in_every_level_and_away_from_all_edges),
        cmocka_unit_test(points_are_the_same_each_time_and_have_names_of_their_own),
        cmocka_unit_test(
            a_machine_that_does_not_tell_its_caches_has_points_that_say_so),
        cmocka_unit_test(large_caches_bring_large_blocks_and_say_where_memory_ends),
        cmocka_unit_test(miss_shares_are_exact_at_any_size),
        cmocka_unit_test(expectations_are_what_an_exact_simulation_counts),
        cmocka_unit_test(exact_ideals_are_known_on_every_point),
        cmocka_unit_test(iterations_are_whole_loops_within_the_budget),
        cmocka_unit_test(verify_refuses_what_did_not_run),
        cmocka_unit_test(every_number_of_accesses_is_made_and_found_out),
        cmocka_unit_test(a_note_is_given_only_where_pages_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

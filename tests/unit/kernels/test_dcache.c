#include "tests/lib/test.h"

#include "kernels/buffer.h"
#include "kernels/caches.h"
#include "kernels/dcache/dcache.h"
#include "tests/lib/request.h"
#include "tests/unit/kernels/lru.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BYTES = RC_DCACHE_BYTES,
    STRIDE = RC_DCACHE_STRIDE,
    PPB = RC_DCACHE_PPB,
    THREADS = RC_DCACHE_THREADS,
    WIDTH = RC_DCACHE_WIDTH,
    LOADS = RC_DCACHE_LOADS,
    STORES = RC_DCACHE_STORES,
    CHAINS = RC_DCACHE_CHAINS
};

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

    assert_int_equal(suite->points(REQUEST(geometry), &points, &err), RC_OK);
    assert_true(points.count > 0);
    return points;
}

/* A step of a walk: loads, stores, chains. */
static const struct kind {
    bool writes; /* of 'dcache-write' */
    int64_t loads, stores, chains;
} kinds[] = {{false, 1, 0, 1}, {true, 1, 1, 1}, {false, 2, 0, 1}, {false, 4, 0, 1},
             {false, 1, 0, 2}, {true, 0, 1, 1}, {true, 0, 2, 1},  {true, 0, 4, 1}};
enum { KINDS = sizeof kinds / sizeof kinds[0], WITH_WIDTHS = 2 };

static struct rc_point point_of(const struct kind *kind, int64_t bytes, int64_t stride,
                                int64_t ppb)
{
    return (struct rc_point){
        .name = "p",
        .axis = {bytes, stride, ppb, 1, 8, kind->loads, kind->stores, kind->chains}};
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
        for (int k = 0; k < KINDS; k++) {
            struct rc_point point =
                point_of(&kinds[k], bad[i][0], bad[i][1], bad[i][2]);
            struct rc_error err = {0};
            struct rc_kernel *kernel = (struct rc_kernel *)&err;
            if (i + 1 == sizeof bad / sizeof bad[0] && kinds[k].loads == 0)
                continue; /* blocks smaller than the stride are none of its order */
            assert_int_equal(suite_of(kinds[k].writes)
                                 ->setup(&rc_request_default, &point, &kernel, &err),
                             RC_EUSAGE);
            assert_null(kernel);
            assert_string_equal(err.text, "point 'p': no walk with these parameters");
        }
}

static void steps_that_no_loop_makes_are_refused(void **state)
{
    static const struct kind bad[] = {
        {false, 3, 0, 1}, {false, 8, 0, 1}, {false, -1, 0, 1}, {false, 2, 0, 2},
        {false, 1, 0, 3}, {false, 1, 0, 0}, {true, 0, 0, 1},   {true, 0, 3, 1},
        {true, 0, 8, 1},  {true, 1, 2, 1},  {true, 2, 1, 1},   {true, 0, 1, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_point point = point_of(&bad[i], 4096, 64, 16);
        struct rc_error err = {0};
        struct rc_kernel *kernel;
        assert_int_equal(
            suite_of(bad[i].writes)->setup(&rc_request_default, &point, &kernel, &err),
            RC_EUSAGE);
        assert_null(kernel);
    }
}

static void stores_alone_want_powers_of_two(void **state)
{
    static const int64_t bad[][2] = {{3 << 12, 64}, {4096, 96}, {4096 + 64, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_point point = point_of(&kinds[5], bad[i][0], bad[i][1], 16);
        struct rc_error err = {0};
        struct rc_kernel *kernel;
        assert_int_equal(
            suite_of(true)->setup(&rc_request_default, &point, &kernel, &err),
            RC_EUSAGE);
        assert_null(kernel);
    }
}

static void accesses_of_impossible_width_are_refused(void **state)
{
    static const int64_t bad[] = {-1, 3, 5, 12, 17, 32, 4};

    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (size_t i = 0; i < sizeof bad / sizeof bad[0] - (k < WITH_WIDTHS); i++) {
            struct rc_point point = point_of(&kinds[k], 4096, 64, 16);
            struct rc_error err = {0};
            struct rc_kernel *kernel;
            point.axis[WIDTH] = bad[i];
            assert_int_equal(suite_of(kinds[k].writes)
                                 ->setup(&rc_request_default, &point, &kernel, &err),
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
    struct rc_point point = point_of(&kinds[0], (int64_t)1 << 50, 64, 16);
    struct rc_error err = {0};
    struct rc_kernel *kernel;
    struct rc_buffer buffer;

    (void)state;
    assert_int_equal(suite_of(false)->setup(&rc_request_default, &point, &kernel, &err),
                     RC_ENOMEM);
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

static struct rc_chase_order order_of(uint64_t bytes, uint64_t stride)
{
    return (struct rc_chase_order){.step = 1013904223 * stride, .mask = bytes - 1};
}

static void an_order_has_every_line_once_in_a_round(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines <= 1 << 16; lines *= 2)
        for (uint64_t stride = 32; stride <= 128; stride *= 2) {
            struct rc_chase_order order = order_of(lines * stride, stride);
            unsigned char *seen = calloc(lines, 1);
            assert_non_null(seen);
            for (uint64_t i = 0; i < lines; i++) {
                order.at = rc_chase_order_next(&order);
                assert_int_equal(order.at % stride, 0);
                assert_true(order.at / stride < lines);
                assert_int_equal(seen[order.at / stride]++, 0);
            }
            assert_int_equal(order.at, 0); /* where it began */
            free(seen);
        }
}

static void an_order_has_no_steps_to_follow(void **state)
{
    enum { LINES = 4096 };
    struct rc_chase_order order = order_of(LINES * 64, 64);
    int64_t place = 0, before = 0;
    uint64_t near = 0, repeated = 0;

    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        order.at = rc_chase_order_next(&order);
        int64_t step = (int64_t)(order.at / 64) - place;
        near += llabs(step) <= 2;
        repeated += step == before;
        before = step;
        place = (int64_t)(order.at / 64);
    }
    assert_true(near < 16);
    assert_true(repeated < 16);
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
    for (size_t m = 0; m < 2 * MACHINES; m++) {
        const struct rc_suite *suite = suite_of(m % 2);
        struct rc_points a = points_of(suite, &machines[m / 2].geometry);
        struct rc_points b = points_of(suite, &machines[m / 2].geometry);
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

/* How many points make steps of this kind in a level, 1 to 4, or in any (0). */
static size_t count_kind(const struct rc_points *points,
                         const struct rc_geometry *geometry, const struct kind *kind,
                         size_t level)
{
    size_t count = 0;

    for (size_t i = 0; i < points->count; i++) {
        const int64_t *axis = points->point[i].axis;
        count += axis[LOADS] == kind->loads && axis[STORES] == kind->stores &&
                 axis[CHAINS] == kind->chains &&
                 (level == 0 || level_of(geometry, (uint64_t)axis[BYTES]) == level);
    }
    return count;
}

static void every_level_has_points_of_all_kinds_of_steps(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) /* machines with all levels */
        for (int k = 0; k < KINDS; k++) {
            const struct rc_geometry *geometry = &machines[m].geometry;
            struct rc_points points = points_of(suite_of(kinds[k].writes), geometry);
            const bool in_l1 = kinds[k].writes || k == 0; /* else nothing new there */
            for (size_t level = 1; level <= 4; level++) {
                const size_t count = count_kind(&points, geometry, &kinds[k], level);
                if (k < 2)
                    assert_true(count > 1);
                else
                    assert_int_equal(count, level > 1 || in_l1);
            }
            rc_points_fini(&points);
        }
}

static void narrow_lines_are_accessed_once_each(void **state)
{
    struct rc_geometry narrow = machines[0].geometry;

    (void)state;
    narrow.line_bytes = 16;
    for (int k = 2; k < KINDS; k++) {
        struct rc_points points = points_of(suite_of(kinds[k].writes), &narrow);
        assert_int_equal(count_kind(&points, &narrow, &kinds[k], 0), 0);
        rc_points_fini(&points);
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
        assert_true(rc_expect(suite_of(false), REQUEST(&unknown), &points.point[i],
                              RC_IDEAL_L1DM) >= 0);
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
    size_t wide = 0, beyond_memory = 0;
    for (size_t i = 0; i < points.count; i++) {
        const int64_t *axis = points.point[i].axis;
        wide += axis[WIDTH] != 8;
        beyond_memory += points.point[i].unusable != NULL;
        assert_true(!points.point[i].unusable == (axis[BYTES] < (int64_t)1 << 45));
    }
    assert_int_equal(wide, 4);
    assert_true(beyond_memory > 0);
    rc_points_fini(&points);
}

/* Accesses of a pass over the lines: by level that had the line, memory last. */
struct tally {
    uint64_t loads[4], stores[4];
};

static void access_line(struct lru_caches *caches, struct tally *t, const void *at,
                        bool store)
{
    (store ? t->stores
           : t->loads)[lru_access(caches, (uint64_t)(uintptr_t)at, store)]++;
}

/* One pass of chases, a step of each in turn. */
static void pass_chases(struct lru_caches *caches, struct tally *t,
                        const struct rc_chase_line **line, uint64_t steps,
                        const struct kind *kind)
{
    for (uint64_t i = 0; i < steps; i++)
        for (int64_t c = 0; c < kind->chains; c++) {
            for (int64_t n = 1; n < kind->loads; n++)
                access_line(caches, t, line[c]->written, false);
            access_line(caches, t, line[c], false);
            if (kind->stores)
                access_line(caches, t, line[c]->written, true);
            line[c] = line[c]->next;
        }
}

static void pass_order(struct lru_caches *caches, struct tally *t, const char *data,
                       struct rc_chase_order *order, uint64_t steps, int64_t stores)
{
    for (uint64_t i = 0; i < steps; i++) {
        order->at = rc_chase_order_next(order);
        for (int64_t n = stores - 1; n >= 0; n--)
            access_line(caches, t, data + order->at + 8 * n, true);
    }
}

/* One pass of the suite's own walk through simulated caches, after passes that
 * are not counted.  Returns its steps.
 */
static uint64_t simulate(struct lru_caches *caches, const struct rc_point *point,
                         struct tally *tally, int passes)
{
    const struct kind kind = {.loads = point->axis[LOADS],
                              .stores = point->axis[STORES],
                              .chains = point->axis[CHAINS]};
    uint64_t stride = (uint64_t)point->axis[STRIDE];
    uint64_t lines = (uint64_t)(point->axis[BYTES] / point->axis[STRIDE] / kind.chains);
    uint64_t per_block = (uint64_t)point->axis[PPB] * 4096 / stride;
    uint32_t *scratch = calloc(per_block, sizeof *scratch);
    struct rc_chase_order order = order_of(lines * stride, stride);
    const struct rc_chase_line *line[2];
    struct rc_buffer buffer;
    struct rc_error err;

    assert_non_null(scratch);
    assert_int_equal(rc_buffer_init(&buffer, (uint64_t)point->axis[BYTES], 2 * M, &err),
                     RC_OK);
    char *data = buffer.data;
    for (int64_t c = 0; c < kind.chains; c++)
        line[c] = rc_chase_link(data + (uint64_t)c * lines * stride, lines, stride,
                                per_block, 1, scratch);
    for (int pass = 0; pass < passes; pass++) {
        lru_forget_counts(caches);
        *tally = (struct tally){{0}, {0}};
        if (kind.loads)
            pass_chases(caches, tally, line, lines, &kind);
        else
            pass_order(caches, tally, data, &order, lines, kind.stores);
    }
    rc_buffer_fini(&buffer);
    free(scratch);
    return lines;
}

static void compare(const struct machine *machine, const struct rc_point *point,
                    bool writes)
{
    const struct rc_geometry *geometry = &machine->geometry;
    const struct rc_cache_geometry levels[] = {geometry->l1d, geometry->l2,
                                               geometry->l3};
    struct lru_caches caches;
    struct tally t;

    assert_int_equal(lru_init(&caches, levels, 64), 0);
    const double steps = (double)simulate(&caches, point, &t, 3);
    const struct lru *level = caches.level;
    const struct {
        enum rc_ideal ideal;
        uint64_t counted;
    } all[] = {
        {RC_IDEAL_LOADS, t.loads[0] + t.loads[1] + t.loads[2] + t.loads[3]},
        {RC_IDEAL_STORES, t.stores[0] + t.stores[1] + t.stores[2] + t.stores[3]},
        {RC_IDEAL_L1DM, t.loads[1] + t.loads[2] + t.loads[3]},
        {RC_IDEAL_L1DH, t.loads[0]},
        {RC_IDEAL_L2DH, t.loads[1]},
        {RC_IDEAL_L3DH, t.loads[2]},
        {RC_IDEAL_L1DWH, t.stores[0]},
        {RC_IDEAL_L1DWM, t.stores[1] + t.stores[2] + t.stores[3]},
        {RC_IDEAL_L1WB, level[0].written_back},
        {RC_IDEAL_L2WB, level[1].written_back},
        {RC_IDEAL_L3WB, level[2].written_back},
        {RC_IDEAL_MEM_RD, t.loads[3] + t.stores[3]},
        {RC_IDEAL_MEM_WR, caches.written},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const double expected = rc_expect(suite_of(writes), REQUEST(geometry), point,
                                          all[i].ideal),
                     counted = (double)all[i].counted / steps;
        if (!(fabs(expected - counted) <= 0.01))
            fail_msg("%s on '%s', %s: expected %g, simulated %g", point->name,
                     machine->name, rc_ideal_name(all[i].ideal), expected, counted);
    }
    lru_fini(&caches);
}

static void expectations_are_what_an_exact_simulation_counts(void **state)
{
    (void)state;
    for (size_t m = 0; m < 2 * MACHINES; m++) {
        const struct machine *machine = &machines[m / 2];
        const bool writes = m % 2;
        struct rc_points points = points_of(suite_of(writes), &machine->geometry);
        for (size_t i = 0; i < points.count; i++) {
            const int64_t *axis = points.point[i].axis;
            if (axis[WIDTH] != 8)
                continue; /* every other load goes on, in L1 */
            if (axis[BYTES] > 8 << 20 &&
                (axis[STRIDE] == 64 || (!writes && axis[LOADS] * axis[CHAINS] == 1)))
                continue; /* the walk at 128 bytes, with stores, says the same */
            compare(machine, &points.point[i], writes);
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
    static const enum rc_ideal exact[] = {
        RC_IDEAL_INS, RC_IDEAL_LOADS,   RC_IDEAL_STORES,  RC_IDEAL_CR,       RC_IDEAL_T,
        RC_IDEAL_D,   RC_IDEAL_INT_ADD, RC_IDEAL_INT_MUL, RC_IDEAL_INT_LOGIC};
    enum { EXACT = sizeof exact / sizeof exact[0] };
    const double s = 1.0 / 64, f = 1.0 / 16;
    const double expected[KINDS][EXACT] = {{1 + 2 * s, 1, 0, s, s, 0, s},
                                           {2 + 2 * s, 1, 1, s, s, 0, s},
                                           {2 + 2 * f, 2, 0, f, f, 0, f},
                                           {4 + 2 * f, 4, 0, f, f, 0, f},
                                           {2 + 2 * f, 2, 0, f, f, 0, f},
                                           {4 + 2 * f, 0, 1, f, f, 0, 1 + f, 1, 1},
                                           {5 + 2 * f, 0, 2, f, f, 0, 1 + f, 1, 1},
                                           {7 + 2 * f, 0, 4, f, f, 0, 1 + f, 1, 1}};

    (void)state;
    for (int k = 0; k < KINDS; k++) {
        const struct rc_suite *suite = suite_of(kinds[k].writes);
        struct rc_point point = point_of(&kinds[k], 8192, 64, 16);
        for (size_t i = 0; i < EXACT; i++)
            assert_true(rc_expect(suite, &rc_request_default, &point, exact[i]) ==
                        expected[k][i]);
        for (unsigned i = 0; i < RC_IDEAL_COUNT; i++)
            if (rc_ideal_exact(i))
                assert_true(rc_expect(suite, &rc_request_default, &point, i) >= 0);
    }
}

/* Counts that an event may be of, over all points of both suites. */
static const enum rc_ideal told[] = {RC_IDEAL_STORES, RC_IDEAL_L1DWH, RC_IDEAL_L1WB,
                                     RC_IDEAL_L2WB,   RC_IDEAL_L3WB,  RC_IDEAL_MEM_RD,
                                     RC_IDEAL_LOADS,  RC_IDEAL_INS,   RC_IDEAL_L1DM,
                                     RC_IDEAL_L2DH,   RC_IDEAL_L3DH};
enum { TOLD = sizeof told / sizeof told[0] };

/* Adds to 'gram' the products of the columns on the points of a suite. */
static void add_products(const struct rc_geometry *geometry, bool writes,
                         double gram[TOLD][TOLD])
{
    struct rc_points points = points_of(suite_of(writes), geometry);

    for (size_t p = 0; p < points.count; p++) {
        double x[TOLD];
        for (int i = 0; i < TOLD; i++)
            x[i] = rc_expect(suite_of(writes), REQUEST(geometry), &points.point[p],
                             told[i]);
        for (int i = 0; i < TOLD; i++)
            for (int j = 0; j < TOLD; j++)
                gram[i][j] += x[i] * x[j];
        /* The same wherever lines are of 64 bytes: 'memory' has to tell them. */
        assert_true(rc_expect(suite_of(writes), REQUEST(geometry), &points.point[p],
                              RC_IDEAL_L3WB) ==
                    rc_expect(suite_of(writes), REQUEST(geometry), &points.point[p],
                              RC_IDEAL_MEM_WR));
    }
    rc_points_fini(&points);
}

/* Rotates rows and columns i and j so that their product is 0 (Jacobi). */
static void rotate(double a[TOLD][TOLD], int i, int j)
{
    const double angle = 0.5 * atan2(2 * a[i][j], a[i][i] - a[j][j]), c = cos(angle),
                 s = sin(angle);

    for (int k = 0; k < TOLD; k++) {
        const double x = a[k][i], y = a[k][j];
        a[k][i] = c * x + s * y;
        a[k][j] = c * y - s * x;
    }
    for (int k = 0; k < TOLD; k++) {
        const double x = a[i][k], y = a[j][k];
        a[i][k] = c * x + s * y;
        a[j][k] = c * y - s * x;
    }
}

/* The condition number of the columns, each of length 1. */
static double condition_of(const struct rc_geometry *geometry)
{
    double gram[TOLD][TOLD] = {{0}}, length[TOLD], least = INFINITY, most = 0;

    add_products(geometry, false, gram);
    add_products(geometry, true, gram);
    for (int i = 0; i < TOLD; i++)
        length[i] = sqrt(gram[i][i]);
    for (int i = 0; i < TOLD; i++)
        for (int j = 0; j < TOLD; j++)
            gram[i][j] /= length[i] * length[j];
    for (int sweep = 0; sweep < 50; sweep++)
        for (int i = 0; i < TOLD; i++)
            for (int j = 0; j < i; j++)
                rotate(gram, i, j);
    for (int i = 0; i < TOLD; i++) {
        least = fmin(least, gram[i][i]);
        most = fmax(most, gram[i][i]);
    }
    return sqrt(most / fmax(least, 0));
}

/* On machines with all levels, one of them that of the soft source. */
static void both_suites_tell_what_caches_count(void **state)
{
    static const struct machine soft = MACHINE("soft", 4 * K, 8, 16 * K, 8, 64 * K, 16);
    const struct machine *all[] = {&soft, &machines[0], &machines[1], &machines[2]};

    (void)state;
    for (size_t m = 0; m < 4; m++) {
        const double condition = condition_of(&all[m]->geometry);
        if (!(condition < 50))
            fail_msg("'%s': condition number %g", all[m]->name, condition);
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
                    uint64_t n = suite->iterations(REQUEST(geometry), &points.point[i],
                                                   budgets[b]);
                    double instructions =
                        (double)n * rc_expect(suite, REQUEST(geometry),
                                              &points.point[i], RC_IDEAL_INS);
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
    for (int k = 0; k < KINDS; k++) {
        const struct rc_suite *suite = suite_of(kinds[k].writes);
        struct rc_point point = point_of(&kinds[k], 8192, 64, 16);
        struct rc_error err = {0};
        struct rc_kernel *kernel;
        assert_int_equal(suite->setup(&rc_request_default, &point, &kernel, &err),
                         RC_OK);
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        assert_int_equal(suite->verify(kernel, 128, &err), RC_ECONFLICT);
        assert_string_equal(err.text, "the walk never ran");
        suite->run(kernel, 0);
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        suite->run(kernel, 128);
        assert_int_equal(suite->verify(kernel, 256, &err), RC_ECONFLICT);
        assert_string_equal(err.text, "the walk made 128 steps, not 256");
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        assert_int_equal(suite->verify(kernel, 128, &err), RC_OK);
        suite->teardown(kernel);
    }
}

static void run_often(const struct kind *kind, int64_t bytes, int64_t width)
{
    static const uint64_t counts[] = {1,  2,   15,  16,  17,   63,   64,
                                      65, 127, 128, 129, 1000, 64000};
    const struct rc_suite *suite = suite_of(kind->writes);
    struct rc_point point = point_of(kind, bytes, 64, 16);
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    point.axis[WIDTH] = width;
    assert_int_equal(suite->setup(&rc_request_default, &point, &kernel, &err), RC_OK);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        suite->run(kernel, counts[c]);
        if (suite->verify(kernel, counts[c], &err) != RC_OK)
            fail_msg("%" PRId64 " loads, %" PRId64 " stores, %" PRId64
                     " bytes, %" PRIu64 " steps: %s",
                     kind->loads, kind->stores, bytes, counts[c], err.text);
        assert_int_equal(suite->verify(kernel, counts[c] + 1, &err), RC_ECONFLICT);
    }
    suite->teardown(kernel);
}

static void every_number_of_accesses_is_made_and_found_out(void **state)
{
    static const int64_t widths[] = {8, 1, 2, 4, 16};

    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (int64_t bytes = 128; bytes <= 1 << 20; bytes *= 8)
            for (size_t w = 0; w < (k < WITH_WIDTHS ? 5 : 1); w++)
                run_often(&kinds[k], bytes, widths[w]);
}

static void a_note_is_given_only_where_pages_are_small(void **state)
{
    const struct rc_suite *suite = suite_of(false);
    struct rc_point one_page = point_of(&kinds[0], 4096, 64, 16);
    struct rc_point many = point_of(&kinds[0], 4 << 20, 128, 16);
    struct rc_geometry small_pages = machines[0].geometry;
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    (void)state;
    small_pages.huge_page_bytes = 0;
    assert_int_equal(suite->setup(REQUEST(&small_pages), &one_page, &kernel, &err),
                     RC_OK);
    assert_null(suite->note(kernel));
    suite->teardown(kernel);
    assert_int_equal(suite->setup(REQUEST(&small_pages), &many, &kernel, &err), RC_OK);
    assert_non_null(suite->note(kernel));
    suite->teardown(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_without_a_walk_are_refused),
        cmocka_unit_test(stores_alone_want_powers_of_two),
        cmocka_unit_test(steps_that_no_loop_makes_are_refused),
        cmocka_unit_test(accesses_of_impossible_width_are_refused),
        cmocka_unit_test(lines_too_narrow_for_a_link_are_stepped_over),
        cmocka_unit_test(a_buffer_larger_than_memory_is_refused_before_it_is_touched),
        cmocka_unit_test(nothing_is_torn_down_without_harm),
        cmocka_unit_test(a_walk_visits_every_line_once_block_after_block),
        cmocka_unit_test(equal_seeds_give_equal_walks_and_others_do_not),
        cmocka_unit_test(a_walk_has_no_steps_to_follow),
        cmocka_unit_test(an_order_has_no_steps_to_follow),
        cmocka_unit_test(an_order_has_every_line_once_in_a_round),
        cmocka_unit_test(sizes_lie_in_every_level_and_away_from_all_edges),
        cmocka_unit_test(points_are_the_same_each_time_and_have_names_of_their_own),
        cmocka_unit_test(narrow_lines_are_accessed_once_each),
        cmocka_unit_test(every_level_has_points_of_all_kinds_of_steps),
        cmocka_unit_test(
            a_machine_that_does_not_tell_its_caches_has_points_that_say_so),
        cmocka_unit_test(large_caches_bring_large_blocks_and_say_where_memory_ends),
        cmocka_unit_test(miss_shares_are_exact_at_any_size),
        cmocka_unit_test(expectations_are_what_an_exact_simulation_counts),
        cmocka_unit_test(exact_ideals_are_known_on_every_point),
        cmocka_unit_test(both_suites_tell_what_caches_count),
        cmocka_unit_test(iterations_are_whole_loops_within_the_budget),
        cmocka_unit_test(verify_refuses_what_did_not_run),
        cmocka_unit_test(every_number_of_accesses_is_made_and_found_out),
        cmocka_unit_test(a_note_is_given_only_where_pages_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

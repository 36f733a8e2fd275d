#include "tests/lib/test.h"

#include "kernels/kernel.h"
#include "kernels/resort/resort.h"
#include "tests/lib/request.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const enum rc_resort first[] = {RC_RESORT_COMBINED, RC_RESORT_TILED,
                                       RC_RESORT_TILED_NT, RC_RESORT_S1PF};
static const enum rc_resort second[] = {RC_RESORT_S2CF, RC_RESORT_S2PF,
                                        RC_RESORT_S2CF_NT, RC_RESORT_S2PF_NT};
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

enum { GUARD = 64 };

/* Arrays with guards around them; word w of element i of 'in' is unique. */
struct arrays {
    unsigned char *in, *out, *tmp, *back;
    size_t count, element, shift;
};

static unsigned char *make_array(const struct arrays *a)
{
    unsigned char *memory =
        aligned_alloc(64, (a->count * a->element + 2 * GUARD + 127) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0xa5, a->count * a->element + 2 * GUARD);
    return memory + GUARD - a->shift;
}

static void free_array(const struct arrays *a, unsigned char *array)
{
    unsigned char *memory = array + a->shift - GUARD;
    for (size_t i = 0; i < GUARD - a->shift; i++)
        assert_int_equal(memory[i], 0xa5);
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(array[a->count * a->element + i], 0xa5);
    free(memory);
}

static struct arrays make_arrays(size_t count, size_t element, size_t shift)
{
    struct arrays a = {.count = count, .element = element, .shift = shift};
    a.in = make_array(&a);
    a.out = make_array(&a);
    a.tmp = make_array(&a);
    a.back = make_array(&a);
    for (uint64_t i = 0; i < count * element / 8; i++) {
        uint64_t word = i * 3 + 1;
        memcpy(a.in + 8 * i, &word, 8);
    }
    return a;
}

static void free_arrays(struct arrays *a)
{
    free_array(a, a->in);
    free_array(a, a->out);
    free_array(a, a->tmp);
    free_array(a, a->back);
}

static void assert_same(const struct arrays *a, size_t in, size_t out)
{
    assert_memory_equal(a->in + in * a->element, a->out + out * a->element, a->element);
}

/* out[c][a][b] = in[a][b][c] */
static void assert_sorted(const struct arrays *x, const size_t n[3])
{
    for (size_t a = 0; a < n[0]; a++)
        for (size_t b = 0; b < n[1]; b++)
            for (size_t c = 0; c < n[2]; c++)
                assert_same(x, (a * n[1] + b) * n[2] + c, (c * n[0] + a) * n[1] + b);
}

/* Even, odd, prime, one, none, whole tiles and rests of them; rows and columns differ.
 */
static const size_t extents[][3] = {
    {1, 1, 1},  {2, 3, 5},  {4, 16, 32},  {3, 17, 31},  {5, 15, 16},
    {7, 33, 1}, {1, 1, 40}, {6, 1, 20},   {2, 20, 24},  {0, 4, 4},
    {4, 0, 4},  {4, 4, 0},  {31, 37, 13}, {16, 16, 16}, {12, 40, 7}};

typedef void check_extent(const size_t n[3], size_t element, size_t shift);

static void each_extent(check_extent *check)
{
    for (size_t i = 0; i < COUNT_OF(extents); i++)
        for (size_t element = 8; element <= 16; element += 8)
            for (size_t shift = 0; shift <= 8; shift += 8)
                check(extents[i], element, shift);
}

static void check_first(const size_t n[3], size_t element, size_t shift)
{
    const size_t count = n[0] * n[1] * n[2];

    for (size_t i = 0; i < COUNT_OF(first); i++) {
        struct arrays x = make_arrays(count, element, shift);
        rc_resort(first[i], x.out, x.in, NULL, n, 7, element);
        assert_sorted(&x, n);
        rc_resort_back(first[i], x.back, x.out, NULL, n, 7, element);
        assert_memory_equal(x.in, x.back, count * element);
        free_arrays(&x);
    }
    struct arrays x = make_arrays(count, element, shift);
    rc_resort(RC_RESORT_S1CF_NEST1, NULL, x.in, x.tmp, n, 1, element);
    assert_memory_equal(x.in, x.tmp, count * element);
    rc_resort(RC_RESORT_S1CF_NEST2, x.out, NULL, x.tmp, n, 1, element);
    assert_sorted(&x, n);
    memset(x.tmp, 0, count * element);
    rc_resort_back(RC_RESORT_S1CF_NEST2, NULL, x.out, x.tmp, n, 1, element);
    rc_resort_back(RC_RESORT_S1CF_NEST1, x.back, NULL, x.tmp, n, 1, element);
    assert_memory_equal(x.in, x.back, count * element);
    free_arrays(&x);
}

static void first_resorts_make_the_last_axis_the_first(void **state)
{
    (void)state;
    each_extent(check_first);
}

/* out[a][b][first(y) + x] = in[y][a][b][x], blocks one after the other */
static void check_second(const size_t n[3], size_t element, size_t shift)
{
    static const size_t parts[] = {1, 2, 3, 5, 50};

    for (size_t p = 0; p < COUNT_OF(parts); p++)
        for (size_t i = 0; i < COUNT_OF(second); i++) {
            struct arrays x = make_arrays(n[0] * n[1] * n[2], element, shift);
            size_t in = 0;
            rc_resort(second[i], x.out, x.in, NULL, n, parts[p], element);
            for (size_t y = 0; y < parts[p]; y++)
                for (size_t row = 0; row < n[0] * n[1]; row++)
                    for (size_t at = n[2] * y / parts[p];
                         at < n[2] * (y + 1) / parts[p]; at++)
                        assert_same(&x, in++, row * n[2] + at);
            assert_int_equal(in, x.count);
            rc_resort_back(second[i], x.back, x.out, NULL, n, parts[p], element);
            assert_memory_equal(x.in, x.back, x.count * element);
            free_arrays(&x);
        }
}

static void second_resorts_put_blocks_behind_each_other(void **state)
{
    (void)state;
    each_extent(check_second);
}

/* The all-to-all among 'peers': block 'to' of rank 'from' becomes block 'from' of 'to';
 * a block is 'rows' of the first axis of [axis][rest], cut as the parts are.
 */
static void exchange(unsigned char *const *in, unsigned char **out, size_t peers,
                     size_t axis, size_t rest_of[], size_t element)
{
    for (size_t to = 0; to < peers; to++) {
        const size_t begin = axis * to / peers, end = axis * (to + 1) / peers;
        unsigned char *at = out[to];
        for (size_t from = 0; from < peers; from++) {
            const size_t bytes = (end - begin) * rest_of[from] * element;
            memcpy(at, in[from] + begin * rest_of[from] * element, bytes);
            at += bytes;
        }
    }
}

/* S1CF, all-to-all in a row of c ranks, S2CF: rank y has in[P][R(y)][N], and gets
 * out[N(y)][P][all rows], whatever the parts are.
 */
static void first_exchange_and_second_swap_two_axes(void **state)
{
    enum { RANKS = 3, PLANES = 4, ROWS = 17, COLS = 11, ELEMENT = 16 };
    unsigned char *sent[RANKS], *got[RANKS], *in[RANKS];
    size_t rest[RANKS];

    (void)state;
    for (size_t y = 0; y < RANKS; y++) {
        const size_t low = ROWS * y / RANKS, rows = ROWS * (y + 1) / RANKS - low;
        const size_t n[3] = {PLANES, rows, COLS};
        const size_t bytes = PLANES * ROWS * COLS * ELEMENT;
        rest[y] = PLANES * rows;
        in[y] = calloc(1, bytes);
        sent[y] = calloc(1, bytes);
        got[y] = calloc(1, bytes);
        assert_true(in[y] && sent[y] && got[y]);
        for (size_t p = 0; p < PLANES; p++)
            for (size_t r = 0; r < rows; r++)
                for (size_t c = 0; c < COLS; c++) {
                    const uint64_t word = (p * ROWS + low + r) * COLS + c + 1;
                    memcpy(in[y] + ((p * rows + r) * COLS + c) * ELEMENT, &word, 8);
                }
        rc_resort(RC_RESORT_TILED, sent[y], in[y], NULL, n, 1, ELEMENT);
    }
    exchange(sent, got, RANKS, COLS, rest, ELEMENT);
    for (size_t y = 0; y < RANKS; y++) {
        const size_t low = COLS * y / RANKS, cols = COLS * (y + 1) / RANKS - low;
        const size_t n[3] = {cols, PLANES, ROWS};
        rc_resort(RC_RESORT_S2CF_NT, in[y], got[y], NULL, n, RANKS, ELEMENT);
        for (size_t c = 0; c < cols; c++)
            for (size_t p = 0; p < PLANES; p++)
                for (size_t r = 0; r < ROWS; r++) {
                    uint64_t word;
                    memcpy(&word, in[y] + ((c * PLANES + p) * ROWS + r) * ELEMENT, 8);
                    assert_int_equal(word, (p * ROWS + r) * COLS + low + c + 1);
                }
    }
    for (size_t y = 0; y < RANKS; y++) {
        free(in[y]);
        free(sent[y]);
        free(got[y]);
    }
}

static double traffic(const struct rc_geometry *geometry, const char *name,
                      enum rc_ideal ideal)
{
    const struct rc_suite *suite = rc_suite_find("resort");
    struct rc_points points = {0};
    struct rc_error err;
    double found = -1;

    assert_int_equal(suite->points(REQUEST(geometry), &points, &err), RC_OK);
    for (size_t i = 0; i < points.count; i++) {
        const struct rc_point *p = &points.point[i];
        const size_t length = strlen(name);
        if (strncmp(p->name, name, length) == 0 && p->axis[5] == 16 &&
            p->name[length] == '-' && strchr("0123456789", p->name[length + 1])) {
            assert_true(found < 0);
            found = rc_expect(suite, REQUEST(geometry), p, ideal) * 64 /
                    ((double)p->axis[1] * (double)p->axis[2] * (double)p->axis[3] * 16);
        }
    }
    rc_points_fini(&points);
    return found;
}

static void memory_sees_what_the_published_study_has(void **state)
{
    static const struct {
        const char *name;
        double reads;
    } table[] = {
        {"s1cf-nest1", 2},    {"s1cf-nest2", 2}, {"s1cf-nest2-tall", 5},
        {"s1cf-combined", 2}, {"s1cf-tiled", 2}, {"s1cf-tiled-nt", 1},
        {"s2cf", 2},          {"s1pf", 2},       {"s2pf", 2},
        {"s2cf-nt", 1},       {"s2pf-nt", 1},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        const double reads =
            traffic(&rc_request_default.geometry, table[i].name, RC_IDEAL_MEM_RD);
        const double writes =
            traffic(&rc_request_default.geometry, table[i].name, RC_IDEAL_MEM_WR);
        assert_true(fabs(reads - table[i].reads) < 1e-4);
        assert_true(fabs(writes - 1) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_resorts_make_the_last_axis_the_first),
        cmocka_unit_test(second_resorts_put_blocks_behind_each_other),
        cmocka_unit_test(first_exchange_and_second_swap_two_axes),
        cmocka_unit_test(memory_sees_what_the_published_study_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "tests/lib/test.h"

#include "solve/algebra/pivot.h"
#include "tests/lib/columns.h"
#include "tests/lib/on_teams.h"

#include <stdio.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Every test runs on all ranks, and on each rank alone without BLACS. */
static struct rc_grid grids[2];

static const size_t blocks[] = {1, 2, 3, 7, 64, 1000};

struct problem {
    size_t rows, columns;
    const double *whole;
    const uint8_t *tier; /* NULL: all are RC_PIVOT_FIRST */
    double alpha;
};

/* The tiers of a rank's columns; free() it. */
static uint8_t *deal_tiers(const struct rc_grid *grid, const struct problem *p,
                           const struct rc_columns *matrix)
{
    uint8_t *tier = calloc(matrix->local + 1, 1);

    assert_non_null(tier);
    for (size_t j = 0; j < matrix->local && p->tier; j++)
        tier[j] = p->tier[rc_columns_global(grid, matrix, j)];
    return tier;
}

static int select_on(const struct rc_grid *grid, const struct problem *p, size_t block,
                     struct rc_pivot *pivot, size_t *count, struct rc_error *err)
{
    struct rc_columns matrix;

    redistribution(grid, p->whole, p->rows, p->columns, block, &matrix);
    uint8_t *tier = deal_tiers(grid, p, &matrix);
    int status = rc_pivot_select(grid, &matrix, tier, p->alpha, pivot, count, err);
    free(tier);
    rc_columns_fini(&matrix);
    return status;
}

/* The same events on both grids and with every block. */
static void expect_events(const struct problem *p, const size_t *event, size_t expected)
{
    struct rc_error err = {0};
    struct rc_pivot pivot[32] = {{0}};
    size_t count = 99;

    assert_true(p->rows <= COUNT(pivot));
    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t b = 0; b < COUNT(blocks); b++) {
            assert_int_equal(select_on(&grids[g], p, blocks[b], pivot, &count, &err),
                             RC_OK);
            assert_int_equal(count, expected);
            for (size_t k = 0; k < count; k++)
                assert_int_equal(pivot[k].event, event[k]);
        }
}

static void what_is_no_alpha_is_refused_everywhere(void **state)
{
    static const struct {
        double alpha;
        const char *message;
    } bad[] = {
        {0, "alpha is 0, expected a number above 0"},
        {-5e-4, "alpha is -0.0005, expected a number above 0"},
        {INFINITY, "alpha is inf, expected a number above 0"},
        {NAN, "alpha is nan, expected a number above 0"},
    };
    const double whole[] = {1, 0, 0, 1};
    struct rc_pivot pivot[2];

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++)
        for (size_t g = 0; g < COUNT(grids); g++) {
            struct problem p = {2, 2, whole, NULL, bad[i].alpha};
            struct rc_error err = {0};
            size_t count = 99;
            assert_int_equal(select_on(&grids[g], &p, 1, pivot, &count, &err),
                             RC_EUSAGE);
            assert_string_equal(err.text, bad[i].message);
            assert_int_equal(count, 0);
        }
}

static void a_range_needs_an_alpha_and_steps(void **state)
{
    const double whole[] = {1, 0, 0, 1};
    const uint8_t tier[2] = {0};
    double alpha, low, high;

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_columns m;
        redistribution(&grids[g], whole, 2, 2, 1, &m);
        assert_int_equal(rc_pivot_range(&grids[g], &m, tier, -1, 4, &low, &high, &err),
                         RC_EUSAGE);
        assert_string_equal(err.text, "alpha is -1, expected a number above 0");
        assert_int_equal(rc_pivot_range(&grids[g], &m, tier, 1, 0, &low, &high, &err),
                         RC_EUSAGE);
        assert_string_equal(err.text, "0 steps, expected 1 to 10000");
        assert_int_equal(
            rc_pivot_scan(&grids[g], &m, tier, -3, &alpha, &low, &high, &err),
            RC_EUSAGE);
        assert_string_equal(err.text, "-3 steps, expected 1 to 10000");
        assert_int_equal(
            rc_pivot_range(&grids[g], &m, tier, 1, 10001, &low, &high, &err),
            RC_EUSAGE);
        rc_columns_fini(&m);
    }
}

static void scores_are_those_of_the_method(void **state)
{
    static const struct {
        double column[4], alpha, score;
    } given[] = {
        {{1.002, 0.001, -0.5, 1.5}, 1e-2, 4.5}, /* the method's own example */
        {{0, 0, 0, 0}, 5e-4, 0},
        {{1, 0, 0, 0}, 5e-4, 1},
        {{-1, 0, 0, 0}, 5e-4, 1},
        {{1, 2, 0, 0}, 5e-4, 3},
        {{0.25, 0.5, 0, 0}, 5e-4, 6},
        {{2e-4, -2e-4, 0, 0}, 5e-4, 0},
        {{3e-4, 0, 0, 0}, 5e-4, 2000},
        {{1 + 1e-13, -1e-13, 0, 0}, 1e-9, 1},
        {{0.92, 0, 0, 0}, 5e-2, 1 / 0.9},
        {{1.003, 0, 0, 0}, 5e-2, 1},
        {{0.5, 0, 0, 0}, 1, 1}, /* floor(u / alpha + 0.5) rounds up */
        {{-0.5, 0, 0, 0}, 1, 0},
        {{1e15, 0.25, 0, 0}, 5e-4, 1e15}, /* cut where 1e15 has its rounding errors */
        {{3, 0, 0, 0}, 1e-300, 3},
        {{0.25, 0, 0, 0}, 4e-324, 4},
        {{0.3, 0, 0, 0}, 1e300, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(given); i++) {
        double score = rc_pivot_score(given[i].column, 4, given[i].alpha);
        assert_true(fabs(score - given[i].score) <= 1e-10 * given[i].score);
    }
    assert_true(rc_pivot_score(NULL, 0, 1) == 0);
}

/* Sums of the same numbers in another order differ in their last bit. */
static void the_order_of_coordinates_does_not_matter(void **state)
{
    const double turned[][3] = {{0.1, 0.2, 0.3}, {0.3, 0.2, 0.1}, {0.2, 0.3, 0.1}};
    double first = rc_pivot_score(turned[0], 3, 1e-4);

    (void)state;
    assert_true(first == rc_pivot_score(turned[1], 3, 1e-4));
    assert_true(first == rc_pivot_score(turned[2], 3, 1e-4));
    expect_events(&(struct problem){3, 3, turned[0], NULL, 1e-4},
                  (const size_t[]){0, 1, 2}, 3);
}

/* The grain depends on the largest number, and a power of two has none of the other
 * grain beside it.
 */
static void rounding_errors_of_the_largest_do_not_change_the_rest(void **state)
{
    const double below[] = {2 - 4e-16, 0.3}, above[] = {2 + 4e-16, 0.3};

    (void)state;
    assert_true(rc_pivot_score(below, 2, 1e-12) == rc_pivot_score(above, 2, 1e-12));
}

/* Sapphire Rapids: eight events that count an FMA twice, after other columns. */
enum { FLOPS = 16, WIDTHS = 8 };

static void put_fp_arith(double *column, size_t width)
{
    column[width] = 1;
    column[WIDTHS + width] = 2;
}

static void the_published_choice_for_flops_comes_out(void **state)
{
    enum { INST, COPY, SUM = COPY + WIDTHS, FIRST = SUM + 2, ALL = FIRST + WIDTHS };
    static double whole[ALL * FLOPS];
    uint8_t tier[ALL] = {0};
    size_t expected[WIDTHS + 1];
    struct problem p = {FLOPS, ALL, whole, tier, 5e-4};

    (void)state;
    for (size_t i = 0; i < FLOPS; i++)
        whole[(size_t)INST * FLOPS + i] = 1; /* every instruction, an FMA once */
    for (size_t w = 0; w < WIDTHS; w++) {
        put_fp_arith(whole + (COPY + w) * FLOPS, w);
        for (size_t i = 0; i < FLOPS; i++)
            whole[(COPY + w) * FLOPS + i] *= 1.5; /* a scaled copy scores more */
        put_fp_arith(whole + (SUM + w / 4) * FLOPS, w);
        put_fp_arith(whole + (FIRST + w) * FLOPS, w);
        expected[w] = FIRST + w;
    }
    expected[WIDTHS] = INST;
    expect_events(&p, expected, WIDTHS + 1);
    tier[INST] = RC_PIVOT_NEVER;
    expect_events(&p, expected, WIDTHS);
}

static void the_published_choice_for_branches_comes_out(void **state)
{
    static const double whole[][5] = {
        /* CE CR T D M */
        {0, 1, 0, 1, 0},    /* 0 BR_INST_RETIRED:ALL_BRANCHES */
        {0, 1, 0, 0, 0},    /* 1 :COND */
        {0, 1, -1, 0, 0},   /* 2 :COND_NTAKEN */
        {0, 0, 1, 0, 0},    /* 3 :COND_TAKEN */
        {0, 0, 1, 1, 0},    /* 4 :NEAR_TAKEN */
        {0, 0, 0, 0, 1},    /* 5 BR_MISP_RETIRED */
        {0, 0, 0, 0, 1},    /* 6 :COND, the same */
        {0, 0.5, 0, 0.5, 0} /* 7 half of all */
    };

    (void)state;
    expect_events(&(struct problem){5, COUNT(whole), whole[0], NULL, 5e-4},
                  (const size_t[]){1, 3, 5, 0}, 4);
}

static const double cache[][4] = {
    /* L1DM L1DH L2DH L3DH, with noise */
    {0.004, -0.002, 0.92, 0.011},  /* 0 MEM_LOAD_RETIRED:L2_HIT */
    {0.001, 0.002, 0.003, 0.995},  /* 1 MEM_LOAD_RETIRED:L3_HIT */
    {1.001, 0.003, -0.002, 0.001}, /* 2 MEM_LOAD_RETIRED:L1_MISS */
    {0.002, 0.998, 0.001, -0.004}, /* 3 MEM_LOAD_RETIRED:L1_HIT */
    {1.002, 1.001, 0.003, 0.001},  /* 4 MEM_INST_RETIRED:ALL_LOADS */
    {0.003, 0.001, 1.003, 0.002},  /* 5 L2_RQSTS:DEMAND_DATA_RD_HIT */
    {0.998, 0.001, -0.99, 0.003},  /* 6 L2_RQSTS:DEMAND_DATA_RD_MISS */
    {0.41, 0.33, 0.62, 0.55},      /* 7 and some that count a bit of all */
    {0.35, 0.52, 0.71, 0.46},      /* 8 */
    {0.62, 0.41, 0.39, 0.58},      /* 9 */
    {0.53, 0.64, 0.47, 0.38},      /* 10 */
};

static void the_published_choice_for_caches_comes_out(void **state)
{
    (void)state;
    expect_events(&(struct problem){4, COUNT(cache), cache[0], NULL, 5e-2},
                  (const size_t[]){1, 3, 2, 5}, 4);
}

/* Below the noise those that count a bit of all score less than the simple ones. */
static void a_scan_finds_the_published_choice_for_caches(void **state)
{
    const uint8_t tier[COUNT(cache)] = {0};

    (void)state;
    expect_events(&(struct problem){4, COUNT(cache), cache[0], NULL, 1e-8},
                  (const size_t[]){10, 9, 8, 7}, 4);
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_pivot pivot[4];
        struct rc_columns m;
        double alpha, low, high;
        size_t count, sum = 0;
        redistribution(&grids[g], cache[0], 4, COUNT(cache), 1, &m);
        assert_int_equal(
            rc_pivot_scan(&grids[g], &m, tier, 8, &alpha, &low, &high, &err), RC_OK);
        assert_true(low > 5e-3 && low < alpha && alpha < high && high < 0.5);
        assert_int_equal(
            rc_pivot_select(&grids[g], &m, tier, alpha, pivot, &count, &err), RC_OK);
        assert_int_equal(count, 4);
        for (size_t k = 0; k < count; k++)
            sum += (size_t)1 << pivot[k].event;
        assert_int_equal(sum, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 5);
        rc_columns_fini(&m);
    }
}

static void the_published_choice_for_mi250x_comes_out(void **state)
{
    enum { ADD, MUL, TRANS, FMA, KINDS, SIZES = 3, ROWS = 15, SUM = KINDS * SIZES };
    static const size_t rows_of[KINDS] = {0, 6, 9, 12};
    static double whole[(SUM + 1) * ROWS];
    /* Score 1 in the order of their numbers, then the additions: score 2. */
    const size_t expected[SUM] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2};

    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t s = 0; s < SIZES; s++) {
            double *column = whole + (kind * SIZES + s) * ROWS;
            column[rows_of[kind] + s] = 1;
            if (kind == ADD)
                column[3 + s] = 1; /* subtractions, too */
        }
    for (size_t i = 0; i < ROWS; i++)
        whole[(size_t)SUM * ROWS + i] = 1; /* all of VALU: the sum of the others */
    expect_events(&(struct problem){ROWS, SUM + 1, whole, NULL, 5e-4}, expected, SUM);
}

static void tiers_go_before_scores(void **state)
{
    static const double whole[][2] = {{1, 0}, {3, 1}, {0, 1}, {1, 3}};
    const uint8_t tier[] = {RC_PIVOT_LATER, RC_PIVOT_FIRST, RC_PIVOT_LATER,
                            RC_PIVOT_NEVER};
    const uint8_t never[] = {RC_PIVOT_NEVER, RC_PIVOT_NEVER, RC_PIVOT_NEVER,
                             RC_PIVOT_NEVER};

    (void)state;
    expect_events(&(struct problem){2, 4, whole[0], tier, 5e-4}, (const size_t[]){1, 0},
                  2);
    expect_events(&(struct problem){2, 4, whole[0], never, 5e-4}, NULL, 0);
}

static void columns_that_are_no_candidates_are_passed_over(void **state)
{
    static const double whole[][2] = {
        {NAN, 1}, {INFINITY, 0}, {0, 0}, {-0.0, 1e-4}, {1e200, 1e200}, {0, 7}, {1, -1}};
    static const double zeros[20 * 3];
    static const double lone[] = {4};

    (void)state;
    expect_events(&(struct problem){2, COUNT(whole), whole[0], NULL, 5e-4},
                  (const size_t[]){6, 5}, 2);
    expect_events(&(struct problem){3, 20, zeros, NULL, 5e-4}, NULL, 0);
    expect_events(&(struct problem){3, 0, zeros, NULL, 5e-4}, NULL, 0);
    expect_events(&(struct problem){0, 5, zeros, NULL, 5e-4}, NULL, 0);
    expect_events(&(struct problem){1, 1, lone, NULL, 5e-4}, (const size_t[]){0}, 1);
    expect_events(&(struct problem){1, 20, zeros, NULL, 5e-4}, NULL, 0);
}

static void one_row_gives_the_simplest_event(void **state)
{
    static const double whole[] = {0, 3, 0.5, -1.25, 1.25, 9, 0.1};

    (void)state;
    expect_events(&(struct problem){1, COUNT(whole), whole, NULL, 5e-4},
                  (const size_t[]){3}, 1);
}

/* The rest is compared with beta, the norm of a vector of alphas. */
static void columns_within_beta_of_the_chosen_are_dependent(void **state)
{
    static const double within[][4] = {{1, 0, 0, 0}, {1, 0, 0, 0.0199}};
    static const double beyond[][4] = {{1, 0, 0, 0}, {1, 0, 0, 0.0201}};

    (void)state;
    expect_events(&(struct problem){4, 2, within[0], NULL, 1e-2}, (const size_t[]){0},
                  1);
    expect_events(&(struct problem){4, 2, beyond[0], NULL, 1e-2},
                  (const size_t[]){0, 1}, 2);
}

static void many_copies_of_the_simplest_do_not_hide_the_others(void **state)
{
    enum { COPIES = 400 };
    static double whole[(COPIES + 3) * 3];

    (void)state;
    for (size_t j = 0; j < COPIES; j++)
        whole[j * 3] = 1;
    whole[COPIES * 3 + 1] = 5;
    whole[COPIES * 3 + 4] = 5; /* a copy of that */
    whole[COPIES * 3 + 8] = 9;
    expect_events(&(struct problem){3, COPIES + 3, whole, NULL, 5e-4},
                  (const size_t[]){0, COPIES, COPIES + 2}, 3);
}

/* In which cutting leaves more than beta. */
static void scaled_copies_of_large_numbers_are_dependent(void **state)
{
    static const double whole[][3] = {{1e9 / 3, 1e9 / 7, 1e9 / 11},
                                      {3.3e9 / 3, 3.3e9 / 7, 3.3e9 / 11},
                                      {-17e9 / 3, -17e9 / 7, -17e9 / 11}};

    (void)state;
    expect_events(&(struct problem){3, COUNT(whole), whole[0], NULL, 5e-4},
                  (const size_t[]){0}, 1);
}

/* With c and d in each column the Gram determinants are d^(2n-2) (d^2 + n c^2). */
static void little_that_is_left_is_known_to_the_last_digits(void **state)
{
    const double d = 1235 * RC_PIVOT_GRAIN, c = 48103633715 * RC_PIVOT_GRAIN;
    const double whole[][4] = {{c, d, 0, 0}, {c, 0, d, 0}, {c, 0, 0, d}};
    struct rc_pivot pivot[4];
    struct rc_error err = {0};
    size_t count;

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct problem p = {4, 3, whole[0], NULL, 1e-9};
        assert_int_equal(select_on(&grids[g], &p, 1, pivot, &count, &err), RC_OK);
        assert_int_equal(count, 3);
        for (size_t k = 1; k < count; k++) {
            double old = d * d + (double)k * c * c;
            double left = d * sqrt((old + c * c) / old);
            assert_true(fabs(pivot[k].norm / left - 1) < 1e-14);
        }
    }
}

/* The plain way: all columns are kept, and deflated after every choice. */
static double naive_score(const double *column, size_t rows, double alpha)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double r = fabs(alpha * floor(column[i] / alpha + 0.5));
        sum += r >= 1 ? r : r > 0 ? 1 / r : 0;
    }
    return sum;
}

static double naive_norm(const double *column, size_t rows)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += column[i] * column[i];
    return sqrt(sum);
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

/* Whether a is taken before b, which has a higher number. */
static int naive_better(const double *score, const double *norm, const uint8_t *tier,
                        size_t a, size_t b)
{
    if (tier && tier[a] != tier[b])
        return tier[a] < tier[b];
    if (!near(score[a], score[b]))
        return score[a] < score[b];
    return near(norm[a], norm[b]) || norm[a] < norm[b];
}

static void naive_deflate(double *rest, size_t rows, size_t columns, size_t chosen)
{
    double q[32];
    double norm = naive_norm(rest + chosen * rows, rows);

    for (size_t i = 0; i < rows; i++)
        q[i] = rest[i + chosen * rows] / norm;
    for (size_t j = 0; j < columns; j++)
        for (int twice = 0; twice < 2; twice++) {
            double along = 0;
            for (size_t i = 0; i < rows; i++)
                along += q[i] * rest[i + j * rows];
            for (size_t i = 0; i < rows; i++)
                rest[i + j * rows] -= along * q[i];
        }
}

static size_t naive_select(const struct problem *p, size_t *event, double *remains)
{
    size_t rows = p->rows, columns = p->columns, count = 0;
    double beta = p->alpha * sqrt((double)rows);
    double *rest = calloc(rows * columns + 1, sizeof *rest);
    double *score = calloc(columns + 1, sizeof *score);
    double *norm = calloc(columns + 1, sizeof *norm);

    for (size_t i = 0; i < rows * columns; i++)
        rest[i] = RC_PIVOT_GRAIN * nearbyint(p->whole[i] / RC_PIVOT_GRAIN);
    for (size_t j = 0; j < columns; j++) {
        score[j] = naive_score(rest + j * rows, rows, p->alpha);
        norm[j] = naive_norm(rest + j * rows, rows);
    }
    while (count < rows) {
        size_t best = columns;
        for (size_t j = columns; j-- > 0;)
            if ((!p->tier || p->tier[j] != RC_PIVOT_NEVER) &&
                naive_norm(rest + j * rows, rows) >= beta &&
                (best == columns || naive_better(score, norm, p->tier, j, best)))
                best = j;
        if (best == columns)
            break;
        event[count++] = best;
        naive_deflate(rest, rows, columns, best);
    }
    for (size_t j = 0; j < columns; j++)
        remains[j] = naive_norm(rest + j * rows, rows);
    free(rest);
    free(score);
    free(norm);
    return count;
}

/* Small whole and half numbers, many zeros, copies, scaled copies, sums, noise. */
static void make_random(double *whole, uint8_t *tier, size_t rows, size_t columns,
                        uint64_t *seed)
{
    for (size_t j = 0; j < columns; j++) {
        double *column = whole + j * rows;
        size_t a = j ? (size_t)(columns_random(seed) * (double)j) : 0;
        size_t b = j ? (size_t)(columns_random(seed) * (double)j) : 0;
        double way = j < 2 ? 0 : columns_random(seed);
        double scale = 0.5 * (1 + floor(8 * columns_random(seed)));
        for (size_t i = 0; i < rows; i++) {
            double u = columns_random(seed);
            column[i] = way < 0.4   ? (u < 0.7 ? 0 : floor(20 * u - 16) / 2)
                        : way < 0.5 ? u
                        : way < 0.7 ? whole[i + a * rows]
                        : way < 0.8 ? scale * whole[i + a * rows]
                        : way < 0.9 ? whole[i + a * rows] + whole[i + b * rows]
                                    : whole[i + a * rows] + 1e-6 * u;
        }
        double t = columns_random(seed);
        tier[j] = t < 0.8 ? RC_PIVOT_FIRST : t < 0.9 ? RC_PIVOT_LATER : RC_PIVOT_NEVER;
    }
}

enum { MOST_ROWS = 12, MOST_COLUMNS = 300 };

/* A random matrix: its whole, tiers and what the plain way makes of it. */
struct random_problem {
    struct problem p;
    double whole[MOST_ROWS * MOST_COLUMNS], remains[MOST_COLUMNS];
    uint8_t tier[MOST_COLUMNS];
    size_t event[MOST_ROWS], count;
};

static void random_problem(struct random_problem *r, uint64_t *seed)
{
    size_t rows = 1 + (size_t)(columns_random(seed) * MOST_ROWS);
    size_t columns = 1 + (size_t)(pow(columns_random(seed), 2) * MOST_COLUMNS);

    make_random(r->whole, r->tier, rows, columns, seed);
    r->p = (struct problem){rows, columns, r->whole, r->tier,
                            columns_random(seed) < 0.5 ? 5e-4 : 5e-2};
    r->count = naive_select(&r->p, r->event, r->remains);
}

static void the_choice_is_the_plain_one_on_any_ranks_and_blocks(void **state)
{
    static struct random_problem r;
    uint64_t seed = 5;

    (void)state;
    for (int run = 0; run < 60; run++) {
        random_problem(&r, &seed);
        expect_events(&r.p, r.event, r.count);
    }
}

/* Each rank count and block adds up its readings in another order. */
static void rounding_errors_do_not_change_the_choice(void **state)
{
    static struct random_problem r;
    static double noisy[MOST_ROWS * MOST_COLUMNS];
    uint64_t seed = 11, errors = 1000 + (uint64_t)grids[0].ranks;

    (void)state;
    for (int run = 0; run < 60; run++) {
        random_problem(&r, &seed);
        if (run % 2) { /* then 1 is in the middle between two multiples of alpha */
            r.p.alpha = 0.4;
            r.count = naive_select(&r.p, r.event, r.remains);
        }
        for (size_t i = 0; i < r.p.rows * r.p.columns; i++)
            noisy[i] = r.whole[i] + 2e-15 * (2 * columns_random(&errors) - 1);
        struct problem p = r.p;
        p.whole = noisy;
        expect_events(&p, r.event, r.count);
    }
}

static void what_remains_is_what_the_plain_way_leaves(void **state)
{
    static struct random_problem r;
    uint64_t seed = 23;

    (void)state;
    for (int run = 0; run < 30; run++) {
        random_problem(&r, &seed);
        for (size_t g = 0; g < COUNT(grids); g++)
            for (size_t b = 0; b < COUNT(blocks); b++) {
                struct rc_pivot pivot[MOST_ROWS] = {{0}};
                double remains[MOST_COLUMNS];
                struct rc_columns m;
                struct rc_error err = {0};
                for (size_t k = 0; k < r.count; k++)
                    pivot[k].event = r.event[k];
                redistribution(&grids[g], r.whole, r.p.rows, r.p.columns, blocks[b],
                               &m);
                assert_int_equal(
                    rc_pivot_remains(&grids[g], &m, pivot, r.count, remains, &err),
                    RC_OK);
                for (size_t j = 0; j < m.local; j++)
                    assert_true(fabs(remains[j] -
                                     r.remains[rc_columns_global(&grids[g], &m, j)]) <
                                1e-9);
                rc_columns_fini(&m);
            }
    }
}

/* Also beside columns that are none, and for numbers of any size. */
static void what_is_passed_over_leaves_no_more_than_the_limit(void **state)
{
    static struct random_problem r;
    static const double alphas[] = {1e-9, 1e-6, 5e-4, 5e-2, 0.4};
    uint64_t seed = 29;

    (void)state;
    for (int run = 0; run < 60; run++) {
        random_problem(&r, &seed);
        r.p.alpha = alphas[run % 5];
        double scale = pow(10, run % 7 * 2); /* noise of 1e-6 is of all sizes, too */
        for (size_t i = 0; i < r.p.rows * r.p.columns; i++)
            r.whole[i] *= scale;
        r.whole[0] = run % 2 ? NAN : INFINITY;
        for (size_t g = 0; g < COUNT(grids); g++) {
            struct rc_pivot pivot[MOST_ROWS] = {{0}};
            double remains[MOST_COLUMNS];
            struct rc_columns m;
            struct rc_error err = {0};
            size_t count;
            assert_int_equal(select_on(&grids[g], &r.p, 3, pivot, &count, &err), RC_OK);
            redistribution(&grids[g], r.whole, r.p.rows, r.p.columns, 3, &m);
            assert_int_equal(
                rc_pivot_remains(&grids[g], &m, pivot, count, remains, &err), RC_OK);
            for (size_t j = 0; j < m.local; j++) {
                size_t event = rc_columns_global(&grids[g], &m, j);
                double limit = rc_pivot_limit(m.data + j * m.rows, m.rows, r.p.alpha);
                if (event == 0)
                    assert_true(isnan(remains[j]));
                else if (r.tier[event] != RC_PIVOT_NEVER)
                    assert_true(remains[j] <= limit);
            }
            rc_columns_fini(&m);
        }
    }
}

static void scores_and_norms_of_the_choice_are_told(void **state)
{
    static const double whole[][2] = {{3, 4}, {1, 1}, {0, 5}};
    struct rc_pivot pivot[2];
    struct rc_error err = {0};
    size_t count;

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct problem p = {2, 3, whole[0], NULL, 5e-4};
        assert_int_equal(select_on(&grids[g], &p, 1, pivot, &count, &err), RC_OK);
        assert_int_equal(count, 2);
        assert_int_equal(pivot[0].event, 1);
        assert_int_equal(pivot[1].event, 2);
        assert_true(near(pivot[0].score, 2) && near(pivot[0].norm, sqrt(2)));
        assert_true(near(pivot[1].score, 5) && near(pivot[1].norm, 5 / sqrt(2)));
    }
}

/* Noise of 1e-3 in what is 1 and 0, beside an event of its own worth 0.1: all that
 * is above the noise and below 0.1 gives three events.
 */
static const double noisy_set[][3] = {
    {1, 1e-3, 0}, {0, 1, 1e-3}, {0, 0, 0.1}, {1, 1, 0}, {2, 0, 1e-3}};

static void the_range_of_alpha_is_where_the_choice_holds(void **state)
{
    const uint8_t tier[COUNT(noisy_set)] = {0};
    struct rc_pivot pivot[3], other[3];
    size_t count, others;

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t b = 0; b < COUNT(blocks); b++) {
            struct problem p = {3, COUNT(noisy_set), noisy_set[0], NULL, 1e-2};
            struct rc_error err = {0};
            struct rc_columns m;
            double low, high;
            redistribution(&grids[g], p.whole, 3, p.columns, blocks[b], &m);
            assert_int_equal(
                rc_pivot_range(&grids[g], &m, tier, 1e-2, 10, &low, &high, &err),
                RC_OK);
            rc_columns_fini(&m);
            /* Noise of 1e-3 is 0 where alpha / 2 is above it; 0.1 is not a candidate
             * where beta, 1.73 alpha, is above it.
             */
            assert_true(low > 1.99e-3 && low < 2.6e-3);
            assert_true(high > 4.5e-2 && high < 5.8e-2);
            assert_int_equal(select_on(&grids[g], &p, 2, pivot, &count, &err), RC_OK);
            for (int end = 0; end < 2; end++) {
                p.alpha = end ? high : low;
                assert_int_equal(select_on(&grids[g], &p, 2, other, &others, &err),
                                 RC_OK);
                assert_int_equal(count, others);
                for (size_t k = 0; k < count; k++)
                    assert_int_equal(pivot[k].event, other[k].event);
            }
        }
}

/* Either of 1.02 and 0.98 is simpler, as alpha happens to round them: at
 * 0.01 the first, at 0.0075 and 0.075 the second.  With an alpha of 0.05 that is the
 * same choice.
 */
static void a_choice_holds_where_others_as_good_come_out(void **state)
{
    static const double whole[][2] = {{1.02, 0}, {0.98, 0}, {0, 1}};
    const uint8_t tier[3] = {0};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_columns m;
        double low, high;
        redistribution(&grids[g], whole[0], 2, 3, 1, &m);
        assert_int_equal(
            rc_pivot_range(&grids[g], &m, tier, 5e-2, 8, &low, &high, &err), RC_OK);
        assert_true(near(low, 1e-9) && high > 0.5);
        assert_int_equal(
            rc_pivot_range(&grids[g], &m, tier, 1e-2, 8, &low, &high, &err), RC_OK);
        assert_true(near(low, 1e-2) && near(high, pow(10, -10 / 8.0)));
        rc_columns_fini(&m);
    }
}

/* With many alphas copies are forgotten, but not those of another tier. */
static void a_copy_in_a_later_tier_hides_nothing(void **state)
{
    static const double whole[][2] = {{1, 0}, {1, 0}, {1, 0.3}};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        const uint8_t tiers[] = {RC_PIVOT_LATER, RC_PIVOT_FIRST, RC_PIVOT_FIRST};
        struct problem p = {2, 3, whole[0], tiers, 0.1};
        struct rc_error err = {0};
        struct rc_columns m;
        double low, high;
        redistribution(&grids[g], p.whole, 2, 3, 3, &m);
        uint8_t *tier = deal_tiers(&grids[g], &p, &m);
        assert_int_equal(
            rc_pivot_range(&grids[g], &m, tier, p.alpha, 16, &low, &high, &err), RC_OK);
        /* 1 and 2 until beta is above 0.3; of 2 and 0 less would be left. */
        assert_true(near(high, pow(10, -11 / 16.0)));
        free(tier);
        rc_columns_fini(&m);
    }
}

static void what_is_left_of_large_numbers_is_compared_with_them(void **state)
{
    static const struct {
        double whole[4];
        size_t count;
    } cases[] = {{{1, 0, 640, 0.5}, 2}, {{1, 0, 6400, 0.5}, 1}};
    const uint8_t tier[2] = {0};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++)
        for (size_t i = 0; i < COUNT(cases); i++) {
            struct rc_error err = {0};
            struct rc_columns m;
            struct rc_pivot pivot[2];
            size_t count;
            redistribution(&grids[g], cases[i].whole, 2, 2, 1, &m);
            assert_int_equal(
                rc_pivot_select(&grids[g], &m, tier, 5e-4, pivot, &count, &err), RC_OK);
            assert_int_equal(count, cases[i].count);
            rc_columns_fini(&m);
        }
}

static void an_alpha_outside_of_all_that_is_tried_has_a_range(void **state)
{
    const double whole[] = {40, 0, 0, 40};
    const uint8_t tier[2] = {0};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        struct rc_error err = {0};
        struct rc_columns m;
        double low, high;
        redistribution(&grids[g], whole, 2, 2, 1, &m);
        assert_int_equal(rc_pivot_range(&grids[g], &m, tier, 10, 3, &low, &high, &err),
                         RC_OK);
        assert_true(near(low, 1e-9) && near(high, 10));
        assert_int_equal(
            rc_pivot_range(&grids[g], &m, tier, 1e-12, 3, &low, &high, &err), RC_OK);
        assert_true(near(low, 1e-12) && near(high, 1));
        rc_columns_fini(&m);
    }
}

static void a_scan_finds_the_widest_range(void **state)
{
    static const double exact[][2] = {{1, 0}, {0, 2}, {1, 2}};
    static const double zeros[6];
    /* The first one is simpler than all, and alone where beta is above the others. */
    static const double thirds[][4] = {
        {2, 0, 0, 0}, {0, .3, .3, .3}, {0, .3, -.3, 0}, {0, 0, .3, -.3}};
    static const struct {
        const double *whole;
        size_t rows, columns;
        double low, high;
    } given[] = {
        {thirds[0], 4, 4, 1e-9, 0.177827941003892},
        {exact[0], 2, 3, 1e-9, 0.562341325190349}, /* beta above 1 at 0.707 */
        {zeros, 2, 3, 1e-9, 1},                    /* nothing is chosen anywhere */
        {zeros, 2, 0, 1e-9, 1},
    };
    const uint8_t tier[4] = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(given); i++)
        for (size_t g = 0; g < COUNT(grids); g++) {
            struct rc_error err = {0};
            struct rc_columns m;
            double alpha, low, high;
            redistribution(&grids[g], given[i].whole, given[i].rows, given[i].columns,
                           1, &m);
            assert_int_equal(
                rc_pivot_scan(&grids[g], &m, tier, 4, &alpha, &low, &high, &err),
                RC_OK);
            assert_true(near(low, given[i].low) && near(high, given[i].high));
            assert_true(fabs(log10(alpha) - log10(low * high) / 2) < 0.13);
            rc_columns_fini(&m);
        }
}

/* Arguments of the functions while ranks run out of memory. */
static struct rc_columns small;
static const uint8_t small_tier[6];

static int select_small(const struct rc_grid *grid, struct rc_error *err)
{
    struct rc_pivot pivot[2];
    size_t count = 99;
    int status = rc_pivot_select(grid, &small, small_tier, 5e-4, pivot, &count, err);

    assert_int_equal(count, status == RC_OK ? 2 : 0);
    return status;
}

static int remains_of_small(const struct rc_grid *grid, struct rc_error *err)
{
    const struct rc_pivot pivot[] = {{.event = 1}, {.event = 2}};
    double remains[6];

    return rc_pivot_remains(grid, &small, pivot, 2, remains, err);
}

static int range_of_small(const struct rc_grid *grid, struct rc_error *err)
{
    double low, high;

    return rc_pivot_range(grid, &small, small_tier, 5e-4, 1, &low, &high, err);
}

static int scan_of_small(const struct rc_grid *grid, struct rc_error *err)
{
    double alpha, low, high;

    return rc_pivot_scan(grid, &small, small_tier, 1, &alpha, &low, &high, err);
}

static void all_hear_of_each_rank_without_memory(void **state)
{
    static const double whole[][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 1}, {1, 0}, {5, 4}};

    (void)state;
    for (size_t g = 0; g < COUNT(grids); g++) {
        redistribution(&grids[g], whole[0], 2, COUNT(whole), 1, &small);
        columns_fail_each_rank(&grids[g], select_small);
        columns_fail_each_rank(&grids[g], remains_of_small);
        columns_fail_each_rank(&grids[g], range_of_small);
        columns_fail_each_rank(&grids[g], scan_of_small);
        rc_columns_fini(&small);
    }
}

/* Each rank in turn has been given something else than the others. */
static void all_hear_of_a_rank_with_a_bad_alpha(void **state)
{
    const double whole[] = {1, 0, 0, 1, 1, 1};
    const uint8_t tier[3] = {0};
    const struct rc_grid *grid = &grids[0];
    struct rc_pivot pivot[2];
    struct rc_columns m;
    double low, high;
    size_t count;

    (void)state;
    redistribution(grid, whole, 2, 3, 1, &m);
    for (int bad = 0; bad < grid->ranks; bad++) {
        struct rc_error err = {0};
        double alpha = grid->rank == bad ? 0 : 5e-4;
        assert_int_equal(rc_pivot_select(grid, &m, tier, alpha, pivot, &count, &err),
                         RC_EUSAGE);
        assert_int_equal(err.rank, bad);
        assert_int_equal(rc_pivot_range(grid, &m, tier, alpha, 1, &low, &high, &err),
                         RC_EUSAGE);
        assert_int_equal(err.rank, bad);
    }
    rc_columns_fini(&m);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_alpha_is_refused_everywhere),
        cmocka_unit_test(a_range_needs_an_alpha_and_steps),
        cmocka_unit_test(scores_are_those_of_the_method),
        cmocka_unit_test(the_order_of_coordinates_does_not_matter),
        cmocka_unit_test(rounding_errors_of_the_largest_do_not_change_the_rest),
        cmocka_unit_test(the_published_choice_for_flops_comes_out),
        cmocka_unit_test(the_published_choice_for_branches_comes_out),
        cmocka_unit_test(the_published_choice_for_caches_comes_out),
        cmocka_unit_test(a_scan_finds_the_published_choice_for_caches),
        cmocka_unit_test(the_published_choice_for_mi250x_comes_out),
        cmocka_unit_test(tiers_go_before_scores),
        cmocka_unit_test(columns_that_are_no_candidates_are_passed_over),
        cmocka_unit_test(one_row_gives_the_simplest_event),
        cmocka_unit_test(columns_within_beta_of_the_chosen_are_dependent),
        cmocka_unit_test(many_copies_of_the_simplest_do_not_hide_the_others),
        cmocka_unit_test(scaled_copies_of_large_numbers_are_dependent),
        cmocka_unit_test(little_that_is_left_is_known_to_the_last_digits),
        cmocka_unit_test(the_choice_is_the_plain_one_on_any_ranks_and_blocks),
        cmocka_unit_test(rounding_errors_do_not_change_the_choice),
        cmocka_unit_test(what_remains_is_what_the_plain_way_leaves),
        cmocka_unit_test(what_is_passed_over_leaves_no_more_than_the_limit),
        cmocka_unit_test(scores_and_norms_of_the_choice_are_told),
        cmocka_unit_test(the_range_of_alpha_is_where_the_choice_holds),
        cmocka_unit_test(a_choice_holds_where_others_as_good_come_out),
        cmocka_unit_test(a_copy_in_a_later_tier_hides_nothing),
        cmocka_unit_test(what_is_left_of_large_numbers_is_compared_with_them),
        cmocka_unit_test(an_alpha_outside_of_all_that_is_tried_has_a_range),
        cmocka_unit_test(a_scan_finds_the_widest_range),
        cmocka_unit_test(all_hear_of_each_rank_without_memory),
        cmocka_unit_test(all_hear_of_a_rank_with_a_bad_alpha),
    };
    struct rc_error err = {0};

    if (rc_grid_init(team_comm, &grids[0], &err) ||
        rc_grid_init(MPI_COMM_NULL, &grids[1], &err))
        MPI_Abort(MPI_COMM_WORLD, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rc_grid_fini(&grids[0]);
    rc_grid_fini(&grids[1]);
    return failed;
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}

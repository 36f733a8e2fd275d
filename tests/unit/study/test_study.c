/* The statistics of places: quantiles, components, nodes that are off. */
#include "tests/lib/test.h"

#include "solve/study/components.h"
#include "solve/study/outliers.h"
#include "solve/study/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(is, wanted, most) assert_true(fabs((is) - (wanted)) <= (most))

/* Numbers that are the same in every run (splitmix64, Box and Muller). */
static uint64_t chance = 1;

static double uniform(void)
{
    uint64_t x = chance += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static void the_interval_of_the_median_is_that_of_the_sign_test(void **state)
{
    static const size_t of[][2] = {
        {0, 0},  {1, 0},  {5, 0},   {6, 1},   {8, 1},    {9, 2},         {10, 2},
        {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}, {100000, 49690}};

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        assert_int_equal(rc_median_order(of[i][0]), of[i][1]);
}

static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_near(rc_quantile_chi2(0.975, 10), 20.483177, 1e-6);
    assert_near(rc_quantile_chi2(0.025, 10), 3.246973, 1e-6);
    assert_near(rc_quantile_chi2(0.95, 1), 3.841459, 1e-6);
    assert_near(rc_quantile_f(0.975, 5, 10), 4.236086, 1e-6);
    assert_near(rc_quantile_f(0.025, 5, 10), 1 / rc_quantile_f(0.975, 10, 5), 1e-9);
    assert_near(rc_quantile_f(0.95, 1, 1), 161.447639, 1e-5);
    assert_near(sqrt(rc_quantile_f(0.95, 1, 10)), 2.228139, 1e-6);
    assert_near(rc_both_tails_t(2.228139, 10), 0.05, 1e-7);
    assert_near(rc_both_tails_t(0, 5), 1, 0);
    assert_near(rc_both_tails_t(1, 1), 0.5, 1e-12);
    assert_near(rc_quantile_chi2(0.975, 1e6) / 1e6, 1.0027733, 1e-6);
}

/* NODES x CORES places with REPEATS readings each, or about as many. */
enum { PLACES_MOST = 512, READINGS_MOST = 8192 };

struct sample {
    size_t node[PLACES_MOST], count[PLACES_MOST];
    double reading[READINGS_MOST];
    struct rc_nesting nesting;
};

static size_t between(size_t low, size_t high)
{
    return low + (size_t)(uniform() * (double)(high - low + 1));
}

static void draw(struct sample *s, size_t nodes, const size_t cores[2],
                 const size_t repeats[2], const double sigma[RC_LEVEL_COUNT])
{
    size_t readings = 0, places = 0;

    for (size_t i = 0; i < nodes; i++) {
        const double node = sigma[RC_LEVEL_NODE] * normal();
        const size_t own = between(cores[0], cores[1]);
        for (size_t c = 0; c < own; c++) {
            const double core = sigma[RC_LEVEL_CORE] * normal();
            s->node[places] = i;
            s->count[places] = between(repeats[0], repeats[1]);
            for (size_t r = 0; r < s->count[places]; r++)
                s->reading[readings++] =
                    1000 + node + core + sigma[RC_LEVEL_REPETITION] * normal();
            places++;
        }
    }
    s->nesting = (struct rc_nesting){nodes, places, s->node, s->count};
}

static const double sigmas[RC_LEVEL_COUNT] = {1, 0.8, 1.2};
static struct rc_intervals known; /* of whatever nesting came last */

/* Means of estimates over many samples are near the truth, and intervals cover it. */
static void tried_often(size_t nodes, const size_t cores[2], const size_t repeats[2],
                        const double *sigma, int runs, double sum[RC_LEVEL_COUNT],
                        double covered[RC_LEVEL_COUNT])
{
    static struct sample s;

    memset(sum, 0, RC_LEVEL_COUNT * sizeof *sum);
    memset(covered, 0, RC_LEVEL_COUNT * sizeof *covered);
    for (int run = 0; run < runs; run++) {
        struct rc_component found[RC_LEVEL_COUNT];
        draw(&s, nodes, cores, repeats, sigma);
        rc_components_anova(&s.nesting, s.reading, &known, found);
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const double truth = sigma[l] * sigma[l];
            sum[l] += found[l].variance / truth / runs;
            covered[l] +=
                (found[l].low <= truth && truth <= found[l].high) / (double)runs;
        }
    }
}

static void balanced_components_are_unbiased_and_covered(void **state)
{
    double mean[RC_LEVEL_COUNT], covered[RC_LEVEL_COUNT];

    (void)state;
    tried_often(8, (const size_t[]){4, 4}, (const size_t[]){5, 5}, sigmas, 4000, mean,
                covered);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        print_message("level %zu: estimate %.4f of the truth, covered %.4f\n", l,
                      mean[l], covered[l]);
        assert_in_range((uint64_t)(mean[l] * 1000), 970, 1030);
        assert_in_range((uint64_t)(covered[l] * 1000), 930, 970);
    }
}

static void unbalanced_components_are_unbiased_and_covered(void **state)
{
    double mean[RC_LEVEL_COUNT], covered[RC_LEVEL_COUNT];

    (void)state;
    tried_often(9, (const size_t[]){2, 7}, (const size_t[]){2, 9}, sigmas, 4000, mean,
                covered);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        print_message("level %zu: estimate %.4f of the truth, covered %.4f\n", l,
                      mean[l], covered[l]);
        assert_in_range((uint64_t)(mean[l] * 1000), 970, 1030);
        assert_in_range((uint64_t)(covered[l] * 1000), 930, 970);
    }
}

static void likelihood_agrees_with_variances_where_all_is_balanced(void **state)
{
    static struct sample s;
    int compared = 0;

    (void)state;
    for (int run = 0; run < 100; run++) {
        struct rc_component found[RC_LEVEL_COUNT];
        double room[2 * PLACES_MOST], likely[RC_LEVEL_COUNT];
        draw(&s, 8, (const size_t[]){4, 4}, (const size_t[]){5, 5}, sigmas);
        rc_components_anova(&s.nesting, s.reading, &known, found);
        rc_components_reml(&s.nesting, s.reading, room, likely);
        if (found[1].variance < 0.01 || found[2].variance < 0.01)
            continue;
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
            assert_near(likely[l] / found[l].variance, 1, 1e-6);
        compared++;
    }
    assert_true(compared > 80);
}

static void likelihood_is_right_where_nothing_is_balanced(void **state)
{
    enum { RUNS = 400 };
    static struct sample s;
    double mean[RC_LEVEL_COUNT] = {0};

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        double room[2 * PLACES_MOST], likely[RC_LEVEL_COUNT];
        draw(&s, 9, (const size_t[]){2, 7}, (const size_t[]){2, 9}, sigmas);
        rc_components_reml(&s.nesting, s.reading, room, likely);
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
            mean[l] += likely[l] / (sigmas[l] * sigmas[l]) / RUNS;
    }
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        print_message("level %zu: %.4f of the truth\n", l, mean[l]);
        assert_in_range((uint64_t)(mean[l] * 1000), 900, 1100);
    }
}

static void levels_that_are_not_there_have_no_variance(void **state)
{
    static struct sample s;
    struct rc_component found[RC_LEVEL_COUNT];
    double room[2 * PLACES_MOST], likely[RC_LEVEL_COUNT];
    static const struct {
        size_t nodes, cores, repeats;
        bool has[RC_LEVEL_COUNT];
    } row[] = {
        {1, 1, 5, {true, false, false}},  {1, 4, 5, {true, true, false}},
        {6, 1, 5, {true, false, true}},   {6, 4, 1, {false, false, true}},
        {1, 1, 1, {false, false, false}}, {6, 1, 1, {false, false, false}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        draw(&s, row[i].nodes, (const size_t[]){row[i].cores, row[i].cores},
             (const size_t[]){row[i].repeats, row[i].repeats}, sigmas);
        rc_components_anova(&s.nesting, s.reading, &known, found);
        rc_components_reml(&s.nesting, s.reading, room, likely);
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            assert_true(isnan(found[l].variance) == !row[i].has[l]);
            assert_true(isnan(found[l].low) == !row[i].has[l]);
        }
    }
}

static void readings_that_are_the_same_have_variance_0(void **state)
{
    static struct sample s;
    static const double none[RC_LEVEL_COUNT] = {0};
    struct rc_component found[RC_LEVEL_COUNT];
    double room[2 * PLACES_MOST], likely[RC_LEVEL_COUNT];

    (void)state;
    draw(&s, 4, (const size_t[]){2, 2}, (const size_t[]){3, 3}, none);
    rc_components_anova(&s.nesting, s.reading, &known, found);
    rc_components_reml(&s.nesting, s.reading, room, likely);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        assert_true(found[l].variance == 0 && found[l].low == 0 && found[l].high == 0);
        assert_true(likely[l] == 0);
    }
}

/* Against all pairs, one by one. */
static void distances_are_those_of_all_pairs(void **state)
{
    enum { POINTS = 3 };
    static struct sample s;
    double vector[300], room[4 * POINTS], found[RC_LEVEL_COUNT];
    double sum[RC_LEVEL_COUNT] = {0}, pairs[RC_LEVEL_COUNT] = {0};
    size_t place[100], readings = 0;

    (void)state;
    draw(&s, 3, (const size_t[]){2, 3}, (const size_t[]){2, 4}, sigmas);
    for (size_t p = 0; p < s.nesting.places; p++)
        for (size_t r = 0; r < s.count[p]; r++)
            place[readings++] = p;
    for (size_t i = 0; i < readings * POINTS; i++)
        vector[i] = 1e9 + normal() + 3 * (double)s.node[place[i / POINTS]];
    for (size_t a = 0; a < readings; a++)
        for (size_t b = 0; b < a; b++) {
            const size_t level = place[a] == place[b]                   ? 0
                                 : s.node[place[a]] == s.node[place[b]] ? 1
                                                                        : 2;
            for (size_t i = 0; i < POINTS; i++)
                sum[level] += pow(vector[a * POINTS + i] - vector[b * POINTS + i], 2);
            pairs[level]++;
        }
    rc_distances(&s.nesting, vector, POINTS, room, found);
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++)
        assert_near(found[l], sum[l] / pairs[l], 1e-6);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How often a node that is off is found, and what part of what is found is false. */
static void try_nodes(size_t nodes, size_t bad, double sigma, double shift, int runs,
                      double *power, double *false_part, double *false_nodes)
{
    double hits = 0, wrong = 0, part = 0;

    for (int run = 0; run < runs; run++) {
        double median[64], error[64], room[3 * 64 + 2], p[64];
        struct rc_off off[64];
        double found = 0, lies = 0;
        for (size_t i = 0; i < nodes; i++) {
            median[i] = 1 + sigma * normal() + (i < bad ? shift : 0);
            error[i] = sigma / 10;
        }
        rc_outliers(median, error, nodes, room, off);
        for (size_t i = 0; i < nodes; i++)
            p[i] = off[i].p;
        qsort(p, nodes, sizeof *p, compare_numbers);
        const double most = rc_false_discovery(p, nodes, nodes, 0.05);
        for (size_t i = 0; i < nodes; i++)
            if (off[i].p <= most) {
                found++;
                lies += i >= bad;
            }
        hits += found - lies;
        wrong += lies;
        part += found > 0 ? lies / found : 0;
    }
    *power = bad ? hits / (double)bad / runs : 0;
    *false_part = part / runs;
    *false_nodes = wrong / runs / (double)nodes;
}

static void a_node_that_is_off_is_found_and_hardly_another(void **state)
{
    static const struct {
        size_t nodes, bad;
        double shift; /* in standard deviations of nodes */
        double least_power, most_false;
    } row[] = {
        {64, 1, -6, 0.98, 0.07}, {64, 12, -6, 0.98, 0.06}, {64, 0, 0, 0, 0.08},
        {32, 1, 8, 0.99, 0.08},  {10, 1, 12, 0.98, 0.09},  {10, 0, 0, 0, 0.1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double power, false_part, false_nodes;
        try_nodes(row[i].nodes, row[i].bad, 0.005, 0.005 * row[i].shift, 1000, &power,
                  &false_part, &false_nodes);
        print_message("%zu nodes, %zu off by %g sigma: power %.4f, false part %.4f, "
                      "false nodes %.5f\n",
                      row[i].nodes, row[i].bad, row[i].shift, power, false_part,
                      false_nodes);
        assert_true(power >= row[i].least_power);
        assert_true(false_part <= row[i].most_false);
    }
}

static void few_nodes_are_judged_by_a_table_or_not_at_all(void **state)
{
    const double two[] = {1, 2}, three[] = {1, 1.001, 2},
                 five[] = {1, 1.01, 1.02, 1.03, 9};
    const double error[5] = {0.01, 0.01, 0.01, 0.01, 0.01};
    double room[17];
    struct rc_off off[5];

    (void)state;
    rc_outliers(two, error, 1, room, off);
    assert_true(off[0].p == 1 && off[0].delta == 0);
    rc_outliers(two, error, 2, room, off);
    assert_true(off[0].p == 1 && off[1].p == 1);
    rc_outliers(three, error, 3, room, off);
    assert_true(off[0].p == 1 && off[1].p == 1 && off[2].p == 0.01);
    rc_outliers(five, error, 5, room, off);
    assert_true(off[4].p == 0.01 && off[4].delta > 7);
    for (size_t i = 0; i < 4; i++)
        assert_true(off[i].p == 1);
}

static void nodes_do_not_scatter_less_than_their_readings_allow(void **state)
{
    double median[20], error[20], room[62];
    struct rc_off off[20];

    (void)state;
    for (size_t i = 0; i < 20; i++) {
        median[i] = 100 + (i == 7);
        error[i] = 1;
    }
    rc_outliers(median, error, 20, room, off);
    assert_true(off[7].z == 1 && off[7].p > 0.3);
    memset(error, 0, sizeof error); /* exact, and one differs */
    rc_outliers(median, error, 20, room, off);
    assert_true(isinf(off[7].z) && off[7].p == 0 && off[7].delta == 1);
    assert_true(off[6].z == 0 && off[6].p == 1);
}

static void two_classes_are_not_outliers(void **state)
{
    double median[40], error[40], room[80], edge = 0;
    size_t low = 0;

    (void)state;
    for (size_t i = 0; i < 40; i++) {
        median[i] = (i % 3 == 0 ? 90 : 100) + 0.5 * normal();
        error[i] = 0.05;
    }
    assert_true(rc_two_classes(median, error, 40, room, &low, &edge));
    assert_int_equal(low, 14);
    assert_true(edge > 92 && edge < 98);
    for (size_t i = 0; i < 40; i++)
        median[i] = 100 + 0.5 * normal() - (i < 2 ? 10 : 0);
    assert_false(rc_two_classes(median, error, 40, room, &low, &edge));
    for (size_t i = 0; i < 40; i++)
        median[i] = 100;
    assert_false(rc_two_classes(median, error, 40, room, &low, &edge));
    assert_false(rc_two_classes(median, error, 4, room, &low, &edge));
}

static void one_class_is_hardly_taken_for_two(void **state)
{
    enum { RUNS = 2000 };
    double median[64], error[64], room[64], edge;
    size_t low;
    int wrong = 0;

    (void)state;
    for (int run = 0; run < RUNS; run++) {
        const size_t nodes = between(7, 64);
        for (size_t i = 0; i < nodes; i++) {
            median[i] = 1 + 0.01 * normal();
            error[i] = 0.001;
        }
        wrong += rc_two_classes(median, error, nodes, room, &low, &edge);
    }
    print_message("%d of %d\n", wrong, RUNS);
    assert_true(wrong <= RUNS / 100);
}

static void false_discoveries_are_bounded_step_by_step(void **state)
{
    const double p[] = {0.001, 0.009, 0.04, 0.2};

    (void)state;
    assert_true(rc_false_discovery(p, 4, 10, 0.05) == 0.009);
    assert_true(rc_false_discovery(p, 4, 4, 0.05) == 0.009);
    assert_true(rc_false_discovery(p, 4, 1000, 0.05) == 0);
    assert_true(rc_false_discovery(p, 0, 10, 0.05) == 0);
    assert_true(rc_false_discovery((const double[]){0, 0}, 2, 100, 0.05) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_interval_of_the_median_is_that_of_the_sign_test),
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(balanced_components_are_unbiased_and_covered),
        cmocka_unit_test(unbalanced_components_are_unbiased_and_covered),
        cmocka_unit_test(likelihood_agrees_with_variances_where_all_is_balanced),
        cmocka_unit_test(likelihood_is_right_where_nothing_is_balanced),
        cmocka_unit_test(levels_that_are_not_there_have_no_variance),
        cmocka_unit_test(readings_that_are_the_same_have_variance_0),
        cmocka_unit_test(distances_are_those_of_all_pairs),
        cmocka_unit_test(a_node_that_is_off_is_found_and_hardly_another),
        cmocka_unit_test(few_nodes_are_judged_by_a_table_or_not_at_all),
        cmocka_unit_test(nodes_do_not_scatter_less_than_their_readings_allow),
        cmocka_unit_test(two_classes_are_not_outliers),
        cmocka_unit_test(one_class_is_hardly_taken_for_two),
        cmocka_unit_test(false_discoveries_are_bounded_step_by_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

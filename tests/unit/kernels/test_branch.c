#include "tests/lib/test.h"

#include "kernels/kernel.h"

#include <string.h>

static const struct rc_suite *branch(void)
{
    return rc_suite_find("branch");
}

static struct rc_points all_points(void)
{
    struct rc_points points = {0};
    struct rc_error err;

    assert_int_equal(branch()->points(&rc_request_default, &points, &err), RC_OK);
    return points;
}

static void counts_of_part_periods_are_refused(void **state)
{
    static const uint64_t bad[] = {1, 2, 128, 255, 257, 1000};
    struct rc_points points = all_points();
    struct rc_kernel *kernel;
    struct rc_error err;

    (void)state;
    for (size_t i = 0; i < points.count && !branch()->usable(); i++) {
        assert_int_equal(
            branch()->setup(&rc_request_default, &points.point[i], &kernel, &err),
            RC_OK);
        for (size_t j = 0; j < sizeof bad / sizeof bad[0]; j++) {
            branch()->run(kernel, bad[j]);
            assert_int_equal(branch()->verify(kernel, bad[j], &err), RC_ECONFLICT);
            assert_non_null(strstr(err.text, "expected a multiple of 256"));
        }
        branch()->teardown(kernel);
    }
    rc_points_fini(&points);
}

static void any_number_of_periods_verifies(void **state)
{
    static const uint64_t periods[] = {1, 2, 3, 7, 1023, 1024, 1025, 2049};
    struct rc_points points = all_points();
    struct rc_kernel *kernel;
    struct rc_error err;

    (void)state;
    for (size_t i = 0; i < points.count && !branch()->usable(); i++) {
        assert_int_equal(
            branch()->setup(&rc_request_default, &points.point[i], &kernel, &err),
            RC_OK);
        for (size_t j = 0; j < sizeof periods / sizeof periods[0]; j++) {
            uint64_t n = 256 * periods[j];
            branch()->run(kernel, n);
            if (branch()->verify(kernel, n, &err) != RC_OK)
                fail_msg("%s: %s", points.point[i].name, err.text);
            assert_int_equal(branch()->verify(kernel, n + 256, &err), RC_ECONFLICT);
            assert_int_equal(branch()->verify(kernel, n - 256, &err), RC_ECONFLICT);
        }
        branch()->teardown(kernel);
    }
    rc_points_fini(&points);
}

static void the_basis_is_the_published_table(void **state)
{
    static const double table[][5] = {
        {2, 2, 1.5, 0, 0},     {2, 2, 1, 0, 0},         {2, 2, 2, 0, 0},
        {2, 2, 1.5, 0, 0.5},   {2.5, 2.5, 1.5, 0, 0.5}, {2.5, 2.5, 2, 0, 0.5},
        {2.5, 2, 1.5, 0, 0.5}, {3, 2.5, 1.5, 0, 0.5},   {3, 2.5, 2, 0, 0.5},
        {2, 2, 1, 1, 0},       {1, 1, 1, 0, 0},
    };
    struct rc_points points = all_points();

    (void)state;
    assert_int_equal(points.count, sizeof table / sizeof table[0]);
    assert_int_equal(branch()->ideal_count, 5);
    for (size_t i = 0; i < points.count; i++)
        for (size_t j = 0; j < 5; j++)
            assert_true(rc_expect(branch(), &rc_request_default, &points.point[i],
                                  branch()->ideals[j]) == table[i][j]);
    rc_points_fini(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_part_periods_are_refused),
        cmocka_unit_test(any_number_of_periods_verifies),
        cmocka_unit_test(the_basis_is_the_published_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

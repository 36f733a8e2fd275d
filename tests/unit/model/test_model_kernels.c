/* Kernels that are modelled alone, the rest, and call paths that hold those inside. */
#include "tests/lib/test.h"

#include "campaign/model/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_measured_metric of_time = {"time", "s", RC_MEASURED_TIME, false};

/* A reading of each kernel at each p, by its formula a / p + b + c * p. */
struct planted {
    const char *name;
    double a, b, c;
};

static struct rc_measured *planted(const struct planted *kernel, size_t kernels)
{
    static const char *const names[] = {"p"};
    struct rc_measured_draft *draft = NULL;
    struct rc_measured *m = NULL;
    struct rc_error err = {.rank = -1};

    assert_int_equal(rc_measured_begin(names, 1, &draft, &err), RC_OK);
    for (double p = 2; p <= 32; p *= 2)
        for (size_t k = 0; k < kernels; k++)
            assert_int_equal(
                rc_measured_add(draft, &p, kernel[k].name, &of_time,
                                kernel[k].a / p + kernel[k].b + kernel[k].c * p, NAN,
                                &err),
                RC_OK);
    assert_int_equal(rc_measured_end(draft, "planted", &m, &err), RC_OK);
    return m;
}

static enum rc_model_why why_of(const struct rc_model_choice *choice, size_t kernels,
                                const char *name)
{
    for (size_t k = 0; k < kernels; k++)
        if (strcmp(choice->kernel[k].name, name) == 0)
            return choice->kernel[k].why;
    return RC_MODEL_REST;
}

static void a_share_of_the_threshold_counts_and_less_does_not(void **state)
{
    static const struct planted kernel[] = {
        {"most", 90, 0, 0}, {"five", 5, 0, 0}, {"four", 4, 0, 0}, {"one", 1, 0, 0}};
    struct rc_measured *m = planted(kernel, 4), *chosen = NULL;
    struct rc_model_choice choice = {.threshold = 0.05};
    struct rc_error err = {.rank = -1};

    (void)state;
    assert_int_equal(rc_model_choose(m, &choice, &chosen, &err), RC_OK);
    assert_int_equal(choice.count, 2);
    assert_int_equal(why_of(&choice, 4, "five"), RC_MODEL_SHARE);
    assert_int_equal(why_of(&choice, 4, "four"), RC_MODEL_REST);
    assert_true(fabs(choice.coverage - 0.95) < 1e-12);
    /* The rest is the sum of the others, so that nothing is lost. */
    assert_int_equal(chosen->kernels, 3);
    for (size_t p = 0; p < chosen->points; p++) {
        double sum = 0;
        for (size_t i = 0; i < chosen->series; i++)
            sum += rc_model_mean(&chosen->of[i], p);
        assert_true(fabs(sum - 100 / chosen->at[p]) < 1e-12 * sum);
    }
    free(choice.kernel);
    rc_measured_close(chosen);
    rc_measured_close(m);
}

static void a_small_kernel_that_does_not_fall_with_p_is_chosen(void **state)
{
    static const struct planted kernel[] = {
        {"most", 1000, 0, 0}, {"rises", 0, 0, 0.001}, {"falls", 1, 0, 0}};
    struct rc_measured *m = planted(kernel, 3), *chosen = NULL;
    struct rc_model_choice choice = {.threshold = 0.05};
    struct rc_error err = {.rank = -1};

    (void)state;
    assert_int_equal(rc_model_choose(m, &choice, &chosen, &err), RC_OK);
    assert_int_equal(why_of(&choice, 3, "rises"), RC_MODEL_RISING);
    assert_int_equal(why_of(&choice, 3, "falls"), RC_MODEL_REST);
    free(choice.kernel);
    rc_measured_close(chosen);
    rc_measured_close(m);
}

static double value_of(const struct rc_measured *m, const char *kernel, size_t point)
{
    for (size_t i = 0; i < m->series; i++)
        if (strcmp(m->kernel[m->of[i].kernel], kernel) == 0)
            return rc_model_mean(&m->of[i], point);
    return NAN;
}

static void a_path_that_holds_those_inside_keeps_its_own(void **state)
{
    static const struct planted nested[] = {{"main", 10, 11, 0},
                                            {"main;io", 0, 1, 0},
                                            {"main;solve", 10, 9, 0},
                                            {"main;solve;halo", 9, 5, 0}},
                                own[] = {{"main", 0, 1, 0}, {"main;solve", 10, 5, 0}};
    struct rc_measured *m = planted(nested, 4);
    struct rc_error err = {.rank = -1};

    (void)state;
    assert_int_equal(rc_model_unnest(m, &err), RC_OK);
    assert_true(fabs(value_of(m, "main", 0) - 1) < 1e-12);
    assert_true(fabs(value_of(m, "main;solve", 0) - 4.5) < 1e-12);
    assert_true(fabs(value_of(m, "main;solve;halo", 0) - 9.5) < 1e-12);
    rc_measured_close(m);
    m = planted(own, 2);
    assert_int_equal(rc_model_unnest(m, &err), RC_OK);
    assert_true(fabs(value_of(m, "main", 0) - 1) < 1e-12);
    rc_measured_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_the_threshold_counts_and_less_does_not),
        cmocka_unit_test(a_small_kernel_that_does_not_fall_with_p_is_chosen),
        cmocka_unit_test(a_path_that_holds_those_inside_keeps_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

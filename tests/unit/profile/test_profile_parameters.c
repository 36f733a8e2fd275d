/* Parameters of launches: what --set says is refused or evaluated; ranks must agree. */
#include "tests/lib/test.h"

#include "campaign/profile/read/read.h"
#include "tests/lib/own_dir.h"
#include "tests/lib/profile_lib.h"

#include <math.h>
#include <sys/stat.h>

static struct rc_error err;
static struct rc_profile_parameters all;

/* Each item is wrong, and the words say how. */
static void wrong_items_are_refused(void **state)
{
    static const struct {
        const char *set, *said;
    } wrong[] = {
        {"n", "--set: found 'n', expected NAME=NUMBER or NAME=FORMULA"},
        {"=4", "found '=4'"},
        {"4n=4", "found '4n=4'"},
        {"_n=4", "found '_n=4'"},
        {"a-b=4", "found 'a-b=4'"},
        {"n=1,", "found ''"},
        {",n=1", "found ''"},
        {"a23456789012345678901234567890123=1", "31 at most"},
        {"p=4", "p is the number of processes"},
        {"n=1,n=2", "'n' is given twice"},
        {"a=1,b=2,c=3,d=4", "'d' is one too many, expected at most 3 beside p"},
        {"n=", "--set n=: "},
        {"n=0", "--set n=0: expected a number above 0"},
        {"n=-1", "--set n=-1: expected a number above 0"},
        {"n=1e999", "--set n=1e999: "},
        {"n=nan", "column 1: found 'nan', expected p or a parameter"},
        {"n=inf", "column 1: found 'inf'"},
        {"n=2*3", "--set n=2*3: column "},
        {"n=m/2",
         "--set n=m/2: column 1: found 'm', expected p or a parameter that is"},
        {"n=n", "column 1: found 'n'"},
        {"n=m,m=2", "column 1: found 'm'"},
        {"n=[p]", "column 1: found 'p'"},
        {"n=p/", "--set n=p/: column 3: "},
        {"n=p)", "column 2: "},
        {"n=p-4", "--set n=p-4: it is 0 with p = 4, expected a number above 0"},
        {"n=p-5", "it is -1 with p = 4"},
        {"n=1/(p-4)", "with p = 4, expected a number above 0"},
        {"n=1=2", "--set n=1=2: column 2: "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err.text[0] = 0;
        if (rc_profile_parameters_take(wrong[i].set, 4, &all, &err) != RC_EUSAGE ||
            !strstr(err.text, wrong[i].said))
            fail_msg("'%s': said '%s', expected '%s'", wrong[i].set, err.text,
                     wrong[i].said);
    }
    assert_int_equal(all.count, 1);
}

static void formulas_take_what_stands_before_them(void **state)
{
    char text[RC_PROFILE_PARAMETERS_TEXT];

    (void)state;
    assert_int_equal(rc_profile_parameters_take("", 4, &all, &err), RC_OK);
    assert_string_equal(rc_profile_parameters_text(&all, text), "p=4");
    assert_int_equal(rc_profile_parameters_take("n=64,px=2,py_1=p/px", 6, &all, &err),
                     RC_OK);
    assert_string_equal(rc_profile_parameters_text(&all, text),
                        "p=6, n=64, px=2, py_1=p/px=3");
    assert_string_equal(all.of[3].name, "py_1");
    assert_true(all.of[3].value == 3 && !all.of[1].formula[0]);
    assert_int_equal(rc_profile_parameters_take("x=1e-3,y=(p+1)*x", 1, &all, &err),
                     RC_OK);
    assert_true(fabs(all.of[2].value - 2e-3) < 1e-18);
}

/* Before MPI says how many processes there are. */
static void values_wait_for_p(void **state)
{
    (void)state;
    assert_int_equal(rc_profile_parameters_take("n=4,m=p-4,k=n*2", NAN, &all, &err),
                     RC_OK);
    assert_true(isnan(all.of[0].value) && isnan(all.of[2].value));
    assert_true(all.of[3].value == 8);
    assert_int_equal(rc_profile_parameters_take("n=4,m=n-4", NAN, &all, &err),
                     RC_EUSAGE);
}

static void ranks_that_differ_are_told_how(void **state)
{
    static const struct {
        const char *here, *there, *said;
    } pairs[] = {
        {"n=1,m=2", "n=1,m=3", "has m=2, and another rank of this launch has m=3"},
        {"n=64", "n=6", "has n=64, and another rank of this launch has n=6:"},
        {"n=64", "", "has n=64, and another rank of this launch has nothing"},
        {"", "n=64", "has nothing, and another rank of this launch has n=64"},
        {"n=64", "n=64,m=2", "has nothing, and another rank of this launch has m=2"},
        {"n=64,m=2", "n=64", "has m=2, and another rank of this launch has nothing"},
    };

    (void)state;
    assert_int_equal(rc_profile_parameters_agree("n=1", "n=1", &err), RC_OK);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(
            rc_profile_parameters_agree(pairs[i].here, pairs[i].there, &err),
            RC_EUSAGE);
        if (!strstr(err.text, pairs[i].said))
            fail_msg("said '%s', expected '%s'", err.text, pairs[i].said);
    }
}

static void launches_have_their_own(void **state)
{
    static const char *const sets[] = {"n=64,k=n/p", "", "n=128,k=p-4"};
    char text[RC_PROFILE_PARAMETERS_TEXT];
    struct rc_profile *p;

    (void)state;
    assert_int_equal(mkdir("d", 0777), 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct sample_profile s = sample_profile("d", "n0");
        s.launch = i;
        s.writer = i * RC_PROFILE_WRITERS;
        s.sequence = i * 1000;
        s.set = sets[i];
        assert_int_equal(sample_launch(&s, 0, 2, i == 0 ? 8 : 4, &err), RC_OK);
    }
    assert_int_equal(rc_profile_read("d", false, &p, &err), RC_OK);
    assert_int_equal(rc_profile_parameters_of(p, 0, &all, &err), RC_OK);
    assert_string_equal(rc_profile_parameters_text(&all, text), "p=8, n=64, k=n/p=8");
    assert_int_equal(rc_profile_parameters_of(p, 1, &all, &err), RC_OK);
    assert_int_equal(all.count, 1);
    assert_int_equal(rc_profile_parameters_of(p, 2, &all, &err), RC_EUSAGE);
    assert_string_equal(
        rc_profile_parameters_said(p, 2, text),
        "p=4, n=128; --set k=p-4: it is 0 with p = 4, expected a number "
        "above 0");
    rc_profile_close(p);
}

static void nodes_of_one_launch_must_agree(void **state)
{
    static const char *const nodes[] = {"n0", "n1"}, *const sets[] = {"n=64", "n=65"};
    struct rc_profile *p;

    (void)state;
    assert_int_equal(mkdir("two", 0777), 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct sample_profile s = sample_profile("two", nodes[i]);
        s.writer = i * RC_PROFILE_WRITERS;
        s.set = sets[i];
        assert_int_equal(sample_launch(&s, 2 * i, 2, 4, &err), RC_OK);
    }
    assert_int_equal(rc_profile_read("two", false, &p, &err), RC_OK);
    assert_int_equal(rc_profile_parameters_of(p, 0, &all, &err), RC_EUSAGE);
    assert_string_equal(err.text,
                        "--set: node n1 has 'n=65', and node n0 of the same launch has "
                        "'n=64'");
    rc_profile_close(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_items_are_refused),
        cmocka_unit_test(formulas_take_what_stands_before_them),
        cmocka_unit_test(values_wait_for_p),
        cmocka_unit_test(ranks_that_differ_are_told_how),
        cmocka_unit_test(launches_have_their_own),
        cmocka_unit_test(nodes_of_one_launch_must_agree),
    };
    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}

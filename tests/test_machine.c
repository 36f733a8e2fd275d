#include "tests/test.h"

#include "campaign/machine.h"

#include <string.h>

static void this_machine_has_cpus_units_and_a_kind(void **state)
{
    struct rc_error err = {0};
    struct rc_machine *machine;
    struct rc_kind kind;
    size_t count;

    (void)state;
    assert_int_equal(rc_machine_open(RC_MACHINE_THIS, NULL, &machine, &err), RC_OK);
    assert_non_null(rc_machine_cpus(machine, &count));
    assert_true(count > 0);
    assert_int_equal(rc_machine_unit(machine, RC_SCOPE_NODE, 0)->cpu_count, count);
    rc_machine_kind(machine, "counters", &kind);
    assert_non_null(strstr(kind.key, "counters=counters"));
    assert_int_equal(strspn(kind.name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
                     strlen(kind.name));
    rc_machine_close(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_has_cpus_units_and_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

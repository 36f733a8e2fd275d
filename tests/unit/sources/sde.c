#include "tests/unit/sources/sde.h"

#include <sde_lib.h>

#include <string.h>

static long long steps_done, squares, sevens;

int rc_test_sde_start(void)
{
    static char name[RC_TEST_SDE_LONG_LETTERS + 1];
    papi_handle_t handle = papi_sde_init("rollcall_test");
    struct {
        const char *name;
        long long *counter;
    } event[] = {
        {"steps", &steps_done},
        {"squares", &squares},
        {"odd name, \"quoted\" \xc3\xa9", &sevens},
        {name, &sevens},
    };

    memset(name, 'x', sizeof name - 1);
    if (!handle)
        return -1;
    for (size_t i = 0; i < sizeof event / sizeof event[0]; i++)
        if (papi_sde_register_counter(handle, event[i].name,
                                      PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                                      event[i].counter) != SDE_OK)
            return -1;
    return papi_sde_describe_counter(handle, "steps", "steps of known number") == SDE_OK
               ? 0
               : -1;
}

void rc_test_sde_work(long long steps)
{
    steps_done += steps;
    squares += steps * steps;
    sevens += 7;
}

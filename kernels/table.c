/* The table of all suites that --suite NAME accepts, in the order in which they are
 * planned.
 */
#include "kernels/kernel.h"

#include <math.h>
#include <string.h>

extern const struct rc_suite rc_suite_flops;
extern const struct rc_suite rc_suite_branch;
extern const struct rc_suite rc_suite_dcache;
extern const struct rc_suite rc_suite_dcache_write;
extern const struct rc_suite rc_suite_icache;
extern const struct rc_suite rc_suite_instructions;
extern const struct rc_suite rc_suite_cycles;
extern const struct rc_suite rc_suite_gpu_flops;
extern const struct rc_suite rc_suite_blas;
extern const struct rc_suite rc_suite_memory;
extern const struct rc_suite rc_suite_memory_batched;
extern const struct rc_suite rc_suite_resort;
extern const struct rc_suite rc_suite_stream;

static const struct rc_suite *const built_in[] = {
    &rc_suite_flops,        &rc_suite_branch,         &rc_suite_dcache,
    &rc_suite_dcache_write, &rc_suite_icache,         &rc_suite_instructions,
    &rc_suite_cycles,       &rc_suite_gpu_flops,      &rc_suite_blas,
    &rc_suite_memory,       &rc_suite_memory_batched, &rc_suite_resort,
    &rc_suite_stream};

/* The built-in suites, followed by suites of users. */
enum { BUILT_IN = sizeof built_in / sizeof built_in[0], OWN_MOST = 8 };
static const struct rc_suite *all[BUILT_IN + OWN_MOST + 1];

const struct rc_suite *const *rc_suites(void)
{
    if (!all[0])
        memcpy(all, built_in, sizeof built_in);
    return all;
}

int rc_suite_add(const struct rc_suite *suite)
{
    size_t count = 0;

    while (rc_suites()[count])
        count++;
    if (count == BUILT_IN + OWN_MOST)
        return RC_ECONFLICT;
    all[count] = suite;
    return RC_OK;
}

const struct rc_suite *rc_suite_find(const char *name)
{
    for (size_t i = 0; rc_suites()[i]; i++)
        if (strcmp(rc_suites()[i]->name, name) == 0)
            return rc_suites()[i];
    return NULL;
}

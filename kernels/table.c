/* The table of all suites: what --suite NAME may name, in the order in which they are
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
extern const struct rc_suite rc_suite_gpu_flops;
extern const struct rc_suite rc_suite_blas;
extern const struct rc_suite rc_suite_memory;
extern const struct rc_suite rc_suite_memory_batched;
extern const struct rc_suite rc_suite_resort;

static const struct rc_suite *const suites[] = {
    &rc_suite_flops,          &rc_suite_branch, &rc_suite_dcache,
    &rc_suite_dcache_write,   &rc_suite_icache, &rc_suite_instructions,
    &rc_suite_gpu_flops,      &rc_suite_blas,   &rc_suite_memory,
    &rc_suite_memory_batched, &rc_suite_resort, NULL,
};

const struct rc_suite *const *rc_suites(void)
{
    return suites;
}

const struct rc_suite *rc_suite_find(const char *name)
{
    for (size_t i = 0; suites[i]; i++)
        if (strcmp(suites[i]->name, name) == 0)
            return suites[i];
    return NULL;
}

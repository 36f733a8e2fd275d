/* dcache.h - points of the suites 'dcache' and 'dcache-write', and the walks through
 * their buffers
 *
 * A step of a walk visits a line of each of its 'chains': it loads from it 'loads'
 * times, or stores to it 'stores' times, or loads once and then stores once.  An
 * iteration is a step.  With a 'width' other than a pointer's, every other load of
 * 'dcache' loads so many bytes and does not go on to another line.
 */
#ifndef RC_KERNELS_DCACHE_DCACHE_H
#define RC_KERNELS_DCACHE_DCACHE_H

#include "kernels/dcache/chase.h"
#include "kernels/kernel.h"

enum rc_dcache_axis {
    RC_DCACHE_BYTES,
    RC_DCACHE_STRIDE, /* bytes from one line to the next */
    RC_DCACHE_PPB,    /* pages of a block, in which the order is random */
    RC_DCACHE_THREADS,
    RC_DCACHE_WIDTH,
    RC_DCACHE_LOADS,
    RC_DCACHE_STORES,
    RC_DCACHE_CHAINS,
    RC_DCACHE_AXES
};

/* Bytes of a load or store: usually, and at most. */
enum { RC_DCACHE_POINTER = 8, RC_DCACHE_WIDEST = 16 };

/* The geometry, with usual sizes for those that it lacks and points depend on. */
struct rc_geometry rc_dcache_geometry(const struct rc_geometry *given);

/* Functions of the suites, for the processors that chases are written for. */
int rc_dcache_setup(const struct rc_suite_request *request,
                    const struct rc_point *point, struct rc_kernel **out,
                    struct rc_error *err);
void rc_dcache_teardown(struct rc_kernel *kernel);
const char *rc_dcache_note(const struct rc_kernel *kernel);
void rc_dcache_read(struct rc_kernel *kernel, uint64_t iterations);
int rc_dcache_read_verify(const struct rc_kernel *kernel, uint64_t iterations,
                          struct rc_error *err);
void rc_dcache_write(struct rc_kernel *kernel, uint64_t iterations);
int rc_dcache_write_verify(const struct rc_kernel *kernel, uint64_t iterations,
                           struct rc_error *err);

#endif

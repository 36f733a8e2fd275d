/* rollcall_kernel.h - kernels of your own, measured beside rollcall's
 *
 * A shared object with one symbol, the table 'rollcall_kernels', is a suite: its points
 * are kernels whose work per iteration you know.  Nothing of rollcall is linked:
 *
 *     cc -O2 -fPIC -shared -o mine.so own_kernel.c
 *     rollcall verify --kernel ./mine.so --suite own-mine
 *     rollcall run --kernel ./mine.so -o DIR
 *
 * The rule of counting: for n iterations and for 2n, counts must differ by n times what
 * the table says, to the last count.  The other instructions of run() are to be the
 * same for every n, a hundred at most.  'rollcall verify' checks that.
 * docs/own-kernels.md has an example.
 *
 * This header includes nothing of rollcall, and is C and C++.
 */
#ifndef RC_KERNELS_ROLLCALL_KERNEL_H
#define RC_KERNELS_ROLLCALL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the structs below; rollcall takes 1, too, which has no 'compiled'. */
#define ROLLCALL_KERNELS_VERSION 2

/* The count of an ideal event in an iteration.  'rollcall kernels' lists the ideals:
 * D_SCAL, LOADS, INS, ...
 */
struct rollcall_count {
    const char *ideal;
    double each; /* or ROLLCALL_UNKNOWN */
};

#define ROLLCALL_UNKNOWN (-1.0) /* the count may be any number */

/* One kernel with one set of parameters. */
struct rollcall_point {
    const char *name; /* unique in the table, at most 47 bytes */

    /* Ended by {NULL, 0}.  An ideal that this point does not name counts 0 where
     * another point of the table names it, or where any point names one of its family:
     * the floating-point ideals (S_.., D_.., SF_.., DF_.., OPS_..), or those of GPUs.
     * All others are not known.  OPS_SP or OPS_DP without its instructions gives only
     * their sum; where OPS_.. is not named, it is the sum of the instructions.
     */
    const struct rollcall_count *count;

    uint64_t iterations; /* of a good measurement on real counters: about 1 ms */
};

/* The suite.  Functions get the index of the point. */
struct rollcall_kernels {
    uint32_t version;    /* ROLLCALL_KERNELS_VERSION */
    uint32_t bytes;      /* sizeof(struct rollcall_kernels) */
    const char *name;    /* a-z, 0-9, '-'; results call the suite "own-NAME" */
    const char *summary; /* one line */
    const struct rollcall_point *point; /* ended by one whose name is NULL */

    /* Prepares *work for run(); returns 0, or the point cannot run.  May be NULL. */
    int (*setup)(size_t point, void **work);

    /* Does the iterations.  Allocates nothing, prints nothing, cannot fail. */
    void (*run)(size_t point, void *work, uint64_t iterations);

    /* Returns 0 where the last run really did so many.  May be NULL. */
    int (*verify)(size_t point, const void *work, uint64_t iterations);

    void (*teardown)(size_t point, void *work); /* may be NULL */

    /* Not NULL: instructions of an iteration are whatever a compiler made of C, and not
     * known.  The text says the compiler, its version and the flags.  Points name
     * useful work alone, the ideals B_STREAM, B_ALLOC, B_ONCE and OPS_USEFUL, one that
     * is not named is not known.  'rollcall verify' counts loads, stores, bytes and
     * operations of an iteration beside them.
     */
    const char *compiled;
};

extern const struct rollcall_kernels rollcall_kernels; /* yours */

#ifdef __cplusplus
}
#endif

#endif

/* branch.h - the data and loops between the suite 'branch' and its assembly */
#ifndef RC_KERNELS_BRANCH_BRANCH_H
#define RC_KERNELS_BRANCH_BRANCH_H

#include <stdint.h>

enum {
    RC_BRANCH_POINTS = 11,
    RC_BRANCH_WORDS = 4096, /* of random bits: 32 KiB */
    RC_BRANCH_WORK = 32,    /* multiplications where a point has "work" */
};

/* Loops read bit (n modulo the number of bits) for n = iterations, ..., 1. */
struct rc_branch_data {
    const uint64_t *bits;
    uint64_t half;  /* half of the iterations */
    uint64_t count; /* passes of fall-through sides */
    uint64_t wrong; /* passes of code that no branch may let through */
    uint64_t work;  /* multiplied by 3, RC_BRANCH_WORK times an iteration */
};

/* Runs the loop; returns the iterations that are left, which is 0. */
typedef uint64_t rc_branch_loop(struct rc_branch_data *data, uint64_t iterations);

/* The code of a point, and its exact counts per iteration. */
struct rc_branch_code {
    rc_branch_loop *loop; /* NULL where none is written for this processor */
    double ins, int_add, int_logic, int_mov, int_mul, loads; /* ideals of these names */
};

extern const struct rc_branch_code rc_branch_code[RC_BRANCH_POINTS];

#endif

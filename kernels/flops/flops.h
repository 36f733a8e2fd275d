/* flops.h - the data and loops between the suite 'flops' and its assembly */
#ifndef RC_KERNELS_FLOPS_FLOPS_H
#define RC_KERNELS_FLOPS_FLOPS_H

#include <stdint.h>

enum {
    RC_FLOPS_WIDTHS = 4, /* scalar, 128, 256, 512 bits */
    RC_FLOPS_BODIES = 3, /* one, two and four steps of all chains */
    RC_FLOPS_CHAINS = 3  /* at most; FMA has two */
};

/* The contents of the widest register. */
union rc_flops_vector {
    float s[16];
    double d[8];
    unsigned char bytes[64];
};

/* The operands of a loop, and its results; assembly finds the vectors by their offset.
 * Each chain i starts from start[i] and repeats x = 2 x mod m, in whole numbers of at
 * most 20 bits, exact in either precision; chain 1 takes modulus 1, the others modulus
 * 0.
 */
struct rc_flops_data {
    union rc_flops_vector start[RC_FLOPS_CHAINS]; /* bytes 0, 64, 128 */
    union rc_flops_vector stop[RC_FLOPS_CHAINS];  /* bytes 192, 256, 320 */
    union rc_flops_vector inverse[2];             /* bytes 384, 448: 2/m */
    union rc_flops_vector modulus[2];             /* bytes 512, 576: m */
    union rc_flops_vector magic;                  /* byte 640: adding it rounds */
    union rc_flops_vector two;                    /* byte 704 */
    union rc_flops_vector one;                    /* byte 768 */
    union rc_flops_vector zero;                   /* byte 832 */
};

/* Runs the loop; returns the iterations that are left, which is 0. */
typedef uint64_t rc_flops_loop(struct rc_flops_data *data, uint64_t iterations);

/* The loop for a precision (0 single, 1 double), width (0 scalar, 128, 256, 512 bits)
 * and body (each twice as long as the one before).  *unusable is NULL where the loop
 * can run on this CPU, else the reason; without a loop the result is NULL.
 */
rc_flops_loop *rc_flops_find(int precision, int width, int fma, int body,
                             const char **unusable);

#endif

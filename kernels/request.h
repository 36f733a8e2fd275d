/* request.h - what a suite is told: the machine that it is for, and the user's wishes */
#ifndef RC_KERNELS_REQUEST_H
#define RC_KERNELS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/* The parts of a machine, real or simulated, by which a suite chooses its sizes and
 * predicts caches and branch predictor.  0: there is no such part.
 */
struct rc_cache_geometry {
    uint64_t bytes;
    uint32_t ways;
};

/* The machine as suites know it. */
struct rc_geometry {
    struct rc_cache_geometry l1d, l1i, l2, l3; /* l3: the slice one core may fill */
    uint32_t l3_cores;                         /* cores that share it; 0: not known */
    uint32_t line_bytes;
    uint64_t page_bytes;
    uint64_t huge_page_bytes;
    uint32_t dtlb_entries;
    uint32_t vector_bits; /* widest FP vector: 0 (scalar only), 128, 256, 512 */
    bool fma;
};

/* A parameter of a suite's points that users may set by --axis NAME=LIST. */
struct rc_axis {
    const char *name;         /* one of the suite's axes */
    const char *unit;         /* of its numbers, or "" */
    const char *const *words; /* names of the values 0, 1, ..., ended by NULL, or NULL:
                               * values are numbers */
    int64_t least, most;      /* numbers that the suite can take */
    const char *standard; /* the list where the user gives none; NULL: the suite's own
                               * rule, which the summary says */
    const char *summary;  /* one line for lists */
};

struct rc_axes; /* the lists that a user gave for axes */

/* Suites choose their points and sizes by it; zeroed: nothing is known, and nothing
 * wanted.  Most suites read only the geometry.
 */
struct rc_suite_request {
    struct rc_geometry geometry;
    const struct rc_axes *axes; /* NULL: the user gave none */
    uint32_t workers; /* the most that a team may have, the ranks of a node; 0 as 1 */
};

/* A 32 KiB / 1 MiB / 8 MiB machine with 64-byte lines and AVX-512, and no wishes:
 * suites are described for it where no machine is at hand.
 */
extern const struct rc_suite_request rc_request_default;

#endif

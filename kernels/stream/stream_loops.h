/* stream_loops.h - the loops of suite 'stream', compiled once for each width of vectors
 *
 * A pass goes once over arrays of doubles: copy a = b, scale a = s b, sum a = b + c,
 * triad a = b + s c, read (adds up a), write a = s, update a = s a.  The values of a pass
 * show which pass it was: s of scale, triad and write grows from pass to pass, and so do
 * the elements that update multiplies and the sum that read makes.
 *
 * Loops are C, for the compiler to translate: vectors are its own (vector_size), sums
 * have as many accumulators as it takes for loads to be the limit, so that no flag has to
 * allow another order of additions.  Loads and stores to memory are those of the arrays;
 * all else of a pass is in registers.
 */
#ifndef RC_KERNELS_STREAM_STREAM_LOOPS_H
#define RC_KERNELS_STREAM_STREAM_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Values of axis 'kernel': stored in results, append only. */
enum rc_stream_kernel {
    RC_STREAM_COPY,
    RC_STREAM_SCALE,
    RC_STREAM_SUM,
    RC_STREAM_TRIAD,
    RC_STREAM_READ,
    RC_STREAM_WRITE,
    RC_STREAM_UPDATE,
    RC_STREAM_KERNELS
};

/* Values of axis 'store'. */
enum rc_stream_store { RC_STREAM_PLAIN, RC_STREAM_STREAMING, RC_STREAM_STORES };

/* Elements of an array come in multiples of it: as many as a loop takes at once. */
#define RC_STREAM_BLOCK 64

/* The bits of s grow by it with each pass, but not for 'update': from 1 on it adds 2^-40,
 * so that products and sums of small whole numbers with s are exact.
 */
#define RC_STREAM_STEP 4096

/* The operands of a loop.  Arrays begin at multiples of 64 bytes; a loop that does not use
 * b or c accepts NULL.
 */
struct rc_stream_work {
    double *a;
    const double *b, *c;
    size_t elements;     /* of each array, a multiple of RC_STREAM_BLOCK */
    uint64_t scale_bits; /* s of the next pass, as the bits of a double */
    double sum;          /* result of the last call of 'read' */
};

/* Does 'passes' passes, and returns how many it did. */
typedef uint64_t rc_stream_loop(struct rc_stream_work *work, uint64_t passes);

/* The loops that were compiled for one width.  A loop is NULL where there is none: 'read'
 * and 'update' with streaming stores, and all streaming stores where the compiler has
 * none for this processor.
 */
struct rc_stream_loops {
    unsigned vector_bits;
    const char *made_by; /* compiler, version and flags */
    rc_stream_loop *loop[RC_STREAM_KERNELS][RC_STREAM_STORES];
};

extern const struct rc_stream_loops rc_stream_loops_128, rc_stream_loops_256,
    rc_stream_loops_512;

#endif

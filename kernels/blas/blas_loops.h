/* blas_loops.h - the loops of suites 'blas' and 'memory', and their operands
 *
 * One loop nest serves DOT, GEMV, capped GEMV and GEMM: C += A B, where C has
 * rows x cols elements, B has depth x cols, A has kept x depth, and row i of C
 * is made with row i mod kept of A.  DOT has one row and one column, GEMV one
 * column, capped GEMV fewer rows of A than of C.  The stream loops pass over
 * arrays of 'depth' elements: copy C = A, scale C = s A, add C = A + B,
 * triad C = A + s B.  Sweeps load, store or do both to the one array A of 'depth'
 * words, each of them or one in each line, without floating-point arithmetic; C is a
 * line, whose first word counts the operations.
 *
 * All loops are assembly from the first instruction of an iteration to the
 * last, so that no compiler changes what they count.  An iteration is one
 * operation on one copy of the operands; the next iteration takes the next copy.
 */
#ifndef RC_KERNELS_BLAS_BLAS_LOOPS_H
#define RC_KERNELS_BLAS_BLAS_LOOPS_H

#include "kernels/kernel.h"

/* A loop of assembly. */
enum rc_loop {
    RC_LOOP_NEST_SP,
    RC_LOOP_NEST_DP,
    RC_LOOP_COPY, /* the stream loops: double precision, 128 bits at a time */
    RC_LOOP_SCALE,
    RC_LOOP_ADD,
    RC_LOOP_TRIAD,
    RC_LOOP_READ, /* the sweeps: all words */
    RC_LOOP_WRITE,
    RC_LOOP_UPDATE,
    RC_LOOP_WRITE_NT,  /* by stores past the caches; not on aarch64 */
    RC_LOOP_READ_LINE, /* one word of a line */
    RC_LOOP_WRITE_LINE,
    RC_LOOP_UPDATE_LINE,
    RC_LOOP_COUNT
};

/* Elements that a stream or sweep handles at once: 'depth' is a multiple of it. */
#define RC_LOOP_LINE 8

/* The operands of a loop. */
struct rc_loop_shape {
    enum rc_loop loop;
    uint64_t rows, cols, depth, kept; /* streams and sweeps: 1, 1, elements, 1 */
};

/* The input of the assembly; filled by blas_loops.c. */
struct rc_loop_work {
    unsigned char *first, *end; /* the copies of the operands */
    uint64_t step;              /* bytes from one copy to the next; A comes first */
    uint64_t b_offset, c_offset;
    uint64_t rows, cols, depth;
    uint64_t a_step, a_bytes; /* bytes of a row of A, and of all of A */
    uint64_t b_step;          /* bytes from one row of B to the next */
    _Alignas(16) double scale[2];
};

/* Instructions in one pass through a part of a loop, by the classes of ideal.h.
 * Floating-point instructions follow from the operation; each part has one conditional
 * branch at its end.
 */
struct rc_loop_cost {
    unsigned all, loads, stores, additions, logic, moves;
};

/* The assembly of a loop, in blas_loops_x86.c or blas_loops_arm.c, whichever is built.
 * run() does 'iterations' operations, 0 included, beginning with the copy at 'copy',
 * and returns the copy after the last one; it is NULL on other processors.  The parts
 * of a nest go from the outside in: around an operation, around a row, around an
 * element of C, and one multiplication and addition.  Streams and sweeps have two:
 * around an operation, and one line of RC_LOOP_LINE elements.
 */
struct rc_loop_code {
    unsigned char *(*run)(const struct rc_loop_work *work, unsigned char *copy,
                          uint64_t iterations);
    struct rc_loop_cost operation, row, element, step;
};
extern const struct rc_loop_code rc_loop_code[RC_LOOP_COUNT];

/* Bytes of one element, and of one copy of the operands. */
uint64_t rc_loop_element_bytes(enum rc_loop loop);
uint64_t rc_loop_copy_bytes(const struct rc_loop_shape *shape);

/* Multiplications and additions of the nest, or elements of a stream or sweep: a
 * measure of the time of one iteration.
 */
uint64_t rc_loop_steps(const struct rc_loop_shape *shape);

/* The bounds of an ideal per iteration of operands that miss as often as 'most' says.
 * Counts of instructions are unknown where the assembly is missing.
 */
struct rc_range rc_loop_expect(const struct rc_geometry *geometry,
                               const struct rc_loop_shape *shape, struct rc_misses most,
                               enum rc_ideal ideal);

/* The plan of a kernel. */
struct rc_loop_plan {
    const char *name; /* the point's, for messages; copied */
    struct rc_loop_shape shape;
    uint64_t copies;     /* of the operands, at least 1 */
    uint64_t walk_bytes; /* size of the buffer that is walked before a run, or 0 */
    uint64_t huge_page_bytes;
};

/* The functions of a suite; see kernel.h.  'create' ends with a 'prepare'. */
int rc_loop_create(const struct rc_loop_plan *plan, struct rc_kernel **out,
                   struct rc_error *err);
void rc_loop_kernel_prepare(struct rc_kernel *kernel);
void rc_loop_kernel_run(struct rc_kernel *kernel, uint64_t iterations);
int rc_loop_kernel_verify(const struct rc_kernel *kernel, uint64_t iterations,
                          struct rc_error *err);
void rc_loop_kernel_teardown(struct rc_kernel *kernel); /* accepts NULL */

/* The reason why this processor cannot run the loops, or NULL. */
const char *rc_loop_usable(void);

/* The operands of one copy, for tests. */
struct rc_loop_operands {
    void *a, *b, *c;
    uint64_t copies; /* how many copies there are */
};
struct rc_loop_operands rc_loop_operands(const struct rc_kernel *kernel, uint64_t copy);

#endif

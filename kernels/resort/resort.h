/* resort.h - the re-sorts of a distributed 3D-FFT, with work that is known exactly
 *
 * A re-sort copies elements so that another axis of a three-dimensional array becomes
 * the contiguous one.  The names are those of the published study: S1CF and S1PF pack
 * for the all-to-all within a row and a column of the grid of ranks, S2CF and S2PF join
 * the blocks that came from the peers:
 *
 *     S1CF, S1PF   in[A][B][C]       ->  out[C][A][B]
 *     S2CF, S2PF   in[Y][A][B][c(y)] ->  out[A][B][C]    C = sum of all c(y)
 *
 * A, B, C are planes, rows and columns for S1CF; columns, planes and rows for S2CF and
 * S1PF; rows, columns and planes for S2PF.  Each exchange then finds its blocks in one
 * piece, and each FFT its axis.  A block of S2 has the elements from C y / Y up to
 * C (y + 1) / Y of the axis, rounded down, and begins with the first of them: blocks
 * fit the parts that ranks have, even or not.
 *
 * All loops are assembly on x86-64 and aarch64, so that no compiler changes what they
 * load and store.  No header of rollcall is needed, nothing is allocated, nothing can
 * fail.
 */
#ifndef RC_KERNELS_RESORT_RESORT_H
#define RC_KERNELS_RESORT_RESORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rc_resort {
    RC_RESORT_S1CF_NEST1, /* tmp = in, in the same order */
    RC_RESORT_S1CF_NEST2, /* out from tmp; its loops go over columns, planes, rows */
    RC_RESORT_COMBINED,   /* both in one, no tmp: loops over planes, rows, columns */
    RC_RESORT_TILED,      /* likewise, in tiles of 16 by 16, rows innermost */
    RC_RESORT_TILED_NT,   /* likewise, with streaming stores */
    RC_RESORT_S2CF,
    RC_RESORT_S1PF, /* with the loops of COMBINED */
    RC_RESORT_S2PF,
    RC_RESORT_S2CF_NT, /* with streaming stores: no line is read to be written */
    RC_RESORT_S2PF_NT,
    RC_RESORT_COUNT
};

/* "s1cf-nest1" */
const char *rc_resort_name(enum rc_resort which);

/* Re-sorts elements of 8 or 16 bytes.  'extent' is A, B, C, any of which may be 0;
 * 'parts' is Y, at least 1, and is for S2 alone.  NEST1 goes from 'in' to 'tmp' and
 * NEST2 from 'tmp' to 'out'; for all others 'tmp' may be NULL.  Arrays do not overlap.
 * Streaming stores need arrays at multiples of 16 bytes, else plain stores are used;
 * they are done when the function returns.
 */
void rc_resort(enum rc_resort which, void *out, const void *in, void *tmp,
               const size_t extent[3], size_t parts, size_t element);

/* Undoes a re-sort: 'in' is the result of rc_resort() with the same arguments, 'out'
 * becomes its input.  NEST1 goes from 'tmp' to 'out', NEST2 from 'in' to 'tmp'.
 */
void rc_resort_back(enum rc_resort which, void *out, const void *in, void *tmp,
                    const size_t extent[3], size_t parts, size_t element);

/* Levels of a nest of loops, the innermost first. */
#define RC_RESORT_LEVELS 5

/* A nest of loops around one load and one store.  Steps are in bytes: that of the
 * innermost level goes from an element to the next, that of an outer level from the end
 * of the loop inside it to that loop's next beginning.  The loops of assembly know the
 * offset of each member.
 */
struct rc_resort_nest {
    const unsigned char *in; /* NULL: there is no further nest */
    unsigned char *out;
    int64_t in_step[RC_RESORT_LEVELS], out_step[RC_RESORT_LEVELS];
    uint64_t count[RC_RESORT_LEVELS]; /* 1 or more */
};

/* The most nests that a re-sort needs: tiles, and the rest of both axes. */
#define RC_RESORT_NESTS 4

/* The input of a loop of assembly. */
struct rc_resort_work {
    uint64_t *mark; /* raised by 1 at the beginning of each iteration */
    struct rc_resort_nest nest[RC_RESORT_NESTS + 1];
};

/* The body of the loops. */
enum rc_resort_body {
    RC_RESORT_8,
    RC_RESORT_16,
    RC_RESORT_8_NT,
    RC_RESORT_16_NT,
    RC_RESORT_BODIES
};
enum rc_resort_body rc_resort_body(enum rc_resort which, size_t element);

/* Fills the nests of a re-sort of even parts; 'mark' stays as it is.  Returns how many
 * they are, 0 where there is nothing to do.  'back' exchanges loads and stores.
 */
size_t rc_resort_nests(enum rc_resort which, bool back, void *out, const void *in,
                       const size_t extent[3], size_t parts, size_t element,
                       struct rc_resort_work *work);

/* Executes all nests of 'work', 'iterations' times, 0 included. */
void rc_resort_run(enum rc_resort_body body, const struct rc_resort_work *work,
                   uint64_t iterations);

/* Instructions by the classes of ideal.h: for an element, an entrance into one of the
 * four inner loops, a nest, an iteration.  All are 0 where the loops are compiled: then
 * only loads and stores of elements are known.
 */
struct rc_resort_cost {
    unsigned all, loads, stores, additions, moves;
};
extern const struct rc_resort_cost rc_resort_element, rc_resort_loop,
    rc_resort_nest_cost, rc_resort_iteration;
extern void (*const rc_resort_loops[RC_RESORT_BODIES])(
    const struct rc_resort_work *work, uint64_t iterations); /* NULL: compiled */

/* Totals of the nests of 'work' in one iteration. */
struct rc_resort_shape {
    uint64_t elements, loops, nests; /* 'loops': entrances of inner loops */
};
struct rc_resort_shape rc_resort_shape(const struct rc_resort_work *work);

#endif

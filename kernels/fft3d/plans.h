/* plans.h - batches of 1D transforms, planned and run by FFTW
 *
 * FFTW is called from here only.  All ranks run the same code: the first rank plans,
 * and the others take its plans.
 */
#ifndef RC_KERNELS_FFT3D_PLANS_H
#define RC_KERNELS_FFT3D_PLANS_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum rc_fft_direction { RC_FFT_FORWARD, RC_FFT_BACKWARD };

/* How much time the planner takes to look for plans. */
enum rc_fft_effort { RC_FFT_ESTIMATE, RC_FFT_MEASURE, RC_FFT_PATIENT };

/* One precision of FFTW. */
struct rc_fft_library;

/* The planner.  A zeroed one is closed. */
struct rc_fft_planner {
    MPI_Comm comm; /* of all ranks; the first of them plans */
    int rank;
    const struct rc_fft_library *library; /* for the precision */
    enum rc_fft_effort effort;
    char **found; /* on the first rank: the planner's wisdom, piece by piece */
    size_t found_count, found_room;
};

/* 'wisdom' is a text of rc_fft_planner_wisdom(), or NULL; RC_EUSAGE: it is not one. */
int rc_fft_planner_init(struct rc_fft_planner *planner, MPI_Comm comm, bool single,
                        enum rc_fft_effort effort, const char *wisdom,
                        struct rc_error *err);
void rc_fft_planner_fini(struct rc_fft_planner *planner);

/* On the first rank: all wisdom found, as text; free() it.  NULL: no memory. */
char *rc_fft_planner_wisdom(struct rc_fft_planner *planner);

/* Transforms of 'length' complex numbers that are 'stride' apart, in place; the next
 * one begins 'dist' further.  'count' are done by one call, and the rest 'tail' by
 * 'tail'.  'real': forward from 'length' real numbers to length/2+1 complex ones,
 * backward from these, in rows that are 'dist' complex numbers apart; 'stride' is 1.
 */
struct rc_fft_shape {
    size_t length, stride, dist, count, tail;
    bool real;
    bool apart;  /* from one array to another, with the same pitches: not in place */
    size_t step; /* calls begin at multiples of so many elements from an aligned one */
};

struct rc_fft_axis {
    const struct rc_fft_library *library;
    struct rc_fft_shape shape;
    size_t element;       /* bytes of a complex number */
    void *plan[2][2];     /* [direction][for 'count', for 'tail'] */
    double planned[2][2]; /* operations of each */
};

/* Collective over the planner's ranks. */
int rc_fft_axis_create(struct rc_fft_planner *planner, const struct rc_fft_shape *shape,
                       struct rc_fft_axis **out, struct rc_error *err);
void rc_fft_axis_close(struct rc_fft_axis *axis); /* accepts NULL */

/* Does 'total' transforms, the first of which begins at 'at'; the rest after groups of
 * 'count' must divide by 'tail'.
 */
void rc_fft_axis_run(const struct rc_fft_axis *axis, enum rc_fft_direction direction,
                     void *at, size_t total);

/* The same for an axis that is 'apart'. */
void rc_fft_axis_move(const struct rc_fft_axis *axis, enum rc_fft_direction direction,
                      void *from, void *to, size_t total);

/* The whole transform of n[0] x n[1] x n[2] numbers on this rank alone, in double
 * precision, out of place: paths are checked and raced against it.
 */
struct rc_fft_serial;
int rc_fft_serial_create(const size_t n[3], bool real, enum rc_fft_effort effort,
                         struct rc_fft_serial **out, struct rc_error *err);
void rc_fft_serial_forward(struct rc_fft_serial *serial);
void *rc_fft_serial_in(struct rc_fft_serial *serial);   /* n[2] numbers of a row */
void *rc_fft_serial_out(struct rc_fft_serial *serial);  /* n[2], or n[2]/2+1 */
void rc_fft_serial_close(struct rc_fft_serial *serial); /* accepts NULL */

#endif

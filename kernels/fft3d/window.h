/* window.h - memory that all ranks of a node share */
#ifndef RC_KERNELS_FFT3D_WINDOW_H
#define RC_KERNELS_FFT3D_WINDOW_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stddef.h>

/* A zeroed one is closed. */
struct rc_fft_window {
    MPI_Win win;              /* MPI_WIN_NULL: this rank is alone */
    void *alone;              /* the memory in that case */
    void *base;               /* begins a page, on every rank */
    struct rc_fft_gate *gate; /* where ranks wait for each other */
    unsigned ranks;
};

/* Collective over the ranks of a node.  RC_ENOMEM, on all of them: there is not so much
 * shared memory; the message says how much there is.
 */
int rc_fft_window_init(struct rc_fft_window *window, MPI_Comm node, size_t bytes,
                       struct rc_error *err);
void rc_fft_window_fini(struct rc_fft_window *window); /* collective */

/* Collective: all ranks see afterwards what any rank wrote before. */
void rc_fft_window_fence(struct rc_fft_window *window);

#endif

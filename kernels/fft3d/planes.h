/* planes.h - the planes of a node in shared memory: transforms along axes 2 and 1
 *
 * Paths that share memory begin with these.  Planes are dealt to the ranks of the node;
 * where there are fewer planes than ranks, first rows are dealt, then columns.
 *
 * The planes of other nodes may have a place there, too, at the same pitch: as long as
 * it is not touched, it takes addresses, but no memory.
 */
#ifndef RC_KERNELS_FFT3D_PLANES_H
#define RC_KERNELS_FFT3D_PLANES_H

#include "kernels/fft3d/fft3d.h"
#include "kernels/fft3d/window.h"

struct rc_fft_planes {
    bool
        fetches; /* the array is about as large as the last cache: see rc_fft_fetch() */
    struct rc_fft_window window;
    void *base;        /* the node's first plane */
    void *input;       /* likewise, for an input that stays; NULL: in place */
    bool all;          /* the window has a place for the planes of all nodes */
    size_t lo, count;  /* the node's planes */
    size_t row, plane; /* pitches, in elements */
    size_t blocks;     /* of columns, in a row */
    size_t begin, end; /* this rank's planes, counted from the node's first */
    bool few;          /* there are fewer planes than ranks */
    struct rc_fft_axis *axis_2, *axis_1;
    size_t phase_planes, phase_rows, phase_fence;
};

/* Collective.  'names' are the path's, for its phases.  'all' asks for a place for the
 * planes of all nodes; there may be none.  RC_ENOMEM with the reason where the memory
 * cannot be shared.  Fills fft->in, and fft->out with the same place.
 */
int rc_fft_planes_init(struct rc_fft_planes *planes, struct rc_fft *fft,
                       const char *const names[3], bool all, struct rc_error *err);
void rc_fft_planes_fini(struct rc_fft_planes *planes); /* accepts a zeroed one */

/* Collective; both end with a fence. */
void rc_fft_planes_forward(struct rc_fft_planes *planes, struct rc_fft *fft);
void rc_fft_planes_backward(struct rc_fft_planes *planes, struct rc_fft *fft,
                            double scale);

/* Begins to fetch 'bytes' from 'at' on, which are needed soon.  The last cache holds
 * most of an array of about its size, and delivers it faster than a core asks for it by
 * itself; a larger array comes from memory, which is busy all the time anyway.
 */
void rc_fft_fetch(const void *at, size_t bytes);

/* Waits for the ranks of the node, as a phase. */
void rc_fft_planes_fence(struct rc_fft_planes *planes, struct rc_fft *fft);

/* The address of element [x][y][z]; x counts from the node's first plane. */
void *rc_fft_planes_at(const struct rc_fft_planes *planes, const struct rc_fft *fft,
                       size_t x, size_t y, size_t z);

#endif

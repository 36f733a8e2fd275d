/* planes.h - the planes of a node in shared memory: transforms along axes 2 and 1
 *
 * What paths that share memory begin with.  Planes are dealt to the ranks of the node;
 * where there are fewer of them than ranks, first rows are, and then columns.
 *
 * The planes of other nodes may have a place there, too, at the same pitch: what is not
 * touched of them is addresses, and no memory.
 */
#ifndef RC_KERNELS_FFT3D_PLANES_H
#define RC_KERNELS_FFT3D_PLANES_H

#include "kernels/fft3d/fft3d.h"
#include "kernels/fft3d/window.h"

struct rc_fft_planes {
    bool
        fetches; /* the array is about as large as the last cache: see rc_fft_fetch() */
    struct rc_fft_window window;
    void *base;        /* of the node's first plane */
    void *input;       /* likewise, of an input that stays; NULL: it is in place */
    bool all;          /* the window has a place for the planes of all nodes */
    size_t lo, count;  /* the node's planes */
    size_t row, plane; /* pitches, in elements */
    size_t blocks;     /* of columns, in a row */
    size_t begin, end; /* this rank's planes, from the node's first on */
    bool few;          /* fewer planes than ranks */
    struct rc_fft_axis *axis_2, *axis_1;
    size_t phase_planes, phase_rows, phase_fence;
};

/* Collective.  'names' are the path's, for its phases.  'all' asks for a place for the
 * planes of all nodes, which there may not be.  RC_ENOMEM with the reason where the
 * memory cannot be shared.  Fills fft->in, and fft->out with the same place.
 */
int rc_fft_planes_init(struct rc_fft_planes *planes, struct rc_fft *fft,
                       const char *const names[3], bool all, struct rc_error *err);
void rc_fft_planes_fini(struct rc_fft_planes *planes); /* accepts a zeroed one */

/* Collective; a fence stands behind both. */
void rc_fft_planes_forward(struct rc_fft_planes *planes, struct rc_fft *fft);
void rc_fft_planes_backward(struct rc_fft_planes *planes, struct rc_fft *fft,
                            double scale);

/* Begins to fetch 'bytes' from 'at' on, which are needed soon.  The last cache holds
 * most of an array that is about as large, and gives it faster than a core asks for it
 * by itself; a larger one comes from memory, which is busy all the time anyway.
 */
void rc_fft_fetch(const void *at, size_t bytes);

/* Waits for the ranks of the node, as a phase. */
void rc_fft_planes_fence(struct rc_fft_planes *planes, struct rc_fft *fft);

/* Where element [x][y][z] of the node's planes is; x counts from the node's first. */
void *rc_fft_planes_at(const struct rc_fft_planes *planes, const struct rc_fft *fft,
                       size_t x, size_t y, size_t z);

#endif

/* fft3d.h - a distributed 3D-FFT whose work is known: its options, paths and passes
 *
 * The transform is sum over i of a[i] exp(-+ 2 pi i.k / N), not normalised, of an array
 * of N0 x N1 x N2 complex numbers, or of real ones, which become N0 x N1 x (N2/2+1)
 * complex numbers: the other half is their conjugate.  It is done in place.  A path is
 * a way to do it; each names its phases and states the work of each of them.
 */
#ifndef RC_KERNELS_FFT3D_FFT3D_H
#define RC_KERNELS_FFT3D_FFT3D_H

#include "kernels/fft3d/phases.h"
#include "kernels/fft3d/plans.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct rc_fft;

/* How the re-sort S1CF is done by the path 'steps'. */
enum rc_fft_resort {
    RC_FFT_RESORT_NESTS, /* two loop nests, with an array between them */
    RC_FFT_RESORT_COMBINED,
    RC_FFT_RESORT_TILED,
    RC_FFT_RESORT_NT /* tiled, with stores that bypass the caches */
};

/* The transform that is asked for: the same on all ranks. */
struct rc_fft_options {
    size_t n[3];               /* points of axes 0, 1, 2; 2 is the contiguous one */
    bool real, single;         /* r2c and c2r, not c2c; single precision */
    bool transposed;           /* the result may stay where the path leaves it */
    bool plain;                /* no padding of rows and planes */
    bool apart;                /* out of place: the input stays */
    size_t block;              /* columns that are transformed together; 0: 16 */
    size_t procs[2];           /* the grid of ranks for pencils; 0: chosen here */
    size_t node_size;          /* ranks of a made-up node; 0: nodes as they are */
    enum rc_fft_resort resort; /* of the path 'steps' */
    enum rc_fft_effort effort; /* of the planner */
    const char *wisdom;        /* results of an earlier run's planner, or NULL */
    const struct rc_fft_path *path; /* NULL: the one that suits the nodes */
};

/* A rank's part of an array: a[i0][i1][i2] for lo[d] <= i[d] < lo[d] + extent[d] is at
 * base + sum of (i[d] - lo[d]) * stride[d] elements, which are complex numbers, or real
 * ones where 'real' is set.
 */
struct rc_fft_box {
    size_t lo[3], extent[3], stride[3];
    bool real;
    void *base; /* NULL where the extent is 0 */
};

/* Numbers after each row and plane that no path may write: a row is 'used' of 'row'
 * elements, a plane 'rows' of these in 'plane' elements.
 */
struct rc_fft_padding {
    void *base;
    size_t used, row, rows, plane, planes;
};

/* A path. */
struct rc_fft_path {
    const char *name;     /* as in --path */
    const char *summary;  /* one line for help */
    size_t own_bytes;     /* of rc_fft.own, which is zeroed memory */
    bool only_transposed; /* it cannot give the result in the order of the input */

    /* Whether the path can run; where it cannot, 'why' gets the reason. */
    bool (*usable)(const struct rc_fft *fft, char *why, size_t room);

    /* Collective: fills in, out, padding and the phases.  After a failure, the same on
     * all ranks, destroy() is called, which accepts members that are still zeroed.
     */
    int (*create)(struct rc_fft *fft, struct rc_error *err);
    void (*destroy)(struct rc_fft *fft);

    /* Collective; backward() multiplies the result by 'scale'. */
    void (*forward)(struct rc_fft *fft);
    void (*backward)(struct rc_fft *fft, double scale);
};

extern const struct rc_fft_path rc_fft_node, rc_fft_slab, rc_fft_pencil, rc_fft_w,
    rc_fft_steps;
extern const struct rc_fft_path *const rc_fft_paths[]; /* ended by NULL */

/* The ranks of each node: their numbers are side by side. */
struct rc_fft_nodes {
    MPI_Comm comm;      /* the ranks of this node */
    size_t count, own;  /* nodes, and the number of this one */
    size_t *first;      /* the first rank of each node, then the number of all ranks */
    size_t rank, ranks; /* this rank in the node, and the node's ranks */
};

/* A transform that can be run. */
struct rc_fft {
    struct rc_fft_options options; /* 'path', 'block' and 'procs' are chosen */
    MPI_Comm comm;                 /* all ranks, those of a node side by side */
    size_t rank, ranks;
    size_t columns; /* complex numbers of a row: N2, or N2/2+1 */
    size_t element; /* bytes of a complex number */
    struct rc_fft_nodes nodes;
    struct rc_fft_planner planner;
    struct rc_fft_phases phases;
    struct rc_fft_box in, out;     /* this rank's part before and after forward() */
    struct rc_fft_padding padding; /* base is NULL where there is none */
    void *own;                     /* the path's own data */
    bool unshared;                 /* there was no memory for a node's ranks to share */
    char fallback[200];            /* why another path runs than was asked for, or "" */
};

/* Collective over 'comm', which stays the caller's.  On failure, the same on all ranks,
 * *out is NULL.  RC_EUSAGE: such a transform is not possible.
 */
int rc_fft_create(MPI_Comm comm, const struct rc_fft_options *options,
                  struct rc_fft **out, struct rc_error *err);
void rc_fft_close(struct rc_fft *fft); /* collective; accepts NULL */

/* Collective.  Times of their phases are in 'phases' afterwards. */
void rc_fft_forward(struct rc_fft *fft);
void rc_fft_backward(struct rc_fft *fft, double scale);

#endif

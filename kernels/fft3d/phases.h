/* phases.h - the phases of a pass: their names, the work expected of them, their times
 *
 * A phase begins with MPI_Pcontrol(1, "NAME") and ends with MPI_Pcontrol(-1, "NAME"):
 * any tool between program and MPI sees them, and no library needs to be linked.
 */
#ifndef RC_KERNELS_FFT3D_PHASES_H
#define RC_KERNELS_FFT3D_PHASES_H

#include "kernels/fft3d/plans.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RC_FFT_PHASES_MAX = 16, RC_FFT_PARTS_MAX = 3 };

/* What one run of a phase is to do on this rank. */
struct rc_fft_work {
    /* Transforms: how often each plan is called, in full and for what is left. */
    struct rc_fft_part {
        const struct rc_fft_axis *axis;
        size_t full, tails;
    } part[RC_FFT_PARTS_MAX];
    double flops;                       /* 5 N log2 N for each transform of N points */
    uint64_t load_bytes, store_bytes;   /* at least, or exactly */
    bool exact;                         /* loads and stores are exactly as many */
    uint64_t lines_read, lines_written; /* of 64 bytes, of memory, at least */
    uint64_t sent_bytes, messages;      /* to other ranks, through MPI */
    uint64_t mpi_bytes; /* handed to MPI to be sent: a rank's own part may be there */
};

struct rc_fft_phase {
    const char *name; /* "node/planes" */
    struct rc_fft_work work;
    uint64_t ns;   /* in the pass that is running or was the last */
    unsigned runs; /* of it in that pass */
};

struct rc_fft_phases {
    struct rc_fft_phase phase[RC_FFT_PHASES_MAX];
    size_t count;
    bool named; /* tools are told of them */

    /* Called at the begin and the end of each, for tests; NULL: nobody. */
    void (*hook)(void *context, size_t phase, bool begins);
    void *context;
};

/* A new one; its number, by which the others know it. */
size_t rc_fft_phase_add(struct rc_fft_phases *phases, const char *name,
                        const struct rc_fft_work *work);

void rc_fft_phase_begin(struct rc_fft_phases *phases, size_t phase);
void rc_fft_phase_end(struct rc_fft_phases *phases, size_t phase);

/* A whole pass, "forward" or "backward", in which phases are: their times are 0. */
void rc_fft_pass_begin(struct rc_fft_phases *phases, const char *name);
void rc_fft_pass_end(struct rc_fft_phases *phases, const char *name);

/* Adds to 'work' that 'total' transforms are made by 'runs' calls of
 * rc_fft_axis_run(): all of it but what is sent.
 */
void rc_fft_work_add(struct rc_fft_work *work, const struct rc_fft_axis *axis,
                     size_t total, size_t runs);

/* Operations that the plans of a direction make, by the planner's own account; it
 * counts instructions of vectors as one or as all their numbers, as it is built.
 */
double rc_fft_work_planned(const struct rc_fft_work *work,
                           enum rc_fft_direction direction);

/* How often plans are called. */
uint64_t rc_fft_work_calls(const struct rc_fft_work *work);

#endif

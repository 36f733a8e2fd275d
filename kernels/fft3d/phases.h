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

/* The work of one run of a phase on this rank. */
struct rc_fft_work {
    /* Transforms: how often each plan is called, in full and for the rest. */
    struct rc_fft_part {
        const struct rc_fft_axis *axis;
        size_t full, tails;
    } part[RC_FFT_PARTS_MAX];
    double flops;                       /* 5 N log2 N for each transform of N points */
    uint64_t load_bytes, store_bytes;   /* at least, or exactly */
    bool exact;                         /* load_bytes and store_bytes are exact */
    uint64_t lines_read, lines_written; /* 64-byte lines of memory, at least */
    uint64_t sent_bytes, messages;      /* to other ranks, through MPI */
    uint64_t mpi_bytes; /* handed to MPI to be sent, perhaps with a rank's own part */
};

struct rc_fft_phase {
    const char *name; /* "node/planes" */
    struct rc_fft_work work;
    uint64_t ns;   /* in the pass that is running or was the last */
    unsigned runs; /* how often it ran in that pass */
};

struct rc_fft_phases {
    struct rc_fft_phase phase[RC_FFT_PHASES_MAX];
    size_t count;
    bool named; /* tools get to know of each phase and pass */

    /* Called at the begin and the end of each phase, for tests; may be NULL. */
    void (*hook)(void *context, size_t phase, bool begins);
    void *context;
};

/* Adds a phase; returns its number for the functions below. */
size_t rc_fft_phase_add(struct rc_fft_phases *phases, const char *name,
                        const struct rc_fft_work *work);

void rc_fft_phase_begin(struct rc_fft_phases *phases, size_t phase);
void rc_fft_phase_end(struct rc_fft_phases *phases, size_t phase);

/* Begins a whole pass, "forward" or "backward": sets the times of its phases to 0. */
void rc_fft_pass_begin(struct rc_fft_phases *phases, const char *name);
void rc_fft_pass_end(struct rc_fft_phases *phases, const char *name);

/* Adds 'total' transforms in 'runs' calls of rc_fft_axis_run() to 'work': all members
 * except those of messages.
 */
void rc_fft_work_add(struct rc_fft_work *work, const struct rc_fft_axis *axis,
                     size_t total, size_t runs);

/* Operations of the plans of a direction by the planner's own account.  Its build
 * decides whether an instruction of vectors counts once or for each of its numbers.
 */
double rc_fft_work_planned(const struct rc_fft_work *work,
                           enum rc_fft_direction direction);

/* How often plans are called. */
uint64_t rc_fft_work_calls(const struct rc_fft_work *work);

#endif

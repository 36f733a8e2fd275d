/* A library to preload that steps through the phases of a program: it replaces
 * MPI_Pcontrol().
 *
 * Instructions between MPI_Pcontrol(1, "name") and the next call of MPI_Pcontrol() are
 * counted under that name; caches are empty when it begins.  At the end of the process
 * each name gets a line in the file that ROLLCALL_PHASES names: name, visits,
 * instructions, operations in double and in single precision, bytes loaded and stored,
 * transactions read from memory, and transactions written to it or left to be written,
 * with tabs between.
 */
#include "campaign/sources/soft/argument.h"
#include "campaign/sources/soft/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Caches so small that arrays of 20 x 20 x 20 elements do not fit, but the lines that a
 * re-sort of such an array reuses do.
 */
#define MACHINE "l1d=4K/8,l1i=4K/8,l2=none,l3=64K/16"

enum { PHASES = 256, NAME = 128, DEPTH = 64 };

static const enum rc_soft_event events[] = {
    RC_SOFT_INSTRUCTIONS,      RC_SOFT_FP_DP_OPERATIONS, RC_SOFT_FP_SP_OPERATIONS,
    RC_SOFT_BYTES_LOADED,      RC_SOFT_BYTES_STORED,     RC_SOFT_SIM_MEMORY_READS,
    RC_SOFT_SIM_MEMORY_DRAINED};
enum { EVENTS = sizeof events / sizeof events[0] };

static struct phase {
    char name[NAME];
    uint64_t visits, count[EVENTS];
} phase[PHASES];
static size_t phase_count;

static struct rc_soft_stepper stepper;
static bool ready, stepping;
static size_t open_phase[DEPTH]; /* numbers, the innermost last */
static size_t depth, lost;       /* phases that are open, and those without room */

static size_t find_phase(const char *name)
{
    size_t i = 0;

    while (i < phase_count && strncmp(phase[i].name, name, NAME - 1) != 0)
        i++;
    if (i == phase_count && i < PHASES) {
        snprintf(phase[i].name, sizeof phase[i].name, "%s", name);
        for (char *c = phase[i].name; *c; c++)
            if ((unsigned char)*c < ' ')
                *c = '?';
        phase_count++;
    }
    return i;
}

static void write_phases(void)
{
    const char *path = getenv("ROLLCALL_PHASES");
    FILE *out = path ? fopen(path, "w") : NULL;

    if (!out)
        return;
    for (size_t i = 0; i < phase_count; i++) {
        fprintf(out, "%s\t%" PRIu64, phase[i].name, phase[i].visits);
        for (unsigned e = 0; e < EVENTS; e++)
            fprintf(out, "\t%" PRIu64, phase[i].count[e]);
        fputc('\n', out);
    }
    fclose(out);
}

static void begin_library(void)
{
    struct rc_soft_options options;
    struct rc_error err = {0};

    ready = rc_soft_argument(MACHINE, NULL, &options, &err) == RC_OK &&
            !rc_soft_step_trial() &&
            rc_soft_stepper_init(&stepper, &options, &err) == RC_OK;
    if (ready)
        atexit(write_phases);
}

/* Ends stepping; adds the counts since the last call to the innermost phase. */
static void end_steps(void)
{
    const bool reached = stepper.phase == RC_SOFT_ENDED;

    if (!stepping)
        return;
    rc_soft_stepper_leave(&stepper);
    stepping = false;
    if (!reached || depth == 0 || depth > DEPTH)
        return;
    struct phase *of = &phase[open_phase[depth - 1]];
    rc_soft_counter_drain(&stepper.counter);
    for (unsigned e = 0; e < EVENTS; e++)
        of->count[e] += stepper.counter.count[events[e]];
}

int MPI_Pcontrol(const int level, const char *name);

__attribute__((visibility("default"), noinline)) int MPI_Pcontrol(const int level,
                                                                  const char *name)
{
    static bool begun;
    struct rc_error err = {0};

    if (!begun)
        begin_library();
    begun = true;
    end_steps();
    if (!ready || (level != 1 && level != -1))
        return 0;
    if (level == 1) {
        const size_t number = find_phase(name);
        if (depth < DEPTH && number < PHASES) {
            open_phase[depth++] = number;
            phase[number].visits++;
        } else {
            lost++;
        }
    } else if (lost > 0) {
        lost--;
    } else if (depth > 0) {
        depth--;
    }
    if (level != 1 || lost || rc_soft_stepper_enter(&stepper, &err) != RC_OK)
        return 0;
    stepping = true;
    rc_soft_counter_reset(&stepper.counter);
    stepper.only = 0;
    stepper.end[0] = stepper.end[1] = (uint64_t)(uintptr_t)MPI_Pcontrol;
    rc_soft_stepper_go(&stepper, __builtin_return_address(0),
                       __builtin_frame_address(0));
    return 0;
}

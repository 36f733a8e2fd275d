/* Phases of a pass: they are named to tools, and their times are added up. */
#include "kernels/fft3d/phases.h"

#include "campaign/base/clock.h"

#include <assert.h>
#include <math.h>
#include <mpi.h>

size_t rc_fft_phase_add(struct rc_fft_phases *phases, const char *name,
                        const struct rc_fft_work *work)
{
    assert(phases->count < RC_FFT_PHASES_MAX);
    phases->phase[phases->count] = (struct rc_fft_phase){.name = name, .work = *work};
    return phases->count++;
}

void rc_fft_phase_begin(struct rc_fft_phases *phases, size_t phase)
{
    struct rc_fft_phase *p = &phases->phase[phase];
    if (phases->named)
        MPI_Pcontrol(1, p->name);
    p->ns -= rc_clock_ns();
    if (phases->hook)
        phases->hook(phases->context, phase, true);
}

void rc_fft_phase_end(struct rc_fft_phases *phases, size_t phase)
{
    struct rc_fft_phase *p = &phases->phase[phase];
    if (phases->hook)
        phases->hook(phases->context, phase, false);
    p->ns += rc_clock_ns();
    p->runs++;
    if (phases->named)
        MPI_Pcontrol(-1, p->name);
}

void rc_fft_pass_begin(struct rc_fft_phases *phases, const char *name)
{
    if (phases->named)
        MPI_Pcontrol(1, name);
    for (size_t i = 0; i < phases->count; i++)
        phases->phase[i].ns = phases->phase[i].runs = 0;
}

void rc_fft_pass_end(struct rc_fft_phases *phases, const char *name)
{
    if (phases->named)
        MPI_Pcontrol(-1, name);
}

void rc_fft_work_add(struct rc_fft_work *work, const struct rc_fft_axis *axis,
                     size_t total, size_t runs)
{
    const struct rc_fft_shape *s = &axis->shape;
    double length = (double)s->length, all = length * (double)total * (double)runs;
    size_t i = 0;
    while (i < RC_FFT_PARTS_MAX - 1 && work->part[i].axis && work->part[i].axis != axis)
        i++;
    struct rc_fft_part *part = &work->part[i];
    part->axis = axis;
    part->full += runs * (total / s->count);
    if (total % s->count)
        part->tails += runs * (total % s->count / s->tail);
    /* A real transform is half as much work as a complex one of the same length. */
    work->flops += (s->real ? 2.5 : 5) * all * log2(length);
    size_t columns = s->real ? s->length / 2 + 1 : s->length;
    uint64_t bytes = (uint64_t)columns * total * runs * axis->element;
    work->load_bytes += bytes;
    work->store_bytes += bytes;
}

double rc_fft_work_planned(const struct rc_fft_work *work,
                           enum rc_fft_direction direction)
{
    double sum = 0;
    for (size_t i = 0; i < RC_FFT_PARTS_MAX && work->part[i].axis; i++) {
        const double *planned = work->part[i].axis->planned[direction];
        sum += (double)work->part[i].full * planned[0] +
               (double)work->part[i].tails * planned[1];
    }
    return sum;
}

uint64_t rc_fft_work_calls(const struct rc_fft_work *work)
{
    uint64_t calls = 0;
    for (size_t i = 0; i < RC_FFT_PARTS_MAX; i++)
        calls += work->part[i].full + work->part[i].tails;
    return calls;
}

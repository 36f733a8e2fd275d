/* plans_one.h - the calls of FFTW in one precision; plans.c includes it for each
 *
 * FFTW(name) is a function of the library, NAME(name) one of ours, REAL its number.
 * Strides and lengths go through FFTW's guru interface: only that has 64 bits for them.
 */

static void *NAME(plan)(const struct rc_fft_shape *s, size_t count,
                        enum rc_fft_direction direction, void *from, void *to,
                        unsigned flags)
{
    ptrdiff_t stride = (ptrdiff_t)s->stride, dist = (ptrdiff_t)s->dist;
    FFTW(iodim64) one = {(ptrdiff_t)s->length, stride, stride};
    FFTW(iodim64) many = {(ptrdiff_t)count, dist, dist};
    if (!s->real)
        return FFTW(plan_guru64_dft)(
            1, &one, 1, &many, from, to,
            direction == RC_FFT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    if (direction == RC_FFT_FORWARD) {
        many.is *= 2;
        return FFTW(plan_guru64_dft_r2c)(1, &one, 1, &many, from, to, flags);
    }
    many.os *= 2;
    return FFTW(plan_guru64_dft_c2r)(1, &one, 1, &many, from, to, flags);
}

static void NAME(run)(void *plan, const struct rc_fft_shape *s,
                      enum rc_fft_direction direction, void *from, void *to)
{
    if (!s->real)
        FFTW(execute_dft)((FFTW(plan))plan, from, to);
    else if (direction == RC_FFT_FORWARD)
        FFTW(execute_dft_r2c)((FFTW(plan))plan, from, to);
    else
        FFTW(execute_dft_c2r)((FFTW(plan))plan, from, to);
}

static void NAME(destroy)(void *plan)
{
    FFTW(destroy_plan)((FFTW(plan))plan);
}

static double NAME(operations)(void *plan)
{
    double add = 0, multiply = 0, fused = 0;
    FFTW(flops)((FFTW(plan))plan, &add, &multiply, &fused);
    return add + multiply + 2 * fused;
}

static const struct rc_fft_library NAME(library) = {
    .element = 2 * sizeof(REAL),
    .plan = NAME(plan),
    .run = NAME(run),
    .destroy = NAME(destroy),
    .operations = NAME(operations),
    .put_wisdom = FFTW(export_wisdom_to_string),
    .take_wisdom = FFTW(import_wisdom_from_string),
    .forget_wisdom = FFTW(forget_wisdom),
};

/* The fast Fourier transform of a real series, as one of half as many complex numbers:
 * the series' even members are the real parts, its odd ones the imaginary parts.
 */
#include "solve/study/fft.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

void rc_fft_init(struct rc_fft *fft, struct rc_arena *arena, size_t length)
{
    *fft = (struct rc_fft){length, rc_arena_array(arena, length, sizeof *fft->turn)};
    if (!fft->turn)
        return;
    /* The upper half has the angles of the lower one plus a constant, so each number is
     * a product of at most log2(length) others.
     */
    fft->turn[0] = 1;
    for (size_t half = 1; half < length / 2; half *= 2) {
        const double angle = 2 * pi * (double)half / (double)length;
        const double c = cos(angle), s = -sin(angle);
        for (size_t k = 0; k < half; k++) {
            const double *low = fft->turn + 2 * k;
            double *high = fft->turn + 2 * (half + k);
            high[0] = low[0] * c - low[1] * s;
            high[1] = low[0] * s + low[1] * c;
        }
    }
}

/* Transforms 'count' complex numbers: spectra of 'half' numbers join two and two. */
static void transform(const struct rc_fft *fft, double *z, size_t count)
{
    /* Puts each complex number at its index read backwards in binary. */
    for (size_t i = 1, j = 0; i < count; i++) {
        size_t bit = count / 2;
        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j)
            for (size_t part = 0; part < 2; part++) {
                const double swap = z[2 * i + part];
                z[2 * i + part] = z[2 * j + part];
                z[2 * j + part] = swap;
            }
    }
    for (size_t half = 1; half < count; half *= 2) {
        const size_t step = fft->length / half; /* in 'turn', two numbers each */
        for (size_t first = 0; first < count; first += 2 * half) {
            double *even = z + 2 * first, *odd = even + 2 * half;
            for (size_t k = 0; k < half; k++, even += 2, odd += 2) {
                const double c = fft->turn[k * step], s = fft->turn[k * step + 1];
                const double re = odd[0] * c - odd[1] * s;
                const double im = odd[0] * s + odd[1] * c;
                odd[0] = even[0] - re;
                odd[1] = even[1] - im;
                even[0] += re;
                even[1] += im;
            }
        }
    }
}

void rc_fft_add_power(const struct rc_fft *fft, double *series, double *power)
{
    const size_t count = fft->length / 2;

    transform(fft, series, count);
    for (size_t k = 0; k < count; k++) {
        const double *a = series + 2 * k, *b = series + 2 * ((count - k) % count);
        const double c = fft->turn[2 * k], s = fft->turn[2 * k + 1];
        /* The even members have (a + conj b) / 2, the odd ones (a - conj b) / 2i. */
        const double even_re = (a[0] + b[0]) / 2, even_im = (a[1] - b[1]) / 2;
        const double odd_re = (a[1] + b[1]) / 2, odd_im = (b[0] - a[0]) / 2;
        const double re = even_re + odd_re * c - odd_im * s;
        const double im = even_im + odd_re * s + odd_im * c;
        power[k] += re * re + im * im;
    }
}

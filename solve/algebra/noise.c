/* The noise of an event over its repetitions, and the threshold of noise.  See
 * docs/solve.md, step 1.
 */
#include "solve/algebra/noise.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Four sums side by side, so that the processor need not wait for one addition. */
enum { LANES = 4 };

static double mean_of(const double *vector, size_t points)
{
    double sum[LANES] = {0};
    size_t p = 0;

    for (; p + LANES <= points; p += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += vector[p + k];
    for (; p < points; p++)
        sum[0] += vector[p];
    return points ? (sum[0] + sum[1] + (sum[2] + sum[3])) / (double)points : 0;
}

static double distance(const double *a, const double *b, size_t points)
{
    double sum[LANES] = {0};
    size_t p = 0;

    for (; p + LANES <= points; p += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += (a[p + k] - b[p + k]) * (a[p + k] - b[p + k]);
    for (; p < points; p++)
        sum[0] += (a[p] - b[p]) * (a[p] - b[p]);
    return sqrt(sum[0] + sum[1] + (sum[2] + sum[3]));
}

static bool is_zero(const double *vector, size_t points)
{
    for (size_t p = 0; p < points; p++)
        if (vector[p] != 0)
            return false;
    return true;
}

double rc_noise_between(const double *vector, size_t count, size_t points, double *room)
{
    double most = 0;
    size_t same = 1;

    while (same < count &&
           memcmp(vector, vector + same * points, points * sizeof *vector) == 0)
        same++;
    if (same >= count)
        return 0;
    for (size_t i = 0; i < count; i++)
        room[i] = mean_of(vector + i * points, points);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const double *a = vector + i * points, *b = vector + j * points;
            if (room[i] * room[j] > 0)
                most = fmax(most, distance(a, b, points) /
                                      sqrt((double)points * room[i] * room[j]));
            else if (!is_zero(a, points) || !is_zero(b, points))
                most = fmax(most, 1);
        }
    return most;
}

void rc_noise_mean(const double *vector, size_t count, size_t points, double *out)
{
    memcpy(out, vector, points * sizeof *out);
    for (size_t i = 1; i < count; i++)
        for (size_t p = 0; p < points; p++)
            out[p] += vector[i * points + p];
    for (size_t p = 0; p < points && count > 1; p++)
        out[p] /= (double)count;
}

void rc_noise_median(const double *const *vector, size_t count, size_t points,
                     double *room, double *out)
{
    for (size_t p = 0; p < points; p++) {
        for (size_t i = 0; i < count; i++)
            room[i] = vector[i][p];
        qsort(room, count, sizeof *room, rc_order_reals);
        out[p] = (room[(count - 1) / 2] + room[count / 2]) / 2;
    }
}

double rc_noise_threshold(double *noise, size_t count, double *low, double *high)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(noise[i]))
            noise[kept++] = fmin(fmax(noise[i], RC_NOISE_FLOOR), RC_NOISE_CEILING);
    qsort(noise, kept, sizeof *noise, rc_order_reals);
    *low = RC_NOISE_FLOOR;
    *high = kept ? *low : RC_NOISE_CEILING;
    for (size_t i = 0; i < kept; i++) {
        const double next = i + 1 < kept ? noise[i + 1] : RC_NOISE_CEILING;
        if (next / noise[i] > *high / *low) {
            *low = noise[i];
            *high = next;
        }
    }
    return sqrt(*low * *high);
}

/* The computation of the programs here, without MPI: see work.h.  Compilers must not
 * make vectors of these loops, or accesses could not be counted: see tests/CMakeLists.txt.
 */
#include "tests/apps/work.h"

double work_heat(const size_t n[3], double c, const double *u, double *v)
{
    const ptrdiff_t row = (ptrdiff_t)n[2] + 2, plane = ((ptrdiff_t)n[1] + 2) * row;
    const double own = 1 - 6 * c;
    double sum = 0;

    for (size_t x = 1; x <= n[0]; x++) {
        for (size_t y = 1; y <= n[1]; y++) {
            const double *from = u + (ptrdiff_t)x * plane + (ptrdiff_t)y * row;
            double *to = v + (ptrdiff_t)x * plane + (ptrdiff_t)y * row;
            for (ptrdiff_t z = 1; z < row - 1; z++) {
                const double *at = from + z;
                to[z] = own * at[0] + c * (at[-plane] + at[plane] + at[-row] + at[row] +
                                           at[-1] + at[1]);
                sum += to[z];
            }
        }
    }
    return sum;
}

void work_sparse(const struct work_matrix *a, const double *x, double *y)
{
    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (size_t e = a->first[i]; e < a->first[i + 1]; e++)
            sum += a->value[e] * x[a->column[e]];
        y[i] = sum;
    }
}

double work_dot(size_t n, const double *x, const double *y)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void work_add(size_t n, double a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

void work_turn(size_t n, double a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + a * y[i];
}

void work_dense(size_t rows, size_t inner, size_t columns, const double *a,
                const double *b, double *c)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < inner; k++) {
            const double factor = a[i * inner + k];
            for (size_t j = 0; j < columns; j++)
                c[i * columns + j] += factor * b[k * columns + j];
        }
    }
}

/* Merges from[begin .. middle) and from[middle .. end), which are sorted. */
static void merge(const uint64_t *from, size_t begin, size_t middle, size_t end,
                  uint64_t *to)
{
    size_t left = begin, right = middle;

    for (size_t i = begin; i < end; i++) {
        if (right == end || (left < middle && from[left] <= from[right]))
            to[i] = from[left++];
        else
            to[i] = from[right++];
    }
}

uint64_t *work_sort(size_t n, uint64_t *keys, uint64_t *room)
{
    uint64_t *from = keys, *to = room;

    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = begin + run < n ? begin + run : n;
            merge(from, begin, middle, middle + run < n ? middle + run : n, to);
        }
        uint64_t *const merged = to;
        to = from;
        from = merged;
    }
    return from;
}

void work_sums(size_t n, double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        x[i] = sum += x[i];
}

uint64_t work_loop(uint64_t n)
{
    uint64_t done = 0, left = n;

    if (left == 0)
        return 0;
#ifdef __x86_64__
    __asm__ volatile("1:\n\tdec %0\n\tjnz 1b" : "+r"(left) : : "cc");
    done = n - left;
#else
    do {
        done++;
        __asm__ volatile("" : "+r"(left), "+r"(done));
    } while (--left > 0);
#endif
    return done;
}

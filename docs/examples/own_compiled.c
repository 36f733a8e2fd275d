/* A suite of two loops as a compiler makes them: how many bytes and operations of them
 * are useful, and what made them. rollcall counts what the compiler made of them.
 *
 *     flags='-O3 -march=native -fPIC -shared'
 *     cc $flags -DFLAGS="\"$flags\"" -I INCLUDE -o compiled.so own_compiled.c
 *     rollcall verify --kernel ./compiled.so --suite own-compiled
 */
#include <rollcall_kernel.h>

#include <stdlib.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* begins with its name */
#else
#define COMPILER "gcc " __VERSION__
#endif

enum { SCALE, TRIAD };
enum { N = 1024 }; /* doubles of an array */

struct work {
    double a[N], b[N], c[N];
    uint64_t done;
};

static int setup(size_t point, void **work)
{
    struct work *w = aligned_alloc(4096, (sizeof *w + 4095) / 4096 * 4096);

    (void)point;
    *work = w;
    for (int i = 0; w && i < N; i++) {
        w->a[i] = 0;
        w->b[i] = i;
        w->c[i] = 2 * i;
    }
    return w ? 0 : -1;
}

/* An iteration goes once over all elements; the empty statement tells the compiler that
 * somebody reads the result of each.
 */
static void run(size_t point, void *work, uint64_t iterations)
{
    struct work *w = work;
    double *restrict a = w->a;
    const double *restrict b = w->b, *restrict c = w->c;

    for (uint64_t n = 0; n < iterations; n++) {
        if (point == SCALE)
            for (int i = 0; i < N; i++)
                a[i] = 0.5 * b[i];
        else
            for (int i = 0; i < N; i++)
                a[i] = b[i] + 0.5 * c[i];
        __asm__ volatile("" ::: "memory");
    }
    w->done = iterations;
}

static int verify(size_t point, const void *work, uint64_t iterations)
{
    const struct work *w = work;
    int wrong = w->done != iterations;

    for (int i = 0; i < N; i++)
        wrong |= w->a[i] != (point == SCALE ? 0.5 * i : 2.0 * i);
    return wrong;
}

static void teardown(size_t point, void *work)
{
    (void)point;
    free(work);
}

/* A line that is written is read first, and nothing is a mere copy. */
static const struct rollcall_count scale[] = {{"B_STREAM", 16 * N},
                                              {"B_ALLOC", 24 * N},
                                              {"B_ONCE", 16 * N},
                                              {"OPS_USEFUL", N},
                                              {NULL, 0}};
static const struct rollcall_count triad[] = {{"B_STREAM", 24 * N},
                                              {"B_ALLOC", 32 * N},
                                              {"B_ONCE", 24 * N},
                                              {"OPS_USEFUL", 2 * N},
                                              {NULL, 0}};
static const struct rollcall_point points[] = {
    {"scale", scale, 10000}, {"triad", triad, 10000}, {NULL, NULL, 0}};

const struct rollcall_kernels rollcall_kernels = {.version = ROLLCALL_KERNELS_VERSION,
                                                  .bytes = sizeof rollcall_kernels,
                                                  .name = "compiled",
                                                  .summary = "scale and triad in L1",
                                                  .point = points,
                                                  .setup = setup,
                                                  .run = run,
                                                  .verify = verify,
                                                  .teardown = teardown,
                                                  .compiled = COMPILER " " FLAGS};

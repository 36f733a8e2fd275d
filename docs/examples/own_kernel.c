/* A suite of two kernels for rollcall: a polynomial, and two stores.
 *
 *     cc -O2 -ffp-contract=off -fPIC -shared -I INCLUDE -o mine.so own_kernel.c
 *     rollcall verify --kernel ./mine.so --suite own-mine
 */
#include <rollcall_kernel.h>

#include <stdlib.h>

enum { POLYNOMIAL, STORES };

struct work {
    volatile double x, result;
    uint64_t done;
};

static int setup(size_t point, void **work)
{
    struct work *w = calloc(1, sizeof *w);

    (void)point;
    *work = w;
    return w ? 0 : -1;
}

/* One iteration: 3 multiplications and 3 additions of double precision, and a store; or
 * two stores. Volatile variables are stored as often as they are named, whatever the
 * compiler.
 */
static void run(size_t point, void *work, uint64_t iterations)
{
    struct work *w = work;

    if (point == POLYNOMIAL)
        for (uint64_t i = 0; i < iterations; i++) {
            const double x = w->x;
            w->result = ((2 * x + 3) * x + 5) * x + 7;
        }
    else
        for (uint64_t i = 0; i < iterations; i++) {
            w->result = 7;
            w->result = 7;
        }
    w->done = iterations;
}

static int verify(size_t point, const void *work, uint64_t iterations)
{
    const struct work *w = work;

    return w->done != iterations || (w->result != 7);
}

static void teardown(size_t point, void *work)
{
    (void)point;
    free(work);
}

static const struct rollcall_count polynomial[] = {
    {"D_SCAL", 6}, {"OPS_DP", 6}, {"STORES", 1}, {NULL, 0}};
static const struct rollcall_count stores[] = {{"STORES", 2}, {NULL, 0}};
static const struct rollcall_point points[] = {
    {"polynomial", polynomial, 100000}, {"stores", stores, 100000}, {NULL, NULL, 0}};

const struct rollcall_kernels rollcall_kernels = {.version = ROLLCALL_KERNELS_VERSION,
                                                  .bytes = sizeof rollcall_kernels,
                                                  .name = "mine",
                                                  .summary = "a polynomial, and stores",
                                                  .point = points,
                                                  .setup = setup,
                                                  .run = run,
                                                  .verify = verify,
                                                  .teardown = teardown};

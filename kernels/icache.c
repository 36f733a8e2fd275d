/* The suite 'icache': generated code whose size goes past the instruction caches.
 *
 * A block of code is one cache line.  With a true condition it is executed to its end,
 * with a false one it is only entered: both touch the same lines, with different
 * numbers of instructions, so that events of lines are told from events of
 * instructions.
 */
#include "kernels/icache.h"
#include "kernels/caches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum axis { AXIS_BYTES, AXIS_CONDITION };

static const char *const axes[] = {"bytes", "condition", NULL};

static const enum rc_ideal ideals[] = {RC_IDEAL_L1IM, RC_IDEAL_L1IH, RC_IDEAL_L2IH};

#define LINE_BYTES_MOST 1024
#define CODE_BYTES_MOST (UINT64_C(64) << 20) /* a jump back must reach that far */

/* Points are described on machines that do not say all of this, too. */
static struct rc_geometry known_geometry(const struct rc_geometry *given)
{
    struct rc_geometry geometry = *given;

    if (!geometry.l1i.bytes) {
        geometry.l1i = rc_geometry_default.l1i;
        geometry.l2 = rc_geometry_default.l2;
    }
    if (geometry.line_bytes < 32 || geometry.line_bytes > LINE_BYTES_MOST ||
        geometry.line_bytes % 4)
        geometry.line_bytes = rc_geometry_default.line_bytes;
    geometry.l3 =
        (struct rc_cache_geometry){0}; /* beyond L2 all is one to this suite */
    return geometry;
}

/* From what fits in a cache of decoded instructions, which has some thousands
 * of bytes where there is one, to beyond L2.
 */
static int icache_points(const struct rc_geometry *given, struct rc_points *points,
                         struct rc_error *err)
{
    static const unsigned beyond[] = {2, 3, 0};
    uint64_t sizes[2 + RC_CACHES_SIZES];
    const struct rc_geometry geometry = known_geometry(given);
    const struct rc_caches caches = rc_caches_of_code(&geometry);
    const char *why = NULL;
    uint64_t unit = UINT64_C(2) * geometry.line_bytes;
    size_t count = 0;

    if (!given->l1i.bytes)
        why = "the sizes of this machine's caches are not known";
    else if (given->line_bytes && given->line_bytes != geometry.line_bytes)
        why = "no code is written for cache lines of this size";
    for (uint64_t part = 16; part >= 8; part /= 2)
        if (geometry.l1i.bytes / part >= unit)
            sizes[count++] = geometry.l1i.bytes / part / unit * unit;
    count += rc_caches_sizes(&caches, beyond, unit, sizes + count);
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] > CODE_BYTES_MOST)
            continue;
        char size[RC_CACHES_BYTES_TEXT];
        rc_caches_put_bytes(size, sizes[i]);
        for (int condition = 1; condition >= 0; condition--) {
            struct rc_point point = {
                .axis =
                    {[AXIS_BYTES] = (int64_t)sizes[i], [AXIS_CONDITION] = condition},
                .unusable = why,
            };
            snprintf(point.name, sizeof point.name, "%s-%s", size,
                     condition ? "true" : "false");
            rc_points_add(points, &point);
        }
    }
    return rc_points_check(points, err);
}

/* What a point's code does. */
struct shape {
    uint64_t blocks;   /* in a pass */
    bool condition;    /* blocks are executed whole */
    double lines_each; /* lines entered for each block: the end of a pass is one */
    struct rc_icache_counts counts;
};

static struct shape shape_of(const struct rc_geometry *geometry,
                             const struct rc_point *point)
{
    uint64_t blocks = (uint64_t)point->axis[AXIS_BYTES] / geometry->line_bytes;

    return (struct shape){
        .blocks = blocks,
        .condition = point->axis[AXIS_CONDITION] != 0,
        .lines_each = (double)(blocks + 1) / (double)blocks,
        .counts = rc_icache_counts(geometry->line_bytes),
    };
}

/* Lines for each block that miss in the levels up to 'level'. */
static double missed(const struct rc_geometry *geometry, const struct shape *shape,
                     size_t level)
{
    const struct rc_caches caches = rc_caches_of_code(geometry);

    return shape->lines_each *
           rc_caches_miss_share(&caches, level,
                                (shape->blocks + 1) * geometry->line_bytes,
                                geometry->line_bytes);
}

/* Instructions of one class for each block: 'head' in all, 'body' where it is
 * not skipped, 'pass' once for all blocks.
 */
static double count_each(const struct shape *shape, unsigned head, unsigned body,
                         unsigned pass)
{
    return (double)head + (shape->condition ? (double)body : 0) +
           (double)pass / (double)shape->blocks;
}

static double count_instructions(const struct shape *shape)
{
    const struct rc_icache_counts *counts = &shape->counts;

    return count_each(shape, counts->head, counts->body + counts->body_branches,
                      counts->pass);
}

/* One iteration is one block.  A branch that is always taken ends up in predictors
 * that are too small for all of them: nobody can say how often they are wrong.  One
 * that is never taken is what they begin with.
 */
static struct rc_range icache_expect(const struct rc_geometry *given,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    const struct rc_geometry geometry = known_geometry(given);
    const struct shape shape = shape_of(&geometry, point);
    const struct rc_icache_counts *code = &shape.counts;
    const double l1 = missed(&geometry, &shape, 0), l2 = missed(&geometry, &shape, 1);
    const double branches = count_each(&shape, 1, code->body_branches, 1);
    const double counts[RC_IDEAL_COUNT] = {
        [RC_IDEAL_INS] = count_instructions(&shape),
        [RC_IDEAL_INT_ADD] = count_each(&shape, code->head_add, code->body, 1),
        [RC_IDEAL_INT_LOGIC] = code->head_test,
        [RC_IDEAL_CE] = shape.condition ? branches : NAN,
        [RC_IDEAL_CR] = branches,
        [RC_IDEAL_T] = count_each(&shape, shape.condition ? 0 : 1, 0, code->pass_taken),
        [RC_IDEAL_D] = count_each(&shape, 0, 0, code->pass_jumps),
        [RC_IDEAL_M] = shape.condition ? 0 : NAN,
        [RC_IDEAL_L1IM] = l1,
        [RC_IDEAL_L1IH] = shape.lines_each - l1,
        [RC_IDEAL_L2IH] = l1 - l2,
        /* four instructions a cycle, 10 for L2, 40 beyond it */
        [RC_IDEAL_CYC] = count_instructions(&shape) / 4 + 10 * l1 + 30 * l2,
        [RC_IDEAL_CHAIN] = NAN,
        [RC_IDEAL_MEM_RD] = NAN,
        [RC_IDEAL_MEM_WR] = NAN,
    };

    return rc_exactly(counts[ideal]);
}

/* Whole passes.  As in 'dcache', a source with a budget may simulate caches
 * that start empty, and 128 passes leave less than 1 % of first visits.
 */
static uint64_t icache_iterations(const struct rc_geometry *given,
                                  const struct rc_point *point, uint64_t budget)
{
    const struct rc_geometry geometry = known_geometry(given);
    const struct shape shape = shape_of(&geometry, point);
    uint64_t passes = (UINT64_C(1) << 19) / shape.blocks + 1;

    if (budget)
        passes = shape.blocks < 16 ? 2048 / shape.blocks : 128;
    return rc_iterations(count_instructions(&shape), passes * shape.blocks,
                         shape.blocks, budget);
}

struct rc_kernel {
    struct shape shape;
    uint32_t line_bytes;        /* of a block */
    unsigned char *code;        /* executable, no longer writable */
    size_t code_bytes;          /* with the first line and the last */
    struct rc_icache_sums sums; /* of the last run */
    bool has_run;               /* since setup */
};

/* Never writable and executable at once. */
static int make_executable(void *code, size_t bytes)
{
    if (mprotect(code, bytes, PROT_READ | PROT_EXEC))
        return -1;
    __builtin___clear_cache((char *)code, (char *)code + bytes);
    return 0;
}

static unsigned char *map_memory(size_t bytes)
{
    void *code =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return code == MAP_FAILED ? NULL : code;
}

/* Some systems let no program execute memory that it wrote: tried with one page. */
static const char *icache_usable(void)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *code;
    int failed;

    if (!RC_ICACHE_WRITTEN)
        return "no code can be generated for this kind of processor";
    code = map_memory(bytes);
    if (!code)
        return "no memory for generated code";
    failed = make_executable(code, bytes);
    munmap(code, bytes);
    return failed ? "this system does not let a program execute code that it generated"
                  : NULL;
}

static void icache_teardown(struct rc_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->code)
        munmap(kernel->code, kernel->code_bytes);
    free(kernel);
}

/* Iterations that are no whole passes skip the first blocks of the first pass. */
static void icache_run(struct rc_kernel *kernel, uint64_t iterations)
{
    const struct shape *shape = &kernel->shape;
    uint64_t rest = iterations % shape->blocks;
    uint64_t passes = iterations / shape->blocks + (rest ? 1 : 0);
    uint64_t skipped = rest ? shape->blocks - rest : 0; /* of the first pass */
    rc_icache_code *code;

    kernel->has_run = iterations > 0;
    if (!iterations)
        return;
    memcpy(&code, &kernel->code, sizeof code); /* data becomes a function */
    kernel->sums = code(shape->condition, passes,
                        kernel->code + (1 + skipped) * kernel->line_bytes);
}

static int icache_setup(const struct rc_geometry *given, const struct rc_point *point,
                        struct rc_kernel **out, struct rc_error *err)
{
    const struct rc_geometry geometry = known_geometry(given);
    int64_t bytes = point->axis[AXIS_BYTES];
    int status;

    *out = NULL;
    if (bytes < (int64_t)geometry.line_bytes || bytes > (int64_t)CODE_BYTES_MOST)
        return rc_fail(err, RC_EUSAGE, "point '%s': no code of %" PRId64 " bytes",
                       point->name, bytes);
    if ((status = rc_kernel_create(point, sizeof **out, out, err)) != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->shape = shape_of(&geometry, point);
    kernel->line_bytes = geometry.line_bytes;
    kernel->code_bytes = (size_t)(kernel->shape.blocks + 2) * kernel->line_bytes;
    kernel->code = map_memory(kernel->code_bytes);
    if (!kernel->code) {
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu bytes of code",
                         kernel->code_bytes);
    } else {
        rc_icache_generate(kernel->code, kernel->shape.blocks, kernel->line_bytes);
        if (make_executable(kernel->code, kernel->code_bytes))
            status = rc_fail_errno(err, "cannot execute generated code");
    }
    if (status != RC_OK) {
        icache_teardown(kernel);
        *out = NULL;
        return status;
    }
    icache_run(kernel, kernel->shape.blocks); /* so that the first run is warm */
    kernel->has_run = false;
    return RC_OK;
}

/* The generated code counts the blocks that it enters and the bodies that it executes.
 */
static int icache_verify(const struct rc_kernel *kernel, uint64_t iterations,
                         struct rc_error *err)
{
    uint64_t body =
        kernel->shape.condition ? iterations * kernel->shape.counts.body : 0;

    if (!kernel->has_run)
        return rc_fail(err, RC_ECONFLICT, "the generated code never ran");
    if (kernel->sums.blocks != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "the generated code entered %" PRIu64 " blocks, not %" PRIu64,
                       kernel->sums.blocks, iterations);
    if (kernel->sums.body != body)
        return rc_fail(err, RC_ECONFLICT,
                       "the generated blocks executed %" PRIu64
                       " instructions of their bodies, not %" PRIu64,
                       kernel->sums.body, body);
    return RC_OK;
}

extern const struct rc_suite rc_suite_icache;
const struct rc_suite rc_suite_icache = {
    .name = "icache",
    .summary = "straight-line code of many sizes, executed whole or only touched",
    .footprint = RC_FOOTPRINT_L3,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = icache_usable,
    .points = icache_points,
    .expect = icache_expect,
    .iterations = icache_iterations,
    .setup = icache_setup,
    .run = icache_run,
    .verify = icache_verify,
    .teardown = icache_teardown,
};

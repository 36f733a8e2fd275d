/* The suite 'icache': generated code that outgrows the instruction caches.
 *
 * A block of code is one cache line.  With a true condition it is executed to its end,
 * with a false one it is only entered: both touch the same lines, with different
 * numbers of instructions, so that events of lines are told from events of
 * instructions.  Other points have 1, 2, 5 or as many instructions in a line as fill
 * it, all of one kind: no kind of instructions is as frequent as lines.
 */
#include "kernels/icache/icache.h"
#include "kernels/caches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum axis { AXIS_BYTES, AXIS_CONDITION, AXIS_KIND, AXIS_INSTRUCTIONS };

static const char *const axes[] = {"bytes", "condition", "kind", "instructions", NULL};

static const enum rc_ideal ideals[] = {RC_IDEAL_L1IM, RC_IDEAL_L1IH, RC_IDEAL_L2IH};

static const struct {
    const char *name;
    enum rc_ideal ideal; /* the ideal that one instruction counts as */
} kinds[RC_ICACHE_KINDS] = {
    [RC_ICACHE_MOV] = {"mov", RC_IDEAL_INT_MOV},
    [RC_ICACHE_LOGIC] = {"logic", RC_IDEAL_INT_LOGIC},
    [RC_ICACHE_LOAD] = {"load", RC_IDEAL_LOADS},
    [RC_ICACHE_BRANCH] = {"branch", RC_IDEAL_CR},
    [RC_ICACHE_ADD] = {"add", RC_IDEAL_INT_ADD},
    [RC_ICACHE_NOP] = {"nop", RC_IDEAL_INS},
};

#define LINE_BYTES_MOST 1024
#define CODE_BYTES_MOST (UINT64_C(64) << 20) /* a jump back must reach that far */

/* Fills in what a machine does not state: points are described there, too. */
static struct rc_geometry known_geometry(const struct rc_geometry *given)
{
    struct rc_geometry geometry = *given;

    if (!geometry.l1i.bytes) {
        geometry.l1i = rc_request_default.geometry.l1i;
        geometry.l2 = rc_request_default.geometry.l2;
    }
    if (geometry.line_bytes < 32 || geometry.line_bytes > LINE_BYTES_MOST ||
        geometry.line_bytes % 4)
        geometry.line_bytes = rc_request_default.geometry.line_bytes;
    geometry.l3 =
        (struct rc_cache_geometry){0}; /* this suite has one level beyond L2 */
    return geometry;
}

static void add_tested(uint64_t bytes, const char *why, struct rc_points *points)
{
    char size[RC_CACHES_BYTES_TEXT];

    rc_caches_put_bytes(size, bytes);
    for (int condition = 1; condition >= 0; condition--) {
        struct rc_point point = {
            .axis = {[AXIS_BYTES] = (int64_t)bytes, [AXIS_CONDITION] = condition},
            .unusable = why,
        };
        snprintf(point.name, sizeof point.name, "%s-%s", size,
                 condition ? "true" : "false");
        rc_points_add(points, &point);
    }
}

/* Adds lines with nothing but a jump, and lines of each kind with 2, 5 or as many
 * instructions as fill them: one of these numbers in each of three sizes, of which this
 * is number 'place'.
 */
static void add_filled(const struct rc_geometry *geometry, uint64_t bytes, size_t place,
                       const char *why, struct rc_points *points)
{
    static const int64_t few[] = {2, 5};
    char size[RC_CACHES_BYTES_TEXT];
    struct rc_point point = {
        .axis = {(int64_t)bytes, 0, RC_ICACHE_NOP, 1},
        .unusable = why,
    };

    rc_caches_put_bytes(size, bytes);
    snprintf(point.name, sizeof point.name, "%s-jump", size);
    rc_points_add(points, &point);
    for (size_t kind = RC_ICACHE_TESTED + 1; kind < RC_ICACHE_KINDS; kind++) {
        const size_t which = (kind + place) % 3;
        const bool full = which == 2;
        const int64_t each =
            full ? rc_icache_full((enum rc_icache_kind)kind, geometry->line_bytes)
                 : few[which];
        point.axis[AXIS_CONDITION] = full;
        point.axis[AXIS_KIND] = (int64_t)kind;
        point.axis[AXIS_INSTRUCTIONS] = each;
        if (full)
            snprintf(point.name, sizeof point.name, "%s-%s-full", size,
                     kinds[kind].name);
        else
            snprintf(point.name, sizeof point.name, "%s-%s-%" PRId64, size,
                     kinds[kind].name, each);
        rc_points_add(points, &point);
    }
}

/* Sizes go from code that fits in a cache of decoded instructions, which has some
 * thousands of bytes where there is one, to beyond L2.  Points of one kind follow: half
 * of L1I, the first size that only L2 holds, and the first beyond.
 */
static int icache_points(const struct rc_suite_request *request,
                         struct rc_points *points, struct rc_error *err)
{
    static const unsigned beyond[] = {2, 3, 0};
    uint64_t sizes[2 + RC_CACHES_SIZES];
    const struct rc_geometry geometry = known_geometry(&request->geometry);
    const struct rc_caches caches = rc_caches_of_code(&geometry);
    const uint64_t l1 = geometry.l1i.bytes, l2 = geometry.l2.bytes;
    const char *why = NULL;
    uint64_t unit = UINT64_C(2) * geometry.line_bytes;
    uint64_t filled[3] = {0}; /* the sizes of points of one kind */
    size_t count = 0;

    if (!request->geometry.l1i.bytes)
        why = "the sizes of this machine's caches are not known";
    else if (request->geometry.line_bytes &&
             request->geometry.line_bytes != geometry.line_bytes)
        why = "no code is written for cache lines of this size";
    for (uint64_t part = 16; part >= 8; part /= 2)
        if (l1 / part >= unit)
            sizes[count++] = l1 / part / unit * unit;
    count += rc_caches_sizes(&caches, beyond, unit, sizes + count);
    while (count > 0 && sizes[count - 1] > CODE_BYTES_MOST)
        count--;
    for (size_t i = 0; i < count; i++)
        add_tested(sizes[i], why, points);
    for (size_t i = 0; i < count; i++) {
        if (2 * sizes[i] <= l1)
            filled[0] = sizes[i];
        for (size_t place = 1; place < 3; place++)
            if (!filled[place] && sizes[i] > l1 && (place == 1 || sizes[i] > l2))
                filled[place] = sizes[i];
    }
    for (size_t place = 0; place < 3; place++)
        if ((place < 2 || filled[2] != filled[1]) && filled[place])
            add_filled(&geometry, filled[place], place, why, points);
    return rc_points_check(points, err);
}

/* The code of a point. */
struct shape {
    uint64_t blocks; /* in a pass */
    bool condition;  /* blocks are executed whole */
    struct rc_icache_block block;
    double lines_each; /* lines entered for each block, that at a pass's end included */
    struct rc_icache_counts counts;
};

static struct shape shape_of(const struct rc_geometry *geometry,
                             const struct rc_point *point)
{
    const uint64_t blocks = (uint64_t)point->axis[AXIS_BYTES] / geometry->line_bytes;
    const enum rc_icache_kind kind = (enum rc_icache_kind)point->axis[AXIS_KIND];
    const unsigned each = (unsigned)point->axis[AXIS_INSTRUCTIONS];
    const bool jumps =
        kind != RC_ICACHE_TESTED &&
        each < rc_icache_full((enum rc_icache_kind)kind, geometry->line_bytes);

    return (struct shape){
        .blocks = blocks,
        .condition = point->axis[AXIS_CONDITION] != 0,
        .block = {.line_bytes = geometry->line_bytes,
                  .kind = kind,
                  .body = jumps ? each - 1 : each,
                  .jumps = jumps},
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

/* Counts the instructions of a block.  Where blocks do not count themselves, the end of
 * a pass has one more addition.
 */
static void count_block(const struct shape *shape, double counts[RC_IDEAL_COUNT])
{
    const struct rc_icache_counts *code = &shape->counts;
    const unsigned body = shape->condition ? code->body : 0;
    const unsigned branches = shape->condition ? code->body_branches : 0;
    const bool tested = shape->block.kind == RC_ICACHE_TESTED;
    const double pass = 1 / (double)shape->blocks;

    if (tested) {
        counts[RC_IDEAL_INS] = code->head + body + branches;
        counts[RC_IDEAL_INT_ADD] = code->head_add + body;
        counts[RC_IDEAL_INT_LOGIC] = code->head_test;
        counts[RC_IDEAL_CR] = 1 + branches;
        counts[RC_IDEAL_T] = !shape->condition;
    } else {
        counts[kinds[shape->block.kind].ideal] = shape->block.body;
        counts[RC_IDEAL_INS] = shape->block.body + shape->block.jumps;
        counts[RC_IDEAL_D] = shape->block.jumps;
    }
    counts[RC_IDEAL_INS] += (code->pass + !tested) * pass;
    counts[RC_IDEAL_INT_ADD] += (1 + !tested) * pass;
    counts[RC_IDEAL_CR] += pass;
    counts[RC_IDEAL_T] += code->pass_taken * pass;
    counts[RC_IDEAL_D] += code->pass_jumps * pass;
}

static double count_instructions(const struct shape *shape)
{
    double counts[RC_IDEAL_COUNT] = {0};

    count_block(shape, counts);
    return counts[RC_IDEAL_INS];
}

/* Code that leaves half of the last cache to others is read from memory once. */
static bool stays_in_caches(const struct rc_geometry *geometry,
                            const struct shape *shape)
{
    const uint64_t last = geometry->l3.bytes ? geometry->l3.bytes : geometry->l2.bytes;

    return 2 * (shape->blocks + 2) * shape->block.line_bytes <= last;
}

/* One iteration is one block.  An always-taken branch needs an entry in predictors that
 * are too small for all of them: how often they are wrong is not known.  A never-taken
 * branch is predicted from the beginning.  Loads find their line in L1.
 */
static struct rc_range icache_expect(const struct rc_suite_request *request,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    const struct rc_geometry geometry = known_geometry(&request->geometry);
    const struct shape shape = shape_of(&geometry, point);
    const double l1 = missed(&geometry, &shape, 0), l2 = missed(&geometry, &shape, 1);
    const bool tested = shape.block.kind == RC_ICACHE_TESTED;
    const double memory = stays_in_caches(&request->geometry, &shape) ? 0 : NAN;
    double counts[RC_IDEAL_COUNT] = {
        [RC_IDEAL_M] = tested && !shape.condition ? NAN : 0,
        [RC_IDEAL_L1IM] = l1,
        [RC_IDEAL_L1IH] = shape.lines_each - l1,
        [RC_IDEAL_L2IH] = l1 - l2,
        [RC_IDEAL_CHAIN] = NAN,
        [RC_IDEAL_MEM_RD] = memory,
        [RC_IDEAL_MEM_WR] = memory,
    };

    count_block(&shape, counts);
    counts[RC_IDEAL_CE] = counts[RC_IDEAL_M] + counts[RC_IDEAL_CR];
    counts[RC_IDEAL_L1DH] = counts[RC_IDEAL_LOADS];
    /* Four instructions a cycle, 10 cycles for L2, 40 beyond it. */
    counts[RC_IDEAL_CYC] = counts[RC_IDEAL_INS] / 4 + 10 * l1 + 30 * l2;
    return isnan(counts[RC_IDEAL_M]) && (ideal == RC_IDEAL_M || ideal == RC_IDEAL_CE)
               ? rc_expect_core(&geometry, counts, ideal)
               : rc_exactly(counts[ideal]);
}

/* Whole passes.  As in 'dcache', a source with a budget may simulate caches that start
 * empty; in 128 passes less than 1 % are first visits.
 */
static uint64_t icache_iterations(const struct rc_suite_request *request,
                                  const struct rc_point *point, uint64_t budget)
{
    const struct rc_geometry geometry = known_geometry(&request->geometry);
    const struct shape shape = shape_of(&geometry, point);
    uint64_t passes = (UINT64_C(1) << 19) / shape.blocks + 1;

    if (budget)
        passes = shape.blocks < 16 ? 2048 / shape.blocks : 128;
    return rc_iterations(count_instructions(&shape), passes * shape.blocks,
                         shape.blocks, budget);
}

struct rc_kernel {
    uint64_t loaded[RC_ICACHE_REGISTERS]; /* in one line of the cache */
    struct shape shape;
    unsigned char *code;        /* executable, no longer writable */
    size_t code_bytes;          /* its size, the first and the last line included */
    struct rc_icache_sums sums; /* of the last run */
    bool has_run;               /* since setup */
};

/* Memory is never writable and executable at once. */
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

/* Some systems let no program execute memory that it wrote; one page shows it. */
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

/* Where iterations are not whole passes, the first pass skips its first blocks. */
static void icache_run(struct rc_kernel *kernel, uint64_t iterations)
{
    const struct shape *shape = &kernel->shape;
    const enum rc_icache_kind kind = shape->block.kind;
    uint64_t rest = iterations % shape->blocks;
    uint64_t passes = iterations / shape->blocks + (rest ? 1 : 0);
    uint64_t skipped = rest ? shape->blocks - rest : 0; /* of the first pass */
    rc_icache_code *code;

    kernel->has_run = iterations > 0;
    if (!iterations)
        return;
    memcpy(&code, &kernel->code, sizeof code); /* data becomes a function */
    kernel->sums = code(kind == RC_ICACHE_TESTED ? shape->condition
                        : kind == RC_ICACHE_LOAD ? (uintptr_t)kernel->loaded
                                                 : 1,
                        passes, kernel->code + (1 + skipped) * shape->block.line_bytes);
    if (kind != RC_ICACHE_TESTED)
        kernel->sums.blocks = kernel->sums.blocks * shape->blocks - skipped;
}

/* Refuses more instructions in a line, or more lines, than code can have. */
static int check_point(const struct rc_geometry *geometry, const struct rc_point *point,
                       struct rc_error *err)
{
    const int64_t bytes = point->axis[AXIS_BYTES], kind = point->axis[AXIS_KIND],
                  each = point->axis[AXIS_INSTRUCTIONS];

    if (bytes < (int64_t)geometry->line_bytes || bytes > (int64_t)CODE_BYTES_MOST)
        return rc_fail(err, RC_EUSAGE, "point '%s': no code of %" PRId64 " bytes",
                       point->name, bytes);
    if (kind == RC_ICACHE_TESTED)
        return RC_OK;
    if (kind < 0 || kind >= RC_ICACHE_KINDS ||
        ((each < 1 || each > 5) &&
         each != rc_icache_full((enum rc_icache_kind)kind, geometry->line_bytes)))
        return rc_fail(err, RC_EUSAGE,
                       "point '%s': no lines of %" PRId64
                       " instructions of kind %" PRId64,
                       point->name, each, kind);
    return RC_OK;
}

static int icache_setup(const struct rc_suite_request *request,
                        const struct rc_point *point, struct rc_kernel **out,
                        struct rc_error *err)
{
    const struct rc_geometry geometry = known_geometry(&request->geometry);
    int status;

    *out = NULL;
    if ((status = check_point(&geometry, point, err)) != RC_OK ||
        (status = rc_kernel_create(point, sizeof **out, out, err)) != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->shape = shape_of(&geometry, point);
    for (size_t i = 0; i < RC_ICACHE_REGISTERS; i++)
        kernel->loaded[i] = 1;
    kernel->code_bytes = (size_t)(kernel->shape.blocks + 2) * geometry.line_bytes;
    kernel->code = map_memory(kernel->code_bytes);
    if (!kernel->code) {
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu bytes of code",
                         kernel->code_bytes);
    } else {
        rc_icache_generate(kernel->code, kernel->shape.blocks, &kernel->shape.block);
        if (make_executable(kernel->code, kernel->code_bytes))
            status = rc_fail_errno(err, "cannot execute generated code");
    }
    if (status != RC_OK) {
        icache_teardown(kernel);
        *out = NULL;
        return status;
    }
    icache_run(kernel, kernel->shape.blocks); /* warms the caches for the first run */
    kernel->has_run = false;
    return RC_OK;
}

/* All additions are counted; of other kinds each register shows only the first one. */
static uint64_t sum_of_bodies(const struct shape *shape, uint64_t iterations)
{
    const unsigned body = shape->block.body;

    switch (shape->block.kind) {
    case RC_ICACHE_TESTED:
        return shape->condition ? iterations * shape->counts.body : 0;
    case RC_ICACHE_ADD:
        return iterations * body;
    case RC_ICACHE_MOV:
    case RC_ICACHE_LOGIC:
    case RC_ICACHE_LOAD:
        return body < RC_ICACHE_REGISTERS ? body : RC_ICACHE_REGISTERS;
    default:
        return 0;
    }
}

/* The generated code counts the blocks that it enters and the work of their bodies. */
static int icache_verify(const struct rc_kernel *kernel, uint64_t iterations,
                         struct rc_error *err)
{
    const uint64_t body = sum_of_bodies(&kernel->shape, iterations);

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

/* The suite 'instructions': loops of one type of instruction each.
 *
 * The values that a loop leaves in its registers depend on how often it was executed,
 * so that verify() finds a run that did less or more.
 */
#include "kernels/instructions/instructions.h"

#include "kernels/kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_CLASS, AXIS_BODY };
enum {
    UNIT = 24,      /* instructions of the shortest body */
    BODIES = 3,     /* one, two and four units */
    RINGS = 3,      /* rings of pointers, for the loads */
    RING_MAX = 256, /* pointers in the longest ring */
    RING_STEP = 97  /* places from one pointer to the one that it leads to */
};

static const char *const axes[] = {"class", "body", NULL};

/* CR, whose home is the suite 'branch', stands for the loop: over bodies of three
 * lengths a class shows its slope, and CR the constant part of each iteration.
 */
static const enum rc_ideal ideals[] = {
    RC_IDEAL_INT_ADD, RC_IDEAL_INT_MUL, RC_IDEAL_INT_LOGIC, RC_IDEAL_INT_MOV,
    RC_IDEAL_LOADS,   RC_IDEAL_STORES,  RC_IDEAL_CR,
};

static const struct {
    const char *name;
    uint64_t wanted; /* iterations of one unit that take about a millisecond */
} classes[RC_INSTRUCTIONS_CLASSES] = {
    [RC_INSTRUCTIONS_ADD] = {"add", 600000},
    [RC_INSTRUCTIONS_MUL] = {"mul", 150000},
    [RC_INSTRUCTIONS_LOGIC] = {"logic", 400000},
    [RC_INSTRUCTIONS_MOV] = {"mov", 800000},
    [RC_INSTRUCTIONS_LOAD] = {"load", 100000},
    [RC_INSTRUCTIONS_STORE] = {"store", 240000},
    [RC_INSTRUCTIONS_MIX] = {"mix", 200000},
    [RC_INSTRUCTIONS_LOOP] = {"loop", 4000000},
};

/* Pairwise coprime, so that three places determine the loads modulo 16,256,768. */
static const uint64_t ring_size[RINGS] = {251, 253, 256};

struct rc_kernel {
    struct rc_instructions_data data; /* operands and results of the loop */
    rc_instructions_loop *loop;
    uint64_t done; /* iterations of the last run */
    enum rc_instructions_class class;
    uint64_t units;                 /* of the body */
    uint64_t ring[RINGS][RING_MAX]; /* each holds the address of one further on */
};

static const char *instructions_usable(void)
{
    return rc_instructions_find(RC_INSTRUCTIONS_ADD, 0)
               ? NULL
               : "no kernel is written for this kind of processor";
}

static int instructions_points(const struct rc_suite_request *request,
                               struct rc_points *points, struct rc_error *err)
{
    (void)request;
    for (int i = 0; i <= RC_INSTRUCTIONS_LOOP * BODIES; i++) {
        struct rc_point point = {.unusable = instructions_usable()};
        int class = i / BODIES;
        int body = class == RC_INSTRUCTIONS_LOOP ? 0 : UNIT << i % BODIES;
        point.axis[AXIS_CLASS] = class;
        point.axis[AXIS_BODY] = body;
        snprintf(point.name, sizeof point.name, "%s-%d", classes[class].name, body);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

/* 'ideals' has the ideals of the classes in the order of the classes. */
static struct rc_range instructions_expect(const struct rc_suite_request *request,
                                           const struct rc_point *point,
                                           enum rc_ideal ideal)
{
    double counts[RC_IDEAL_COUNT] = {0};
    double body = (double)point->axis[AXIS_BODY];
    int64_t class = point->axis[AXIS_CLASS];

    for (int i = 0; i < RC_INSTRUCTIONS_MIX; i++)
        if (class == i)
            counts[ideals[i]] = body;
        else if (class == RC_INSTRUCTIONS_MIX)
            counts[ideals[i]] = body / RC_INSTRUCTIONS_MIX;
    counts[RC_IDEAL_INT_ADD] += 2; /* the loop: increment, comparison, branch */
    counts[RC_IDEAL_CR] = 1;
    counts[RC_IDEAL_T] = 1;
    counts[RC_IDEAL_INS] = body + 3;
    /* The rings that loads follow take 6 KiB: they do not stay in a smaller cache. */
    const bool chases = class == RC_INSTRUCTIONS_LOAD || class == RC_INSTRUCTIONS_MIX;
    const double bytes = chases ? sizeof(((struct rc_kernel *)0)->ring) : 0;
    return rc_expect_missing(&request->geometry, counts,
                             rc_misses_of(&request->geometry, bytes, INFINITY), ideal);
}

static uint64_t units_of(const struct rc_point *point)
{
    return (uint64_t)point->axis[AXIS_BODY] / UNIT;
}

static uint64_t instructions_iterations(const struct rc_suite_request *request,
                                        const struct rc_point *point, uint64_t budget)
{
    uint64_t units = units_of(point);
    uint64_t wanted = classes[point->axis[AXIS_CLASS]].wanted;

    (void)request;
    return rc_iterations((double)point->axis[AXIS_BODY] + 3,
                         units > 0 ? wanted / units : wanted, 1, budget);
}

static int instructions_setup(const struct rc_suite_request *request,
                              const struct rc_point *point, struct rc_kernel **out,
                              struct rc_error *err)
{
    const int status = rc_kernel_create(point, sizeof **out, out, err);

    (void)request;
    if (status != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->class = (enum rc_instructions_class)point->axis[AXIS_CLASS];
    kernel->units = units_of(point);
    kernel->loop = rc_instructions_find(kernel->class, (int)kernel->units / 2);
    kernel->data.multiplier = UINT64_C(6364136223846793005);
    for (int r = 0; r < RINGS; r++)
        for (uint64_t i = 0; i < ring_size[r]; i++)
            kernel->ring[r][i] =
                (uint64_t)(uintptr_t)&kernel->ring[r][(i + RING_STEP) % ring_size[r]];
    for (int i = 0; i < RC_INSTRUCTIONS_VALUES; i++) { /* v0, ..., v5 */
        bool chases = kernel->class == RC_INSTRUCTIONS_LOAD
                          ? i < RINGS
                          : kernel->class == RC_INSTRUCTIONS_MIX && i == 3;
        kernel->data.start[i] =
            chases ? (uint64_t)(uintptr_t)kernel->ring[i % RINGS]
                   : UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1) | 1;
    }
    return RC_OK;
}

static void instructions_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->done = 0;
    if (iterations > 0)
        kernel->done = kernel->loop(&kernel->data, iterations);
}

static uint64_t rotated(uint64_t value, unsigned bits)
{
    return bits % 64 ? value << bits % 64 | value >> (64 - bits % 64) : value;
}

/* The place in a ring after so many loads. */
static uint64_t chased(const struct rc_kernel *kernel, int ring, uint64_t loads)
{
    uint64_t place = loads % ring_size[ring] * RING_STEP % ring_size[ring];

    return (uint64_t)(uintptr_t)&kernel->ring[ring][place];
}

/* The longest body of loads, and of stores, also has sizes other than 8 bytes. */
static bool has_all_sizes(const struct rc_kernel *kernel)
{
    return kernel->units == 1 << (BODIES - 1) &&
           (kernel->class == RC_INSTRUCTIONS_LOAD ||
            kernel->class == RC_INSTRUCTIONS_STORE);
}

static uint64_t lowest(uint64_t value, unsigned bytes)
{
    return value & (UINT64_MAX >> (64 - 8 * bytes));
}

/* Fills v as 'units' units leave it; 'last' is the number of the last iteration. */
static void expect_values(const struct rc_kernel *kernel, uint64_t units, uint64_t last,
                          uint64_t v[RC_INSTRUCTIONS_VALUES])
{
    static const int addend[] = {3, 5, -7, 11};

    for (int i = 0; i < RC_INSTRUCTIONS_VALUES; i++)
        v[i] = kernel->data.start[i];
    /* The logic of the loop in C: there is no shorter way to its result. */
    const bool logic = kernel->class == RC_INSTRUCTIONS_LOGIC,
               shifts = logic && kernel->units == 1 << (BODIES - 1);
    const uint64_t rounds = logic ? (shifts ? 3 : 4) * units : 0;
    if (shifts)
        v[4] = units <= 63 / 3 ? v[4] >> 3 * units : 0;
    for (uint64_t i = 0; i < rounds; i++) {
        v[0] ^= v[1];
        v[1] = rotated(v[1], 13) ^ v[2];
        v[2] = rotated(v[2], 29) ^ v[3];
        v[3] ^= v[0];
    }
    if (kernel->class == RC_INSTRUCTIONS_MIX) { /* has instructions of all classes */
        v[0] += 12 * units;
        v[1] *= rc_power(kernel->data.multiplier, 4 * units);
        v[2] =
            rotated(v[2], (unsigned)(units % 64 * 15)) ^ (units % 2 ? UINT64_MAX : 0);
        v[3] = chased(kernel, 0, 4 * units);
        v[4] = last;
        v[5] = last;
    }
    for (int i = 0; i < 4; i++) {
        if (kernel->class == RC_INSTRUCTIONS_ADD)
            v[i] += 6 * units * (uint64_t)addend[i];
        else if (kernel->class == RC_INSTRUCTIONS_MUL)
            v[i] *= rc_power(kernel->data.multiplier, 6 * units);
        else if (kernel->class == RC_INSTRUCTIONS_MOV)
            v[i] = last;
        else if (kernel->class == RC_INSTRUCTIONS_LOAD && i < RINGS)
            v[i] = chased(kernel, i, (has_all_sizes(kernel) ? 4 : 8) * units);
    }
    for (int i = 0; i < 3 && has_all_sizes(kernel); i++)
        if (kernel->class == RC_INSTRUCTIONS_LOAD)
            v[RINGS + i] = lowest(kernel->data.multiplier, 1u << i);
}

/* The value of a slot after the iteration 'last'. */
static uint64_t expect_slot(const struct rc_kernel *kernel, int slot, uint64_t last)
{
    if (!has_all_sizes(kernel) || slot < 12)
        return last;
    if (slot < 21)
        return lowest(last, 1u << (slot - 12) / 3);
    return slot == 21 ? 0 : kernel->data.start[slot - 22];
}

/* Registers and slots must hold what so many iterations leave in them. */
static int instructions_verify(const struct rc_kernel *kernel, uint64_t iterations,
                               struct rc_error *err)
{
    const int written = kernel->class == RC_INSTRUCTIONS_MIX     ? 4
                        : kernel->class == RC_INSTRUCTIONS_STORE ? RC_INSTRUCTIONS_SLOTS
                                                                 : 0;
    uint64_t v[RC_INSTRUCTIONS_VALUES];

    if (iterations == 0 || kernel->done != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "instructions: %" PRIu64
                       " iterations were done, expected %" PRIu64,
                       kernel->done, iterations);
    expect_values(kernel, iterations * kernel->units, iterations - 1, v);
    for (int i = 0; i < RC_INSTRUCTIONS_VALUES; i++)
        if (kernel->data.stop[i] != v[i])
            return rc_fail(err, RC_ECONFLICT,
                           "instructions: value %d is %" PRIx64 ", expected %" PRIx64,
                           i, kernel->data.stop[i], v[i]);
    for (int i = 0; i < written; i++) {
        const uint64_t expected = expect_slot(kernel, i, iterations - 1);
        if (kernel->data.slot[i] != expected)
            return rc_fail(err, RC_ECONFLICT,
                           "instructions: slot %d is %" PRIx64 ", expected %" PRIx64, i,
                           kernel->data.slot[i], expected);
    }
    return RC_OK;
}

static void instructions_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

const struct rc_suite rc_suite_instructions = {
    .name = "instructions",
    .summary = "integer additions, multiplications, logic, moves, loads, stores",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = instructions_usable,
    .points = instructions_points,
    .expect = instructions_expect,
    .iterations = instructions_iterations,
    .setup = instructions_setup,
    .run = instructions_run,
    .verify = instructions_verify,
    .teardown = instructions_teardown,
};

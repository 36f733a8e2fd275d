/* Suites of users: shared objects with a table, and commands, as suites of rollcall.
 *
 * Functions of a suite are not told which suite they belong to, so a macro makes a set
 * of functions for each of a fixed number of users' suites.
 */
#include "kernels/own/own.h"

#include "campaign/base/memory.h"
#include "campaign/base/program.h"
#include "campaign/base/text.h"
#include "kernels/rollcall_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { MADE_BY_MOST = 256 }; /* bytes of the text */
enum { OWN_MOST = 8, WORDS_MOST = 1024, DIGITS = 24, ITERATIONS_MOST = 1000000000 };
static const double count_most = 1e15; /* largest count of an ideal in an iteration */

/* A file that was added. */
struct own {
    struct rc_own_suite is;
    size_t ideal_count;
    enum rc_ideal ideal[RC_IDEAL_COUNT]; /* named by any point, in order */
    char path[PATH_MAX], summary[256], made_by[MADE_BY_MOST];
    bool tried; /* in a child process */
};

static struct own owned[OWN_MOST];
static size_t owned_count;

struct rc_kernel {
    const struct own *own;
    const struct rc_own_point *point;
    size_t number;
    void *work;
    uint64_t done;              /* iterations of the last run */
    bool ready;                 /* setup was called */
    char digits[DIGITS];        /* the iterations, for a command */
    char *word[WORDS_MOST + 1]; /* of the command, ended by NULL */
};

static const struct rc_own_point *point_of(const struct own *own,
                                           const struct rc_point *point)
{
    size_t i = 0;

    while (i < own->is.count && strcmp(own->is.point[i].name, point->name) != 0)
        i++;
    return i < own->is.count ? &own->is.point[i] : NULL;
}

static int add_points(const struct own *own, struct rc_points *points,
                      struct rc_error *err)
{
    for (size_t i = 0; i < own->is.count; i++) {
        struct rc_point point = {.axis = {(int64_t)i}};
        snprintf(point.name, sizeof point.name, "%s", own->is.point[i].name);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

static struct rc_range expect_of(const struct own *own, const struct rc_point *point,
                                 enum rc_ideal ideal)
{
    const struct rc_own_point *is = point_of(own, point);

    return rc_exactly(is ? is->count[ideal] : NAN);
}

/* Without a count of instructions the sum of all counts is assumed. */
static uint64_t iterations_of(const struct own *own, const struct rc_point *point,
                              uint64_t budget)
{
    const struct rc_own_point *is = point_of(own, point);
    double cost = 1;

    if (!is)
        return 1;
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        cost += isnan(is->count[i]) ? 0 : is->count[i];
    if (is->count[RC_IDEAL_INS] > 0)
        cost = is->count[RC_IDEAL_INS];
    return rc_iterations(cost, is->iterations, 1, budget);
}

static void own_teardown(struct rc_kernel *kernel)
{
    if (!kernel)
        return;
    const struct rollcall_kernels *table = kernel->own->is.table;
    if (kernel->ready && table && table->teardown)
        table->teardown(kernel->number, kernel->work);
    free(kernel);
}

static int setup_of(const struct own *own, const struct rc_point *point,
                    struct rc_kernel **out, struct rc_error *err)
{
    const struct rc_own_point *is = point_of(own, point);
    const struct rollcall_kernels *table = own->is.table;

    *out = NULL;
    if (!is)
        return rc_fail(err, RC_EMISSING, "'%s' has no point '%s'", own->path,
                       point->name);
    int status = rc_kernel_create(point, sizeof **out, out, err);
    if (status != RC_OK)
        return status;
    struct rc_kernel *k = *out;
    k->own = own;
    k->point = is;
    k->number = (size_t)(is - own->is.point);
    const int failed = table && table->setup ? table->setup(k->number, &k->work) : 0;
    k->ready = failed == 0;
    if (k->ready)
        return RC_OK;
    own_teardown(k);
    *out = NULL;
    return rc_fail(err, RC_EUNSUPPORTED, "point '%s' of '%s' cannot be set up: %d",
                   point->name, own->path, failed);
}

static void own_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->own->is.table->run(kernel->number, kernel->work, iterations);
    kernel->done = iterations;
}

static int own_verify(const struct rc_kernel *kernel, uint64_t iterations,
                      struct rc_error *err)
{
    const struct rollcall_kernels *table = kernel->own->is.table;

    if (iterations == 0 || kernel->done != iterations)
        return rc_fail(err, RC_ECONFLICT, "it did not run that often");
    if (table && table->verify &&
        table->verify(kernel->number, kernel->work, iterations) != 0)
        return rc_fail(err, RC_ECONFLICT,
                       "its own check says that it did not do %" PRIu64 " iterations",
                       iterations);
    return RC_OK;
}

/* The command's words, with "{iterations}" replaced. */
static char *const *own_command(struct rc_kernel *kernel, uint64_t iterations)
{
    size_t i = 0;

    snprintf(kernel->digits, sizeof kernel->digits, "%" PRIu64, iterations);
    for (; i < WORDS_MOST && kernel->point->command[i]; i++)
        kernel->word[i] = strcmp(kernel->point->command[i], "{iterations}") == 0
                              ? kernel->digits
                              : kernel->point->command[i];
    kernel->word[i] = NULL;
    kernel->done = iterations;
    return kernel->word;
}

/* X(number) for each of OWN_MOST suites. */
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define FUNCTIONS(n)                                                                   \
    static int points_##n(const struct rc_suite_request *request,                      \
                          struct rc_points *points, struct rc_error *err)              \
    {                                                                                  \
        (void)request;                                                                 \
        return add_points(&owned[n], points, err);                                     \
    }                                                                                  \
    static struct rc_range expect_##n(const struct rc_suite_request *request,          \
                                      const struct rc_point *point,                    \
                                      enum rc_ideal ideal)                             \
    {                                                                                  \
        (void)request;                                                                 \
        return expect_of(&owned[n], point, ideal);                                     \
    }                                                                                  \
    static uint64_t iterations_##n(const struct rc_suite_request *request,             \
                                   const struct rc_point *point, uint64_t budget)      \
    {                                                                                  \
        (void)request;                                                                 \
        return iterations_of(&owned[n], point, budget);                                \
    }                                                                                  \
    static int setup_##n(const struct rc_suite_request *request,                       \
                         const struct rc_point *point, struct rc_kernel **out,         \
                         struct rc_error *err)                                         \
    {                                                                                  \
        (void)request;                                                                 \
        return setup_of(&owned[n], point, out, err);                                   \
    }                                                                                  \
    static const char *made_by_##n(const struct rc_suite_request *request)             \
    {                                                                                  \
        (void)request;                                                                 \
        return owned[n].made_by;                                                       \
    }
EACH(FUNCTIONS)

static const char *const axes[] = {"number", NULL};
#define SUITE(n)                                                                       \
    static struct rc_suite suite_##n = {.footprint = RC_FOOTPRINT_MEMORY,              \
                                        .axes = axes,                                  \
                                        .by_default = true,                            \
                                        .made_by = made_by_##n,                        \
                                        .points = points_##n,                          \
                                        .expect = expect_##n,                          \
                                        .iterations = iterations_##n,                  \
                                        .setup = setup_##n,                            \
                                        .run = own_run,                                \
                                        .verify = own_verify,                          \
                                        .teardown = own_teardown};
EACH(SUITE)
#define ADDRESS(n) &suite_##n,
static struct rc_suite *const suites[OWN_MOST] = {EACH(ADDRESS)};

bool rc_own_is_name(const char *name)
{
    const size_t prefix = strlen(RC_OWN_PREFIX), bytes = strlen(name);

    return strncmp(name, RC_OWN_PREFIX, prefix) == 0 && bytes > prefix && bytes < 40 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == bytes;
}

/* Reads a point of a table in memory: pointers are trusted, the rest is checked. */
static int read_point(const struct rollcall_point *from, struct rc_own_point *out,
                      struct rc_error *err)
{
    *out = (struct rc_own_point){.name = from->name, .iterations = from->iterations};
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        out->count[i] = NAN;
    for (size_t i = 0; from->count && from->count[i].ideal; i++) {
        const struct rollcall_count *count = &from->count[i];
        enum rc_ideal ideal;
        const int status = rc_ideal_read(count->ideal, strlen(count->ideal),
                                         RC_OWN_IDEALS, &ideal, err);
        if (status != RC_OK)
            return status;
        if (!isnan(out->count[ideal]) || out->unknown[ideal])
            return rc_fail(err, RC_EUSAGE, "ideal '%s' twice", count->ideal);
        out->unknown[ideal] = count->each == ROLLCALL_UNKNOWN;
        if (!out->unknown[ideal])
            out->count[ideal] = isnan(count->each) ? INFINITY : count->each;
    }
    return RC_OK;
}

static int read_table(const struct rollcall_kernels *table, struct rc_own_suite *out,
                      struct rc_error *err)
{
    const size_t first_bytes = offsetof(struct rollcall_kernels, compiled);
    const bool first = table->version == 1 && table->bytes == first_bytes;

    if (!first &&
        (table->version != ROLLCALL_KERNELS_VERSION || table->bytes != sizeof *table))
        return rc_fail(err, RC_EUSAGE,
                       "found a table of version %" PRIu32 " and %" PRIu32
                       " bytes, expected version %d and %zu bytes, or 1 and %zu: "
                       "compile it with this rollcall's rollcall_kernel.h",
                       table->version, table->bytes, ROLLCALL_KERNELS_VERSION,
                       sizeof *table, first_bytes);
    if (!table->run || !table->point || !table->name || !table->summary)
        return rc_fail(err, RC_EUSAGE,
                       "name, summary, point or run is missing in its table");
    *out = (struct rc_own_suite){.name = table->name,
                                 .summary = table->summary,
                                 .made_by = first ? NULL : table->compiled,
                                 .table = table};
    while (table->point[out->count].name && out->count <= RC_OWN_POINTS_MOST)
        out->count++;
    out->point = rc_calloc(out->count, sizeof *out->point);
    if (!out->point)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", out->count);
    for (size_t i = 0; i < out->count; i++) {
        const int status = read_point(&table->point[i], &out->point[i], err);
        if (status != RC_OK) {
            rc_error_prefix(err, "point '%.47s': ", table->point[i].name);
            return status;
        }
    }
    return RC_OK;
}

/* Checks what both kinds of files may get wrong; also collects the ideals. */
static int check_suite(struct own *own, struct rc_error *err)
{
    const struct rc_own_suite *is = &own->is;

    if (is->count == 0 || is->count > RC_OWN_POINTS_MOST)
        return rc_fail(err, RC_EUSAGE, "%zu points, expected 1 to %d", is->count,
                       RC_OWN_POINTS_MOST);
    if (is->made_by && (!*is->made_by || strlen(is->made_by) >= MADE_BY_MOST))
        return rc_fail(
            err, RC_EUSAGE,
            "found 'compiled' of %zu bytes, expected compiler and flags in 1 "
            "to %d",
            strlen(is->made_by), MADE_BY_MOST - 1);
    for (size_t i = 0; i < is->count; i++) {
        const struct rc_own_point *p = &is->point[i];
        char text[64];
        bool any = false;
        if (!*p->name || strlen(p->name) >= sizeof((struct rc_point *)0)->name ||
            strcmp(rc_text_printable(text, sizeof text, p->name), p->name) != 0)
            return rc_fail(err, RC_EUSAGE,
                           "point %zu: found name '%.60s', expected 1 to 47 printable "
                           "bytes",
                           i, p->name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(is->point[j].name, p->name) == 0)
                return rc_fail(err, RC_EUSAGE, "point '%s' is there twice", p->name);
        if (p->iterations < 1 || p->iterations > ITERATIONS_MOST)
            return rc_fail(err, RC_EUSAGE,
                           "point '%s': found %" PRIu64 " iterations, expected 1 to %d",
                           p->name, p->iterations, ITERATIONS_MOST);
        for (int d = 0; d < RC_IDEAL_COUNT; d++) {
            if (isnan(p->count[d]))
                continue;
            any = true;
            if (rc_ideal_useful((enum rc_ideal)d) != (is->made_by != NULL))
                return rc_fail(err, RC_EUSAGE,
                               "point '%s': found a count of '%s', expected %s",
                               p->name, rc_ideal_name((enum rc_ideal)d),
                               is->made_by ? "useful work alone, since the kernels are "
                                             "compiled"
                                           : "it only where the kernels are compiled");
            if (!(p->count[d] >= 0 && p->count[d] <= count_most))
                return rc_fail(
                    err, RC_EUSAGE, "point '%s': found %g of '%s', expected 0 to %g",
                    p->name, p->count[d], rc_ideal_name((enum rc_ideal)d), count_most);
            size_t k = 0;
            while (k < own->ideal_count && own->ideal[k] != (enum rc_ideal)d)
                k++;
            if (k == own->ideal_count)
                own->ideal[own->ideal_count++] = (enum rc_ideal)d;
        }
        if (!any)
            return rc_fail(err, RC_EUSAGE, "point '%s' has no counts of ideals",
                           p->name);
    }
    return RC_OK;
}

/* Families of ideals: naming one of them says that the others are 0, as no kernel's
 * loop executes any of these by itself.  0: the ideal has no family.
 */
static int family_of(enum rc_ideal ideal)
{
    const char *suite = rc_ideal_suite(ideal);

    return strcmp(suite, "flops") == 0 || strcmp(suite, "blas") == 0 ? 1
           : strcmp(suite, "gpu-flops") == 0                         ? 2
                                                                     : 0;
}

/* Completes the operations of a precision: a sum of its instructions. */
static void complete_operations(struct rc_own_point *p, enum rc_ideal operations,
                                const bool *named)
{
    bool instructions = false; /* the point names some of that precision */

    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        instructions |=
            named[i] && rc_ideal_operations((enum rc_ideal)i, operations) > 0;
    const bool alone = named[operations] && p->count[operations] > 0 && !instructions;
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        if (alone && rc_ideal_operations((enum rc_ideal)i, operations) > 0)
            p->count[i] = NAN;
    if (!named[operations] && !p->unknown[operations])
        p->count[operations] = rc_range_exact(
            rc_expect_core(&rc_request_default.geometry, p->count, operations));
}

/* Completes counts that the file does not name (rollcall_kernel.h). */
static void complete_counts(struct own *own)
{
    bool known[RC_IDEAL_COUNT] = {false};

    for (size_t i = 0; i < own->ideal_count; i++) {
        const int family = family_of(own->ideal[i]);
        known[own->ideal[i]] = true;
        for (int d = 0; d < RC_IDEAL_COUNT && family; d++)
            known[d] |= family_of((enum rc_ideal)d) == family;
    }
    for (size_t i = 0; i < own->is.count; i++) {
        struct rc_own_point *p = &own->is.point[i];
        bool named[RC_IDEAL_COUNT];
        for (int d = 0; d < RC_IDEAL_COUNT; d++) {
            named[d] = !isnan(p->count[d]);
            if (!named[d] && known[d] && !p->unknown[d])
                p->count[d] = 0;
        }
        if (known[RC_IDEAL_OPS_DP]) {
            complete_operations(p, RC_IDEAL_OPS_SP, named);
            complete_operations(p, RC_IDEAL_OPS_DP, named);
        }
    }
}

/* "NAME" becomes "own-NAME", which must be new. */
static int name_suite(const char *name, char *out, size_t room, struct rc_error *err)
{
    const bool has = strncmp(name, RC_OWN_PREFIX, strlen(RC_OWN_PREFIX)) == 0;

    snprintf(out, room, "%s%.50s", has ? "" : RC_OWN_PREFIX, name);
    if (!rc_own_is_name(out))
        return rc_fail(err, RC_EUSAGE,
                       "found the name '%.60s', expected 1 to 35 of a-z, 0-9 and '-'",
                       name);
    if (rc_suite_find(out))
        return rc_fail(err, RC_EUSAGE, "there is a suite '%s' already", out);
    return RC_OK;
}

/* False for pipes and devices: the reader of YAML handles these. */
static bool is_shared_object(const char *path)
{
    unsigned char magic[4] = {0};
    struct stat is;
    FILE *file = stat(path, &is) == 0 && S_ISREG(is.st_mode) ? fopen(path, "rb") : NULL;
    const size_t got = file ? fread(magic, 1, sizeof magic, file) : 0;

    if (file)
        fclose(file);
    return got == sizeof magic && magic[0] == 0x7f && magic[1] == 'E' &&
           magic[2] == 'L' && magic[3] == 'F';
}

static int read_shared_object(const char *path, struct rc_own_suite *out, void **handle,
                              struct rc_error *err)
{
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        return rc_fail(err, RC_EUSAGE, "cannot be loaded: %.600s", dlerror());
    const struct rollcall_kernels *table = dlsym(*handle, "rollcall_kernels");
    if (!table)
        return rc_fail(err, RC_EUSAGE,
                       "has no symbol 'rollcall_kernels', expected the "
                       "table of rollcall_kernel.h");
    return read_table(table, out, err);
}

/* Does in a child the steps of rc_own_add() for an object; errors are ignored here. */
static void try_to_load(const struct rc_own_trial *trial)
{
    struct own own = {.ideal_count = 0};
    struct rc_error ignored = {.rank = -1};
    void *handle;

    rc_own_trial_at(trial, "loading it");
    if (read_shared_object(trial->of, &own.is, &handle, &ignored) == RC_OK)
        (void)check_suite(&own, &ignored);
}

/* Runs a point as a measurement does, but without counters; results of its functions
 * are judged later.
 */
static void try_point(const struct rc_own_trial *trial, size_t number)
{
    const struct own *own = trial->of;
    const struct rollcall_kernels *table = own->is.table;
    const struct rc_own_point *point = &own->is.point[number];
    void *work = NULL;

    rc_own_trial_at(trial, "point '%s': setup()", point->name);
    if (table->setup && table->setup(number, &work) != 0)
        return;
    for (int times = 0; times < 2; times++) {
        rc_own_trial_at(trial, "point '%s': run() of %" PRIu64 " iterations",
                        point->name, point->iterations);
        table->run(number, work, point->iterations);
        rc_own_trial_at(trial, "point '%s': verify()", point->name);
        if (table->verify)
            (void)table->verify(number, work, point->iterations);
    }
    rc_own_trial_at(trial, "point '%s': teardown()", point->name);
    if (table->teardown)
        table->teardown(number, work);
}

/* Runs a point's program.  One that does not end is killed with the child that waits.
 */
static void try_command(const struct rc_own_trial *trial, size_t number)
{
    const struct own *own = trial->of;
    struct rc_kernel kernel = {.own = own, .point = &own->is.point[number]};
    struct rc_error ignored = {.rank = -1};
    struct rc_program program;
    int ended;

    rc_own_trial_at(trial, "point '%s': '%.100s' with %" PRIu64 " iterations",
                    kernel.point->name, kernel.point->command[0],
                    kernel.point->iterations);
    if (rc_program_start(own_command(&kernel, kernel.point->iterations), true, &program,
                         &ignored) != RC_OK)
        return;
    rc_program_go(&program);
    while (waitpid(program.pid, &ended, 0) < 0 && errno == EINTR)
        ;
    (void)rc_program_end(&program);
}

static void try_points(const struct rc_own_trial *trial)
{
    const struct own *own = trial->of;

    for (size_t i = 0; i < own->is.count; i++)
        if (own->is.table)
            try_point(trial, i);
        else
            try_command(trial, i);
}

int rc_own_try(const struct rc_suite *suite, struct rc_error *err)
{
    size_t n = 0;

    while (n < owned_count && suites[n] != suite)
        n++;
    if (n == owned_count || owned[n].tried)
        return RC_OK;
    struct rc_own_trial trial = {.work = try_points, .of = &owned[n]};
    const int status = rc_own_trial_run(&trial, err);
    owned[n].tried = true;
    if (status != RC_OK)
        rc_error_prefix(err, "--kernel: '%.300s': ", owned[n].path);
    return status;
}

int rc_own_add(const char *path, struct rc_error *err)
{
    static char names[OWN_MOST][64];
    struct own *own = &owned[owned_count < OWN_MOST ? owned_count : 0];
    struct rc_suite *suite = suites[owned_count < OWN_MOST ? owned_count : 0];
    char real[PATH_MAX];
    void *handle = NULL;

    if (!realpath(path, real))
        return rc_fail_errno(err, "--kernel: cannot open '%.400s'", path);
    for (size_t i = 0; i < owned_count; i++)
        if (strcmp(owned[i].path, real) == 0)
            return RC_OK;
    if (owned_count == OWN_MOST)
        return rc_fail(err, RC_EUSAGE, "--kernel: expected at most %d files", OWN_MOST);
    *own = (struct own){.ideal_count = 0};
    const bool object = is_shared_object(real);
    struct rc_own_trial trial = {.work = try_to_load, .of = real};
    int status = object ? rc_own_trial_run(&trial, err) : RC_OK;
    if (status == RC_OK)
        status = object ? read_shared_object(real, &own->is, &handle, err)
                        : rc_own_read_yaml(path, &own->is, err);
    if (status == RC_OK && (status = check_suite(own, err)) == RC_OK)
        status = name_suite(own->is.name, names[owned_count], sizeof names[owned_count],
                            err);
    if (status != RC_OK) {
        if (object)
            rc_error_prefix(err, "--kernel: '%.300s': ", path);
        else
            rc_error_prefix(err, "--kernel: ");
        rc_own_suite_fini(&own->is);
        if (handle)
            dlclose(handle);
        return status;
    }
    if (own->is.made_by) {
        rc_text_printable(own->made_by, sizeof own->made_by, own->is.made_by);
        own->ideal_count = 0;
    } else {
        complete_counts(own);
        suite->made_by = NULL;
    }
    snprintf(own->path, sizeof own->path, "%s", real);
    suite->name = names[owned_count];
    suite->summary =
        rc_text_printable(own->summary, sizeof own->summary, own->is.summary);
    suite->ideals = own->ideal;
    suite->ideal_count = own->ideal_count;
    suite->command = own->is.table ? NULL : own_command;
    owned_count++;
    return rc_suite_add(suite);
}

/* The program of all commands, with one suite more: teams of 1, 2, 3, 5 and 8 workers, as
 * many as this run's ranks allow, or of 1 and RC_TEST_TEAM workers.  The rank whose number
 * RC_TEST_TEAM_FULL is can write to no file of more than a few bytes.
 */
int rollcall_main(int argc, char **argv);
#define main rollcall_main
#include "campaign/main.c"
#undef main
#include "kernels/kernel.h"

#include <signal.h>
#include <sys/resource.h>

struct rc_kernel {
    volatile uint64_t done;
};

static int team_points(const struct rc_suite_request *request, struct rc_points *points,
                       struct rc_error *err)
{
    static const uint32_t workers[] = {1, 2, 3, 5, 8};
    const char *text = getenv("RC_TEST_TEAM");
    const uint32_t only = text ? (uint32_t)atoi(text) : 0;

    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++) {
        const uint32_t w = i > 0 && only ? only : workers[i];
        struct rc_point point = {.axis = {w}, .workers = w};
        if ((only && i > 1) || (!only && i > 0 && w > request->workers))
            break;
        snprintf(point.name, sizeof point.name, "w%u", w);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

static struct rc_range team_expect(const struct rc_suite_request *request,
                                   const struct rc_point *point, enum rc_ideal ideal)
{
    (void)request;
    (void)point;
    return ideal == RC_IDEAL_INS ? rc_exactly(4) : rc_unknown();
}

static uint64_t team_iterations(const struct rc_suite_request *request,
                                const struct rc_point *point, uint64_t budget)
{
    (void)request;
    (void)point;
    return rc_iterations(4, 1000, 1, budget);
}

static int team_setup(const struct rc_suite_request *request,
                      const struct rc_point *point, struct rc_kernel **out,
                      struct rc_error *err)
{
    (void)request;
    return rc_kernel_create(point, sizeof **out, out, err);
}

static void team_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->done = 0;
    for (uint64_t i = 0; i < iterations; i++)
        kernel->done++;
}

static int team_verify(const struct rc_kernel *kernel, uint64_t iterations,
                       struct rc_error *err)
{
    if (iterations && kernel->done == iterations)
        return RC_OK;
    return rc_fail(err, RC_ECONFLICT, "it ran %llu times",
                   (unsigned long long)kernel->done);
}

static void team_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

static const char *const axes[] = {"workers", NULL};
static const enum rc_ideal ideals[] = {RC_IDEAL_INS};

static const struct rc_suite suite = {
    .name = "teams",
    .summary = "a loop on several workers at once",
    .ideals = ideals,
    .ideal_count = 1,
    .axes = axes,
    .team = true,
    .points = team_points,
    .expect = team_expect,
    .iterations = team_iterations,
    .setup = team_setup,
    .run = team_run,
    .verify = team_verify,
    .teardown = team_teardown,
};

int main(int argc, char **argv)
{
    const char *full = getenv("RC_TEST_TEAM_FULL"),
               *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (full && strcmp(full, rank ? rank : getenv("PMI_RANK")) == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){64, 64});
    }
    return rc_suite_add(&suite) == RC_OK ? rollcall_main(argc, argv) : 1;
}

/* dcache.c - what a sweep of the cache suites costs here, and what it shows
 *
 * Prints, for each point, nanoseconds per access and the time its preparation
 * took, as columns for gnuplot; then the time of the whole sweep.
 */
#include "kernels/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The whole number at the start of a file, times 1024 where a K follows. */
static uint64_t number_in(const char *directory, const char *name)
{
    char path[128];
    char suffix = 0;
    uint64_t number = 0;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%" SCNu64 "%c", &number, &suffix) < 1)
        number = 0;
    fclose(file);
    return suffix == 'K' ? number * 1024 : number;
}

static char first_letter(const char *directory, const char *name)
{
    char path[128];
    int letter;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    letter = fgetc(file);
    fclose(file);
    return (char)letter;
}

/* The caches of the first CPU; sysconf() counts an L3 once for each core. */
static struct rc_geometry here(void)
{
    struct rc_geometry geometry = rc_geometry_default;
    struct rc_cache_geometry *const levels[2][4] = {
        {NULL, &geometry.l1d, &geometry.l2, &geometry.l3},
        {NULL, &geometry.l1i, NULL, NULL},
    };

    geometry.l1d = geometry.l1i = geometry.l2 = geometry.l3 =
        (struct rc_cache_geometry){0};
    for (int i = 0; i < 8; i++) {
        char directory[80];
        snprintf(directory, sizeof directory,
                 "/sys/devices/system/cpu/cpu0/cache/index%d", i);
        uint64_t level = number_in(directory, "level");
        bool code = first_letter(directory, "type") == 'I';
        if (level < 1 || level > 3 || !levels[code][level])
            continue;
        *levels[code][level] = (struct rc_cache_geometry){
            .bytes = number_in(directory, "size"),
            .ways = (uint32_t)number_in(directory, "ways_of_associativity"),
        };
        geometry.line_bytes = (uint32_t)number_in(directory, "coherency_line_size");
    }
    geometry.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    return geometry;
}

static int measure(const struct rc_suite *suite, const struct rc_geometry *geometry,
                   const struct rc_point *point, struct rc_error *err)
{
    uint64_t iterations = suite->iterations(geometry, point, 0);
    struct rc_kernel *kernel;
    double start = seconds();
    int status = suite->setup(geometry, point, &kernel, err);

    if (status != RC_OK)
        return status;
    double ready = seconds();
    suite->run(kernel, iterations);
    double done = seconds();
    status = suite->verify(kernel, iterations, err);
    const char *note = suite->note ? suite->note(kernel) : NULL;
    if (status == RC_OK)
        printf("%-18s %11" PRId64 " %4" PRId64 " %8" PRIu64
               " %9.3f %8.1f %8.1f  # %s\n",
               point->name, point->axis[0], point->axis[1], iterations,
               1e9 * (done - ready) / (double)iterations, 1e3 * (ready - start),
               1e3 * (done - ready), note ? note : "");
    suite->teardown(kernel);
    return status;
}

static int sweep(const struct rc_suite *suite, const struct rc_geometry *geometry,
                 struct rc_error *err)
{
    struct rc_points points = {0};
    int status = suite->points(geometry, &points, err);
    double start = seconds();

    printf("# suite %s\n# %-16s %11s %4s %8s %9s %8s %8s\n", suite->name, "point",
           "bytes", suite->axes[1], "count", "ns each", "setup ms", "run ms");
    for (size_t i = 0; status == RC_OK && i < points.count; i++)
        if (points.point[i].unusable)
            printf("# %s: %s\n", points.point[i].name, points.point[i].unusable);
        else
            status = measure(suite, geometry, &points.point[i], err);
    printf("# %zu points, one sweep: %.2f s\n\n\n", points.count, seconds() - start);
    rc_points_fini(&points);
    return status;
}

int main(int argc, char **argv)
{
    const struct rc_geometry geometry = here();
    struct rc_error err = {0};

    printf("# caches: %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", geometry.l1d.bytes,
           geometry.l2.bytes, geometry.l3.bytes);
    for (int i = 1; i < argc; i++) {
        const struct rc_suite *suite = rc_suite_find(argv[i]);
        if (!suite) {
            fprintf(stderr, "no suite '%s'\n", argv[i]);
            return 2;
        }
        if (sweep(suite, &geometry, &err) != RC_OK) {
            fprintf(stderr, "%s: %s\n", argv[i], err.text);
            return 1;
        }
    }
    return 0;
}

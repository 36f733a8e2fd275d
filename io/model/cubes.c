/* A run in a .cubex file, as Score-P, Scalasca and `rollcall export` write them.  Each
 * number is of a call path without those inside of it.
 */
#include "io/model/parts.h"

#include "campaign/base/memory.h"
#include "io/cubex/cubex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES_MOST ((size_t)1 << 30) /* of all call paths, for each metric */

static bool is_cubex(const char *text, size_t bytes)
{
    return bytes >= 512 && memcmp(text + 257, "ustar", 5) == 0;
}

/* The names of a call path, in a text that has those of its parent in front; end[path]
 * is its length.  A parent stands before what is inside of it, and nothing else does
 * between.
 */
static int put_path(const struct rc_cube *cube, size_t path, char **text, size_t *room,
                    size_t *end, struct rc_error *err)
{
    const struct rc_cube_path *p = &cube->path[path];
    const size_t from = p->parent >= 0 ? end[p->parent] : 0;
    const size_t needed = from + 1 + strlen(p->name) + 1;

    if (!*text || needed > *room) {
        char *more = realloc(*text, 2 * needed);
        if (!more)
            return rc_fail(err, RC_ENOMEM, "no memory for call paths");
        *text = more;
        *room = 2 * needed;
    }
    end[path] = from;
    if (from > 0)
        (*text)[end[path]++] = ';';
    memcpy(*text + end[path], p->name, strlen(p->name) + 1);
    end[path] += strlen(p->name);
    return RC_OK;
}

static int add_numbers(const struct rc_cube *cube, size_t metric, size_t path,
                       const char *name, const double *at,
                       struct rc_measured_draft *draft, struct rc_error *err)
{
    const struct rc_cube_metric *m = &cube->metric[metric];
    struct rc_measured_metric as = rc_measured_guess(m->name, m->unit);
    struct rc_measured_places places = {.apart = true};

    as.simulated = cube->simulated;
    for (size_t i = 0; i < cube->places; i++) {
        const struct rc_cube_cell *cell = rc_cube_cell(cube, metric, path, i);
        if (rc_cube_is_missing(cell))
            continue;
        /* what is inside of a path was taken off it, with the last digits lost */
        rc_measured_place(&places,
                          cell->mean < 0 && cell->mean > -1e-6 ? 0 : cell->mean);
    }
    const int status = m->rule == RC_CUBE_ADDED
                           ? rc_measured_add_places(draft, at, name, &as, &places, err)
                           : RC_OK;
    if (status != RC_OK)
        rc_error_prefix(err, "'%.100s' '%.200s': ", m->name, name);
    return status;
}

static int add_cubex(char *text, size_t bytes, const double *at,
                     struct rc_measured_draft *draft, struct rc_error *err)
{
    FILE *left_out = fopen("/dev/null", "w");
    struct rc_cube *cube = NULL;
    char *name = NULL;
    size_t *end = NULL, room = 0, all = 0;
    int status = left_out ? rc_cubex_read(text, bytes, &cube, left_out, err)
                          : rc_fail_errno(err, "/dev/null");

    if (status == RC_OK && !(end = rc_calloc(cube->paths, sizeof *end)))
        status = rc_fail(err, RC_ENOMEM, "no memory for call paths");
    for (size_t p = 0; status == RC_OK && p < cube->paths; p++) {
        status = put_path(cube, p, &name, &room, end, err);
        all += status == RC_OK ? end[p] * cube->metrics : 0;
        if (status == RC_OK && all > PATH_BYTES_MOST)
            status = rc_fail(err, RC_EUSAGE, "its call paths are too long");
        for (size_t m = 0; status == RC_OK && m < cube->metrics; m++)
            status = add_numbers(cube, m, p, name, at, draft, err);
    }
    free(end);
    free(name);
    rc_cube_close(cube);
    if (left_out)
        fclose(left_out);
    return status;
}

const struct rc_measured_run rc_measured_cubex = {
    .origin = ".cubex files", .is = is_cubex, .add = add_cubex};

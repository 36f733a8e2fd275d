/* A profile as a .cubex file: all launches together, or one. */
#include "io/cubex/cubex.h"
#include "campaign/profile/export/export.h"
#include "campaign/profile/tables/cube.h"

static int write_cubex(const struct rc_profile_sums *sums,
                       const struct rc_profile_choice *choice, FILE *out,
                       FILE *left_out, struct rc_error *err)
{
    struct rc_cube *cube = NULL;
    int status = choice->launch ? rc_profile_cube_of(sums, &cube, err)
                                : rc_profile_cube_all(sums->profile, &cube, err);

    if (status == RC_OK)
        status = rc_cubex_write(cube, out, err);
    if (sums->node->series_count > 0)
        fprintf(left_out, "all series: the format has no place for them\n");
    rc_cube_close(cube);
    return status;
}

int rc_profile_cubex_copy(const char *path, const char *launch, FILE *out,
                          FILE *left_out, struct rc_error *err)
{
    struct rc_cube *cube = NULL;
    int status = rc_profile_cube_load(path, launch, left_out, &cube, err);

    if (status == RC_OK)
        status = rc_cubex_write(cube, out, err);
    rc_cube_close(cube);
    return status;
}

const struct rc_profile_export_format rc_profile_cubex = {.name = "cubex",
                                                          .write = write_cubex};

/* The formats that a profile can be exported to, and what they have in common. */
#include "campaign/profile/export/export.h"

#include <string.h>

static const struct rc_profile_export_format *const formats[] = {
    &rc_profile_chrome, &rc_profile_cubex,   &rc_profile_folded, &rc_profile_pprof,
    &rc_profile_csv,    &rc_profile_csv_raw, &rc_profile_otf2,   NULL};

const struct rc_profile_export_format *rc_profile_export_find(const char *name)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

/* Damage goes the way of what is left out: to the standard error, line by line. */
int rc_profile_export(const char *dir, const struct rc_profile_export_format *format,
                      const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                      struct rc_error *err)
{
    struct rc_profile *profile = NULL;
    struct rc_profile_sums sums = {0};
    struct rc_profile_choice chosen = *choice;
    uint64_t launch = 0;
    int status;

    if (format == &rc_profile_cubex && !rc_profile_is_in(dir))
        return rc_profile_cubex_copy(dir, choice->launch, out, left_out, err);
    status = rc_profile_read(dir, format->marks, &profile, err);
    if (status != RC_OK)
        return status;
    chosen.dir = dir;
    for (size_t i = 0; i < profile->damage_count; i++)
        fprintf(left_out, "%s\n", profile->damage[i]);
    if ((status = rc_profile_choose_launch(profile, choice->launch, &launch, err)) ||
        (status = rc_profile_sum(profile, launch, NULL, &sums, err)) ||
        (status = rc_profile_starve(&sums, NULL, err)))
        rc_error_prefix(err, "%s: ", dir);
    else
        status = format->write(&sums, &chosen, out, left_out, err);
    rc_profile_sums_fini(&sums);
    rc_profile_close(profile);
    return status;
}

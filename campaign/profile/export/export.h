/* export.h - a profile in the formats of others: 'rollcall export DIR --format ...' */
#ifndef RC_CAMPAIGN_PROFILE_EXPORT_EXPORT_H
#define RC_CAMPAIGN_PROFILE_EXPORT_EXPORT_H

#include "campaign/profile/read/axis.h"

/* Writes all that the format can say of the launch, whose 'sums' are of all regions;
 * whether 'out' could be written, ferror() tells.  'left_out' gets a line for each
 * thing that was left out.
 */
typedef int rc_profile_export_write(const struct rc_profile_sums *sums,
                                    const struct rc_profile_choice *choice, FILE *out,
                                    FILE *left_out, struct rc_error *err);

struct rc_profile_export_format {
    const char *name;
    bool marks;     /* it has an axis of time, and needs the entries of rings */
    bool directory; /* it writes choice.path, a new directory, instead of 'out' */
    size_t limit;   /* of the axis, where none is said; of a directory always */
    rc_profile_export_write *write;
};

/* chrome.c, cubex.c, folded.c, otf2.c, pprof.c; show_csv.c */
extern const struct rc_profile_export_format rc_profile_chrome, rc_profile_cubex,
    rc_profile_folded, rc_profile_otf2, rc_profile_pprof, rc_profile_csv,
    rc_profile_csv_raw;

/* cubex.c: of a directory that has no journals, but profile.cubex, or of such a file */
int rc_profile_cubex_copy(const char *path, const char *launch, FILE *out,
                          FILE *left_out, struct rc_error *err);

/* A format by its name; NULL: none is called so. */
const struct rc_profile_export_format *rc_profile_export_find(const char *name);

/* Reads the journals of DIR and writes the launch to 'out'.  Damage in the journals is
 * said in 'left_out', too.
 */
int rc_profile_export(const char *dir, const struct rc_profile_export_format *format,
                      const struct rc_profile_choice *choice, FILE *out, FILE *left_out,
                      struct rc_error *err);

#endif

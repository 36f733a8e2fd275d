/* show.h - what a profile says, as tables: 'rollcall profile DIR' */
#ifndef RC_CAMPAIGN_PROFILE_SHOW_SHOW_H
#define RC_CAMPAIGN_PROFILE_SHOW_SHOW_H

#include "campaign/base/error.h"
#include "io/text/rows.h"

#include <stdbool.h>
#include <stdint.h>

/* A study of launches that a profile's tables end with, by a room above this one. */
struct rc_profile_sums;
struct rc_profile_study {
    const char *name;
    bool (*is_of)(const char *dir, const struct rc_profile_sums *sums);
    /* One table, as text or as an array of 'json'; '*off': rows that are not as they
     * should be.
     */
    int (*show)(const char *dir, const struct rc_profile_sums *sums,
                struct rc_json *json, size_t *off, struct rc_error *err);
};

struct rc_profile_request {
    const char *dir;
    const char *region;  /* only what is inside of regions with such a name, which may
                          * be a pattern (rc_text_glob()); NULL: all */
    const char *launch;  /* the number of the one that is shown; NULL: the last */
    const char *metrics; /* a campaign, whose metrics are to be computed; or NULL */
    const char *const *tree; /* trees of metrics that are to be shown; or NULL */
    const char *reference;   /* of these: a profile of another run; or NULL */
    enum rc_format format;
    const struct rc_profile_study *study; /* or NULL */
    bool strict; /* it is an error (RC_ECONFLICT) where rows of the study are off */
};

/* Reads the journals and writes to the standard output, and to the standard error what
 * is damaged in them: as text the answer first, where the time went; as JSON one object
 * with the same tables; as CSV a row for each call path, MPI row and series.
 */
int rc_profile_show(const struct rc_profile_request *request, struct rc_error *err);

#endif

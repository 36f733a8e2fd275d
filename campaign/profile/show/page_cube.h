/* page_cube.h - trees of metrics, call paths and places on the page of a profile */
#ifndef RC_CAMPAIGN_PROFILE_SHOW_PAGE_CUBE_H
#define RC_CAMPAIGN_PROFILE_SHOW_PAGE_CUBE_H

#include "solve/cube/cube.h"

#include <stdio.h>

/* Two blocks of data that io/report/cube.js draws. */
int rc_profile_page_cube(const struct rc_cube *cube, FILE *out, struct rc_error *err);

/* A page of nothing else, for what merge, compare and import made.  'trees' as in
 * struct rc_profile_choice, or NULL.
 */
int rc_profile_page_of_cube(const char *path, const char *trees, const char *campaign,
                            FILE *out, struct rc_error *err);

#endif

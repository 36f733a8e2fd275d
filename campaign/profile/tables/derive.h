/* derive.h - trees of metrics over a profile: what its counters say of the nodes of a
 * hierarchy, once all of its runs are together
 */
#ifndef RC_CAMPAIGN_PROFILE_TABLES_DERIVE_H
#define RC_CAMPAIGN_PROFILE_TABLES_DERIVE_H

#include "solve/cube/cube.h"

#define RC_PROFILE_INCOMPLETE                                                          \
    "incomplete, without " /* how such a description begins                            \
                            */

/* A cube with the nodes of the trees that 'words' names ("data,mine.yaml") in place of
 * the counters that are in them; all else stays.  A number of a node is missing where
 * one of its counters is.  A node of which counters lack everywhere is what the others
 * add up to, and its description says so; one of which nothing is there, and ratios,
 * have no place in it.
 */
int rc_profile_derive(const struct rc_cube *cube, const char *words,
                      const char *campaign, struct rc_cube **out, struct rc_error *err);

#endif

/* cube.h - a profile as a cube: what was measured by metric, call path and place
 *
 * Paths are the regions of threads, with the MPI functions that are called in them as
 * the innermost ones.  Metrics are the tree of times (solve/waiting/tree.h), visits,
 * bytes that were handed to MPI, calls of which the waiting is known, and the events
 * that threads counted.  Waiting is missing in a path of which no call is known, events
 * where a thread did not count them all the time.
 */
#ifndef RC_CAMPAIGN_PROFILE_TABLES_CUBE_H
#define RC_CAMPAIGN_PROFILE_TABLES_CUBE_H

#include "campaign/profile/read/sums.h"
#include "solve/cube/algebra.h"

#include <stdio.h>

#define RC_PROFILE_CUBE_FILE "profile.cubex" /* in DIR, where there is no journal */

/* A thread in a cube that is not sealed: its place, and the paths of its own ones, and
 * of its rows of calls where these are paths.
 */
struct rc_profile_member {
    const struct rc_profile_node *node;
    const struct rc_profile_thread *thread;
    size_t place, *path, *call;
};

/* Adds the places and paths of all threads of a launch, as far as the cube does not
 * have them: threads of several launches are one place where they are the same thread
 * of the same rank, in the order in which they began; paths are the same where their
 * names are, from the root on.  With 'calls' MPI functions are paths, too.  '*out' has
 * sums->threads members, of the arena.
 */
int rc_profile_cube_join(const struct rc_profile_sums *sums, bool calls,
                         struct rc_cube *cube, struct rc_arena *arena,
                         struct rc_profile_member **out, struct rc_error *err);

/* Makes the cube of one launch, whose sums are of all regions; the caller closes *out.
 */
int rc_profile_cube_of(const struct rc_profile_sums *sums, struct rc_cube **out,
                       struct rc_error *err);

/* One of each launch; rc_profile_cube_close_each() in any case. */
int rc_profile_cube_each(const struct rc_profile *profile, struct rc_cube ***out,
                         size_t *count, struct rc_error *err);
void rc_profile_cube_close_each(struct rc_cube **each, size_t count); /* or NULL */

/* Makes the cube of all launches together. */
int rc_profile_cube_all(const struct rc_profile *profile, struct rc_cube **out,
                        struct rc_error *err);

/* Reads the cube of a directory of a profile, of one that holds profile.cubex, or of a
 * .cubex file; 'launch' is NULL (all) or its number in words.  'said' gets a line for
 * each thing that is damaged or left out.
 */
int rc_profile_cube_load(const char *path, const char *launch, FILE *said,
                         struct rc_cube **out, struct rc_error *err);

/* Whether a path is one of these. */
bool rc_profile_cube_is_in(const char *path);

/* Makes the directory, which must not be there or be empty, with profile.cubex in it.
 */
int rc_profile_cube_save(const struct rc_cube *cube, const char *dir,
                         struct rc_error *err);

#endif

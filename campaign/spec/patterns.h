/* patterns.h - which events are wanted: globs and names, in order
 *
 * The last pattern that matches a name decides; letters may be small or large.  A
 * pattern without a glob is a name, or where no event has that name, the beginning of
 * names.  A name is looked up whatever the number of patterns, so that a list of half
 * a million names costs no more than a short one; only globs are tried one by one.
 */
#ifndef RC_CAMPAIGN_SPEC_PATTERNS_H
#define RC_CAMPAIGN_SPEC_PATTERNS_H

#include "campaign/base/error.h"
#include "campaign/base/map.h"
#include "campaign/cli/args.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed patterns are none at all, which takes everything. */
struct rc_patterns {
    char **item; /* as written, "!" included */
    size_t count, room;

    size_t *glob; /* indices of the items that are globs */
    size_t glob_count, glob_room;
    struct rc_map by_name; /* of the others, by their names: the last item of each */
    bool *begins; /* by item: it is the beginning of names; NULL: none of them is */
};

/* GLOB takes in, !GLOB takes out, @FILE stands for the lines of a file (no @ in
 * them; blank lines and those that begin with # are skipped).  RC_EUSAGE either
 * has *expected set, for the caller to say where, or the line in 'err'.
 */
int rc_patterns_add(struct rc_patterns *patterns, const char *text,
                    const char **expected, struct rc_error *err);
/* All that an option was given, each as it is: a name may have commas. */
int rc_patterns_read(struct rc_patterns *patterns, const struct rc_args *args,
                     const struct rc_option *option, struct rc_error *err);
void rc_patterns_fini(struct rc_patterns *patterns);

/* Whether they take 'name' in.  Where the first one takes out, all names that
 * no pattern matches are in.
 */
bool rc_patterns_take(const struct rc_patterns *patterns, const char *name);

/* Whether they may, once names that no event has are beginnings. */
bool rc_patterns_may_take(const struct rc_patterns *patterns, const char *name);

/* When all names of events were noted: the names that none has are beginnings from now
 * on.  'begins' is the caller's, an item for each pattern, and lives as long as they.
 */
void rc_patterns_widen(struct rc_patterns *patterns, const bool *used, bool *begins);

/* Whether 'name' is rather what the pattern 'item' means than 'best' is; NULL: none was
 * near so far.
 */
bool rc_patterns_is_nearer(const struct rc_patterns *patterns, size_t item,
                           const char *best, const char *name);

/* Notes in 'used', one for each item, those that match 'name', whatever comes of it. */
void rc_patterns_note(const struct rc_patterns *patterns, const char *name, bool *used);
bool rc_patterns_is_noted(const struct rc_patterns *patterns, size_t item,
                          const bool *used);

#endif

/* patterns.h - which events are wanted: globs and names, in order
 *
 * The last pattern that matches a name decides; upper and lower case are equal.  A
 * pattern without a glob is a name or, if no event has that name, the beginning of
 * names.  Names are looked up in a map, so that a list of half a million costs no more
 * than a short one; only globs are tried one by one.
 */
#ifndef RC_CAMPAIGN_SPEC_PATTERNS_H
#define RC_CAMPAIGN_SPEC_PATTERNS_H

#include "campaign/base/error.h"
#include "campaign/base/map.h"
#include "campaign/cli/args.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed patterns are none, which matches all names. */
struct rc_patterns {
    char **item; /* as written, "!" included */
    size_t count, room;

    size_t *glob; /* indices of the items that are globs */
    size_t glob_count, glob_room;
    struct rc_map by_name; /* the others by their names: the last item of each */
    bool *begins;          /* by item: it is a prefix of names; NULL: none is */
};

/* GLOB includes, !GLOB excludes, @FILE stands for the lines of a file (no @ in them;
 * blank lines and those that begin with # are skipped).  RC_EUSAGE either sets
 * *expected, for the caller to say where, or has the line in 'err'.
 */
int rc_patterns_add(struct rc_patterns *patterns, const char *text,
                    const char **expected, struct rc_error *err);
/* Adds each value of the option as it is: a name may have commas. */
int rc_patterns_read(struct rc_patterns *patterns, const struct rc_args *args,
                     const struct rc_option *option, struct rc_error *err);
void rc_patterns_fini(struct rc_patterns *patterns);

/* Whether they include 'name'.  If the first one excludes, names that no pattern
 * matches are included.
 */
bool rc_patterns_take(const struct rc_patterns *patterns, const char *name);

/* The same, if items that may be the name of no event counted as prefixes. */
bool rc_patterns_may_take(const struct rc_patterns *patterns, const char *name);

/* Once the names of all events were noted, items that none has become prefixes.
 * 'begins' is the caller's, with an item for each pattern, and lives as long as they
 * do.
 */
void rc_patterns_widen(struct rc_patterns *patterns, const bool *used, bool *begins);

/* Whether 'name' is nearer to the pattern 'item' than 'best' is; NULL: none was near so
 * far.
 */
bool rc_patterns_is_nearer(const struct rc_patterns *patterns, size_t item,
                           const char *best, const char *name);

/* Notes in 'used', one flag for each item, the items that match 'name', whether they
 * include or exclude.
 */
void rc_patterns_note(const struct rc_patterns *patterns, const char *name, bool *used);
bool rc_patterns_is_noted(const struct rc_patterns *patterns, size_t item,
                          const bool *used);

#endif

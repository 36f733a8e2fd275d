/* combine.h - profiles made of profiles, and side by side: what 'merge', 'compare' and
 * 'import' do with directories of profiles and .cubex files
 */
#ifndef RC_CAMPAIGN_PROFILE_TABLES_COMBINE_H
#define RC_CAMPAIGN_PROFILE_TABLES_COMBINE_H

#include "campaign/cli/args.h"
#include "campaign/profile/tables/cube.h"

enum rc_profile_combine { RC_PROFILE_MERGE, RC_PROFILE_MEAN, RC_PROFILE_DIFFERENCE };

struct rc_profile_combination {
    const char *command;        /* "merge": in front of lines of what is left out */
    const char *const *operand; /* directories and .cubex files */
    size_t count;
    const char *cut; /* a region, or a pattern: only what is inside; NULL: all */
    bool flat, collapse;
    const char *hierarchy; /* of what is shown: a file of trees; NULL: none */
    bool all;              /* of what is shown every path, not only those that matter */
    bool json;             /* ... as JSON */
};

/* The options that 'merge' and 'compare' share, and what they say. */
extern const struct rc_option rc_profile_option_cut, rc_profile_option_flat,
    rc_profile_option_collapse, rc_profile_option_hierarchy;
void rc_profile_combination_options(const struct rc_args *args,
                                    struct rc_profile_combination *out);

/* Whether the operands are profiles.  RC_EUSAGE: some are, and some are not; or none
 * is, and one of these options was given.
 */
int rc_profile_combines(const struct rc_args *args, bool *out, struct rc_error *err);

/* Makes 'dir' of one .cubex file.  *left_out: what of it could not be taken. */
int rc_profile_import(const char *path, const char *dir, bool *left_out,
                      struct rc_error *err);

/* Makes 'dir' with the union, the mean or the difference, and says so. */
int rc_profile_combine(const struct rc_profile_combination *how,
                       enum rc_profile_combine operation, const char *dir,
                       struct rc_error *err);

/* Makes DIR/0, DIR/1, ... of the launches of one profile, dealt out in turn: merged
 * they are the whole again.
 */
int rc_profile_split(const struct rc_profile_combination *how, uint64_t shares,
                     const char *dir, struct rc_error *err);

/* Writes all of them side by side to 'out': whether their trees are the same, and each
 * metric, as a whole and by call path.  *differ: their call trees or places do.
 */
int rc_profile_compare(const struct rc_profile_combination *how, FILE *out,
                       bool *differ, struct rc_error *err);

#endif

/* findings.h - findings on two campaigns' noise, and how they differ
 *
 * The findings on a campaign come from a study of its readings, or from its noise.h5.
 * They are complete on rank 0, where they are compared.
 */
#ifndef RC_CAMPAIGN_NOISE_FINDINGS_H
#define RC_CAMPAIGN_NOISE_FINDINGS_H

#include "campaign/base/arena.h"
#include "campaign/noise/parts.h"
#include "io/noise/noise.h"

/* The scatter of a suite's events by level: arrays of [event] and of [event][level]. */
struct rc_noise_levels {
    const char *suite;
    uint8_t *verdict; /* enum rc_noise_verdict */
    float *variance, *low, *high;
};

struct rc_noise_findings_kind {
    const char *name, *key;
    const char **event; /* names */
    size_t event_count;
    struct rc_noise_file_node *node; /* without the worst event */
    size_t node_count;
    struct rc_noise_levels *suite;
    size_t suite_count;
};

/* The noise of a campaign. Starts zeroed. */
struct rc_noise_findings {
    struct rc_noise_findings_kind *kind;
    size_t count, room;
    struct rc_store *file; /* with periods; NULL: none was read */
    struct rc_arena arena;
};

/* findings.c: adds a kind that was studied; collective. */
int rc_noise_findings_add(struct rc_noise_findings *f, const struct rc_noise_kind *k,
                          struct rc_error *err);
/* Takes all kinds from a file that this process opened alone, and that 'f' owns from
 * then on.  Not collective.
 */
int rc_noise_findings_take(struct rc_noise_findings *f, struct rc_store *file,
                           struct rc_error *err);
void rc_noise_findings_fini(struct rc_noise_findings *f);

/* Kinds of differences, in the order of rc_noise_check_names[], which ends with NULL.
 */
enum rc_noise_check {
    RC_NOISE_CHECK_NODES,
    RC_NOISE_CHECK_PERIODS,
    RC_NOISE_CHECK_LEVEL,
    RC_NOISE_CHECKS
};
extern const char *const rc_noise_check_names[];

/* changes.c, not collective.  Adds a row to 'rows' for each difference in what is
 * 'checked'; '*count' becomes their number.  RC_EMISSING: the two have no kind in
 * common, or periods alone are checked and one of them has none measured.
 */
extern const struct rc_column rc_noise_change_columns[];
int rc_noise_changes(const struct rc_noise_findings *was,
                     const struct rc_noise_findings *is,
                     const bool checked[RC_NOISE_CHECKS], struct rc_rows *rows,
                     size_t *count, struct rc_error *err);

/* against.c: collective.  Gets the findings on the reference: a noise.h5, or a
 * campaign's directory.  Reads the directory's noise.h5 if that was made from its
 * campaign.h5, else studies campaign.h5 as 'like' says.
 */
int rc_noise_reference(const char *reference, const struct rc_noise_kind *like,
                       struct rc_noise_findings *out, struct rc_error *err);
/* Collective.  Studies the kinds of a store as 'like' says, or the one named 'only'. */
int rc_noise_findings_study(struct rc_noise_findings *f, struct rc_store *store,
                            const char *only, const struct rc_noise_kind *like,
                            struct rc_error *err);
/* For a study, on rank 0: opens DIR/noise.h5 for its periods, and says so where it was
 * made from another store.
 */
void rc_noise_findings_open(struct rc_noise_findings *f, const char *dir,
                            const struct rc_store *store);

#endif

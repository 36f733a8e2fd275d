/* findings.h - what is known of two campaigns' noise, and what differs
 *
 * The findings of one campaign are those of its study, or of its noise.h5.  They are
 * whole on rank 0; comparing them knows no file.
 */
#ifndef RC_CAMPAIGN_NOISE_FINDINGS_H
#define RC_CAMPAIGN_NOISE_FINDINGS_H

#include "campaign/base/arena.h"
#include "campaign/noise/parts.h"
#include "io/noise/noise.h"

/* Where the scatter of a suite's events is; [event] and [event][level]. */
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
/* All kinds of a file that this process opened alone, which 'f' owns from then on; not
 * collective.
 */
int rc_noise_findings_take(struct rc_noise_findings *f, struct rc_store *file,
                           struct rc_error *err);
void rc_noise_findings_fini(struct rc_noise_findings *f);

/* Things that may differ, in the order of rc_noise_check_names[], which ends with NULL.
 */
enum rc_noise_check {
    RC_NOISE_CHECK_NODES,
    RC_NOISE_CHECK_PERIODS,
    RC_NOISE_CHECK_LEVEL,
    RC_NOISE_CHECKS
};
extern const char *const rc_noise_check_names[];

/* changes.c, not collective.  A row of 'rows' for each difference in what is
 * 'checked'; '*count' is how many there are.  RC_EMISSING: there is no kind that both
 * have, or nothing to check is known of both.
 */
extern const struct rc_column rc_noise_change_columns[];
int rc_noise_changes(const struct rc_noise_findings *was,
                     const struct rc_noise_findings *is,
                     const bool checked[RC_NOISE_CHECKS], struct rc_rows *rows,
                     size_t *count, struct rc_error *err);

/* against.c: collective.  Fills the findings of the reference: a noise.h5, or a
 * campaign's directory, whose noise.h5 is read where it is of its readings, else its
 * campaign.h5 is studied as 'like' says.
 */
int rc_noise_reference(const char *reference, const struct rc_noise_kind *like,
                       struct rc_noise_findings *out, struct rc_error *err);
/* Collective: studies the kinds of a store as 'like' says; 'only': of that name. */
int rc_noise_findings_study(struct rc_noise_findings *f, struct rc_store *store,
                            const char *only, const struct rc_noise_kind *like,
                            struct rc_error *err);
/* For a study, on rank 0: opens DIR/noise.h5 for its periods, and says so where it was
 * made from another store.
 */
void rc_noise_findings_open(struct rc_noise_findings *f, const char *dir,
                            const struct rc_store *store);

#endif

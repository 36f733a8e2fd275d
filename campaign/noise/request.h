/* request.h - the request of the noise command, and the data for its answer
 *
 * Shared by the files of the command alone: command.c reads the request and goes
 * through its steps, answer.c prints, save.c writes noise.h5.
 */
#ifndef RC_CAMPAIGN_NOISE_REQUEST_H
#define RC_CAMPAIGN_NOISE_REQUEST_H

#include "campaign/detours/losses.h"
#include "campaign/detours/measure.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/noise/findings.h"
#include "campaign/spec/patterns.h"

#include <limits.h>

/* noise.h5 in the making. */
struct rc_noise_save {
    bool wanted, able;       /* it is to be written; we may write into DIR */
    struct rc_store *file;   /* NULL: it is not written, or writing has failed */
    struct rc_error unsaved; /* why not; its status is RC_OK where nothing failed */
    struct rc_campaign_dir *held;
};

struct rc_noise_request {
    MPI_Comm comm;
    const char *dir;
    char path[PATH_MAX];       /* of campaign.h5 */
    char noise_path[PATH_MAX]; /* of noise.h5 */
    struct rc_noise_task task; /* 'dir' is NULL: nothing is to be measured */

    /* The output. */
    const char *kind; /* NULL: all */
    struct rc_arg_words suites;
    struct rc_patterns patterns;
    bool verdict[RC_NOISE_VERDICTS], listed;
    bool cores; /* cores are judged, too */
    enum rc_format format;
    const char *against; /* NULL: nothing is compared */
    bool checked[RC_NOISE_CHECKS];

    /* The data at hand. */
    int has_store; /* the first rank has found campaign.h5 */
    struct rc_store *store;
    struct rc_noise_losses losses;
    struct rc_noise_save save;
};

/* Whether a part of the campaign is asked for. */
static inline bool rc_noise_is_part(const struct rc_noise_request *r)
{
    return r->kind || r->suites.count || r->patterns.count;
}

/* The settings of a kind's study, by the request; medians are kept for noise.h5. */
struct rc_noise_kind rc_noise_wanted(const struct rc_noise_request *r);

/* answer.c: collective.  Prints the findings on rank 0, and puts each kind into
 * noise.h5, all of it, whatever part is printed.
 */
int rc_noise_answer(struct rc_noise_request *r, struct rc_error *err);

/* answer.c: collective.  Prints what differs from another campaign. */
int rc_noise_compare(struct rc_noise_request *r, bool *differs, struct rc_error *err);

/* save.c: collective.  Called before the campaign's file is opened: keeps other writers
 * from the results if noise.h5 may have to be written; a comparison writes nothing.
 */
int rc_noise_save_hold(struct rc_noise_request *r, struct rc_error *err);
/* Begins noise.h5, unless only a part is asked for and the file that is there is
 * complete.  Says so if the user may not write it.  Later failures are reported at the
 * end.
 */
void rc_noise_save_begin(struct rc_noise_request *r);
/* Puts in a kind that was studied as a whole; or studies a whole kind for the file. */
void rc_noise_save_kind(struct rc_noise_request *r, const struct rc_noise_kind *k);
void rc_noise_save_whole(struct rc_noise_request *r, size_t kind);
/* Puts noise.h5 in place, with detours where there are any, and says where it is. */
int rc_noise_save_end(struct rc_noise_request *r, struct rc_error *err);
void rc_noise_save_fini(struct rc_noise_save *save);

#endif

/* Gets the noise of the campaign that another is compared with: from its noise.h5 if
 * that was made from the readings in its campaign.h5, else by a study of these.
 */
#include "campaign/noise/findings.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/path.h"
#include "campaign/directory/campaign_dir.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether a noise.h5 was made from the campaign.h5 at 'path'; if not, says so. */
static bool is_of(const struct rc_store *file, const char *path)
{
    struct rc_error why = {.rank = -1};
    struct rc_store *store = NULL;
    char line[RC_ERROR_TEXT] = "";

    if (rc_store_open_part(MPI_COMM_NULL, path, RC_STORE_NAMES, &store, &why) != RC_OK)
        return false; /* the study will say why */
    rc_noise_file_mismatch(rc_store_campaign(file), rc_store_campaign(store), line,
                           sizeof line);
    (void)rc_store_close(store, &why);
    if (line[0])
        fprintf(stderr, "rollcall noise: '%s': %s; it is studied now\n", path, line);
    return !line[0];
}

/* On rank 0: *out is the reference's noise.h5, or NULL where its campaign.h5 is to be
 * studied.
 */
static int find_file(const char *reference, const char *store_path,
                     struct rc_store **out, struct rc_error *err)
{
    struct stat is = {0};
    struct rc_error why = {.rank = -1};
    char path[PATH_MAX];
    int status;

    *out = NULL;
    if (stat(reference, &is) != 0)
        return rc_fail(err, RC_EMISSING,
                       "'%s' is not there, expected the directory of a campaign or its "
                       "noise.h5",
                       reference);
    if (!S_ISDIR(is.st_mode))
        return rc_noise_file_open(MPI_COMM_NULL, reference, out, err);
    status = rc_path(path, sizeof path, err, "%s/noise.h5", reference);
    if (status != RC_OK)
        return status;
    const bool stored = access(store_path, F_OK) == 0;
    if (access(path, F_OK) != 0)
        return stored ? RC_OK
                      : rc_fail(err, RC_EMISSING,
                                "'%s' has neither noise.h5 nor campaign.h5, 'rollcall "
                                "pack DIR' makes that from the journals",
                                reference);
    status = rc_noise_file_open(MPI_COMM_NULL, path, out, &why);
    if (!stored || status == RC_OK) {
        if (status != RC_OK)
            *err = why;
        else if (stored && !is_of(*out, store_path)) {
            (void)rc_store_close(*out, &why);
            *out = NULL;
        }
        return status;
    }
    fprintf(stderr, "rollcall noise: %s; campaign.h5 is studied\n", why.text);
    return RC_OK;
}

int rc_noise_findings_study(struct rc_noise_findings *f, struct rc_store *store,
                            const char *only, const struct rc_noise_kind *like,
                            struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < rc_store_kind_count(store); k++) {
        struct rc_noise_kind kind = *like;
        if (only && strcmp(only, rc_store_kind(store, k)->name) != 0)
            continue;
        status = rc_noise_kind_study(&kind, store, k, err);
        if (status == RC_OK)
            status = rc_noise_findings_add(f, &kind, err);
        rc_noise_kind_fini(&kind);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_noise_reference(const char *reference, const struct rc_noise_kind *like,
                       struct rc_noise_findings *out, struct rc_error *err)
{
    const bool first = rc_team_rank(like->comm) == 0;
    struct rc_store *file = NULL;
    char path[PATH_MAX];
    int status = rc_campaign_dir_results(reference, path, sizeof path, err);

    if (first && status == RC_OK)
        status = find_file(reference, path, &file, err);
    if (file) /* 'out' owns it from now on */
        status = rc_noise_findings_take(out, file, err);
    if ((status = rc_agree(like->comm, status, err)) != RC_OK)
        return status;
    int study = file == NULL;
    rc_broadcast(like->comm, 0, &study, sizeof study);
    if (!study)
        return RC_OK;
    struct rc_error late = {.rank = -1};
    struct rc_store *store = NULL;
    status = rc_store_open(like->comm, path, &store, err);
    if (status == RC_OK)
        status = rc_noise_findings_study(out, store, NULL, like, err);
    (void)rc_store_close(store, &late);
    return status;
}

void rc_noise_findings_open(struct rc_noise_findings *f, const char *dir,
                            const struct rc_store *store)
{
    struct rc_error why = {.rank = -1};
    char path[PATH_MAX], line[RC_ERROR_TEXT] = "";

    if (rc_path(path, sizeof path, &why, "%s/noise.h5", dir) != RC_OK ||
        access(path, F_OK) != 0)
        return;
    if (rc_noise_file_open(MPI_COMM_NULL, path, &f->file, &why) != RC_OK) {
        fprintf(stderr, "rollcall noise: %s; periods are not compared\n", why.text);
        return;
    }
    rc_noise_file_mismatch(rc_store_campaign(f->file), rc_store_campaign(store), line,
                           sizeof line);
    if (!line[0])
        return;
    fprintf(stderr, "rollcall noise: %s; periods are not compared\n", line);
    (void)rc_store_close(f->file, &why);
    f->file = NULL;
}

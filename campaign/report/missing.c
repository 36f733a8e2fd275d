/* Makes missing files before a report: campaign.h5 from journals, and metrics.h5 from
 * campaign.h5.
 */
#include "campaign/base/files/path.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/report/parts.h"
#include "campaign/solve/solve.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* Whether DIR has no such file; other problems are reported when it is opened. */
static bool lacks(const char *dir, const char *name)
{
    struct rc_error ignored = {.rank = -1};
    char path[PATH_MAX];

    return rc_path(path, sizeof path, &ignored, "%s/%s", dir, name) == RC_OK &&
           access(path, F_OK) != 0 && errno == ENOENT;
}

/* The directory is held as by 'pack', so that nobody adds to the journals meanwhile. */
static int pack(const char *dir, struct rc_error *err)
{
    struct rc_campaign_dir *home = NULL;
    struct rc_campaign *campaign = NULL;
    char remark[RC_ERROR_TEXT] = "";
    int status = rc_campaign_dir_open(MPI_COMM_NULL, dir, RC_CAMPAIGN_DIR_PACK, rc_tell,
                                      &home, remark, sizeof remark, err);

    if (status != RC_OK)
        return status;
    if (remark[0])
        rc_tell(remark);
    if ((status = rc_campaign_read(MPI_COMM_NULL, dir, &campaign, err)) == RC_OK &&
        campaign->kind_count > 0) {
        rc_tell("campaign.h5 is missing: making it from the journals");
        status = rc_journal_to_store(MPI_COMM_NULL, dir, campaign, NULL, NULL, err);
    }
    rc_campaign_close(campaign);
    rc_campaign_dir_close(home);
    return status;
}

/* Metrics of a share would lack the units of other shares, and a difference of
 * campaigns cannot be solved.
 */
static bool can_be_solved(const char *dir)
{
    struct rc_error ignored = {.rank = -1};
    struct rc_campaign *campaign = NULL;
    struct rc_store *store = NULL;
    char path[PATH_MAX];
    bool can = rc_campaign_dir_results(dir, path, sizeof path, &ignored) == RC_OK &&
               rc_store_open_part(MPI_COMM_NULL, path, RC_STORE_NAMES, &store,
                                  &ignored) == RC_OK &&
               !rc_journal_to_store_is_difference(rc_store_campaign(store));

    (void)rc_store_close(store, &ignored);
    if (can && rc_campaign_read(MPI_COMM_NULL, dir, &campaign, &ignored) == RC_OK)
        can = !rc_campaign_share(campaign);
    rc_campaign_close(campaign);
    return can;
}

/* Makes metrics.h5.  A failure is only reported, since a report needs no metrics. */
static void solve(const char *dir)
{
    const struct rc_solving how = {.comm = MPI_COMM_NULL, .dir = dir, .seed = 1};
    struct rc_error why = {.rank = -1};
    struct rc_campaign_dir *home = NULL;
    char line[RC_ERROR_TEXT + 64];
    bool incomplete;
    int status;

    rc_tell("metrics.h5 is missing: solving for it");
    status = rc_campaign_dir_open_results(MPI_COMM_NULL, dir, rc_tell, &home, &why);
    if (status == RC_OK)
        status = rc_solve(&how, &incomplete, &why);
    rc_campaign_dir_close(home);
    if (status == RC_OK)
        return;
    snprintf(line, sizeof line, "the report has no metrics: %s", why.text);
    rc_tell(line);
}

int rc_reporting_make_missing(const char *dir, struct rc_error *err)
{
    struct rc_error none = {.rank = -1};
    int status = RC_OK;

    if (lacks(dir, "campaign.h5") && rc_campaign_exists(dir, &none) == RC_OK)
        status = pack(dir, err);
    if (status != RC_OK)
        return status;
    if (lacks(dir, "metrics.h5") && !lacks(dir, "campaign.h5") && can_be_solved(dir))
        solve(dir);
    return RC_OK;
}

/* The result grows in DIR/.merge: in the end it is in DIR as a whole or not at all.
 *
 * DIR is locked meanwhile.  Before it is put in place, the result is read like any
 * other campaign, so that a defect of the merge is found here, not by users of the
 * result.
 */
#include "campaign/merge/parts.h"

#include "campaign/base/files/path.h"
#include "campaign/base/files/staged_dir.h"
#include "campaign/cli/tell.h"
#include "campaign/pack/journal_to_store.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The journals come first: all else can be made from them again. */
static const char *const parts[] = {"journal", "campaign.yaml", "campaign.h5", NULL};

/* Checks that DIR holds no campaign. */
static int check_free(const char *dir, struct rc_error *err)
{
    static const char *const results[] = {"journal", "campaign.yaml", "campaign.h5",
                                          "metrics.h5"};
    char path[PATH_MAX];
    struct stat found;

    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        int status = rc_path(path, sizeof path, err, "%s/%s", dir, results[i]);
        if (status != RC_OK)
            return status;
        if (lstat(path, &found) == 0)
            return rc_fail(err, RC_ECONFLICT,
                           "'%.400s' holds a campaign already (%s is there), expected "
                           "another directory",
                           dir, results[i]);
    }
    return RC_OK;
}

/* With --replace, an earlier merge may be replaced, unless a run has added readings
 * since: then other journals lie next to the merged one.
 */
int rc_merge_stage_check(const char *dir, bool replaces, struct rc_error *err)
{
    char path[PATH_MAX];
    struct dirent *entry;

    if (!replaces)
        return check_free(dir, err);
    int status = rc_path(path, sizeof path, err, "%s/journal", dir);
    if (status != RC_OK)
        return status;
    DIR *directory = rc_file_open_directory(path, RC_FILE_IN);
    if (!directory)
        return check_free(dir, err);
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, RC_MERGE_NODE ".rcj") != 0) {
            status = rc_fail(err, RC_ECONFLICT,
                             "'%.400s' holds more than a merge made (journal/%.200s is "
                             "there): it is not replaced",
                             dir, entry->d_name);
            break;
        }
    closedir(directory);
    return status;
}

/* A campaign while it grows. */
struct growing {
    const struct rc_merge_stage *stage;
    char path[PATH_MAX];                  /* DIR/.merge */
    struct rc_campaign_dir *campaign_dir; /* the lock of DIR */
    bool made;                            /* DIR did not exist */
};

static int open_stage(struct growing *g, struct rc_error *err)
{
    const char *const dir = g->stage->dir;
    const bool replaces = g->stage->replaces;
    char remark[512];
    int status;

    if (!dir[0])
        return rc_fail(err, RC_EUSAGE, "expected the name of a directory, found \"\"");
    status = rc_path(g->path, sizeof g->path - 64, err, "%s/.merge", dir);
    if (status != RC_OK)
        return status;
    g->made = access(dir, F_OK) != 0;
    if ((status = rc_merge_stage_check(dir, replaces, err)) != RC_OK ||
        (status = rc_campaign_dir_open(MPI_COMM_NULL, dir, RC_CAMPAIGN_DIR_ALL, rc_tell,
                                       &g->campaign_dir, remark, sizeof remark, err)) !=
            RC_OK)
        return status;
    if (remark[0])
        rc_tell(remark);
    /* Another process may have been faster; now that DIR is locked, none can be. */
    if ((status = rc_merge_stage_check(dir, replaces, err)) != RC_OK)
        return status;
    return rc_staged_dir_make(g->path, err);
}

/* Moves the replaced journals into the stage, which is removed at the end, and removes
 * the metrics that were made from them.
 */
static int remove_earlier(const struct growing *g, struct rc_error *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    int status = rc_path(from, sizeof from, err, "%s/metrics.h5", g->stage->dir);

    if (status != RC_OK)
        return status;
    if (unlink(from) != 0 && errno != ENOENT)
        return rc_fail_errno(err, "cannot remove '%s'", from);
    rc_path(from, sizeof from, NULL, "%s/journal", g->stage->dir);
    rc_path(to, sizeof to, NULL, "%s/before", g->path);
    if (rename(from, to) != 0 && errno != ENOENT)
        return rc_fail_errno(err, "cannot rename '%s' to '%s'", from, to);
    return RC_OK;
}

/* Describes the result; its units are counted as by 'rollcall status'. */
static int fill_result(const struct rc_campaign *h, struct rc_merge_result *out,
                       struct rc_error *err)
{
    struct rc_completeness state = {0};
    struct rc_spec spec = {0};
    int status;

    if ((status = rc_spec_from_text("campaign file", h->record.spec,
                                    strlen(h->record.spec), &spec, err)) != RC_OK ||
        (status = rc_completeness_find(h, &spec, &state, err)) != RC_OK)
        goto out;
    rc_completeness_text(h, &state, out->text);
    out->complete = state.complete;
    out->seed = spec.seed;
out:
    rc_completeness_fini(&state);
    rc_spec_fini(&spec);
    return status;
}

/* Reads the written journal, makes the other files from it, and puts all in place. */
static int place_results(const struct growing *g, struct rc_merge_result *out,
                         struct rc_error *err)
{
    struct rc_campaign *h = NULL;
    char path[PATH_MAX];
    int status = rc_campaign_read(MPI_COMM_NULL, g->path, &h, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < h->file_count; i++)
        if (h->file[i].report.damaged_bytes > 0) {
            status = rc_fail(err, RC_EIO, "'%s' is not what was written to it",
                             h->file[i].path);
            goto out;
        }
    if (h->records_refused) {
        status = rc_fail(err, RC_EUSAGE,
                         "%" PRIu64 " records of the result do not go together: %s",
                         h->records_refused, h->first_refusal);
        goto out;
    }
    if ((status = rc_journal_to_store(MPI_COMM_NULL, g->path, h, NULL, NULL, err)) !=
            RC_OK ||
        (status = rc_path(path, sizeof path, err, "%s/campaign.yaml", g->path)) !=
            RC_OK ||
        (status = rc_file_replace(path, RC_FILE_BELOW, h->record.spec,
                                  strlen(h->record.spec), err)) != RC_OK ||
        (status = fill_result(h, out, err)) != RC_OK ||
        (g->stage->replaces && (status = remove_earlier(g, err)) != RC_OK))
        goto out;
    status = rc_staged_dir_place(g->path, parts, g->stage->dir, err);
out:
    rc_campaign_close(h);
    return status;
}

int rc_merge_stage_write(const struct rc_merge_stage *stage,
                         struct rc_merge_result *out, struct rc_error *err)
{
    struct growing g = {.stage = stage};
    const struct rc_journal_setting setting = {.dir = g.path,
                                               .node = stage->node,
                                               .campaign = *stage->campaign,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_journal *journal = NULL;
    int status, closed;

    if ((status = open_stage(&g, err)) != RC_OK ||
        (status = rc_journal_open(&setting, &journal, err)) != RC_OK)
        goto out;
    if ((status = stage->write(stage->arg, journal, err)) == RC_OK)
        status = rc_journal_sync(journal, err);
    closed = rc_journal_close(journal, status == RC_OK ? err : NULL);
    if (status != RC_OK || (status = closed) != RC_OK)
        goto out;
    status = place_results(&g, out, err);
out:
    if (!g.campaign_dir)
        return status;
    /* DIR/.merge goes; after a failure, a DIR that was made goes, too. */
    rc_staged_dir_remove(g.path);
    if (status != RC_OK && g.made) {
        rc_campaign_dir_remove_locks(stage->dir);
        rmdir(stage->dir);
    }
    rc_campaign_dir_close(g.campaign_dir);
    return status;
}

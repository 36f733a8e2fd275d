/* run --shares: a campaign is planned and dealt out, and nothing is measured.
 *
 * All is made in a directory beside DIR, on the same file system, and gets the name DIR
 * by one rename: the shares are there together or not at all.
 */
#include "campaign/base/agree.h"
#include "campaign/base/files/path.h"
#include "campaign/base/files/staged_dir.h"
#include "campaign/base/text.h"
#include "campaign/cli/signals.h"
#include "campaign/run/parts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

struct dealing {
    MPI_Comm comm;
    const struct rc_args *args;
    char dir[PATH_MAX];   /* without slashes at its end */
    char stage[PATH_MAX]; /* .NAME.shares beside DIR: a campaign until the end */
    uint32_t shares;
    bool there;     /* DIR has the shares already */
    bool placed;    /* the stage is DIR now; on the first rank */
    uint64_t units; /* dealt out */
    int came;       /* the signal that came, on any rank */
};

/* The stage is named after DIR, which must have a name of its own. */
static int name_stage(struct dealing *d, const char *dir, struct rc_error *err)
{
    size_t length = strlen(dir);

    while (length > 1 && dir[length - 1] == '/')
        length--;
    int status = rc_path(d->dir, sizeof d->dir, err, "%.*s", (int)length, dir);
    if (status != RC_OK)
        return status;
    const char *slash = strrchr(d->dir, '/');
    const char *base = slash ? slash + 1 : d->dir;
    if (!*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0)
        return rc_fail(err, RC_EUSAGE,
                       "--shares: '%s' cannot be put in place as a whole, expected the "
                       "name of a directory that is to be made",
                       d->dir);
    return rc_path(d->stage, sizeof d->stage, err, "%.*s.%s.shares",
                   (int)(base - d->dir), d->dir, base);
}

static int refuse_dir(const struct dealing *d, const char *why, struct rc_error *err)
{
    return rc_fail(err, RC_ECONFLICT,
                   "'%.300s' is there and not empty, and does not hold the %" PRIu32
                   " shares of this campaign (%.300s): expected another directory",
                   d->dir, d->shares, why);
}

/* The spec of now must be that of the shares that are there. */
static int check_spec(const struct dealing *d, const char *text, struct rc_error *err)
{
    char path[PATH_MAX], lines[300] = "";
    struct rc_spec was, is;

    int status = rc_path(path, sizeof path, err, "%s/0/campaign.yaml", d->dir);
    if (status != RC_OK ||
        (status = rc_spec_from_text("campaign file", text, strlen(text), &was, err)) !=
            RC_OK)
        return status;
    status = rc_spec_resolve(d->args, access(path, F_OK) == 0 ? path : NULL,
                             RC_FILE_BELOW, &is, err);
    if (status == RC_OK &&
        rc_spec_compare(&was, &is, lines, sizeof lines) != RC_SPEC_SAME)
        status = refuse_dir(d, lines, err);
    rc_spec_fini(&is);
    rc_spec_fini(&was);
    return status;
}

static int check_share(const struct dealing *d, uint32_t number,
                       struct rc_journal_id *id, struct rc_error *err)
{
    struct rc_error why = {.text = ""};
    struct rc_campaign *h = NULL;
    char path[PATH_MAX];
    int status = RC_OK;

    if (rc_path(path, sizeof path, &why, "%s/%" PRIu32, d->dir, number) != RC_OK ||
        rc_campaign_read(MPI_COMM_NULL, path, &h, &why) != RC_OK)
        return refuse_dir(d, why.text, err);
    const struct rc_record_share *share = rc_campaign_share(h);
    if (number == 0)
        *id = h->campaign;
    if (!share || share->number != number || share->of != d->shares ||
        !h->record.spec || memcmp(id, &h->campaign, sizeof *id) != 0) {
        snprintf(why.text, sizeof why.text,
                 "'%.200s' is not share %" PRIu32 " of %" PRIu32, path, number,
                 d->shares);
        status = refuse_dir(d, why.text, err);
    } else if (number == 0) {
        status = check_spec(d, h->record.spec, err);
    }
    rc_campaign_close(h);
    return status;
}

/* DIR must not exist or be empty; or it holds these very shares, as after a job that
 * was run again.
 */
static int look_at_dir(struct dealing *d, struct rc_error *err)
{
    struct rc_journal_id id;
    struct dirent *entry;
    bool empty = true;
    int status = RC_OK;
    DIR *directory = opendir(d->dir);

    if (!directory && errno == ENOENT)
        return RC_OK;
    if (!directory)
        return rc_fail_errno(err, "cannot list the directory '%s'", d->dir);
    while ((entry = readdir(directory)))
        empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(directory);
    if (empty)
        return RC_OK;
    for (uint32_t i = 0; i < d->shares; i++)
        if ((status = check_share(d, i, &id, err)) != RC_OK)
            return status;
    d->there = true;
    return RC_OK;
}

/* Collective: the first rank looks. */
static int look_together(struct dealing *d, struct rc_error *err)
{
    const int status = rc_agree(
        d->comm, rc_team_rank(d->comm) == 0 ? look_at_dir(d, err) : RC_OK, err);

    rc_broadcast(d->comm, 0, &d->there, sizeof d->there);
    return status;
}

static bool told_to_stop(struct dealing *d)
{
    d->came = rc_team_most(d->comm, rc_signals_came());
    return d->came != 0;
}

/* Collective: writes the plan into the journals of the stage, as in any run, and deals
 * it out to directories beside them.
 */
static int deal_plan(struct dealing *d, struct rc_run *w, struct rc_error *err)
{
    const enum rc_replicate replicate = w->opening.spec.replicate;
    struct rc_campaign *campaign = NULL;

    if (replicate != RC_REPLICATE_NONE)
        return rc_fail(
            err, RC_EUSAGE,
            "--shares with --replicate %s: which nodes and cores measure a share "
            "is not known when units are dealt out, expected --replicate none",
            replicate == RC_REPLICATE_NODE ? "node" : "core");
    int status = rc_run_plan(w, err);
    if (status != RC_OK || told_to_stop(d))
        return status;
    status = rc_agree(d->comm, rc_journal_close(w->journal, err), err);
    w->journal = NULL;
    if (status != RC_OK)
        return status;
    if ((status = rc_campaign_read(d->comm, d->stage, &campaign, err)) != RC_OK)
        return status;
    const struct rc_run_shares job = {
        .stage = d->stage, .shares = d->shares, .campaign = campaign};
    status = rc_run_write_shares(w, &job, &d->units, err);
    rc_campaign_close(campaign);
    return status;
}

/* On the first rank: removes the plan's files, except its log, and renames the stage to
 * DIR.
 */
static int put_in_place(struct dealing *d, struct rc_error *err)
{
    static const char *const plan[] = {"journal", "campaign.yaml"};
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof plan / sizeof plan[0]; i++) {
        rc_path(path, sizeof path, NULL, "%s/%s", d->stage, plan[i]);
        rc_staged_dir_remove(path);
    }
    if (rename(d->stage, d->dir) != 0)
        return rc_fail_errno(err, "cannot rename '%s' to '%s'", d->stage, d->dir);
    d->placed = true;
    rc_campaign_dir_remove_locks(d->dir);
    return RC_OK;
}

/* Collective. */
static int make_shares(struct dealing *d, struct rc_error *err)
{
    const bool first = rc_team_rank(d->comm) == 0;
    struct rc_run w = {.comm = d->comm, .dir = d->stage, .anew = true};
    int status = rc_run_open(&w, d->args, err);

    if (status != RC_OK)
        goto out;
    w.opening.begun = true; /* the stage is removed below */
    /* Another job may have been faster. */
    if ((status = look_together(d, err)) == RC_OK && !d->there &&
        (status = deal_plan(d, &w, err)) == RC_OK && !d->came && !told_to_stop(d) &&
        first)
        status = put_in_place(d, err);
    status = rc_agree(d->comm, status, err); /* no rank has a file open in the stage */
    if (first && !d->placed)
        rc_staged_dir_remove(d->stage);
out:
    rc_run_fini(&w);
    return status;
}

int rc_run_shares(struct rc_session *session, const struct rc_args *args,
                  const char *dir, const char *text, struct rc_error *err)
{
    struct dealing d = {.comm = session->comm, .args = args};
    char printable[PATH_MAX];
    uint64_t shares;

    if (rc_text_count(text, &shares) || shares < 1 || shares > RC_SHARES_MOST)
        return rc_fail(err, RC_EUSAGE,
                       "--shares: '%.100s', expected a whole number from 1 to %d", text,
                       RC_SHARES_MOST);
    d.shares = (uint32_t)shares;
    int status = name_stage(&d, dir, err);
    if (status != RC_OK)
        return status;
    if ((status = look_together(&d, err)) == RC_OK && !d.there)
        status = make_shares(&d, err);
    const bool says = status == RC_OK && rc_team_rank(d.comm) == 0;
    rc_text_printable(printable, sizeof printable, d.dir);
    for (uint32_t i = 0; says && d.placed && i < d.shares; i++) {
        const uint64_t units = d.units / shares + (i < d.units % shares);
        printf("%s/%" PRIu32 ": %" PRIu64 " unit%s\n", printable, i, units,
               rc_text_s(units));
    }
    if (says && d.there)
        fprintf(stderr,
                "'%.500s' holds the %" PRIu32
                " shares of this campaign already: nothing to do\n",
                printable, d.shares);
    if (says && d.came)
        fprintf(stderr, "stopped by signal %d; nothing is dealt out\n", d.came);
    session->incomplete = status == RC_OK && d.came != 0;
    return status;
}

/* The pack command: journals become campaign.h5, or those of a profile profile.h5.
 *
 * Collective under a launcher; rank 0 prints.  Damage of a journal is reported, and
 * loses only the records that it hit.
 */
#include "campaign/profile/pack/pack.h"
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/profile/read/read.h"
#include "campaign/records/completeness.h"
#include "campaign/run/progress.h"
#include "campaign/spec/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static RC_OPTIONS(options, &rc_option_quiet, &rc_option_verbose);

static void print_complaint(void *arg, const char *line)
{
    char printable[RC_ERROR_TEXT];

    (void)arg;
    fprintf(stderr, "rollcall pack: %s\n",
            rc_text_printable(printable, sizeof printable, line));
}

static int make_store(MPI_Comm comm, const char *dir, struct rc_progress *progress,
                      const struct rc_campaign *campaign, struct rc_error *err)
{
    rc_progress_stage(progress, "making campaign.h5");
    const int status = rc_journal_to_store(comm, dir, campaign, NULL, NULL, err);
    rc_progress_hide(progress);
    return status;
}

/* Collective.  'state' must be freed in any case. */
static int pack_dir(MPI_Comm comm, const char *dir, struct rc_progress *progress,
                    struct rc_completeness *state, struct rc_error *err)
{
    struct rc_campaign *h = NULL;
    struct rc_spec spec;
    bool known = false;
    char path[PATH_MAX], share[128], text[RC_COMPLETENESS_TEXT];

    rc_progress_stage(progress, "reading journals");
    int status = rc_campaign_read(comm, dir, &h, err);
    rc_progress_hide(progress);
    if (status != RC_OK)
        return status;
    if (rc_team_rank(comm) == 0)
        rc_campaign_say_damage(h, print_complaint, NULL);
    if (h->kind_count == 0) {
        status = h->detours > 0
                     ? rc_fail(err, RC_EMISSING,
                               "%s: has only detours, of which nothing is packed: "
                               "'rollcall noise DIR' shows them, 'rollcall report DIR' "
                               "makes a page",
                               dir)
                     : rc_fail(err, RC_EMISSING,
                               "%s: no journal names a kind of machine yet", dir);
        goto out;
    }
    if ((status = rc_agree(comm, rc_completeness_find_own(h, &spec, &known, state, err),
                           err)) != RC_OK ||
        (status = make_store(comm, dir, progress, h, err)) != RC_OK)
        goto out;
    if ((status = rc_campaign_dir_results(dir, path, sizeof path, err)) != RC_OK)
        goto out;
    if (rc_team_rank(comm) == 0 && rc_campaign_share(h))
        print_complaint(NULL, rc_campaign_share_text(h, share, sizeof share));
    if (rc_team_rank(comm) == 0)
        printf("%s: %s\n", rc_text_printable(path, sizeof path, path),
               rc_completeness_text(h, state, text));
out:
    if (known)
        rc_spec_fini(&spec);
    rc_campaign_close(h);
    return status;
}

/* Collective: one process packs a profile, and all get its status. */
static int pack_profile(MPI_Comm comm, const char *dir, struct rc_progress *progress,
                        struct rc_error *err)
{
    char printable[PATH_MAX];
    int status = RC_OK;

    if (rc_team_rank(comm) == 0) {
        rc_progress_stage(progress, "making profile.h5");
        status = rc_profile_pack(dir, print_complaint, NULL, err);
        rc_progress_hide(progress);
        if (status == RC_OK)
            printf("%s/profile.h5 is written\n",
                   rc_text_printable(printable, sizeof printable, dir));
    }
    return rc_agree(comm, status, err);
}

/* The directory is held, since otherwise chance would decide whether units that another
 * run measured meanwhile are in the file.  The check for journals comes first, so that
 * a missing directory is not made.
 */
static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *dir = args->operand_count ? args->operands[0] : "";
    struct rc_campaign_dir *home = NULL;
    struct rc_completeness state = {0};
    char remark[RC_ERROR_TEXT] = "";
    int status = RC_OK, is_profile = 0;

    if (!dir[0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (rc_team_rank(session->comm) == 0)
        status = rc_campaign_exists(dir, err);
    if (status == RC_OK && rc_team_rank(session->comm) == 0)
        is_profile = rc_profile_is_in(dir);
    rc_broadcast(session->comm, 0, &is_profile, sizeof is_profile);
    if ((status = rc_agree(session->comm, status, err)) != RC_OK ||
        (status = rc_campaign_dir_open(session->comm, dir, RC_CAMPAIGN_DIR_PACK,
                                       rc_tell, &home, remark, sizeof remark, err)) !=
            RC_OK)
        return status;
    if (remark[0] && rc_team_rank(session->comm) == 0)
        print_complaint(NULL, remark);
    struct rc_progress *progress = rc_progress_of(session->comm);
    status = is_profile ? pack_profile(session->comm, dir, progress, err)
                        : pack_dir(session->comm, dir, progress, &state, err);
    rc_progress_close(progress, NULL);
    session->incomplete = status == RC_OK && !is_profile && !state.complete;
    rc_completeness_fini(&state);
    rc_campaign_dir_close(home);
    return status;
}

const struct rc_command rc_command_pack = {
    .name = "pack",
    .summary =
        "makes campaign.h5 from a campaign's journals, or profile.h5 from a profile's",
    .operands = "DIR",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .any_ranks = true,
    .files = RC_FILE_JOURNAL | RC_FILE_STORE,
    .variables = RC_VARIABLE_RANKS,
    .see = (const char *const[]){"run", "status", "solve", NULL},
    .run = run,
};

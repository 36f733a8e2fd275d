/* What was imported becomes a directory that all other commands know. */
#include "campaign/base/text.h"
#include "campaign/import/parts.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/records/campaign_dir.h"
#include "campaign/spec/spec.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int path_in(const char *dir, const char *name, char *out, size_t room,
                   struct rc_error *err)
{
    if ((size_t)snprintf(out, room, "%s/%s", dir, name) >= room)
        return rc_fail(err, RC_EUSAGE, "'%.60s...' is too long for a directory", dir);
    return RC_OK;
}

/* Nothing that is there is replaced or added to. */
static int check_free(const char *dir, struct rc_error *err)
{
    static const char *const names[] = {"journal", "campaign.h5", "campaign.yaml",
                                        "metrics.h5"};
    char path[PATH_MAX];
    int status = RC_OK;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && status == RC_OK; i++) {
        status = path_in(dir, names[i], path, sizeof path, err);
        if (status == RC_OK && access(path, F_OK) == 0)
            status = rc_fail(err, RC_ECONFLICT,
                             "'%.300s' holds a campaign, expected a directory without "
                             "one: 'rollcall merge' puts campaigns together",
                             dir);
    }
    return status;
}

static int append(void *context, uint32_t type, const void *payload, size_t bytes,
                  struct rc_error *err)
{
    return rc_journal_append(context, type, payload, bytes, err);
}

static int write_journal(const struct rc_import *import,
                         const struct rc_import_target *target, const char *spec,
                         struct rc_error *err)
{
    struct rc_journal_setting setting = {
        .dir = target->dir, .node = "imported", .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_import_sink sink = {.emit = append};
    struct rc_journal *journal = NULL;
    struct rc_error ignored;
    int status = rc_campaign_dir_new_id(&setting.campaign, err);

    if (status == RC_OK)
        status = rc_journal_open(&setting, &journal, err);
    sink.context = journal;
    if (status == RC_OK)
        status = rc_import_records(import, target, spec, &sink, err);
    if (status == RC_OK)
        status = rc_journal_sync(journal, err);
    int closed = rc_journal_close(journal, status == RC_OK ? err : &ignored);
    return status == RC_OK ? closed : status;
}

/* A campaign file that asks for no more than what is there. */
static int make_spec(const char *dir, char **text, struct rc_error *err)
{
    static const char words[] = "name: imported\nrepeat: \"1:1\"\n";
    char path[PATH_MAX];
    struct rc_spec spec = {0};
    size_t bytes;
    int status = path_in(dir, "campaign.yaml", path, sizeof path, err);

    if (status == RC_OK)
        status = rc_spec_from_text("imported", words, strlen(words), &spec, err);
    if (status != RC_OK)
        return status;
    status = rc_spec_text(&spec, text, &bytes, err);
    if (status == RC_OK)
        status = rc_spec_write(&spec, path, RC_FILE_IN, err);
    rc_spec_fini(&spec);
    return status;
}

static int assemble(const char *dir, struct rc_error *err)
{
    struct rc_campaign *campaign = NULL;
    int status = rc_campaign_read(MPI_COMM_NULL, dir, &campaign, err);

    if (status == RC_OK && campaign->records_refused)
        status = rc_fail(err, RC_ECONFLICT, "the journal refuses what was written: %s",
                         campaign->first_refusal);
    if (status == RC_OK)
        status = rc_journal_to_store(MPI_COMM_NULL, dir, campaign, NULL, NULL, err);
    rc_campaign_close(campaign);
    return status;
}

int rc_import_write(const struct rc_import *import,
                    const struct rc_import_target *target, struct rc_error *err)
{
    struct rc_campaign_dir *campaign_dir = NULL;
    char remark[RC_ERROR_TEXT] = "", *spec = NULL;
    int status = check_free(target->dir, err);

    if (status == RC_OK)
        status = rc_campaign_dir_open(MPI_COMM_NULL, target->dir, RC_CAMPAIGN_DIR_ALL,
                                      import->tell, &campaign_dir, remark,
                                      sizeof remark, err);
    if (status == RC_OK) /* another may have written it meanwhile */
        status = check_free(target->dir, err);
    if (status == RC_OK && remark[0])
        import->tell(remark);
    if (status == RC_OK)
        status = make_spec(target->dir, &spec, err);
    const bool began = status == RC_OK;
    if (status == RC_OK)
        status = write_journal(import, target, spec, err);
    if (status == RC_OK)
        status = assemble(target->dir, err);
    if (status != RC_OK && began)
        rc_text_append(err->text, sizeof err->text,
                       "; what is in '%.200s' is no whole campaign: remove it and "
                       "import again",
                       target->dir);
    free(spec);
    rc_campaign_dir_close(campaign_dir);
    return status;
}

/* Begins a campaign in a directory, or compares the one that is there with what is
 * asked for.
 *
 * The journals are the truth; campaign.yaml and campaign.h5 are made from them.  So a
 * campaign file that was lost is written again, results whose journal is gone are never
 * overwritten, and a run that is refused leaves the directory as it found it.
 */
#include "campaign/records/campaign_open.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/cli/tell.h"
#include "io/journal/format.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Renames results whose journals were emptied to campaign.h5.1, or to the next number
 * that is free, before the campaign of campaign.yaml is measured again.
 */
static int put_aside(const char *results, char *remark, size_t room,
                     struct rc_error *err)
{
    char aside[PATH_MAX + 16];
    int number = 1;

    do
        snprintf(aside, sizeof aside, "%s.%d", results, number);
    while (access(aside, F_OK) == 0 && ++number < 1000);
    if (rename(results, aside) != 0)
        return rc_fail_errno(err, "cannot rename '%s' to '%s'", results, aside);
    rc_text_append(
        remark, room,
        "%sthe journals hold nothing of the campaign in '%.200s' any more: it "
        "is kept as '%.200s', and everything is measured again",
        remark[0] ? "; " : "", results, aside);
    return RC_OK;
}

/* On rank 0: whether DIR/campaign.yaml, which is 'path', and DIR/campaign.h5 may belong
 * to the journals; a campaign file that was lost is written again from them.  A pipe of
 * that name is refused: opening it would wait for ever.  Results whose journal is gone
 * are not replaced by those of another campaign, and no units are added to a journal
 * that has lost the settings by which its units were measured.
 */
static int check_files(struct rc_campaign_open *o, const char *dir, const char *path,
                       struct rc_error *err)
{
    const struct rc_campaign *campaign = o->campaign;
    const char *spec = campaign->record.spec;
    char results[PATH_MAX];
    struct stat file;

    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode))
        return rc_fail(err, RC_EUSAGE,
                       "'%.300s' is not a regular file, expected one or none", path);
    int status = rc_campaign_dir_results(dir, results, sizeof results, err);
    if (status != RC_OK)
        return status;
    const bool has_file = access(path, F_OK) == 0;
    const bool has_results = access(results, F_OK) == 0;
    if (spec)
        return has_file ? RC_OK
                        : rc_file_replace(path, RC_FILE_IN, spec, strlen(spec), err);
    if (campaign->kind_count == 0 && campaign->file_count > 0 && has_file &&
        has_results)
        return put_aside(results, o->remark, sizeof o->remark, err);
    if (campaign->kind_count == 0 && has_results)
        return rc_fail(
            err, RC_ECONFLICT,
            "'%.200s' has a campaign.h5, but the journal it was made from is not there "
            "and it would be replaced: expected its journal, or "
            "another directory",
            dir);
    if (campaign->kind_count > 0 && !has_file)
        return rc_fail(err, RC_ECONFLICT,
                       "the journal in '%.200s' has lost the campaign file, and there "
                       "is no campaign.yaml: expected it there, or another directory",
                       dir);
    return RC_OK;
}

/* Collective.  Without journals the campaign is empty and has a new id. */
static int read_campaign_of(MPI_Comm comm, const char *dir, struct rc_campaign_open *o,
                            struct rc_error *err)
{
    int status = rc_campaign_read(comm, dir, &o->campaign, err);

    if (status != RC_EMISSING)
        return status;
    o->campaign = rc_campaign_create();
    status = !o->campaign ? rc_fail(err, RC_ENOMEM, "no memory for a campaign")
             : rc_team_rank(comm) == 0
                 ? rc_campaign_dir_new_id(&o->campaign->campaign, err)
                 : RC_OK;
    if ((status = rc_agree(comm, status, err)) != RC_OK)
        return status;
    rc_broadcast(comm, 0, &o->campaign->campaign, sizeof o->campaign->campaign);
    return RC_OK;
}

/* Compares what is asked for with the settings that the campaign was begun with. */
static int compare_specs(const char *dir, struct rc_campaign_open *o, bool extend,
                         struct rc_error *err)
{
    const char *text = o->campaign->record.spec;
    char lines[700];
    struct rc_spec was;
    int status =
        rc_spec_from_text("the journal's campaign file", text, strlen(text), &was, err);

    if (status != RC_OK)
        return status;
    enum rc_spec_change change = rc_spec_compare(&was, &o->spec, lines, sizeof lines);
    rc_spec_fini(&was);
    o->new_spec = change == RC_SPEC_MORE;
    if (change == RC_SPEC_SAME ||
        (change == RC_SPEC_MORE && extend && !rc_campaign_share(o->campaign)))
        return RC_OK;
    return rc_fail(
        err, RC_ECONFLICT,
        "the campaign in '%.200s' was begun with other settings: %s; %s", dir, lines,
        change == RC_SPEC_CONFLICT ? "use a new directory, or go back to resume"
        : rc_campaign_share(o->campaign)
            ? "a share is measured as it was dealt out"
            : "--extend measures what the new ones add, without "
              "them the campaign resumes");
}

/* Whether this run made the journal and put nothing into it: it is as long as its
 * header, and was not there when the campaign was read.
 */
static bool is_trace(const struct rc_campaign *campaign, int directory,
                     const char *name)
{
    struct stat info;

    for (size_t i = 0; i < campaign->file_count; i++)
        if (strcmp(strrchr(campaign->file[i].path, '/') + 1, name) == 0)
            return false;
    return fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(info.st_mode) && info.st_size == RC_JOURNAL_HEADER;
}

/* Removes what a refused run made: its own empty journals, the folder of journals if
 * there was none, and its log.
 */
static void remove_traces(const struct rc_campaign_open *o)
{
    char path[PATH_MAX];
    struct dirent *entry;

    if (!o->campaign || rc_path(path, sizeof path, NULL, "%s/journal", o->dir) != RC_OK)
        return;
    DIR *directory = rc_file_open_directory(path, RC_FILE_IN);
    while (directory && (entry = readdir(directory)))
        if (is_trace(o->campaign, dirfd(directory), entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    if (o->campaign->file_count == 0)
        rmdir(path);
    if (!o->had_log && (o->campaign->file_count > 0 || access(path, F_OK) != 0)) {
        snprintf(path, sizeof path, "%s/log.txt", o->dir);
        unlink(path);
    }
}

int rc_campaign_open_init(MPI_Comm comm, const char *dir, const struct rc_args *args,
                          bool extend, bool anew, struct rc_campaign_open *out,
                          struct rc_error *err)
{
    char path[PATH_MAX];
    int status, has_file;

    *out = (struct rc_campaign_open){.dir = dir};
    if ((status = rc_campaign_dir_open(comm, dir, RC_CAMPAIGN_DIR_CAMPAIGN, rc_tell,
                                       &out->campaign_dir, out->remark,
                                       sizeof out->remark, err)) != RC_OK)
        return status;
    if (anew && rc_team_rank(comm) == 0)
        rc_campaign_dir_empty(out->campaign_dir);
    if ((status = read_campaign_of(comm, dir, out, err)) != RC_OK)
        return status;
    out->had_log = rc_path(path, sizeof path, NULL, "%s/log.txt", dir) == RC_OK &&
                   faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    out->was_there = out->campaign->record.spec != NULL;
    status = rc_path(path, sizeof path, err, "%s/campaign.yaml", dir);
    if (status == RC_OK && rc_team_rank(comm) == 0)
        status = check_files(out, dir, path, err);
    if ((status = rc_agree(comm, status, err)) != RC_OK)
        return status;
    /* After a kill there may be a campaign file without a record of it.  Rank 0
     * decides, since it writes the file.
     */
    has_file = access(path, F_OK) == 0;
    rc_broadcast(comm, 0, &has_file, sizeof has_file);
    status = rc_spec_agree(comm, args, has_file ? path : NULL, &out->spec, err);
    if (status != RC_OK)
        return status;
    out->new_spec = !out->was_there;
    if (out->was_there)
        status = rc_agree(comm, compare_specs(dir, out, extend, err), err);
    return status;
}

int rc_campaign_open_write(MPI_Comm comm, const char *dir,
                           const struct rc_campaign_open *opening, struct rc_error *err)
{
    char path[PATH_MAX];
    int status = RC_OK;

    if (opening->new_spec && rc_team_rank(comm) == 0 &&
        (status = rc_path(path, sizeof path, err, "%s/campaign.yaml", dir)) == RC_OK)
        status = rc_spec_write(&opening->spec, path, RC_FILE_IN, err);
    return rc_agree(comm, status, err);
}

void rc_campaign_open_fini(struct rc_campaign_open *opening)
{
    if (opening->campaign_dir && !opening->begun) {
        remove_traces(opening);
        rc_campaign_dir_leave(opening->campaign_dir);
        opening->campaign_dir = NULL;
    }
    rc_spec_fini(&opening->spec);
    rc_campaign_close(opening->campaign);
    rc_campaign_dir_close(opening->campaign_dir);
    *opening = (struct rc_campaign_open){.new_spec = false};
}

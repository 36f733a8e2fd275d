/* Writes noise.h5 of the whole campaign, whatever part of it is printed.  The file is
 * put in place at the end: a full disk does not keep results from being printed.
 */
#include "campaign/noise/request.h"
#include "campaign/noise/saved.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/tell.h"

#include <inttypes.h>
#include <unistd.h>

void rc_noise_saved_find(const char *path, const struct rc_store_campaign *campaign,
                         uint64_t records, struct rc_noise_saved *out)
{
    struct rc_store *file = NULL;
    struct rc_error why = {.rank = -1};

    *out = (struct rc_noise_saved){.there = access(path, F_OK) == 0};
    if (!out->there)
        return;
    if (rc_noise_file_open_labels(MPI_COMM_NULL, path, &file, &why) != RC_OK) {
        rc_text_append(out->problem, sizeof out->problem, "%s", why.text);
        return;
    }
    if (campaign)
        rc_noise_file_mismatch(rc_store_campaign(file), campaign, out->problem,
                               sizeof out->problem);
    else
        rc_text_append(
            out->problem, sizeof out->problem,
            "it is not known whether it was made from the readings in campaign.h5");
    const struct rc_noise_file_detours *d = rc_noise_file_detours(file);
    if (!out->problem[0] && d->journal_records < records)
        rc_text_append(out->problem, sizeof out->problem,
                       "older than the journals: it has %" PRIu64 " of %" PRIu64
                       " measurements of detours; 'rollcall noise DIR' makes it again",
                       d->journal_records, records);
    (void)rc_store_close(file, &why);
}

int rc_noise_save_hold(struct rc_noise_request *r, struct rc_error *err)
{
    int able = access(r->dir, W_OK) == 0;

    if (r->against)
        return RC_OK;
    rc_broadcast(r->comm, 0, &able, sizeof able);
    r->save.wanted = true;
    r->save.able = able;
    return able ? rc_campaign_dir_open_results(r->comm, r->dir, rc_tell, &r->save.held,
                                               err)
                : RC_OK;
}

void rc_noise_save_begin(struct rc_noise_request *r)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(r->store);
    const struct rc_noise_journals *journals = &r->losses.journals;
    struct rc_error why = {.rank = -1};
    struct rc_noise_saved is;
    int begin = r->save.wanted;

    if (rc_team_rank(r->comm) == 0 && begin && (rc_noise_is_part(r) || !r->save.able)) {
        rc_noise_saved_find(r->noise_path, campaign,
                            journals->records + journals->refused, &is);
        begin = !is.there || is.problem[0];
        if (begin && !r->save.able)
            fprintf(stderr, "rollcall noise: no noise.h5: cannot write into '%s'\n",
                    r->dir);
    }
    rc_broadcast(r->comm, 0, &begin, sizeof begin);
    if (begin && r->save.able &&
        rc_noise_file_create(r->comm, r->noise_path, campaign, &r->save.file, &why) !=
            RC_OK)
        r->save.unsaved = why;
}

/* Keeps the failure, which is reported at the end; the file is not put in place. */
static void forget_file(struct rc_noise_save *save, int status,
                        const struct rc_error *why)
{
    if (status == RC_OK)
        return;
    save->unsaved = *why;
    rc_store_abandon(save->file);
    save->file = NULL;
}

void rc_noise_save_kind(struct rc_noise_request *r, const struct rc_noise_kind *k)
{
    struct rc_error why = {.rank = -1};

    if (r->save.file)
        forget_file(&r->save, rc_noise_write(k, r->save.file, &why), &why);
}

void rc_noise_save_whole(struct rc_noise_request *r, size_t kind)
{
    const struct rc_patterns all = {.count = 0};
    struct rc_noise_kind k = {.comm = r->comm, .patterns = &all, .medians = true};
    struct rc_error why = {.rank = -1};

    if (!r->save.file)
        return;
    const int status = rc_noise_kind_study(&k, r->store, kind, &why);
    if (status == RC_OK)
        rc_noise_save_kind(r, &k);
    forget_file(&r->save, status, &why);
    rc_noise_kind_fini(&k);
}

int rc_noise_save_end(struct rc_noise_request *r, struct rc_error *err)
{
    struct rc_noise_save *save = &r->save;
    const bool is_text = r->format == RC_FORMAT_TEXT;
    struct rc_error why = {.rank = -1};
    char name[PATH_MAX];

    if (save->file)
        forget_file(
            save, rc_noise_write_detours(r->comm, r->dir, &r->losses, save->file, &why),
            &why);
    if (save->unsaved.status != RC_OK) {
        *err = save->unsaved;
        return err->status;
    }
    if (!save->file)
        return RC_OK;
    const int status = rc_store_close(save->file, err);
    save->file = NULL;
    if (status != RC_OK)
        return status;
    if (rc_team_rank(r->comm) == 0)
        fprintf(is_text ? stdout : stderr, "%s%s\n", is_text ? "\n" : "",
                rc_text_printable(name, sizeof name, r->noise_path));
    return RC_OK;
}

void rc_noise_save_fini(struct rc_noise_save *save)
{
    rc_store_abandon(save->file);
    rc_campaign_dir_close(save->held);
}

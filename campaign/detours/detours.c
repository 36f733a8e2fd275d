/* Reads the detours of a directory, journal by journal, each by one rank.
 *
 * A record is made ready, shown to who asked for it, and forgotten: all detours of a
 * large machine do not fit into the memory of a node.
 */
#include "campaign/detours/detours.h"

#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "campaign/records/campaign.h"

#include <stdlib.h>
#include <string.h>

/* The reading of one rank. */
struct reading {
    rc_noise_detours_visit *visit;
    void *user;
    struct rc_noise_journals found;
};

static int take_record(void *user, const struct rc_journal_record *record,
                       struct rc_error *err)
{
    struct reading *r = user;
    struct rc_arena arena = {0};
    struct rc_noise_detours d;
    int status;

    if (record->type != RC_RECORD_DETOURS)
        return RC_OK;
    status = rc_record_get_detours(record->payload, record->bytes, &arena, &d, err);
    if (status == RC_OK) {
        r->found.records++;
        status = r->visit(r->user, &d, record, err);
    } else if (status == RC_EUSAGE) {
        r->found.refused++;
        status = RC_OK;
    }
    rc_arena_free(&arena);
    return status;
}

/* The paths in 'list', sorted, so that all ranks deal out the same files; free() it. */
static const char **sort_paths(const struct rc_bytes *list, size_t *count)
{
    const char **path;
    size_t n = 0;

    *count = 0;
    for (size_t at = 0; at < list->count; at++)
        *count += list->byte[at] == 0;
    path = rc_calloc(*count, sizeof(const char *));
    if (!path)
        return NULL;
    for (size_t at = 0; at < list->count; at += strlen(path[n++]) + 1)
        path[n] = (const char *)list->byte + at;
    if (n > 0)
        qsort(path, n, sizeof(const char *), rc_order_texts);
    return path;
}

/* Whether journals of one campaign may lie beside what was found before; a rank that
 * read none has no campaign.
 */
static bool join_campaign(struct rc_journal_id *all, const struct rc_journal_id *one)
{
    const struct rc_journal_id nobody = {{0}};

    if (memcmp(one, &nobody, sizeof nobody) == 0)
        return true;
    if (memcmp(all, &nobody, sizeof nobody) != 0 &&
        memcmp(all, one, sizeof nobody) != 0)
        return false;
    *all = *one;
    return true;
}

/* This rank's files. */
static int scan_files(MPI_Comm comm, const char *const *path, size_t count,
                      struct reading *r, struct rc_error *err)
{
    const struct rc_journal_visitor visitor = {.record = take_record, .user = r};
    const size_t ranks = (size_t)rc_team_size(comm);

    for (size_t i = (size_t)rc_team_rank(comm); i < count; i += ranks) {
        struct rc_journal_report report;
        const int status = rc_journal_scan(path[i], NULL, &visitor, &report, err);
        if (status != RC_OK)
            return status;
        r->found.damaged_places += report.damaged_places;
        if (report.header_damaged && report.records == 0)
            continue;
        if (!join_campaign(&r->found.campaign, &report.campaign))
            return rc_fail(err, RC_ECONFLICT,
                           "'%.300s' and journals beside it belong to different "
                           "campaigns, expected one campaign in a directory",
                           path[i]);
    }
    return RC_OK;
}

/* Collective: what all ranks found together. */
static int add_up(MPI_Comm comm, struct rc_noise_journals *found, struct rc_error *err)
{
    struct rc_gathered all;
    int status = rc_gather(comm, found, sizeof *found, &all, err);

    if (status != RC_OK)
        return status;
    *found = (struct rc_noise_journals){.records = 0};
    for (int i = 0; i < rc_team_size(comm); i++) {
        struct rc_noise_journals one;
        memcpy(&one, all.byte + (size_t)i * sizeof one, sizeof one);
        found->records += one.records;
        found->refused += one.refused;
        found->damaged_places += one.damaged_places;
        if (!join_campaign(&found->campaign, &one.campaign)) {
            status = rc_fail(err, RC_ECONFLICT,
                             "journals of detours belong to different campaigns, "
                             "expected one campaign in a directory");
            break;
        }
    }
    rc_gathered_fini(&all);
    return status;
}

int rc_noise_detours_read(MPI_Comm comm, const char *dir, rc_noise_detours_visit *visit,
                          void *user, struct rc_noise_journals *out,
                          struct rc_error *err)
{
    struct reading r = {.visit = visit, .user = user};
    struct rc_bytes list = {0};
    struct rc_gathered all = {0};
    const char **path = NULL;
    size_t count = 0;
    int status = RC_OK;

    *out = (struct rc_noise_journals){.records = 0};
    if (rc_team_rank(comm) == 0) {
        status = rc_campaign_list_journals(dir, RC_NOISE_JOURNAL ".rcj", &list, err);
        if (status == RC_EMISSING)
            status = RC_OK;
    }
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        goto out;
    status = rc_gather(comm, list.byte, list.count, &all, err);
    if (status != RC_OK)
        goto out;
    const struct rc_bytes names = {.byte = all.byte,
                                   .count = all.from[rc_team_size(comm)]};
    path = sort_paths(&names, &count);
    status = path ? scan_files(comm, path, count, &r, err)
                  : rc_fail(err, RC_ENOMEM, "no memory for names of journals");
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        goto out;
    status = add_up(comm, &r.found, err);
    *out = r.found;
out:
    free(path);
    rc_bytes_fini(&list);
    rc_gathered_fini(&all);
    return status;
}

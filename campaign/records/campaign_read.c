/* Reads the journals of a campaign: each file by one rank, for all ranks.
 *
 * The files are dealt to the ranks in turn.  A rank scans its files and keeps as bytes
 * whole records, but only the heads of units, since readings may be far more than fits
 * into memory.  The ranks then exchange these bytes, so that each of them builds the
 * same campaign from the same records in the same order.  That order is the one in
 * which records were written (their sequence numbers), not the order of files.
 * docs/formats/records.md describes the payloads.
 */
#include "campaign/base/agree.h"
#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/gather.h"
#include "campaign/base/text.h"
#include "campaign/records/campaign_parts.h"
#include "campaign/records/detours.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rank's report on a file that it scanned, for all others. */
struct report {
    uint64_t file, detours;
    uint32_t next_round;
    struct rc_journal_report report;
};

/* Fails if there was no memory for all that was appended. */
static int check_bytes(const struct rc_bytes *bytes, struct rc_error *err)
{
    if (!bytes->failed)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM, "no memory for more than %zu bytes of journals",
                   bytes->count);
}

/* Collective, also for a rank whose 'status' is a failure, so that all ranks hear of
 * it: r->all becomes rank 0's 'mine', then rank 1's, ... 'mine' is freed.
 */
static int gather_bytes(struct rc_campaign_reading *r, int status,
                        struct rc_bytes *mine, struct rc_error *err)
{
    struct rc_gathered all;

    if (status == RC_OK)
        status = check_bytes(mine, err);
    if ((status = rc_agree(r->comm, status, err)) == RC_OK)
        status = rc_gather(r->comm, mine->byte, mine->count, &all, err);
    rc_bytes_fini(mine);
    if (status != RC_OK)
        return status;
    rc_bytes_fini(&r->all);
    r->all.count = all.from[rc_team_size(r->comm)];
    r->all.byte = all.byte;
    free(all.from);
    return RC_OK;
}

int rc_campaign_list_journals(const char *dir, const char *end, struct rc_bytes *list,
                              struct rc_error *err)
{
    const size_t tail = strlen(end);
    struct dirent *entry;
    char path[PATH_MAX], file[sizeof path + sizeof entry->d_name];
    int status = rc_path(path, sizeof path, err, "%s/journal", dir);

    if (status != RC_OK)
        return status;
    DIR *directory = rc_file_open_directory(path, RC_FILE_IN);
    if (!directory && errno == ENOENT)
        return rc_fail(err, RC_EMISSING,
                       "%s: no campaign is here, expected a directory with journals in "
                       "'%s'",
                       dir, path);
    if (!directory)
        return errno == ELOOP
                   ? rc_file_fail_open(err, path)
                   : rc_fail_errno(err, "cannot list the directory '%s'", path);
    while ((entry = readdir(directory))) {
        const char *name = entry->d_name;
        const size_t length = strlen(name);
        if (length <= tail || name[0] == '.' || strcmp(name + length - tail, end) != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", path, name);
        rc_bytes_add(list, file, strlen(file) + 1);
    }
    closedir(directory);
    if (list->count > 0 || list->failed)
        return check_bytes(list, err);
    return rc_fail(err, RC_EMISSING,
                   "%s: no campaign is here, expected journals NODE%s in '%s'", dir,
                   end, path);
}

static int compare_files(const void *a, const void *b)
{
    const struct rc_campaign_file *x = a, *y = b;

    return strcmp(x->path, y->path);
}

int rc_campaign_exists(const char *dir, struct rc_error *err)
{
    struct rc_bytes list = {0};
    int status = rc_campaign_list_journals(dir, ".rcj", &list, err);

    rc_bytes_fini(&list);
    return status;
}

/* Collective.  Only rank 0 lists the directory: other ranks might see more or fewer
 * files of a shared file system, and all must deal out the same list.  It is sorted,
 * since a directory is listed in any order and the file's number breaks ties between
 * records.
 */
static int find_files(struct rc_campaign_reading *r, const char *dir,
                      struct rc_error *err)
{
    struct rc_campaign *h = r->campaign;
    struct rc_bytes list = {0};
    size_t files = 0;
    int status = RC_OK;

    if (rc_team_rank(r->comm) == 0)
        status = rc_campaign_list_journals(dir, ".rcj", &list, err);
    if ((status = gather_bytes(r, status, &list, err)) != RC_OK)
        return status;
    for (size_t at = 0; at < r->all.count; at++)
        files += r->all.byte[at] == 0;
    h->file = rc_arena_array(&h->lists, files, sizeof *h->file);
    r->found = rc_arena_array(&h->lists, files, sizeof *r->found);
    for (const char *path = (const char *)r->all.byte;
         h->file_count < files && !h->lists.failed; path += strlen(path) + 1)
        h->file[h->file_count++].path = rc_arena_text(&h->lists, path);
    if (!h->lists.failed)
        qsort(h->file, files, sizeof *h->file, compare_files);
    return rc_agree(r->comm, rc_arena_check(&h->lists, err, "journals"), err);
}

/* Keeps a unit's record without its readings.  Kind, place and node are kept as id and
 * texts; they get numbers when the units of all ranks are known.
 */
static int add_head(struct rc_campaign_found *found,
                    const struct rc_campaign_where *where, const void *payload,
                    struct rc_error *why)
{
    struct rc_record_unit unit;
    const int status = rc_record_get_unit(payload, where->bytes, &unit, why);

    if (status != RC_OK)
        return status;
    const struct rc_campaign_head head = {.kind = unit.kind,
                                          .events = unit.events,
                                          .points = unit.points,
                                          .unit = {.suite = unit.suite,
                                                   .group = unit.group,
                                                   .core = unit.core,
                                                   .cpu = unit.cpu,
                                                   .file = where->file,
                                                   .repetitions = unit.repetitions,
                                                   .tries = unit.tries,
                                                   .status = (uint8_t)unit.status,
                                                   .stop = (uint8_t)unit.stop,
                                                   .offset = where->offset,
                                                   .bytes = where->bytes,
                                                   .writer = where->writer,
                                                   .sequence = where->sequence,
                                                   .begin_ns = unit.begin_ns,
                                                   .wall_ns = unit.wall_ns,
                                                   .kernel_ns = unit.kernel_ns}};
    rc_bytes_add(&found->heads, &head, sizeof head);
    rc_bytes_add(&found->heads, unit.place, strlen(unit.place) + 1);
    rc_bytes_add(&found->heads, unit.node, strlen(unit.node) + 1);
    return RC_OK;
}

/* Called for each whole record of the file that is being scanned (r->file).  Detours
 * are as long as readings, and belong to no unit: they are only counted.  A unit or
 * detours that are not understood are counted, which is not an error.
 */
static int take_record(void *user, const struct rc_journal_record *record,
                       struct rc_error *err)
{
    struct rc_campaign_reading *r = user;
    struct rc_campaign_found *found = &r->found[r->file];
    const struct rc_campaign_where where = {.sequence = record->sequence,
                                            .offset = record->offset,
                                            .bytes = record->bytes,
                                            .writer = record->writer,
                                            .file = r->file,
                                            .type = record->type};
    struct rc_error why = {.text = ""};
    uint32_t round = 0;
    int status = RC_OK;

    (void)err;
    if (record->type == RC_RECORD_UNIT) {
        status = add_head(found, &where, record->payload, &why);
    } else if (record->type == RC_RECORD_DETOURS) {
        status = rc_record_get_round(record->payload, record->bytes, &round, &why);
        found->detours += status == RC_OK;
        if (status == RC_OK && round >= found->next_round)
            found->next_round = round + 1;
    } else {
        rc_bytes_add(&found->others, &where, sizeof where);
        rc_bytes_add(&found->others, record->payload, record->bytes);
    }
    if (status != RC_OK)
        rc_campaign_refuse(&found->refusal, where.file, where.offset, why.text);
    return RC_OK;
}

static void found_fini(struct rc_campaign_found *found)
{
    rc_bytes_fini(&found->others);
    rc_bytes_fini(&found->heads);
    *found = (struct rc_campaign_found){0};
}

/* Scans for the records of 'campaign'; NULL: of the header's campaign, or of the first
 * record's if the header is damaged.
 */
static int scan_file(struct rc_campaign_reading *r, size_t file,
                     const struct rc_journal_id *campaign, struct rc_error *err)
{
    const struct rc_journal_visitor visitor = {.record = take_record, .user = r};
    struct rc_campaign_file *f = &r->campaign->file[file];

    found_fini(&r->found[file]);
    r->file = (uint32_t)file;
    return rc_journal_scan(f->path, campaign, &visitor, &f->report, err);
}

static bool is_mine(const struct rc_campaign_reading *r, size_t file)
{
    return file % (size_t)rc_team_size(r->comm) == (size_t)rc_team_rank(r->comm);
}

/* Collective, as gather_bytes(): all ranks know the reports of all files. */
static int share_reports(struct rc_campaign_reading *r, int status,
                         struct rc_error *err)
{
    struct rc_campaign *h = r->campaign;
    struct rc_bytes mine = {0};

    for (size_t i = 0; i < h->file_count; i++) {
        const struct report report = {i, r->found[i].detours, r->found[i].next_round,
                                      h->file[i].report};
        if (is_mine(r, i))
            rc_bytes_add(&mine, &report, sizeof report);
    }
    if ((status = gather_bytes(r, status, &mine, err)) != RC_OK)
        return status;
    h->detours = h->next_round = 0;
    for (size_t at = 0; at < r->all.count; at += sizeof(struct report)) {
        struct report report;
        memcpy(&report, r->all.byte + at, sizeof report);
        h->file[report.file].report = report.report;
        h->detours += report.detours;
        if (report.next_round > h->next_round)
            h->next_round = report.next_round;
    }
    return RC_OK;
}

static bool same_campaign(const struct rc_journal_id *a, const struct rc_journal_id *b)
{
    return memcmp(a->byte, b->byte, sizeof a->byte) == 0;
}

/* The campaign of the first file with a whole header, else of the first whole record.
 * RC_ECONFLICT: two whole headers name different campaigns.
 */
static int choose_campaign(struct rc_campaign *h, struct rc_error *err)
{
    const struct rc_campaign_file *from = NULL;

    for (size_t i = 0; i < h->file_count; i++) {
        const struct rc_campaign_file *f = &h->file[i];
        if (f->report.header_damaged && f->report.records == 0)
            continue;
        if (!from || (from->report.header_damaged && !f->report.header_damaged))
            from = f;
    }
    for (size_t i = 0; from && i < h->file_count; i++)
        if (!h->file[i].report.header_damaged && !from->report.header_damaged &&
            !same_campaign(&from->report.campaign, &h->file[i].report.campaign))
            return rc_fail(err, RC_ECONFLICT,
                           "'%s' and '%s' belong to different campaigns, expected one "
                           "campaign in a directory",
                           from->path, h->file[i].path);
    if (from)
        h->campaign = from->report.campaign;
    return RC_OK;
}

/* Collective.  A file with a damaged header may begin with a record of another
 * campaign, and was then scanned for that one: it is scanned again once the headers of
 * the other files have settled which campaign this is.
 */
static int scan_files(struct rc_campaign_reading *r, struct rc_error *err)
{
    struct rc_campaign *h = r->campaign;
    int status = RC_OK;

    for (size_t i = 0; i < h->file_count; i++)
        if (is_mine(r, i) && (status = scan_file(r, i, NULL, err)) != RC_OK)
            break;
    if ((status = share_reports(r, status, err)) != RC_OK ||
        (status = choose_campaign(h, err)) != RC_OK) /* the same on all ranks */
        return status;
    for (size_t i = 0; i < h->file_count; i++)
        if (is_mine(r, i) && h->file[i].report.header_damaged &&
            !same_campaign(&h->campaign, &h->file[i].report.campaign) &&
            (status = scan_file(r, i, &h->campaign, err)) != RC_OK)
            break;
    status = share_reports(r, status, err);
    for (size_t i = 0; i < h->file_count; i++)
        if (h->file[i].report.next_sequence > h->next_sequence)
            h->next_sequence = h->file[i].report.next_sequence;
    return status;
}

/* Collective: r->all becomes what all ranks found, either heads of units or records of
 * other types.
 */
static int share_found(struct rc_campaign_reading *r, bool heads, struct rc_error *err)
{
    struct rc_bytes mine = {0};

    for (size_t i = 0; i < r->campaign->file_count; i++) {
        struct rc_bytes *part = heads ? &r->found[i].heads : &r->found[i].others;
        rc_bytes_add(&mine, part->byte, part->count);
        mine.failed |= part->failed;
        rc_bytes_fini(part);
    }
    return gather_bytes(r, RC_OK, &mine, err);
}

/* A record that is not a unit's, in r->all. */
struct other {
    struct rc_campaign_where where;
    const unsigned char *payload;
};

/* By the time of writing: sequence numbers grow over all runs of a campaign.  The rest
 * only makes the order of copies and of records of several ranks definite.
 */
static int compare_others(const void *a, const void *b)
{
    const struct rc_campaign_where *x = &((const struct other *)a)->where;
    const struct rc_campaign_where *y = &((const struct other *)b)->where;

    return rc_compare_numbers((uint64_t[]){x->sequence, x->writer, x->file, x->offset},
                              (uint64_t[]){y->sequence, y->writer, y->file, y->offset},
                              4);
}

/* A file that was copied holds the same records under the same numbers. */
static bool is_copy(const struct other *a, const struct other *b)
{
    return a->where.sequence == b->where.sequence &&
           a->where.writer == b->where.writer && a->where.type == b->where.type &&
           a->where.bytes == b->where.bytes &&
           memcmp(a->payload, b->payload, a->where.bytes) == 0;
}

/* Puts the records in r->all into the campaign, in the order in which they were
 * written. One that does not fit is counted and left out.
 */
static int apply_others(struct rc_campaign_reading *r, struct rc_error *err)
{
    struct other *other = NULL;
    size_t count = 0, room = 0;
    int status = RC_OK;

    for (size_t at = 0; at < r->all.count; count++) {
        if (rc_grow(&other, sizeof *other, count, &room)) {
            free(other);
            return rc_fail(err, RC_ENOMEM, "no memory for %zu records", count);
        }
        memcpy(&other[count].where, r->all.byte + at, sizeof other[count].where);
        at += sizeof other[count].where;
        other[count].payload = r->all.byte + at;
        at += other[count].where.bytes;
    }
    if (count > 0)
        qsort(other, count, sizeof *other, compare_others);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && is_copy(&other[i - 1], &other[i]))
            continue;
        status = rc_campaign_apply(r->campaign, other[i].where.type, other[i].payload,
                                   other[i].where.bytes, err);
        if (status == RC_EUSAGE) {
            rc_campaign_refuse(&r->refusal, other[i].where.file, other[i].where.offset,
                               err->text);
            status = RC_OK;
        }
        if (status != RC_OK)
            break;
    }
    free(other);
    return status;
}

/* Collective: how many records all ranks together refused, and which was the first in
 * the order of files and offsets, so that the message is the same on any number of
 * ranks.
 */
static int share_refusals(struct rc_campaign_reading *r, struct rc_error *err)
{
    struct rc_campaign *h = r->campaign;
    struct rc_bytes mine = {0};

    for (size_t i = 0; i < h->file_count; i++)
        if (r->found[i].refusal.count > 0)
            rc_bytes_add(&mine, &r->found[i].refusal, sizeof r->refusal);
    const int status = gather_bytes(r, RC_OK, &mine, err);
    if (status != RC_OK)
        return status;
    for (size_t at = 0; at < r->all.count; at += sizeof(struct rc_refusal)) {
        struct rc_refusal one;
        memcpy(&one, r->all.byte + at, sizeof one);
        rc_campaign_refuse(&r->refusal, one.file, one.offset, one.text);
        r->refusal.count += one.count - 1;
    }
    h->records_refused = r->refusal.count;
    if (r->refusal.count > 0)
        rc_text_append(h->first_refusal, sizeof h->first_refusal,
                       "%s: offset %" PRIu64 ": %s", h->file[r->refusal.file].path,
                       r->refusal.offset, r->refusal.text);
    return RC_OK;
}

int rc_campaign_read(MPI_Comm comm, const char *dir, struct rc_campaign **out,
                     struct rc_error *err)
{
    struct rc_campaign_reading r = {.comm = comm, .campaign = rc_campaign_create()};
    int status =
        r.campaign ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a campaign");

    *out = NULL;
    if ((status = rc_agree(comm, status, err)) != RC_OK ||
        (status = find_files(&r, dir, err)) != RC_OK ||
        (status = scan_files(&r, err)) != RC_OK ||
        (status = share_found(&r, false, err)) != RC_OK ||
        (status = rc_agree(comm, apply_others(&r, err), err)) != RC_OK)
        goto out;
    status = share_found(&r, true, err); /* units come after what they refer to */
    if (status != RC_OK)
        goto out;
    if ((status = rc_agree(comm, rc_campaign_take_units(&r, err), err)) != RC_OK)
        goto out;
    status = share_refusals(&r, err);
out:
    for (size_t i = 0; r.found && i < r.campaign->file_count; i++)
        found_fini(&r.found[i]);
    rc_bytes_fini(&r.all);
    if (status == RC_OK)
        *out = r.campaign;
    else
        rc_campaign_close(r.campaign);
    return status;
}

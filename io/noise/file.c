/* Creating, opening and closing noise.h5, and adding kinds, suites and detours. As in
 * metrics.h5, rank 0 defines alone; for the columns of a suite the file is handed over
 * to all ranks, and taken back before the next thing is defined (take_back()).
 *
 * All that is done is collective, and a failure breaks the store on all ranks: a file
 * that HDF5 failed to write, or that holds the half of a suite, is never put in place.
 */
#include "io/noise/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

static int read_suite(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err);

static const struct rc_store_form form = {.format = "rollcall noise",
                                          .version = 2,
                                          .what = "rollcall's study of noise",
                                          .remedy =
                                              "'rollcall noise DIR' makes it anew",
                                          .read_suite = read_suite};

static void free_file(struct rc_noise_file *file)
{
    if (!file)
        return;
    for (size_t k = 0; k < file->count; k++)
        free(file->kind[k].suite);
    free(file->kind);
    free(file);
}

/* Collective; NULL on every rank where any has no memory. */
static struct rc_noise_file *new_file(MPI_Comm comm, const char *path,
                                      struct rc_error *err)
{
    struct rc_noise_file *file = calloc(1, sizeof *file);
    int status =
        file ? RC_OK : rc_fail(err, RC_ENOMEM, "'%s': no memory to open it", path);

    if (rc_agree(comm, status, err) == RC_OK)
        return file;
    free_file(file);
    return NULL;
}

/* Kinds are counted alike on all ranks. */
static int add_kind(struct rc_noise_file *file, struct rc_error *err)
{
    if (rc_grow(&file->kind, sizeof *file->kind, file->count, &file->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu kinds", file->count);
    file->kind[file->count++] = (struct rc_noise_file_kind_part){.suite = NULL};
    return RC_OK;
}

/* The pointer is good until the next suite is added. */
static int add_suite(struct rc_noise_file *file, size_t kind,
                     struct rc_noise_file_part **out, struct rc_error *err)
{
    struct rc_noise_file_kind_part *part = &file->kind[kind];

    *out = NULL;
    if (rc_grow(&part->suite, sizeof *part->suite, part->count, &part->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu suites", part->count);
    *out = &part->suite[part->count++];
    **out = (struct rc_noise_file_part){.block = 1};
    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS; set++)
        (*out)->set[set] = H5I_INVALID_HID;
    return RC_OK;
}

int rc_noise_file_create(MPI_Comm comm, const char *path,
                         const struct rc_store_campaign *campaign,
                         struct rc_noise_file **out, struct rc_error *err)
{
    struct rc_noise_file *file = new_file(comm, path, err);

    *out = NULL;
    if (!file)
        return err->status;
    const int status =
        rc_store_create_as(comm, path, &form, campaign, &file->store, err);
    if (status == RC_OK)
        *out = file;
    else
        free_file(file);
    return status;
}

/* The datasets must be closed before the file is: on all ranks, whatever failed. */
static int close_sets(struct rc_noise_file *file, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < file->count; k++)
        for (size_t s = 0; s < file->kind[k].count; s++)
            status = rc_noise_close_sets(&file->kind[k].suite[s], status, err);
    file->sharing = false;
    return status;
}

/* Of a failure that all ranks know: nothing more is written. */
static int break_file(struct rc_noise_file *file, int status, struct rc_error *err)
{
    file->store->broken = true;
    return rc_store_break(file->store, status, err);
}

/* Rank 0 takes the file back from all ranks, to define more; collective. */
static int take_back(struct rc_noise_file *file, struct rc_error *err)
{
    struct rc_store *store = file->store;
    int status = rc_store_check_open(store, err);

    if ((status = rc_agree(store->comm, status, err)) != RC_OK || !file->sharing)
        return status;
    status = rc_agree(store->comm, close_sets(file, err), err);
    if (status == RC_OK)
        status = rc_store_unshare(store, err);
    if (status == RC_OK)
        return RC_OK;
    rc_error_prefix(err, "'%s': ", store->path_new);
    return break_file(file, status, err);
}

/* On rank 0, in the kind's own group. */
static int put_found(const struct rc_store *store,
                     const struct rc_noise_file_kind *kind, struct rc_error *err)
{
    char *path = rc_store_group_path(store->kind[store->count - 1].labels.name, NULL);
    hid_t group = path ? H5Gopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    int status = !path       ? rc_fail(err, RC_ENOMEM, "no memory for a kind")
                 : group < 0 ? rc_h5_fail(err, "cannot open '%s'", path)
                             : rc_noise_put_found(group, kind, err);

    free(path);
    return rc_h5_close(group, status, err);
}

int rc_noise_file_put_kind(struct rc_noise_file *file, const struct rc_store *from,
                           size_t number, const struct rc_noise_file_kind *kind,
                           struct rc_error *err)
{
    struct rc_store *store = file->store;
    size_t copied = 0;
    int status = take_back(file, err);

    if (status == RC_OK)
        status = rc_store_copy_kind(store, from, number, &copied, err);
    if (status != RC_OK)
        return status;
    if (rc_team_rank(store->comm) == 0)
        status = put_found(store, kind, err);
    if (status == RC_OK)
        status = add_kind(file, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    status = rc_agree(store->comm, status, err);
    return status == RC_OK ? RC_OK : break_file(file, status, err);
}

/* On rank 0, before anything is written. */
static int check_suite(const struct rc_noise_file *file,
                       const struct rc_noise_file_suite *suite, struct rc_error *err)
{
    const struct rc_noise_file_kind_part *kind =
        file->count ? &file->kind[file->count - 1] : NULL;

    if (!kind)
        return rc_fail(err, RC_ECONFLICT, "there is no kind yet");
    for (size_t s = 0; s < kind->count; s++)
        if (strcmp(kind->suite[s].labels.name, suite->name) == 0)
            return rc_fail(err, RC_ECONFLICT, "it is there already");
    if (suite->verdict_count < 1 || suite->verdict_count > 256)
        return rc_fail(err, RC_EUSAGE, "%zu verdicts, expected 1 to 256",
                       suite->verdict_count);
    return rc_store_check_name("suite", suite->name, err);
}

/* On rank 0: the suite's group with all but the numbers of events. */
static int put_suite(const struct rc_noise_file *file,
                     const struct rc_noise_file_suite *suite, size_t block,
                     struct rc_error *err)
{
    const struct rc_store_kind *kind = &file->store->kind[file->count - 1].labels;
    char *path = rc_store_group_path(kind->name, suite->name);
    hid_t group = H5I_INVALID_HID;
    int status = path ? rc_h5_group(file->store->file, path, &group, err)
                      : rc_fail(err, RC_ENOMEM, "no memory for its name");

    if (status == RC_OK)
        status = rc_noise_put_labels(group, kind->name, suite, err);
    if (status == RC_OK)
        status = rc_noise_create_sets(group, kind->event_count, block, suite, err);
    free(path);
    return rc_h5_close(group, status, err);
}

/* What every rank must know of a suite to write its columns. */
static int note_suite(struct rc_noise_file *file,
                      const struct rc_noise_file_suite *suite, size_t block,
                      struct rc_error *err)
{
    const char *name = rc_pool_copy(file->store->pool, suite->name);
    struct rc_noise_file_part *part = NULL;

    if (!name)
        return rc_fail(err, RC_ENOMEM, "no memory for suite '%s'", suite->name);
    const int status = add_suite(file, file->count - 1, &part, err);
    if (status != RC_OK)
        return status;
    part->labels = *suite;
    part->labels.name = name;
    part->block = block > 0 ? block : 1;
    return RC_OK;
}

int rc_noise_file_put_suite(struct rc_noise_file *file,
                            const struct rc_noise_file_suite *suite, size_t block,
                            struct rc_error *err)
{
    struct rc_store *store = file->store;
    const bool first = rc_team_rank(store->comm) == 0;
    int status = take_back(file, err);

    if (status != RC_OK)
        return status;
    status = first ? check_suite(file, suite, err) : RC_OK;
    const bool refused = status != RC_OK;
    if (first && !refused)
        status = put_suite(file, suite, block > 0 ? block : 1, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': suite '%s': ", store->path, suite->name);
    store->broken = status != RC_OK && !refused;
    status = rc_agree(store->comm, status, err);
    rc_store_share_broken(store);
    if (status != RC_OK)
        return rc_store_break(store, status, err);
    status = rc_agree(store->comm, note_suite(file, suite, block, err), err);
    return status == RC_OK ? RC_OK : break_file(file, status, err);
}

int rc_noise_file_put_detours(struct rc_noise_file *file,
                              const struct rc_noise_file_detours *detours,
                              struct rc_error *err)
{
    struct rc_store *store = file->store;
    int status = take_back(file, err);

    if (status != RC_OK)
        return status;
    if (rc_team_rank(store->comm) == 0 &&
        (status = rc_noise_put_detours(store->file, detours, err)) != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    status = rc_agree(store->comm, status, err);
    return status == RC_OK ? RC_OK : break_file(file, status, err);
}

/* Called for each suite of each kind, in their order, as the store is opened. */
static int read_suite(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err)
{
    struct rc_noise_file *file = store->owner;
    struct rc_noise_file_part *part = NULL;
    int status = RC_OK;

    while (file->count <= kind && status == RC_OK)
        status = add_kind(file, err);
    if (status != RC_OK || (status = add_suite(file, kind, &part, err)) != RC_OK)
        return status;
    part->labels.name = rc_store_name_of(store->pool, link);
    if (!part->labels.name)
        return rc_fail(err, RC_ENOMEM, "no memory for its name");
    hid_t group = H5Gopen2(suites, link, H5P_DEFAULT);
    if (group < 0)
        return rc_h5_fail(err, "cannot read its group");
    status = rc_noise_get_labels(store, group, &part->labels, err);
    if (status == RC_OK)
        status =
            rc_noise_open_sets(group, store->kind[kind].labels.event_count, part, err);
    return rc_h5_close(group, status, err);
}

/* Places are on nodes that there are. */
static int check_places(const struct rc_noise_file *file, size_t kind,
                        struct rc_error *err)
{
    const struct rc_noise_file_kind_part *k = &file->kind[kind];

    for (size_t s = 0; s < k->count; s++)
        for (size_t p = 0; p < k->suite[s].labels.place_count; p++)
            if (k->suite[s].labels.node[p] >= k->found.node_count)
                return rc_fail(err, RC_EUSAGE,
                               "suite '%s': 'node' number %zu is %llu, expected less "
                               "than %zu",
                               k->suite[s].labels.name, p,
                               (unsigned long long)k->suite[s].labels.node[p],
                               k->found.node_count);
    return RC_OK;
}

/* On each rank for itself: all that is not read with the suites. */
static int read_rest(struct rc_noise_file *file, struct rc_error *err)
{
    int status = RC_OK;

    while (status == RC_OK && file->count < file->store->count)
        status = add_kind(file, err); /* of kinds without suites */
    for (size_t k = 0; k < file->count && status == RC_OK; k++) {
        status = rc_noise_get_found(file->store, k, &file->kind[k].found, err);
        if (status == RC_OK)
            status = check_places(file, k, err);
    }
    if (status == RC_OK)
        status = rc_noise_get_detours(file->store, &file->detours, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", file->store->path);
    return status;
}

int rc_noise_file_open(MPI_Comm comm, const char *path, struct rc_noise_file **out,
                       struct rc_error *err)
{
    struct rc_noise_file *file = new_file(comm, path, err);
    struct rc_error ignored = {.rank = -1}; /* there is an error already */

    *out = NULL;
    if (!file)
        return err->status;
    int status = rc_store_open_as(comm, path, &form, file, &file->store, err);
    if (status == RC_OK)
        status = rc_agree(comm, read_rest(file, err), err);
    if (status == RC_OK) {
        *out = file;
        return RC_OK;
    }
    close_sets(file, &ignored);
    rc_store_close(file->store, &ignored);
    free_file(file);
    return status;
}

/* Datasets first, on all ranks; the first error wins, and a store that is broken is
 * closed without HDF5.
 */
int rc_noise_file_close(struct rc_noise_file *file, struct rc_error *err)
{
    struct rc_error later = {.rank = -1};

    if (!file)
        return RC_OK;
    struct rc_store *store = file->store;
    int status =
        store->broken ? RC_OK : rc_agree(store->comm, close_sets(file, err), err);
    store->broken = store->broken || status != RC_OK;
    status = rc_store_break(store, status, err);
    const int closed = rc_store_close(store, status == RC_OK ? err : &later);
    free_file(file);
    return status == RC_OK ? closed : status;
}

void rc_noise_file_abandon(struct rc_noise_file *file)
{
    struct rc_error ignored = {.rank = -1}; /* nothing of the file is kept */

    if (!file)
        return;
    if (!file->store->broken)
        close_sets(file, &ignored);
    rc_store_abandon(file->store);
    free_file(file);
}

const struct rc_store_campaign *rc_noise_file_campaign(const struct rc_noise_file *file)
{
    return rc_store_campaign(file->store);
}

size_t rc_noise_file_kind_count(const struct rc_noise_file *file)
{
    return file->count;
}

const struct rc_store_kind *rc_noise_file_labels(const struct rc_noise_file *file,
                                                 size_t kind)
{
    return rc_store_kind(file->store, kind);
}

const struct rc_noise_file_kind *rc_noise_file_kind(const struct rc_noise_file *file,
                                                    size_t kind)
{
    return &file->kind[kind].found;
}

size_t rc_noise_file_suite_count(const struct rc_noise_file *file, size_t kind)
{
    return file->kind[kind].count;
}

const struct rc_noise_file_suite *rc_noise_file_suite(const struct rc_noise_file *file,
                                                      size_t kind, size_t suite)
{
    return &file->kind[kind].suite[suite].labels;
}

const struct rc_noise_file_detours *
rc_noise_file_detours(const struct rc_noise_file *file)
{
    return &file->detours;
}

int rc_noise_file_read_names(struct rc_noise_file *file, size_t kind, size_t first,
                             size_t count, struct rc_store_event *events,
                             struct rc_pool *pool, struct rc_error *err)
{
    return rc_store_read_names(file->store, kind, first, count, events, pool, err);
}

void rc_noise_file_mismatch(const struct rc_store_campaign *results,
                            const struct rc_store_campaign *campaign, char *out,
                            size_t room)
{
    out[0] = 0;
    if (strcmp(results->id, campaign->id) != 0)
        rc_text_append(out, room,
                       "noise.h5 is of another campaign than campaign.h5 beside it: "
                       "'rollcall noise DIR' makes it anew");
    else if (strcmp(results->digest, campaign->digest) != 0)
        rc_text_append(out, room,
                       "noise.h5 is of other readings than campaign.h5 holds now: "
                       "'rollcall noise DIR' makes it anew");
    else if (!campaign->digest[0])
        rc_text_append(out, room,
                       "whether noise.h5 is of the readings in campaign.h5 is not "
                       "known: an older rollcall made that");
}

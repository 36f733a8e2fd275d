/* noise.h5: a store of a form of its own, whose kinds and suites hold what the study of
 * noise found, with what was measured besides in "/".  How it is created, shared among
 * ranks and put in place is the store's (io/store/event_sets.c).
 */
#include "io/noise/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"

#include <string.h>

/* Places are on nodes that there are. */
static int check_places(const struct rc_store_kind_part *kind, struct rc_error *err)
{
    const struct rc_noise_file_kind *found = kind->results;

    for (size_t s = 0; s < kind->count; s++) {
        const struct rc_noise_file_suite *suite = kind->suite[s].results;
        for (size_t p = 0; p < suite->place_count; p++)
            if (suite->node[p] >= found->node_count)
                return rc_fail(err, RC_EUSAGE,
                               "suite '%s': 'node' number %zu is %llu, expected less "
                               "than %zu",
                               suite->name, p, (unsigned long long)suite->node[p],
                               found->node_count);
    }
    return RC_OK;
}

static int read_suite(struct rc_store *store, size_t unused,
                      struct rc_store_suite_part *part, hid_t group,
                      struct rc_error *err)
{
    struct rc_noise_file_suite *suite = rc_store_array(store, 1, sizeof *suite);
    int status;

    (void)unused;
    if (!suite)
        return rc_fail(err, RC_ENOMEM, "no memory for its labels");
    part->results = suite;
    suite->name = part->labels.name;
    if ((status = rc_noise_get_labels(store, group, suite, err)))
        return status;
    return rc_event_sets_open(store, part, group, suite, err);
}

static int read_rest(struct rc_store *store, struct rc_error *err)
{
    int status;

    for (size_t k = 0; k < store->count; k++) {
        struct rc_noise_file_kind *found = rc_store_array(store, 1, sizeof *found);
        store->kind[k].results = found;
        if (!found)
            return rc_fail(err, RC_ENOMEM, "no memory for a kind");
        if ((status = rc_noise_get_found(store, k, found, err)) ||
            (status = check_places(&store->kind[k], err)))
            return status;
    }
    struct rc_noise_file_detours *d = rc_store_array(store, 1, sizeof *d);
    store->results = d;
    return d ? rc_noise_get_detours(store, d, err)
             : rc_fail(err, RC_ENOMEM, "no memory for detours");
}

static int check_suite(const void *results, size_t events, struct rc_error *err)
{
    const struct rc_noise_file_suite *suite = results;

    (void)events;
    if (suite->verdict_count < 1 || suite->verdict_count > 256)
        return rc_fail(err, RC_EUSAGE, "%zu verdicts, expected 1 to 256",
                       suite->verdict_count);
    return RC_OK;
}

static const struct rc_store_form form = {
    .file = {.format = "rollcall noise",
             .version = 2,
             .what = "rollcall's study of noise",
             .remedy = "'rollcall noise DIR' makes it again"},
    .read_suite = read_suite,
    .read_rest = read_rest,
    .in_turns = true,
    .check_suite = check_suite,
    .put_suite = rc_noise_put_labels,
    .set = rc_noise_sets,
    .set_count = RC_NOISE_SETS,
    .size_set = rc_noise_size_set,
};

int rc_noise_file_create(MPI_Comm comm, const char *path,
                         const struct rc_store_campaign *campaign,
                         struct rc_store **out, struct rc_error *err)
{
    return rc_store_create_as(comm, path, &form, campaign, out, err);
}

/* Agrees on the status of what rank 0 wrote: the half of it breaks the store. */
static int agree_written(struct rc_store *store, int status, struct rc_error *err)
{
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    status = rc_agree(store->comm, status, err);
    return status == RC_OK ? RC_OK : rc_store_break_off(store, status, err);
}

int rc_noise_file_put_kind(struct rc_store *store, const struct rc_store *from,
                           size_t number, const struct rc_noise_file_kind *kind,
                           struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;
    int status = rc_store_copy_kind(store, from, number, NULL, err);

    if (status != RC_OK)
        return status;
    if (rc_team_rank(store->comm) == 0) {
        if ((status = rc_store_open_group(store, store->count - 1, NULL, &group, err)))
            goto agree;
        status = rc_h5_close(group, rc_noise_put_found(group, kind, err), err);
    }
agree:
    return agree_written(store, status, err);
}

int rc_noise_file_put_suite(struct rc_store *file,
                            const struct rc_noise_file_suite *suite, size_t block,
                            struct rc_error *err)
{
    return rc_event_sets_define(file, file->count - 1, suite->name, suite, block, NULL,
                                err);
}

int rc_noise_file_put_detours(struct rc_store *store,
                              const struct rc_noise_file_detours *detours,
                              struct rc_error *err)
{
    int status = rc_store_take_back(store, err);

    if (status != RC_OK)
        return status;
    status = rc_agree(store->comm, rc_store_check_open(store, err), err);
    if (status != RC_OK)
        return status;
    if (rc_team_rank(store->comm) == 0)
        status = rc_noise_put_detours(store->file, detours, err);
    return agree_written(store, status, err);
}

int rc_noise_file_open(MPI_Comm comm, const char *path, struct rc_store **out,
                       struct rc_error *err)
{
    return rc_store_open_as(comm, path, &form, RC_STORE_WHOLE, out, err);
}

int rc_noise_file_open_labels(MPI_Comm comm, const char *path, struct rc_store **out,
                              struct rc_error *err)
{
    return rc_store_open_as(comm, path, &form, RC_STORE_LABELS, out, err);
}

const struct rc_noise_file_kind *rc_noise_file_kind(const struct rc_store *file,
                                                    size_t kind)
{
    return file->kind[kind].results;
}

const struct rc_noise_file_suite *rc_noise_file_suite(const struct rc_store *file,
                                                      size_t kind, size_t suite)
{
    return file->kind[kind].suite[suite].results;
}

const struct rc_noise_file_detours *rc_noise_file_detours(const struct rc_store *file)
{
    return file->results;
}

void rc_noise_file_mismatch(const struct rc_store_campaign *results,
                            const struct rc_store_campaign *campaign, char *out,
                            size_t room)
{
    out[0] = 0;
    if (strcmp(results->id, campaign->id) != 0)
        rc_text_append(
            out, room,
            "noise.h5 belongs to another campaign than campaign.h5 beside it: "
            "'rollcall noise DIR' makes it again");
    else if (strcmp(results->digest, campaign->digest) != 0)
        rc_text_append(
            out, room,
            "noise.h5 was made from other readings than campaign.h5 holds now: "
            "'rollcall noise DIR' makes it again");
    else if (!campaign->digest[0])
        rc_text_append(out, room,
                       "it is not known whether noise.h5 was made from the readings in "
                       "campaign.h5: an older rollcall made it");
}

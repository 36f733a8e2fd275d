/* Reading all that describes a file: the campaign, its kinds, their suites and the
 * labels of each. Files are built alike; what differs is in struct rc_store_form
 * (parts.h), and its read_suite() is called for every suite.
 *
 * Nothing here is collective: each rank reads for itself, and rank 0 did so before in
 * a child process (rc_store_sandbox_read()).
 */
#include "io/store/parts.h"

#include <stdlib.h>
#include <string.h>

int rc_store_get_list(struct rc_store *store, hid_t group, const char *name,
                      const char *const **out, size_t *count, struct rc_error *err)
{
    int status = rc_h5_get_shape(group, name, 1, count, err);

    if (status != RC_OK)
        return status;
    const char **list = rc_store_array(store, *count, sizeof *list);
    if (!list)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", name);
    *out = list;
    return rc_h5_get_column(group, name, 0, *count, store->pool, list, err);
}

int rc_store_get_table(struct rc_store *store, hid_t group, const char *name,
                       hid_t type, const size_t dims[2], void **out,
                       struct rc_error *err)
{
    size_t have[2] = {0};
    int status = rc_h5_get_shape(group, name, 2, have, err);

    if (status != RC_OK)
        return status;
    if (have[0] != dims[0] || have[1] != dims[1])
        return rc_fail(err, RC_EUSAGE, "'%s' is %zu x %zu, expected %zu x %zu", name,
                       have[0], have[1], dims[0], dims[1]);
    if (dims[1] > 0 && dims[0] > RC_STORE_TABLE_MAX / dims[1])
        return rc_fail(err, RC_EUSAGE, "'%s' is %zu x %zu, expected at most %zu in all",
                       name, dims[0], dims[1], RC_STORE_TABLE_MAX);
    *out = rc_store_array(store, dims[0] * dims[1], H5Tget_size(type));
    if (!*out)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", name);
    return rc_h5_get_numbers(group, name, type, 0, dims[0] * dims[1], *out, err);
}

static int read_campaign(struct rc_store *store, struct rc_error *err)
{
    struct rc_store_campaign *campaign = &store->campaign;
    hid_t group;
    int64_t simulated = 0;
    int status;

    if ((status =
             rc_h5_check_form(store->file, &store->form->file, store->pool, err)) ||
        (status = rc_h5_get_word(store->file, "campaign_id", store->pool, &campaign->id,
                                 err)) ||
        (status = rc_h5_get_word(store->file, "created_by", store->pool,
                                 &campaign->created_by, err)) ||
        (status = rc_h5_get_integer(store->file, "simulated", &simulated, err)))
        return status;
    for (size_t i = 0; i < RC_STORE_MADE_FROM; i++) { /* "" where it is missing */
        const struct rc_store_attribute *made = &rc_store_made_from[i];
        const char **text = (void *)((char *)campaign + made->offset);
        *text = "";
        if (H5Aexists(store->file, made->name) > 0 &&
            (status = rc_h5_get_word(store->file, made->name, store->pool, text, err)))
            return status;
    }
    campaign->simulated = simulated != 0;
    group = H5Gopen2(store->file, "campaign", H5P_DEFAULT);
    if (group < 0)
        return rc_h5_fail(err, "cannot read 'campaign'");
    if ((status = rc_h5_get_text(group, "spec", store->pool, &campaign->spec, err)))
        goto out;
    status = rc_store_get_list(store, group, "sources", &campaign->source_labels,
                               &campaign->source_label_count, err);
out:
    return rc_h5_close(group, status, err);
}

/* The name of a link by its number; to be freed. */
static int link_name(hid_t group, H5_index_t order, hsize_t number, char **out,
                     struct rc_error *err)
{
    ssize_t bytes = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, number, NULL, 0,
                                       H5P_DEFAULT);

    *out = bytes < 0 ? NULL : calloc((size_t)bytes + 1, 1);
    if (!*out)
        return bytes < 0 ? rc_h5_fail(err, "cannot list a group")
                         : rc_fail(err, RC_ENOMEM, "no memory to list a group");
    if (H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, number, *out,
                           (size_t)bytes + 1, H5P_DEFAULT) < 0)
        return rc_h5_fail(err, "cannot list a group");
    return RC_OK;
}

/* Calls 'read' with the name of each link in 'parent's group 'name', in their order,
 * until one fails; 'what' is a link, for the error.
 */
static int each_link(struct rc_store *store, hid_t parent, const char *name,
                     size_t kind,
                     int (*read)(struct rc_store *store, size_t kind, hid_t group,
                                 const char *link, struct rc_error *err),
                     const char *what, struct rc_error *err)
{
    H5G_info_t info = {0};
    unsigned kept = 0; /* orders that the group has */
    hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    int status = RC_OK;

    if (group < 0 || H5Gget_info(group, &info) < 0) {
        status = rc_h5_fail(err, "cannot read '%s'", name);
        goto out;
    }
    /* In the order of their definition where the file has it.  Other writers' files may
     * not, and are listed by name.
     */
    hid_t how = H5Gget_create_plist(group);
    if (how < 0 || H5Pget_link_creation_order(how, &kept) < 0)
        kept = 0;
    if (how >= 0)
        H5Pclose(how);
    const H5_index_t order =
        kept & H5P_CRT_ORDER_TRACKED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char *link = NULL;
        if ((status = link_name(group, order, i, &link, err)) == RC_OK &&
            (status = read(store, kind, group, link, err)) != RC_OK)
            rc_error_prefix(err, "%s '%s': ", what, link);
        free(link);
        if (status != RC_OK)
            goto out;
    }
out:
    return rc_h5_close(group, status, err);
}

/* Whether any event of the kind is simulated, which readers of a whole kind ask. */
static int read_simulated(hid_t group, struct rc_store_kind *labels,
                          struct rc_error *err)
{
    enum { BLOCK = 4096 }; /* events that are read at once */
    uint8_t code[BLOCK];
    hid_t events = H5Gopen2(group, "events", H5P_DEFAULT);
    int status = RC_OK;

    if (events < 0)
        return rc_h5_fail(err, "cannot read its events");
    for (size_t first = 0; first < labels->event_count && !labels->simulated;
         first += BLOCK) {
        const size_t left = labels->event_count - first;
        const size_t count = left < BLOCK ? left : BLOCK;
        status = rc_h5_get_codes(events, "simulated", first, count, 2, code, err);
        if (status != RC_OK)
            break;
        labels->simulated = memchr(code, 1, count);
    }
    return rc_h5_close(events, status, err);
}

/* The name of a suite, and its group, where more than names are wanted; what is in it
 * is the form's.
 */
static int read_suite(struct rc_store *store, size_t kind, hid_t suites,
                      const char *link, struct rc_error *err)
{
    struct rc_store_suite_part *part = NULL;
    const char *name = rc_store_name_of(store->pool, link);
    int status;

    if (!name)
        return rc_fail(err, RC_ENOMEM, "no memory for its name");
    if ((status = rc_store_add_suite(store, kind, name, &part, err)) ||
        store->depth == RC_STORE_NAMES)
        return status;
    hid_t group = H5Gopen2(suites, link, H5P_DEFAULT);
    if (group < 0)
        return rc_h5_fail(err, "cannot read its group");
    status = store->form->read_suite(store, kind, part, group, err);
    return rc_h5_close(group, status, err);
}

static int read_kind(struct rc_store *store, size_t unused, hid_t kinds,
                     const char *link, struct rc_error *err)
{
    const size_t number = store->count;
    hid_t group = H5Gopen2(kinds, link, H5P_DEFAULT);
    int status;

    (void)unused;
    if (group < 0)
        return rc_h5_fail(err, "cannot read its group");
    const char *name = rc_store_name_of(store->pool, link);
    if (!name) {
        status = rc_fail(err, RC_ENOMEM, "no memory for its name");
        goto out;
    }
    if ((status = rc_store_add_kind(store, name, err)))
        goto out;
    struct rc_store_kind *labels = &store->kind[number].labels;
    if ((status =
             rc_h5_get_text(group, "topology/key", store->pool, &labels->key, err)) ||
        (status = rc_h5_get_text(group, "topology/shape", store->pool, &labels->shape,
                                 err)) ||
        (status = rc_store_get_list(store, group, "nodes", &labels->nodes,
                                    &labels->node_count, err)) ||
        (status =
             rc_h5_get_shape(group, "events/event", 1, &labels->event_count, err)) ||
        (status = read_simulated(group, labels, err)))
        goto out;
    status = each_link(store, group, "suites", number, read_suite, "suite", err);
out:
    return rc_h5_close(group, status, err);
}

int rc_store_read_labels(struct rc_store *store, struct rc_error *err)
{
    int status = rc_h5_open(store->path, &store->form->file, &store->file, err);

    if (status != RC_OK)
        return status;
    if ((status = read_campaign(store, err)) ||
        (status = each_link(store, store->file, "kinds", 0, read_kind, "kind", err)))
        goto out;
    if (store->form->read_rest)
        status = store->form->read_rest(store, err);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    return status;
}

struct attempt {
    const char *path;
    const struct rc_store_form *form;
    enum rc_store_depth depth;
};

/* All that readers do before they read results; then all of the file, unless nobody
 * will read results.
 */
static void try_to_read(const void *context)
{
    const struct attempt *a = context;
    struct rc_error ignored = {.rank = -1};
    struct rc_store *store =
        rc_store_new(MPI_COMM_NULL, a->path, a->form, false, &ignored);

    if (!store)
        return;
    store->depth = a->depth;
    const int status = rc_store_read_labels(store, &ignored);
    rc_h5_try_all(store->file, status == RC_OK && a->depth == RC_STORE_WHOLE);
    rc_store_abandon(store);
}

int rc_store_sandbox_read(const char *path, const struct rc_store_form *form,
                          enum rc_store_depth depth, struct rc_error *err)
{
    return rc_h5_sandbox_read(path, &form->file, try_to_read,
                              &(struct attempt){path, form, depth}, err);
}

/* Datasets of numbers by event: how those of a suite lie in the file, and reading them.
 * Writing them is in write.c.
 *
 * Rank 0 defines a suite alone, after checking it completely, because what was half
 * defined cannot be taken back out of an HDF5 file: once writing has begun, a failure
 * breaks the store on all ranks.
 */
#include "campaign/base/agree.h"
#include "io/store/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In memory and in the file; not to be closed. */
static hid_t type_of(const struct rc_event_set *set)
{
    switch (set->type) {
    case RC_EVENT_REAL:
        return H5T_NATIVE_DOUBLE;
    case RC_EVENT_SINGLE:
        return H5T_NATIVE_FLOAT;
    case RC_EVENT_SIGNED:
        return H5T_NATIVE_INT64;
    case RC_EVENT_UNSIGNED:
        return H5T_NATIVE_UINT64;
    case RC_EVENT_BYTE:
        return H5T_NATIVE_UINT8;
    default:
        return H5T_NATIVE_UINT32;
    }
}

static int rank_of(const struct rc_event_set *set)
{
    int rank = 1;

    while (rank < RC_H5_DIMS && set->scale[rank - 1])
        rank++;
    return rank;
}

/* Numbers of one event; more than any file has where that would be too large. */
static size_t width_of(const struct rc_event_set *set)
{
    size_t width = 1;

    for (int i = 0; i < RC_H5_DIMS - 1; i++)
        width = set->dim[i] > 0 && width > RC_STORE_ITEMS_MAX / set->dim[i]
                    ? RC_STORE_ITEMS_MAX + 1
                    : width * set->dim[i];
    return width;
}

size_t rc_event_set_bytes(const struct rc_event_set *set)
{
    return width_of(set) * H5Tget_size(type_of(set));
}

void *rc_event_set_data(const struct rc_event_set *set, const void *columns)
{
    void *data;

    memcpy(&data, (const char *)columns + set->member, sizeof data);
    return data;
}

/* The datasets of a suite, by the form's table; without 'results' their sizes are not
 * known yet.
 */
static int list_sets(struct rc_store *store, struct rc_store_suite_part *suite,
                     const void *results, size_t block, struct rc_error *err)
{
    const struct rc_store_form *form = store->form;

    suite->block = block > 0 ? block : 1;
    suite->by_event = rc_store_array(store, form->set_count, sizeof *suite->by_event);
    if (!suite->by_event)
        return rc_fail(err, RC_ENOMEM, "no memory for a suite");
    for (size_t i = 0; i < form->set_count; i++) {
        struct rc_event_set *set = &suite->by_event[i];
        *set = form->set[i];
        set->set = H5I_INVALID_HID;
        for (int d = 0; d < RC_H5_DIMS - 1; d++)
            set->dim[d] = 1;
        if (results)
            form->size_set(set, results, suite->block);
        set->chunk = set->chunk > suite->events ? suite->events : set->chunk;
        set->chunk = set->chunk > 0 ? set->chunk : 1;
    }
    return RC_OK;
}

/* From rank 0 to all: collective. */
static void tell_sizes(const struct rc_store *store, struct rc_store_suite_part *suite)
{
    for (size_t i = 0; store->comm != MPI_COMM_NULL && i < store->form->set_count;
         i++) {
        struct rc_event_set *set = &suite->by_event[i];
        unsigned long long size[RC_H5_DIMS + 1] = {set->chunk, set->limit};
        for (int d = 0; d < RC_H5_DIMS - 1; d++)
            size[d + 2] = set->dim[d];
        rc_broadcast(store->comm, 0, size, sizeof size);
        set->chunk = size[0];
        set->limit = size[1];
        for (int d = 0; d < RC_H5_DIMS - 1; d++)
            set->dim[d] = size[d + 2];
    }
}

static const int64_t missing = RC_STORE_MISSING_VALUE;

static int put_attributes(const struct rc_event_set *set, hid_t id,
                          struct rc_error *err)
{
    const struct {
        const char *name, *text;
    } word[] = {
        {"long_name", set->meaning}, {"units", set->unit}, {"labels", set->labels}};
    int status;

    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (word[i].text &&
            (status = rc_h5_put_word(id, word[i].name, word[i].text, err)))
            return status;
    if (set->type == RC_EVENT_SIGNED)
        return rc_h5_put_attribute(id, "_FillValue", H5T_NATIVE_INT64, 1, &missing,
                                   err);
    return set->words ? rc_h5_put_flags(id, set->words, set->limit, err) : RC_OK;
}

/* An empty dataset.  A chunk holds all numbers of some events: readers and writers take
 * events in blocks, and never a part of one.
 */
static int create_set(const struct rc_event_set *set, size_t events, hid_t group,
                      struct rc_error *err)
{
    const double unknown = NAN;
    const float unknown_single = NAN;
    const void *const fill[] = {[RC_EVENT_REAL] = &unknown,
                                [RC_EVENT_SINGLE] = &unknown_single,
                                [RC_EVENT_SIGNED] = &missing,
                                [RC_EVENT_WORD] = NULL};
    const char *scales[RC_H5_DIMS] = {"event"};
    struct rc_h5_layout layout = {.rank = rank_of(set),
                                  .dims = {events},
                                  .chunk = {set->chunk},
                                  .compressed = events > 0 && width_of(set) > 0,
                                  .shuffled = true,
                                  .fill = fill[set->type]};
    int status;

    for (int i = 1; i < layout.rank; i++) {
        layout.dims[i] = layout.chunk[i] = set->dim[i - 1];
        scales[i] = set->scale[i - 1];
    }
    hid_t id = rc_h5_create(group, set->name, type_of(set), &layout);
    if (id < 0)
        return rc_h5_fail(err, "cannot create '%s'", set->name);
    if ((status = rc_h5_attach(group, id, scales, layout.rank, err)))
        goto out;
    status = put_attributes(set, id, err);
out:
    return rc_h5_close(id, status, err);
}

/* On rank 0, before anything is written. */
static int check_suite(const struct rc_store *store, size_t kind, const char *name,
                       const void *results, struct rc_error *err)
{
    int status;

    if ((status = rc_store_check_open(store, err)))
        return status;
    if (store->count == 0)
        return rc_fail(err, RC_ECONFLICT, "there is no kind yet");
    if (kind >= store->count)
        return rc_fail(err, RC_EUSAGE, "kind %zu of %zu", kind, store->count);
    if ((status = rc_store_check_name("suite", name, err)))
        return status;
    if (rc_store_find_suite(store, kind, name) < store->kind[kind].count)
        return rc_fail(err, RC_ECONFLICT, "it is there already");
    return store->form->check_suite(results, store->kind[kind].labels.event_count, err);
}

/* On rank 0. */
static int put_suite(const struct rc_store *store, size_t kind,
                     const struct rc_store_suite_part *suite, const void *results,
                     struct rc_error *err)
{
    const struct rc_store_kind *labels = &store->kind[kind].labels;
    char *path = rc_store_group_path(labels->name, suite->labels.name);
    hid_t group = H5I_INVALID_HID;
    int status;

    if (!path)
        return rc_fail(err, RC_ENOMEM, "no memory for its name");
    if ((status = rc_h5_group(store->file, path, &group, err)) ||
        (status = store->form->put_suite(group, labels, results, err)))
        goto out;
    for (size_t i = 0; i < store->form->set_count; i++)
        if ((status = create_set(&suite->by_event[i], suite->events, group, err)))
            goto out;
out:
    free(path);
    return rc_h5_close(group, status, err);
}

/* Agrees on the status of what was done for a suite, and names it in the error. */
static int agree_suite(const struct rc_store *store, const char *name, int status,
                       struct rc_error *err)
{
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': suite '%s': ", store->path, name ? name : "");
    return rc_agree(store->comm, status, err);
}

/* Checked by rank 0, noted by all, written by rank 0; each step only if no rank failed
 * in the one before.
 */
int rc_event_sets_define(struct rc_store *store, size_t kind, const char *name,
                         const void *results, size_t block, size_t *number,
                         struct rc_error *err)
{
    const bool first = rc_team_rank(store->comm) == 0;
    struct rc_store_suite_part *suite = NULL;
    unsigned long long told[2] = {kind, block};
    char known[RC_STORE_NAME_MAX + 1] = "";
    int status = rc_store_take_back(store, err);

    if (status != RC_OK)
        return status;
    if (first)
        status = check_suite(store, kind, name, results, err);
    if ((status = agree_suite(store, name, status, err)) != RC_OK)
        return status;
    rc_broadcast(store->comm, 0, told, sizeof told);
    rc_store_tell_name(store, first ? name : NULL, known);
    if ((status = rc_store_add_suite(store, told[0], known, &suite, err)))
        goto noted;
    status = list_sets(store, suite, first ? results : NULL, told[1], err);
noted:
    if ((status = agree_suite(store, known, status, err)) != RC_OK)
        return rc_store_break_off(store, status, err);
    tell_sizes(store, suite);
    if (first)
        status = put_suite(store, kind, suite, results, err);
    if ((status = agree_suite(store, known, status, err)) != RC_OK)
        return rc_store_break_off(store, status, err);
    if (number)
        *number = store->kind[told[0]].count - 1;
    return RC_OK;
}

static int open_sets(const struct rc_store *store, struct rc_store_suite_part *suite,
                     hid_t group, struct rc_error *err)
{
    for (size_t i = 0; i < store->form->set_count; i++) {
        struct rc_event_set *set = &suite->by_event[i];
        const size_t width = width_of(set), rank = (size_t)rank_of(set);
        size_t dims[RC_H5_DIMS] = {0};
        set->set = H5Dopen2(group, set->name, H5P_DEFAULT);
        const int status = rc_h5_shape_of(set->set, set->name, (int)rank, dims, err);
        if (status != RC_OK)
            return status;
        if (dims[0] != suite->events ||
            memcmp(dims + 1, set->dim, (rank - 1) * sizeof *dims) != 0 ||
            (width > 0 && suite->events > RC_STORE_ITEMS_MAX / width))
            return rc_fail(err, RC_EUSAGE, "the shape of '%s' does not fit its labels",
                           set->name);
    }
    return RC_OK;
}

int rc_event_sets_open(struct rc_store *store, struct rc_store_suite_part *suite,
                       hid_t group, const void *results, struct rc_error *err)
{
    const int status = list_sets(store, suite, results, 1, err);

    if (status != RC_OK)
        return status;
    return open_sets(store, suite, group, err);
}

int rc_event_sets_open_again(const struct rc_store *store, size_t kind,
                             struct rc_store_suite_part *suite, struct rc_error *err)
{
    hid_t group = H5I_INVALID_HID;
    int status;

    if ((status = rc_store_open_group(store, kind, suite->labels.name, &group, err)))
        return status;
    status = open_sets(store, suite, group, err);
    return rc_h5_close(group, status, err);
}

/* The number in the kind of the event that is number 'at' of the range. */
static size_t event_number(const struct rc_event_range *range, size_t block, size_t at)
{
    if (!range->stride)
        return range->first + at;
    return range->first + at / block * range->stride + at % block;
}

/* Events are there, the last one of blocks, too. */
static int check_range(const struct rc_store *store, size_t kind, size_t suite,
                       const struct rc_event_range *range, struct rc_error *err)
{
    if (kind >= store->count || suite >= store->kind[kind].count)
        return rc_fail(err, RC_EUSAGE, "there is no suite %zu of kind %zu", suite,
                       kind);
    const struct rc_store_suite_part *part = &store->kind[kind].suite[suite];
    if (range->first > part->events || range->count > part->events - range->first ||
        (range->count > 0 &&
         event_number(range, part->block, range->count - 1) >= part->events))
        return rc_fail(err, RC_EUSAGE, "%zu events from number %zu on, of %zu",
                       range->count, range->first, part->events);
    return RC_OK;
}

int rc_event_sets_check(const struct rc_store *store, size_t kind, size_t suite,
                        const struct rc_event_range *range, const void *columns,
                        struct rc_error *err)
{
    const int status = check_range(store, kind, suite, range, err);

    if (status != RC_OK)
        return status;
    const struct rc_store_suite_part *part = &store->kind[kind].suite[suite];
    for (size_t i = 0; i < store->form->set_count; i++) {
        const struct rc_event_set *set = &part->by_event[i];
        const void *data = rc_event_set_data(set, columns);
        if (!data && set->required && range->count > 0 && width_of(set) > 0 &&
            store->path_new)
            return rc_fail(err, RC_EUSAGE, "the block holds no '%s'", set->name);
        /* All codes stand for something. */
        const bool bytes = set->type == RC_EVENT_BYTE;
        const size_t width = width_of(set);
        if (!data || (!bytes && set->type != RC_EVENT_WORD))
            continue;
        for (size_t n = 0; n < range->count * width; n++) {
            const size_t code =
                bytes ? ((const uint8_t *)data)[n] : ((const uint32_t *)data)[n];
            if (code >= set->limit)
                return rc_fail(err, RC_EUSAGE,
                               "'%s' of event %zu is %zu, expected less than %zu",
                               set->name, event_number(range, part->block, n / width),
                               code, set->limit);
        }
    }
    return RC_OK;
}

int rc_event_set_transfer(const struct rc_event_set *set,
                          const struct rc_event_range *range, size_t block, bool write,
                          bool collective, void *data, struct rc_error *err)
{
    struct rc_h5_piece piece = {.set = set->set,
                                .type = type_of(set),
                                .name = set->name,
                                .rank = rank_of(set),
                                .start = {range->first},
                                .extent = {data ? range->count : 0},
                                .block = block,
                                .stride = range->stride};

    for (int i = 1; i < piece.rank; i++)
        piece.extent[i] = set->dim[i - 1];
    return rc_h5_transfer(&piece, write, collective, data, err);
}

/* Codes are checked after reading: whoever uses them as numbers of names need not. */
int rc_event_sets_read(const struct rc_store *store, size_t kind, size_t suite,
                       const struct rc_event_range *range, const void *columns,
                       struct rc_error *err)
{
    int status;

    if (store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for writing", store->path);
    if ((status = check_range(store, kind, suite, range, err)))
        goto out;
    const struct rc_store_suite_part *part = &store->kind[kind].suite[suite];
    for (size_t i = 0; i < store->form->set_count; i++) {
        const struct rc_event_set *set = &part->by_event[i];
        void *data = rc_event_set_data(set, columns);
        if (data && range->count > 0 && width_of(set) > 0 &&
            (status = rc_event_set_transfer(set, range, part->block, false, false, data,
                                            err)))
            goto out;
    }
    status = rc_event_sets_check(store, kind, suite, range, columns, err);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", store->path);
    return status;
}

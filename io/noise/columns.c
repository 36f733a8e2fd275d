/* The numbers of each event in a suite: how they lie in the file, writing them by all
 * ranks at once, reading them.
 *
 * The study deals blocks of events out to ranks, and a chunk of the file is such a
 * block or a part of one: so no two ranks write the same chunk, which HDF5 would have
 * to send from rank to rank.
 */
#include "campaign/base/agree.h"
#include "io/noise/parts.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 20 }; /* of the widest column, about, at most */

/* By what a column's second dimension goes. */
enum width { BY_EVENT, BY_LEVEL, BY_PLACE };

static const char *const yes_no[] = {"no", "yes"};

static const struct {
    const char *name;
    enum width width;
    enum { REAL, SINGLE, CODE, FLAG } type;
    const char *unit, *meaning;
} columns[RC_NOISE_SETS] = {
    [RC_NOISE_MEDIAN] = {"median", BY_EVENT, REAL, "1/iteration",
                         "median of all readings, summed over the points"},
    [RC_NOISE_MAD] = {"mad", BY_EVENT, REAL, "1", "median absolute deviation"},
    [RC_NOISE_VARIANCE] = {"components", BY_LEVEL, REAL, "1",
                           "variance that the level adds, relative; not cut off at 0"},
    [RC_NOISE_LOW] = {"low", BY_LEVEL, REAL, "1", "95 % interval of the component"},
    [RC_NOISE_HIGH] = {"high", BY_LEVEL, REAL, "1", "95 % interval of the component"},
    [RC_NOISE_DISTANCE] = {"distance", BY_LEVEL, REAL, "1",
                           "root mean square difference of two readings"},
    [RC_NOISE_PLACE_MEDIAN] = {"place_median", BY_PLACE, SINGLE, "1",
                               "median of a place's readings, relative to all"},
    [RC_NOISE_VERDICT] = {"verdict", BY_EVENT, CODE, NULL, "where the scatter is"},
    [RC_NOISE_HEAVY] = {"heavy", BY_EVENT, FLAG, NULL,
                        "a few readings far off make the largest component"},
    [RC_NOISE_CLASSES] = {"two_classes", BY_EVENT, FLAG, NULL,
                          "nodes are of two classes"},
    [RC_NOISE_JUDGED] = {"judged", BY_EVENT, FLAG, NULL, "nodes were compared"},
};

/* In memory and in the file; not to be closed. */
static hid_t type_of(enum rc_noise_set set)
{
    switch (columns[set].type) {
    case REAL:
        return H5T_NATIVE_DOUBLE;
    case SINGLE:
        return H5T_NATIVE_FLOAT;
    default:
        return H5T_NATIVE_UINT8;
    }
}

/* Numbers of one event. */
static size_t width_of(const struct rc_noise_file_suite *suite, enum rc_noise_set set)
{
    switch (columns[set].width) {
    case BY_LEVEL:
        return suite->level_count;
    case BY_PLACE:
        return suite->place_count;
    default:
        return 1;
    }
}

static int rank_of(enum rc_noise_set set)
{
    return columns[set].width == BY_EVENT ? 1 : 2;
}

/* The array of a column, or NULL. */
static void *data_of(const struct rc_noise_file_columns *c, enum rc_noise_set set)
{
    void *const data[RC_NOISE_SETS] = {
        [RC_NOISE_MEDIAN] = c->median,
        [RC_NOISE_MAD] = c->mad,
        [RC_NOISE_VARIANCE] = c->variance,
        [RC_NOISE_LOW] = c->low,
        [RC_NOISE_HIGH] = c->high,
        [RC_NOISE_DISTANCE] = c->distance,
        [RC_NOISE_PLACE_MEDIAN] = c->place_median,
        [RC_NOISE_VERDICT] = c->verdict,
        [RC_NOISE_HEAVY] = c->heavy,
        [RC_NOISE_CLASSES] = c->classes,
        [RC_NOISE_JUDGED] = c->judged,
    };
    return data[set];
}

/* Events in a chunk: a block, which is halved where the column is too wide. */
static size_t chunk_of(const struct rc_noise_file_suite *suite, enum rc_noise_set set,
                       size_t events, size_t block)
{
    const size_t most = CHUNK_BYTES / (width_of(suite, set) * 8 + 1) + 1;
    size_t chunk = block;

    while (chunk > most && chunk % 2 == 0)
        chunk /= 2;
    chunk = chunk > events ? events : chunk;
    return chunk > 0 ? chunk : 1;
}

static int put_meaning(hid_t id, enum rc_noise_set set,
                       const struct rc_noise_file_suite *suite, struct rc_error *err)
{
    int status = rc_h5_put_word(id, "long_name", columns[set].meaning, err);

    if (status != RC_OK)
        return status;
    if (columns[set].type == CODE)
        return rc_h5_put_flags(id, suite->verdict, suite->verdict_count, err);
    if (columns[set].type == FLAG)
        return rc_h5_put_flags(id, yes_no, 2, err);
    return rc_h5_put_word(id, "units", columns[set].unit, err);
}

/* Empty, filled with NAN or 0: what no rank gives stays so. */
int rc_noise_create_sets(hid_t group, size_t events, size_t block,
                         const struct rc_noise_file_suite *suite, struct rc_error *err)
{
    static const char *const second[] = {"", "level", "place"};
    const double unknown = NAN;
    const float unknown_single = NAN;

    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS; set++) {
        const size_t width = width_of(suite, set);
        const char *const scales[] = {"event", second[columns[set].width]};
        const struct rc_h5_layout layout = {
            .rank = rank_of(set),
            .dims = {events, width},
            .chunk = {chunk_of(suite, set, events, block), width},
            .compressed = events > 0 && width > 0,
            .shuffled = true,
            .fill = columns[set].type == REAL     ? (const void *)&unknown
                    : columns[set].type == SINGLE ? (const void *)&unknown_single
                                                  : NULL};
        hid_t id = rc_h5_create(group, columns[set].name, type_of(set), &layout);
        if (id < 0)
            return rc_h5_fail(err, "cannot create '%s'", columns[set].name);
        int status = rc_h5_attach(group, id, scales, rank_of(set), err);
        if (status == RC_OK)
            status = put_meaning(id, set, suite, err);
        status = rc_h5_close(id, status, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_noise_open_sets(hid_t group, size_t events, struct rc_noise_file_part *suite,
                       struct rc_error *err)
{
    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS; set++) {
        const char *name = columns[set].name;
        const size_t width = width_of(&suite->labels, set);
        const int rank = rank_of(set);
        size_t dims[2] = {0};
        int status = rc_h5_get_shape(group, name, rank, dims, err);
        if (status != RC_OK)
            return status;
        if (dims[0] != events || (rank == 2 && dims[1] != width) ||
            (width > 0 && events > RC_STORE_ITEMS_MAX / width))
            return rc_fail(err, RC_EUSAGE, "the shape of '%s' does not fit its labels",
                           name);
        suite->set[set] = H5Dopen2(group, name, H5P_DEFAULT);
        if (suite->set[set] < 0)
            return rc_h5_fail(err, "cannot open '%s'", name);
    }
    return RC_OK;
}

int rc_noise_close_sets(struct rc_noise_file_part *suite, int status,
                        struct rc_error *err)
{
    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS; set++) {
        status = rc_h5_close(suite->set[set], status, err);
        suite->set[set] = H5I_INVALID_HID;
    }
    return status;
}

/* The number in the kind of item 'at' of the columns. */
static size_t event_number(const struct rc_noise_file_columns *c, size_t block,
                           size_t at)
{
    if (!c->stride)
        return c->first + at;
    return c->first + at / block * c->stride + at % block;
}

/* Events are there and codes have names, on writing and on reading. */
static int check_codes(const struct rc_noise_file_part *part,
                       const struct rc_noise_file_columns *c, struct rc_error *err)
{
    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS; set++) {
        const uint8_t *code = columns[set].type >= CODE ? data_of(c, set) : NULL;
        const size_t limit = columns[set].type == CODE ? part->labels.verdict_count : 2;
        for (size_t i = 0; code && i < c->count; i++)
            if (code[i] >= limit)
                return rc_fail(
                    err, RC_EUSAGE, "'%s' of event %zu is %u, expected less than %zu",
                    columns[set].name, event_number(c, part->block, i), code[i], limit);
    }
    return RC_OK;
}

static int check_range(const struct rc_noise_file *file, size_t kind, size_t suite,
                       const struct rc_noise_file_columns *c, struct rc_error *err)
{
    if (kind >= file->count || suite >= file->kind[kind].count)
        return rc_fail(err, RC_EUSAGE, "'%s': there is no suite %zu of kind %zu",
                       file->store->path, suite, kind);
    const size_t block = file->kind[kind].suite[suite].block;
    const size_t events = file->store->kind[kind].labels.event_count;
    if (c->first > events || c->count > events - c->first ||
        (c->count > 0 && event_number(c, block, c->count - 1) >= events))
        return rc_fail(err, RC_EUSAGE, "'%s': %zu events from number %zu on, of %zu",
                       file->store->path, c->count, c->first, events);
    return RC_OK;
}

/* Reads or writes one column; of a piece without events nothing. */
static int transfer_set(const struct rc_noise_file_part *part, enum rc_noise_set set,
                        const struct rc_noise_file_columns *c, bool write,
                        bool collective, struct rc_error *err)
{
    void *data = data_of(c, set);
    const struct rc_h5_piece piece = {
        .set = part->set[set],
        .type = type_of(set),
        .name = columns[set].name,
        .rank = rank_of(set),
        .start = {c->first},
        .extent = {data ? c->count : 0, width_of(&part->labels, set)},
        .block = part->block,
        .stride = c->stride,
    };

    return rc_h5_transfer(&piece, write, collective, data, err);
}

/* What the columns of a suite take at most. */
static uint64_t bytes_of(const struct rc_noise_file_part *part, size_t events)
{
    uint64_t bytes = RC_STORE_FILE_NOTES;

    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS; set++) {
        const size_t chunk = chunk_of(&part->labels, set, events, part->block);
        const size_t chunks = (events + chunk - 1) / chunk;
        bytes +=
            chunks * (chunk * width_of(&part->labels, set) * H5Tget_size(type_of(set)) +
                      RC_STORE_CHUNK_NOTES);
    }
    return bytes;
}

/* Hands the file over to all ranks, which open the columns.  Collective. */
static int begin_columns(struct rc_noise_file *file, struct rc_noise_file_part *part,
                         struct rc_error *err)
{
    struct rc_store *store = file->store;
    const struct rc_store_kind *kind = &store->kind[file->count - 1].labels;
    int status = rc_store_share(store, bytes_of(part, kind->event_count), err);

    if ((status = rc_agree(store->comm, status, err)) != RC_OK)
        return status;
    file->sharing = true;
    char *path = rc_store_group_path(kind->name, part->labels.name);
    hid_t group = path ? H5Gopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    status = group < 0 ? rc_h5_fail(err, "cannot open suite '%s'", part->labels.name)
                       : rc_noise_open_sets(group, kind->event_count, part, err);
    free(path);
    status = rc_h5_close(group, status, err);
    return rc_agree(store->comm, status, err);
}

static int check_put(const struct rc_noise_file *file,
                     const struct rc_noise_file_columns *c, struct rc_error *err)
{
    const size_t kind = file->count - 1;

    if (!file->store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for reading",
                       file->store->path);
    if (file->store->broken)
        return rc_fail(err, RC_EIO, "'%s': writing failed before", file->store->path);
    if (file->count == 0 || file->kind[kind].count == 0)
        return rc_fail(err, RC_ECONFLICT, "'%s': there is no suite yet",
                       file->store->path);
    const size_t suite = file->kind[kind].count - 1;
    const int status = check_range(file, kind, suite, c, err);
    return status != RC_OK ? status
                           : check_codes(&file->kind[kind].suite[suite], c, err);
}

int rc_noise_file_put_columns(struct rc_noise_file *file,
                              const struct rc_noise_file_columns *c,
                              struct rc_error *err)
{
    struct rc_store *store = file->store;
    int status = rc_agree(store->comm, check_put(file, c, err), err);

    if (status != RC_OK)
        return status;
    struct rc_noise_file_kind_part *kind = &file->kind[file->count - 1];
    struct rc_noise_file_part *part = &kind->suite[kind->count - 1];
    if (!file->sharing)
        status = begin_columns(file, part, err);
    const bool any = store->kind[file->count - 1].labels.event_count > 0;
    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS && status == RC_OK; set++) {
        if (!any || width_of(&part->labels, set) == 0)
            continue; /* no rank may write an empty dataset */
        status = transfer_set(part, set, c, true, store->parallel, err);
        status = rc_agree(store->comm, status, err);
    }
    if (status != RC_OK) {
        store->broken = true;
        status = rc_store_break(store, status, err);
        rc_error_prefix(err, "'%s': ", store->path_new);
    }
    return status;
}

/* On each rank for itself; the caller agrees. */
static int read_columns(const struct rc_noise_file *file, size_t kind, size_t suite,
                        const struct rc_noise_file_columns *c, struct rc_error *err)
{
    int status;

    if (file->store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for writing",
                       file->store->path);
    if ((status = check_range(file, kind, suite, c, err)) != RC_OK)
        return status;
    const struct rc_noise_file_part *part = &file->kind[kind].suite[suite];
    for (enum rc_noise_set set = 0; set < RC_NOISE_SETS && status == RC_OK; set++)
        if (data_of(c, set) && c->count > 0 && width_of(&part->labels, set) > 0)
            status = transfer_set(part, set, c, false, false, err);
    if (status == RC_OK)
        status = check_codes(part, c, err);
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", file->store->path);
    return status;
}

int rc_noise_file_read_columns(struct rc_noise_file *file, size_t kind, size_t suite,
                               struct rc_noise_file_columns *columns_of,
                               struct rc_error *err)
{
    return rc_agree(file->store->comm, read_columns(file, kind, suite, columns_of, err),
                    err);
}

/* The columns of events in a suite, such as noise, residual and the coordinates of
 * each event: how they lie in the file, writing them by all ranks at once, reading
 * them.
 *
 * The solver deals blocks of events out to ranks (solve/grid.h), and a chunk of the
 * file is such a block or a part of one: so no two ranks write the same chunk, which
 * HDF5 would have to send from rank to rank.
 */
#include "campaign/base/agree.h"
#include "io/metrics/parts.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 }; /* of the widest column, about, at most */

static const struct {
    const char *name;
    size_t data;              /* where struct rc_event_columns has the array */
    size_t bytes;             /* of a number: type_of() */
    const char *const *words; /* names of codes, which are less than 'limit' */
    size_t limit;
} sets[RC_METRICS_SETS] = {
    [RC_METRICS_NOISE] = {"noise", offsetof(struct rc_event_columns, noise), 8, NULL,
                          0},
    [RC_METRICS_RESIDUAL] = {"residual", offsetof(struct rc_event_columns, residual), 8,
                             NULL, 0},
    [RC_METRICS_REPRESENTATION] = {"representation",
                                   offsetof(struct rc_event_columns, representation), 8,
                                   NULL, 0},
    [RC_METRICS_CLASS] = {"class", offsetof(struct rc_event_columns, event_class), 1,
                          rc_class_names, RC_CLASS_COUNT},
    [RC_METRICS_USE] = {"use", offsetof(struct rc_event_columns, use), 1, rc_use_names,
                        RC_USE_COUNT},
    [RC_METRICS_REASON] = {"reason", offsetof(struct rc_event_columns, reason), 4, NULL,
                           0}, /* of as many as the suite has */
};

/* In memory; not to be closed. */
static hid_t type_of(enum rc_metrics_set set)
{
    return sets[set].bytes == 1   ? H5T_NATIVE_UINT8
           : sets[set].bytes == 4 ? H5T_NATIVE_UINT32
                                  : H5T_NATIVE_DOUBLE;
}

/* The array of a column, or NULL. */
static void *data_of(const struct rc_event_columns *columns, enum rc_metrics_set set)
{
    void *data;

    memcpy(&data, (const char *)columns + sets[set].data, sizeof data);
    return data;
}

/* Numbers of one event. */
static size_t width_of(const struct rc_suite_result *suite, enum rc_metrics_set set)
{
    return set == RC_METRICS_REPRESENTATION ? suite->coordinate_count : 1;
}

static int rank_of(enum rc_metrics_set set)
{
    return set == RC_METRICS_REPRESENTATION ? 2 : 1;
}

/* Events in a chunk, the same for all columns: a block, which is halved where it is too
 * large.
 */
static size_t chunk_of(const struct rc_suite_result *suite, size_t events, size_t block)
{
    const size_t most =
        CHUNK_BYTES / ((suite->coordinate_count + 1) * sizeof(double)) + 1;
    size_t chunk = block;

    while (chunk > most)
        chunk = (chunk + 1) / 2;
    chunk = chunk > events ? events : chunk;
    return chunk > 0 ? chunk : 1;
}

/* Empty, filled with NAN or 0: what no rank gives stays so.  As attributes stand the
 * names of codes, where the reasons are, of which there may be too many for an
 * attribute, or the unit.
 */
int rc_metrics_create_sets(hid_t group, size_t events, size_t block,
                           const struct rc_suite_result *suite, struct rc_error *err)
{
    static const char *const scales[] = {"event", "coordinate"};
    const double unknown = NAN;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        const size_t width = width_of(suite, set);
        const hid_t type = type_of(set);
        const struct rc_h5_layout layout = {
            .rank = rank_of(set),
            .dims = {events, width},
            .chunk = {chunk_of(suite, events, block), width},
            .compressed = events > 0 && width > 0,
            .shuffled = true,
            .fill = type == H5T_NATIVE_DOUBLE ? &unknown : NULL};
        hid_t id = rc_h5_create(group, sets[set].name, type, &layout);
        if (id < 0)
            return rc_h5_fail(err, "cannot create '%s'", sets[set].name);
        int status = rc_h5_attach(group, id, scales, rank_of(set), err);
        if (status == RC_OK)
            status = sets[set].words
                         ? rc_h5_put_flags(id, sets[set].words, sets[set].limit, err)
                     : set == RC_METRICS_REASON
                         ? rc_h5_put_word(id, "labels", "reasons", err)
                         : rc_h5_put_word(id, "units", "1", err);
        status = rc_h5_close(id, status, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_metrics_open_sets(hid_t group, size_t events, struct rc_metrics_suite *suite,
                         struct rc_error *err)
{
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        size_t dims[2] = {0}, width = width_of(&suite->result, set);
        const int rank = rank_of(set);
        int status = rc_h5_get_shape(group, sets[set].name, rank, dims, err);
        if (status != RC_OK)
            return status;
        if (dims[0] != events || (rank == 2 && dims[1] != width))
            return rc_fail(err, RC_EUSAGE, "the shape of '%s' does not fit its labels",
                           sets[set].name);
        suite->set[set] = H5Dopen2(group, sets[set].name, H5P_DEFAULT);
        if (suite->set[set] < 0)
            return rc_h5_fail(err, "cannot open '%s'", sets[set].name);
    }
    return RC_OK;
}

int rc_metrics_close_sets(struct rc_metrics_suite *suite, int status,
                          struct rc_error *err)
{
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        status = rc_h5_close(suite->set[set], status, err);
        suite->set[set] = H5I_INVALID_HID;
    }
    return status;
}

/* The number in the kind of item 'at' of the columns: they are one run of events, or
 * blocks that lie 'stride' apart.
 */
static size_t event_number(const struct rc_event_columns *columns, size_t block,
                           size_t at)
{
    if (!columns->stride)
        return columns->first + at;
    return columns->first + at / block * columns->stride + at % block;
}

/* All codes stand for something, on writing and on reading. */
static int check_codes(const struct rc_metrics_suite *suite,
                       const struct rc_event_columns *columns, struct rc_error *err)
{
    for (enum rc_metrics_set set = RC_METRICS_CLASS; set < RC_METRICS_SETS; set++) {
        const void *data = data_of(columns, set);
        const size_t limit =
            set == RC_METRICS_REASON ? suite->result.reason_count : sets[set].limit;
        for (size_t i = 0; data && i < columns->count; i++) {
            const size_t code = sets[set].bytes == 1 ? ((const uint8_t *)data)[i]
                                                     : ((const uint32_t *)data)[i];
            if (code >= limit)
                return rc_fail(err, RC_EUSAGE,
                               "'%s' of event %zu is %zu, expected less than %zu",
                               sets[set].name, event_number(columns, suite->block, i),
                               code, limit);
        }
    }
    return RC_OK;
}

/* The last event of the blocks must be there, too. */
static int check_range(const struct rc_metrics_file *file, size_t kind, size_t suite,
                       const struct rc_event_columns *columns, struct rc_error *err)
{
    if (kind >= file->count || suite >= file->kind[kind].count)
        return rc_fail(err, RC_EUSAGE, "'%s': there is no suite %zu of kind %zu",
                       file->store->path, suite, kind);

    const size_t block = file->kind[kind].suite[suite].block;
    const size_t events = file->store->kind[kind].labels.event_count;
    if (columns->first > events || columns->count > events - columns->first ||
        (columns->count > 0 &&
         event_number(columns, block, columns->count - 1) >= events))
        return rc_fail(err, RC_EUSAGE, "'%s': %zu events from number %zu on, of %zu",
                       file->store->path, columns->count, columns->first, events);
    return RC_OK;
}

/* The columns as a piece of a dataset; they lie in blocks where they have a stride. */
static struct rc_h5_piece piece_of(const struct rc_metrics_suite *suite,
                                   enum rc_metrics_set set,
                                   const struct rc_event_columns *columns)
{
    return (struct rc_h5_piece){
        .set = suite->set[set],
        .type = type_of(set),
        .name = sets[set].name,
        .rank = rank_of(set),
        .start = {columns->first},
        .extent = {columns->count, width_of(&suite->result, set)},
        .block = suite->block,
        .stride = columns->stride,
    };
}

/* Collective; a rank without events, or without this column, takes part with nothing.
 */
static int write_sets(const struct rc_store *store,
                      const struct rc_metrics_suite *suite,
                      const struct rc_event_columns *columns, struct rc_error *err)
{
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        void *data = data_of(columns, set);
        struct rc_h5_piece piece = piece_of(suite, set, columns);
        if (width_of(&suite->result, set) == 0)
            continue;
        if (!data)
            piece.extent[0] = 0;
        int status = rc_h5_transfer(&piece, true, store->parallel, data, err);
        status = rc_agree(store->comm, status, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Hands the file over to all ranks, which open the columns of the suite.  Collective.
 */
static int begin_columns(struct rc_metrics_file *file, struct rc_metrics_suite *suite,
                         struct rc_error *err)
{
    struct rc_store *store = file->store;
    const struct rc_store_kind *kind = &store->kind[file->count - 1].labels;
    const size_t events = kind->event_count;
    const size_t chunk = chunk_of(&suite->result, events, suite->block);
    const size_t chunks = (events + chunk - 1) / chunk;
    uint64_t bytes = RC_STORE_FILE_NOTES; /* that the columns take at most */

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++)
        bytes += chunks *
                 (chunk * width_of(&suite->result, set) * H5Tget_size(type_of(set)) +
                  RC_STORE_CHUNK_NOTES);
    int status = rc_store_share(store, bytes, err);
    status = rc_agree(store->comm, status, err);
    if (status != RC_OK)
        return status;
    file->sharing = true;
    char *path = rc_store_group_path(kind->name, suite->result.suite);
    hid_t group = path ? H5Gopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    status = group < 0 ? rc_h5_fail(err, "cannot open suite '%s'", suite->result.suite)
                       : rc_metrics_open_sets(group, events, suite, err);
    free(path);
    status = rc_h5_close(group, status, err);
    return rc_agree(store->comm, status, err);
}

static int check_put(const struct rc_metrics_file *file,
                     const struct rc_event_columns *columns, struct rc_error *err)
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
    int status = check_range(file, kind, suite, columns, err);
    if (status != RC_OK)
        return status;
    return check_codes(&file->kind[kind].suite[suite], columns, err);
}

/* Collective: a rank whose columns are refused tells all, and none writes. */
int rc_metrics_put_columns(struct rc_metrics_file *file,
                           const struct rc_event_columns *columns, struct rc_error *err)
{
    struct rc_store *store = file->store;
    int status = rc_agree(store->comm, check_put(file, columns, err), err);

    if (status != RC_OK)
        return status;
    struct rc_metrics_kind *kind = &file->kind[file->count - 1];
    struct rc_metrics_suite *suite = &kind->suite[kind->count - 1];
    if (!file->sharing)
        status = begin_columns(file, suite, err);
    if (status == RC_OK && store->kind[file->count - 1].labels.event_count > 0)
        status = write_sets(store, suite, columns, err);
    if (status != RC_OK) {
        store->broken = true;
        status = rc_store_break(store, status, err);
        rc_error_prefix(err, "'%s': ", store->path_new);
    }
    return status;
}

/* On each rank for itself; the caller agrees. */
static int read_columns(const struct rc_metrics_file *file, size_t kind, size_t suite,
                        const struct rc_event_columns *columns, struct rc_error *err)
{
    int status;

    if (file->store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for writing",
                       file->store->path);
    if ((status = check_range(file, kind, suite, columns, err)))
        return status;
    const struct rc_metrics_suite *part = &file->kind[kind].suite[suite];
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        void *data = data_of(columns, set);
        const struct rc_h5_piece piece = piece_of(part, set, columns);
        if (!data || columns->count == 0 || piece.extent[1] == 0)
            continue;
        if ((status = rc_h5_transfer(&piece, false, false, data, err)))
            goto out;
    }
    status = check_codes(part, columns, err);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "'%s': ", file->store->path);
    return status;
}

int rc_metrics_read_columns(struct rc_metrics_file *file, size_t kind, size_t suite,
                            struct rc_event_columns *columns, struct rc_error *err)
{
    return rc_agree(file->store->comm, read_columns(file, kind, suite, columns, err),
                    err);
}

int rc_metrics_make_columns(struct rc_arena *arena, size_t count, size_t coordinates,
                            struct rc_event_columns *out, struct rc_error *err)
{
    *out = (struct rc_event_columns){.count = count};
    out->noise = rc_arena_array(arena, count, sizeof *out->noise);
    out->residual = rc_arena_array(arena, count, sizeof *out->residual);
    out->representation =
        rc_arena_array(arena, count, coordinates * sizeof *out->representation);
    out->event_class = rc_arena_array(arena, count, sizeof *out->event_class);
    out->use = rc_arena_array(arena, count, sizeof *out->use);
    out->reason = rc_arena_array(arena, count, sizeof *out->reason);
    return rc_arena_check(arena, err, "the columns of events");
}

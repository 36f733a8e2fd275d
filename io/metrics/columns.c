/* The columns of events in a suite: how they lie, writing them by all ranks at once,
 * reading them.
 */
#include "campaign/base/agree.h"
#include "io/metrics/parts.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 20 };

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

/* What the sets take at most. */
static uint64_t most_bytes(const struct rc_metrics_suite *suite, size_t events)
{
    const size_t chunk = chunk_of(&suite->result, events, suite->block);
    const size_t chunks = (events + chunk - 1) / chunk;
    uint64_t bytes = RC_STORE_FILE_NOTES;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++)
        bytes += chunks * (chunk * rc_metrics_set_width(&suite->result, set) *
                               H5Tget_size(rc_metrics_set_type(set)) +
                           RC_STORE_CHUNK_NOTES);
    return bytes;
}

static hid_t create_set(hid_t group, size_t events, size_t block,
                        const struct rc_suite_result *suite, enum rc_metrics_set set)
{
    const double unknown = NAN;
    const size_t width = rc_metrics_set_width(suite, set);
    const hid_t type = rc_metrics_set_type(set);
    const struct rc_h5_layout layout = {
        .rank = rank_of(set),
        .dims = {events, width},
        .chunk = {chunk_of(suite, events, block), width},
        .compressed = events > 0 && width > 0,
        .shuffled = true,
        .fill = type == H5T_NATIVE_DOUBLE ? &unknown : NULL};

    return rc_h5_create(group, rc_metrics_set_name(set), type, &layout);
}

static int put_meaning(hid_t set, enum rc_metrics_set which, struct rc_error *err)
{
    switch (which) {
    case RC_METRICS_CLASS:
        return rc_h5_put_flags(set, rc_class_names, RC_CLASS_COUNT, err);
    case RC_METRICS_USE:
        return rc_h5_put_flags(set, rc_use_names, RC_USE_COUNT, err);
    case RC_METRICS_REASON: /* there may be too many for an attribute */
        return rc_h5_put_word(set, "labels", "reasons", err);
    default:
        return rc_h5_put_word(set, "units", "1", err);
    }
}

int rc_metrics_create_sets(hid_t group, size_t events, size_t block,
                           const struct rc_suite_result *suite, struct rc_error *err)
{
    static const char *const scales[] = {"event", "coordinate"};
    int status = RC_OK;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS && status == RC_OK; set++) {
        hid_t id = create_set(group, events, block, suite, set);
        status = id < 0
                     ? rc_h5_fail(err, "cannot create '%s'", rc_metrics_set_name(set))
                     : rc_h5_attach(group, id, scales, rank_of(set), err);
        if (status == RC_OK)
            status = put_meaning(id, set, err);
        status = rc_h5_close(id, status, err);
    }
    return status;
}

int rc_metrics_open_sets(hid_t group, size_t events, struct rc_metrics_suite *suite,
                         struct rc_error *err)
{
    int status = RC_OK;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS && status == RC_OK; set++) {
        size_t dims[2] = {0}, width = rc_metrics_set_width(&suite->result, set);
        int rank = rank_of(set);
        status = rc_h5_get_shape(group, rc_metrics_set_name(set), rank, dims, err);
        if (status == RC_OK && (dims[0] != events || (rank == 2 && dims[1] != width)))
            status =
                rc_fail(err, RC_EUSAGE, "the shape of '%s' does not fit its labels",
                        rc_metrics_set_name(set));
        if (status == RC_OK && (suite->set[set] = H5Dopen2(
                                    group, rc_metrics_set_name(set), H5P_DEFAULT)) < 0)
            status = rc_h5_fail(err, "cannot open '%s'", rc_metrics_set_name(set));
    }
    return status;
}

int rc_metrics_close_sets(struct rc_metrics_suite *suite, struct rc_error *err)
{
    int status = RC_OK;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        status = rc_h5_close(suite->set[set], status, err);
        suite->set[set] = H5I_INVALID_HID;
    }
    return status;
}

static int check_code(enum rc_metrics_set set, size_t code, size_t limit, size_t event,
                      struct rc_error *err)
{
    if (code < limit)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "'%s' of event %zu is %zu, expected less than %zu",
                   rc_metrics_set_name(set), event, code, limit);
}

/* The number in the kind of what is the columns' event 'at'. */
static size_t event_number(const struct rc_event_columns *columns, size_t block,
                           size_t at)
{
    if (!columns->stride)
        return columns->first + at;
    return columns->first + at / block * columns->stride + at % block;
}

static int check_codes(const struct rc_metrics_suite *suite,
                       const struct rc_event_columns *columns, struct rc_error *err)
{
    for (size_t i = 0; i < columns->count; i++) {
        const size_t event = event_number(columns, suite->block, i);
        int status = RC_OK;
        if ((columns->event_class &&
             (status = check_code(RC_METRICS_CLASS, columns->event_class[i],
                                  RC_CLASS_COUNT, event, err)) != RC_OK) ||
            (columns->use &&
             (status = check_code(RC_METRICS_USE, columns->use[i], RC_USE_COUNT, event,
                                  err)) != RC_OK) ||
            (columns->reason &&
             (status = check_code(RC_METRICS_REASON, columns->reason[i],
                                  suite->result.reason_count, event, err)) != RC_OK))
            return status;
    }
    return RC_OK;
}

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

static struct rc_h5_piece piece_of(const struct rc_metrics_suite *suite,
                                   enum rc_metrics_set set,
                                   const struct rc_event_columns *columns)
{
    return (struct rc_h5_piece){
        .set = suite->set[set],
        .type = rc_metrics_set_type(set),
        .name = rc_metrics_set_name(set),
        .rank = rank_of(set),
        .start = {columns->first},
        .extent = {columns->count, rc_metrics_set_width(&suite->result, set)},
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
        void *data = rc_metrics_set_data(columns, set);
        struct rc_h5_piece piece = piece_of(suite, set, columns);
        if (rc_metrics_set_width(&suite->result, set) == 0)
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

static int open_suite(struct rc_metrics_file *file, struct rc_metrics_suite *suite,
                      struct rc_error *err)
{
    const struct rc_store_kind *kind = &file->store->kind[file->count - 1].labels;
    char *path = rc_store_group_path(kind->name, suite->result.suite);
    hid_t group =
        path ? H5Gopen2(file->store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    int status = group < 0
                     ? rc_h5_fail(err, "cannot open suite '%s'", suite->result.suite)
                     : rc_metrics_open_sets(group, kind->event_count, suite, err);

    free(path);
    return rc_h5_close(group, status, err);
}

static int begin_columns(struct rc_metrics_file *file, struct rc_metrics_suite *suite,
                         struct rc_error *err)
{
    size_t events = file->store->kind[file->count - 1].labels.event_count;
    int status = rc_store_share(file->store, most_bytes(suite, events), err);

    status = rc_agree(file->store->comm, status, err);
    if (status != RC_OK)
        return status;
    file->sharing = true;
    status = open_suite(file, suite, err);
    return rc_agree(file->store->comm, status, err);
}

static int check_put(const struct rc_metrics_file *file,
                     const struct rc_event_columns *columns, struct rc_error *err)
{
    size_t kind = file->count - 1;

    if (!file->store->path_new)
        return rc_fail(err, RC_ECONFLICT, "'%s' is open for reading",
                       file->store->path);
    if (file->store->broken)
        return rc_fail(err, RC_EIO, "'%s': writing failed before", file->store->path);
    if (file->count == 0 || file->kind[kind].count == 0)
        return rc_fail(err, RC_ECONFLICT, "'%s': there is no suite yet",
                       file->store->path);
    size_t suite = file->kind[kind].count - 1;
    int status = check_range(file, kind, suite, columns, err);
    if (status == RC_OK)
        status = check_codes(&file->kind[kind].suite[suite], columns, err);
    return status;
}

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

static int read_sets(const struct rc_metrics_suite *suite,
                     const struct rc_event_columns *columns, struct rc_error *err)
{
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        void *data = rc_metrics_set_data(columns, set);
        const struct rc_h5_piece piece = piece_of(suite, set, columns);
        if (!data || columns->count == 0 || piece.extent[1] == 0)
            continue;
        int status = rc_h5_transfer(&piece, false, false, data, err);
        if (status != RC_OK)
            return status;
    }
    return check_codes(suite, columns, err);
}

int rc_metrics_read_columns(struct rc_metrics_file *file, size_t kind, size_t suite,
                            struct rc_event_columns *columns, struct rc_error *err)
{
    int status = RC_OK;

    if (file->store->path_new)
        status =
            rc_fail(err, RC_ECONFLICT, "'%s' is open for writing", file->store->path);
    else
        status = check_range(file, kind, suite, columns, err);
    if (status == RC_OK) {
        status = read_sets(&file->kind[kind].suite[suite], columns, err);
        if (status != RC_OK)
            rc_error_prefix(err, "'%s': ", file->store->path);
    }
    return rc_agree(file->store->comm, status, err);
}

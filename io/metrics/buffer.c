/* Columns that wait to be written.  Ranks give small blocks in turns; each chunk of
 * the file has events of several blocks, and would be packed again for each one.
 */
#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "io/metrics/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_BYTES = 8 << 20 };

size_t rc_metrics_buffer_most(const struct rc_suite_result *suite)
{
    size_t bytes = 0;

    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++)
        bytes += rc_metrics_set_bytes_each(suite, set);
    return bytes < FLUSH_BYTES ? FLUSH_BYTES / bytes : 1;
}

void rc_metrics_buffer_fini(struct rc_metrics_buffer *buffer)
{
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++)
        free(buffer->data[set]);
    free(buffer->run);
    *buffer = (struct rc_metrics_buffer){0};
}

/* Room for 'more' events. */
static int reserve(struct rc_metrics_buffer *buffer,
                   const struct rc_suite_result *suite, size_t more)
{
    size_t room = buffer->events + more;

    if (room <= buffer->room)
        return 0;
    room = room > 2 * buffer->room ? room : 2 * buffer->room;
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        size_t bytes = rc_metrics_set_bytes_each(suite, set);
        void *data = bytes > 0 && room > SIZE_MAX / bytes
                         ? NULL
                         : realloc(buffer->data[set], bytes > 0 ? room * bytes : 1);
        if (!data)
            return -1;
        buffer->data[set] = data;
    }
    buffer->room = room;
    return 0;
}

/* What a column that is not given holds. */
static void put_missing(enum rc_metrics_set set, void *out, size_t bytes)
{
    memset(out, 0, bytes);
    if (rc_metrics_set_type(set) != H5T_NATIVE_DOUBLE)
        return;
    for (size_t i = 0; i < bytes / sizeof(double); i++)
        ((double *)out)[i] = NAN;
}

/* Opens a gap of 'count' events in front of the event that is 'at' in the buffer,
 * and fills it.
 */
static void insert(struct rc_metrics_buffer *buffer,
                   const struct rc_suite_result *suite, size_t at,
                   const struct rc_event_columns *columns, size_t skip, size_t count)
{
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS; set++) {
        size_t bytes = rc_metrics_set_bytes_each(suite, set);
        char *data = buffer->data[set];
        const char *from = rc_metrics_set_data(columns, set);
        memmove(data + (at + count) * bytes, data + at * bytes,
                (buffer->events - at) * bytes);
        if (from)
            memcpy(data + at * bytes, from + skip * bytes, count * bytes);
        else
            put_missing(set, data + at * bytes, count * bytes);
    }
    buffer->events += count;
}

int rc_metrics_buffer_add(struct rc_metrics_buffer *buffer,
                          const struct rc_suite_result *suite,
                          const struct rc_event_columns *columns, size_t skip,
                          size_t count, struct rc_error *err)
{
    size_t first = columns->first + skip, place = buffer->runs, at = buffer->events;

    if (count == 0)
        return RC_OK;
    while (place > 0 && buffer->run[place - 1].first > first)
        at -= buffer->run[--place].count;
    const struct rc_metrics_run *before = place > 0 ? &buffer->run[place - 1] : NULL;
    if ((before && before->first + before->count > first) ||
        (place < buffer->runs && first + count > buffer->run[place].first))
        return rc_fail(err, RC_EUSAGE, "events %zu to %zu: some were given before",
                       first, first + count - 1);
    if (reserve(buffer, suite, count) != 0 ||
        rc_grow(&buffer->run, sizeof *buffer->run, buffer->runs, &buffer->run_room))
        return rc_fail(err, RC_ENOMEM, "no memory for the columns of %zu events",
                       count);
    insert(buffer, suite, at, columns, skip, count);
    if (place == buffer->runs && place > 0 &&
        buffer->run[place - 1].first + buffer->run[place - 1].count == first) {
        buffer->run[place - 1].count += count;
        return RC_OK;
    }
    memmove(buffer->run + place + 1, buffer->run + place,
            (buffer->runs - place) * sizeof *buffer->run);
    buffer->run[place] = (struct rc_metrics_run){first, count};
    buffer->runs++;
    return RC_OK;
}

/* All runs of the buffer; HDF5 takes what is selected in the file's order. */
static herr_t select_runs(hid_t space, const struct rc_metrics_buffer *buffer,
                          size_t width)
{
    herr_t failed = H5Sselect_none(space);

    for (size_t i = 0; i < buffer->runs && failed >= 0; i++) {
        const hsize_t start[2] = {buffer->run[i].first, 0};
        const hsize_t extent[2] = {buffer->run[i].count, width};
        failed = H5Sselect_hyperslab(space, i == 0 ? H5S_SELECT_SET : H5S_SELECT_OR,
                                     start, NULL, extent, NULL);
    }
    return failed;
}

static int write_set(const struct rc_store *store, const struct rc_metrics_suite *suite,
                     enum rc_metrics_set set, struct rc_metrics_buffer *buffer,
                     struct rc_error *err)
{
    double nothing = 0; /* HDF5 wants an address from those, too */
    size_t width = rc_metrics_set_width(&suite->result, set);
    hsize_t items = buffer->events * width;
    int status = RC_OK;
    hid_t file = H5Dget_space(suite->set[set]);
    hid_t memory = H5Screate_simple(1, &items, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_XFER);
    herr_t failed = store->parallel ? H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE) : 0;

    if (items == 0)
        H5Sselect_none(memory);
    if (failed >= 0)
        failed = select_runs(file, buffer, width);
    if (failed >= 0)
        failed = H5Dwrite(suite->set[set], rc_metrics_set_type(set), memory, file, how,
                          items > 0 ? buffer->data[set] : &nothing);
    if (failed < 0)
        status = rc_h5_fail(err, "cannot write '%s'", rc_metrics_set_name(set));
    status = rc_h5_close(how, status, err);
    status = rc_h5_close(memory, status, err);
    return rc_h5_close(file, status, err);
}

int rc_metrics_buffer_flush(const struct rc_store *store,
                            const struct rc_metrics_suite *suite, size_t chunk,
                            struct rc_metrics_buffer *buffer, struct rc_error *err)
{
    int status = RC_OK;

    if (store->parallel)
        status =
            rc_metrics_redistribute(store->comm, &suite->result, chunk, buffer, err);
    for (enum rc_metrics_set set = 0; set < RC_METRICS_SETS && status == RC_OK; set++) {
        if (rc_metrics_set_width(&suite->result, set) == 0)
            continue;
        status = write_set(store, suite, set, buffer, err);
        status = rc_agree(store->comm, status, err);
    }
    buffer->runs = buffer->events = 0;
    return status;
}

/* Columns of strings: one dataset of strings that all have the length of the longest
 * one. Strings of variable length would be shorter to write, but HDF5 does not
 * compress them and several tools do not read them.
 *
 * A column is written and read in pieces of 1 MiB, since half a million descriptions
 * of events, padded to the longest, would take gigabytes in one piece. Strings are
 * padded with NUL and need no NUL at their end, so that a string may be as long as the
 * type.
 */
#include "io/hdf5/hdf5.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIECE_BYTES = 1 << 20, /* of strings that are in memory at once */
    CHUNK_BYTES = 1 << 18, /* of a chunk of the file before it is compressed */
    PLAIN_BYTES = 4096,    /* columns up to this size are not compressed */
};

static const char *column_text(const struct rc_h5_column *column, size_t index)
{
    const char *first = column->first;
    const char *text =
        *(const char *const *)(const void *)(first + index * column->stride);

    return text ? text : "";
}

/* Reads or writes 'count' strings from number 'first' on. */
static int transfer_strings(hid_t set, hid_t type, const char *name, size_t first,
                            size_t count, bool write, void *data, struct rc_error *err)
{
    const struct rc_h5_piece piece = {
        set, type, name, 1, .start = {first}, .extent = {count}};

    return rc_h5_transfer(&piece, write, false, data, err);
}

static int write_column(hid_t set, hid_t type, size_t width,
                        const struct rc_h5_column *column, struct rc_error *err)
{
    const size_t room = PIECE_BYTES / width; /* at least 64, for any width */
    const size_t most = room < column->count ? room : column->count;
    char *piece = rc_calloc(most, width);
    int status = RC_OK;

    if (!piece)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", column->name);
    for (size_t first = 0; first < column->count; first += most) {
        size_t count = column->count - first < most ? column->count - first : most;
        memset(piece, 0, count * width);
        for (size_t i = 0; i < count; i++) {
            const char *text = column_text(column, first + i);
            if (column->raw)
                memcpy(piece + i * width, text, strnlen(text, width));
            else
                rc_store_utf8(piece + i * width, width, text);
        }
        if ((status = transfer_strings(set, type, column->name, first, count, true,
                                       piece, err)))
            break;
    }
    free(piece);
    return status;
}

/* An empty column of strings of 'width' bytes; the caller closes *set and *type, on
 * failure too.  "Raw" bytes are called ASCII, as HDF5 has no name for bytes of no known
 * encoding; by "_Encoding" xarray makes str of the others.
 */
static int create_column(hid_t group, const struct rc_h5_column *column, size_t width,
                         hid_t *set, hid_t *type, struct rc_error *err)
{
    const hsize_t count = column->count, chunk = CHUNK_BYTES / width;
    const struct rc_h5_layout layout = {.rank = 1,
                                        .dims = {count},
                                        .chunk = {chunk > count ? count : chunk},
                                        .compressed = count * width > PLAIN_BYTES};

    *type = H5Tcopy(H5T_C_S1);
    *set = H5I_INVALID_HID;
    if (*type >= 0 && H5Tset_size(*type, width) >= 0 &&
        H5Tset_strpad(*type, H5T_STR_NULLPAD) >= 0 &&
        H5Tset_cset(*type, column->raw ? H5T_CSET_ASCII : H5T_CSET_UTF8) >= 0)
        *set = rc_h5_create(group, column->name, *type, &layout);
    if (*set < 0)
        return rc_h5_fail(err, "cannot create '%s'", column->name);
    return column->raw ? RC_OK : rc_h5_put_word(*set, "_Encoding", "utf-8", err);
}

int rc_h5_put_column(hid_t group, const struct rc_h5_column *column, hid_t *out,
                     struct rc_error *err)
{
    size_t width = 1; /* HDF5 knows no strings of length 0 */
    hid_t set, type;

    for (size_t i = 0; i < column->count; i++) {
        const char *text = column_text(column, i);
        size_t bytes = column->raw ? strlen(text) : rc_store_utf8(NULL, 0, text);
        width = bytes > width ? bytes : width;
    }
    if (width > RC_STORE_TEXT_MAX)
        width = RC_STORE_TEXT_MAX; /* longer ones are cut */
    int status = create_column(group, column, width, &set, &type, err);
    if (status == RC_OK)
        status = write_column(set, type, width, column, err);
    status = rc_h5_close(type, status, err);
    if (!out || status != RC_OK)
        return rc_h5_close(set, status, err);
    *out = set;
    return RC_OK;
}

int rc_h5_put_list(hid_t group, const char *name, const char *const *texts,
                   size_t count, hid_t *out, struct rc_error *err)
{
    const struct rc_h5_column column = {
        .name = name, .first = texts, .stride = sizeof *texts, .count = count};

    return rc_h5_put_column(group, &column, out, err);
}

/* Strings that are equal are kept once in 'pool': sources and reasons repeat for each
 * event.
 */
static int read_column(hid_t set, hid_t type, const char *name, size_t first,
                       size_t count, struct rc_pool *pool, const char **out,
                       struct rc_error *err)
{
    const size_t width = H5Tget_size(type), room = PIECE_BYTES / width;
    const size_t most = room < count ? room : count;
    char *piece = rc_calloc(most, width), word[RC_STORE_TEXT_MAX + 1];
    int status = RC_OK;

    if (!piece)
        return rc_fail(err, RC_ENOMEM, "no memory for '%s'", name);
    for (size_t done = 0; done < count; done += most) {
        const size_t now = count - done < most ? count - done : most;
        if ((status = transfer_strings(set, type, name, first + done, now, false, piece,
                                       err)))
            goto out;
        for (size_t i = 0; i < now; i++) {
            memcpy(word, piece + i * width, width);
            word[width] = 0;
            out[done + i] = rc_pool_intern(pool, word);
            if (!out[done + i]) {
                status = rc_fail(err, RC_ENOMEM, "no memory for '%s'", name);
                goto out;
            }
        }
    }
out:
    free(piece);
    return status;
}

/* Opens a column whose file may come from a stranger: that it is a list of strings of
 * at most RC_STORE_TEXT_MAX bytes is checked here, before memory is asked for. The
 * caller closes *set and *type, on failure too.
 */
static int open_column(hid_t group, const char *name, size_t *count, hid_t *set,
                       hid_t *type, struct rc_error *err)
{
    *type = H5I_INVALID_HID;
    *set = H5Dopen2(group, name, H5P_DEFAULT);
    const int status = rc_h5_shape_of(*set, name, 1, count, err);
    if (status != RC_OK)
        return status;
    *type = H5Dget_type(*set);
    if (*type < 0)
        return rc_h5_fail(err, "cannot read '%s'", name);
    if (H5Tget_class(*type) != H5T_STRING || H5Tis_variable_str(*type) > 0 ||
        H5Tget_size(*type) < 1 || H5Tget_size(*type) > RC_STORE_TEXT_MAX)
        return rc_fail(err, RC_EUSAGE, "'%s' does not hold strings of at most %d bytes",
                       name, RC_STORE_TEXT_MAX);
    return RC_OK;
}

int rc_h5_get_column(hid_t group, const char *name, size_t first, size_t count,
                     struct rc_pool *pool, const char **out, struct rc_error *err)
{
    size_t have = 0;
    hid_t set, type;
    int status = open_column(group, name, &have, &set, &type, err);

    if (status != RC_OK)
        goto out;
    if (first > have || count > have - first)
        status = rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected %zu", name, have,
                         first + count);
    else if (count > 0)
        status = read_column(set, type, name, first, count, pool, out, err);
out:
    return RC_H5_CLOSE(status, err, type, set);
}

int rc_h5_check_column(hid_t group, const char *name, size_t count,
                       struct rc_error *err)
{
    size_t have = 0;
    hid_t set, type;
    int status = open_column(group, name, &have, &set, &type, err);

    if (status != RC_OK)
        goto out;
    if (have != count)
        status = rc_fail(err, RC_EUSAGE, "'%s' has %zu items, expected %zu", name, have,
                         count);
out:
    return RC_H5_CLOSE(status, err, type, set);
}

/* Through memory, in pieces: H5Ocopy() of HDF5 1.10.8 spoils memory where chunks have
 * checksums.
 */
int rc_h5_copy_column(hid_t from, hid_t group, const struct rc_h5_column *column,
                      hid_t *out, struct rc_error *err)
{
    size_t have = 0, most = 0;
    hid_t source, source_type, type = H5I_INVALID_HID;
    char *piece = NULL;
    int status = open_column(from, column->name, &have, &source, &source_type, err);

    *out = H5I_INVALID_HID;
    if (status != RC_OK)
        goto out;
    const size_t width = H5Tget_size(source_type);
    if ((status = create_column(group, column, width, out, &type, err)))
        goto out;
    most = PIECE_BYTES / width < column->count ? PIECE_BYTES / width : column->count;
    piece = rc_calloc(most, width);
    if (!piece)
        status = rc_fail(err, RC_ENOMEM, "no memory for '%s'", column->name);
    for (size_t at = 0; at < column->count && status == RC_OK; at += most) {
        const size_t left = column->count - at, now = left < most ? left : most;
        if ((status = transfer_strings(source, type, column->name, at, now, false,
                                       piece, err)))
            break;
        status = transfer_strings(*out, type, column->name, at, now, true, piece, err);
    }
out:
    free(piece);
    status = RC_H5_CLOSE(status, err, type, source_type, source);
    if (status != RC_OK) {
        status = rc_h5_close(*out, status, err);
        *out = H5I_INVALID_HID;
    }
    return status;
}

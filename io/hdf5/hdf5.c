/* Groups, attributes and datasets of HDF5, with errors that say what they were about.
 *
 * HDF5 1.10 keeps a stack of errors for each thread and prints it when a call fails.
 * Printing is turned off (rc_h5_quiet()), and a failed call's reason is taken from the
 * stack at once, before the next call of HDF5 clears it: rc_h5_fail() therefore comes
 * right after the call that failed.
 */
#include "io/hdf5/hdf5.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEFLATE = 4,           /* the level of compression, of 0 to 9 */
    CHUNK_BYTES = 1 << 20, /* of a chunk of numbers that are written at once */
};

void rc_h5_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* The walk begins where the error arose. */
static herr_t innermost(unsigned depth, const H5E_error2_t *error, void *out)
{
    if (depth == 0 && error->desc)
        rc_text_append(out, RC_ERROR_TEXT / 2, "%s", error->desc);
    return 0;
}

/* HDF5 says "file write failed: time = ..., error message = 'No space left on device',
 * ...", of which people need what failed and the system's reason: "file write failed:
 * No space left on device".
 */
int rc_h5_fail(struct rc_error *err, const char *format, ...)
{
    static const char mark[] = "error message = '";
    char what[RC_ERROR_TEXT / 2], why[RC_ERROR_TEXT / 2] = "";
    va_list list;

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, why);
    char *message = strstr(why, mark), *colon = strstr(why, ": time = ");
    if (message && colon && message > colon) {
        message += sizeof mark - 1;
        const size_t length = strcspn(message, "'");
        memmove(colon + 2, message, length);
        colon[2 + length] = 0;
    }
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return rc_fail(err, RC_EIO, "%s: HDF5: %s", what, *why ? why : "gives no reason");
}

int rc_h5_close(hid_t id, int status, struct rc_error *err)
{
    if (id >= 0 && H5Idec_ref(id) < 0 && status == RC_OK)
        return rc_h5_fail(err, "cannot close a part of the file");
    return status;
}

int rc_h5_close_each(const hid_t *ids, size_t count, int status, struct rc_error *err)
{
    for (size_t i = 0; i < count; i++)
        status = rc_h5_close(ids[i], status, err);
    return status;
}

int rc_h5_group(hid_t parent, const char *name, hid_t *out, struct rc_error *err)
{
    hid_t link = H5Pcreate(H5P_LINK_CREATE), how = H5Pcreate(H5P_GROUP_CREATE);

    *out = H5I_INVALID_HID;
    if (link >= 0 && how >= 0 && H5Pset_char_encoding(link, H5T_CSET_UTF8) >= 0 &&
        H5Pset_obj_track_times(how, false) >= 0 &&
        H5Pset_link_creation_order(how,
                                   H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)
        *out = H5Gcreate2(parent, name, link, how, H5P_DEFAULT);
    int status =
        *out < 0 ? rc_h5_fail(err, "cannot create the group '%s'", name) : RC_OK;
    return RC_H5_CLOSE(status, err, how, link);
}

int rc_h5_put_attribute(hid_t object, const char *name, hid_t type, size_t count,
                        const void *data, struct rc_error *err)
{
    hsize_t dim = count;
    int status = RC_OK;
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dim, NULL);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    if (attribute < 0 || (count > 0 && H5Awrite(attribute, type, data) < 0))
        status = rc_h5_fail(err, "cannot write the attribute '%s'", name);
    return RC_H5_CLOSE(status, err, attribute, space);
}

/* A string of any length, UTF-8. */
static hid_t word_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    if (type >= 0 &&
        (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* A copy that is UTF-8 and ends with a NUL, to be freed; NULL: no memory. */
static char *clean_copy(const char *text)
{
    const char *from = text ? text : "";
    size_t length = rc_store_utf8(NULL, 0, from);
    char *copy = calloc(length + 1, 1);

    if (copy && length > 0)
        rc_store_utf8(copy, length, from);
    return copy;
}

int rc_h5_put_word(hid_t object, const char *name, const char *text,
                   struct rc_error *err)
{
    char *copy = clean_copy(text);
    hid_t type = word_type();
    int status = !copy ? rc_fail(err, RC_ENOMEM, "no memory for '%s'", name)
                       : rc_h5_put_attribute(object, name, type, 1, &copy, err);

    free(copy);
    return rc_h5_close(type, status, err);
}

int rc_h5_put_text(hid_t group, const char *name, const char *text,
                   struct rc_error *err)
{
    char *copy = clean_copy(text);
    hid_t type = word_type();
    int status = !copy
                     ? rc_fail(err, RC_ENOMEM, "no memory for '%s'", name)
                     : rc_h5_put_numbers(group, name, type, 0, NULL, &copy, NULL, err);

    free(copy);
    return rc_h5_close(type, status, err);
}

/* A chunk holds whole rows of the first dimension, CHUNK_BYTES of them or one. */
int rc_h5_put_numbers(hid_t group, const char *name, hid_t type, int rank,
                      const size_t *dims, const void *data, hid_t *out,
                      struct rc_error *err)
{
    struct rc_h5_layout layout = {.rank = rank};
    size_t items = 1, row = H5Tget_size(type);
    int status = RC_OK;

    for (int i = 0; i < rank; i++) {
        layout.dims[i] = layout.chunk[i] = dims[i];
        items *= dims[i];
        row *= i > 0 ? dims[i] : 1;
    }
    if (items > 0 && layout.chunk[0] > CHUNK_BYTES / row)
        layout.chunk[0] = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
    hid_t set = rc_h5_create(group, name, type, &layout);
    if (set < 0 ||
        (items > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
        status = rc_h5_fail(err, "cannot write '%s'", name);
    if (!out || status != RC_OK)
        return rc_h5_close(set, status, err);
    *out = set;
    return RC_OK;
}

/* Checksums are those of the bytes as they lie in the file. */
static bool set_chunks(hid_t how, const struct rc_h5_layout *layout)
{
    bool empty = layout->rank == 0;

    for (int i = 0; i < layout->rank; i++)
        empty |= layout->dims[i] == 0 || layout->chunk[i] == 0;
    if (empty)
        return true;
    return H5Pset_chunk(how, layout->rank, layout->chunk) >= 0 &&
           (!layout->compressed || ((!layout->shuffled || H5Pset_shuffle(how) >= 0) &&
                                    H5Pset_deflate(how, DEFLATE) >= 0)) &&
           H5Pset_fletcher32(how) >= 0;
}

hid_t rc_h5_create(hid_t group, const char *name, hid_t type,
                   const struct rc_h5_layout *layout)
{
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = layout->rank ? H5Screate_simple(layout->rank, layout->dims, NULL)
                               : H5Screate(H5S_SCALAR);
    hid_t set = H5I_INVALID_HID;

    /* Without times the file depends on what is in it alone. */
    if (how < 0 || space < 0 || H5Pset_obj_track_times(how, false) < 0 ||
        (layout->fill && H5Pset_fill_value(how, type, layout->fill) < 0) ||
        !set_chunks(how, layout))
        goto out;
    set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
out:
    if (space >= 0)
        H5Sclose(space);
    if (how >= 0)
        H5Pclose(how);
    return set;
}

/* Selects the blocks of a piece in the dataset's space. Where they lie apart, each is
 * added to those before; HDF5 goes through a selection by rising addresses, so that
 * the numbers in memory are those of the blocks in their order.
 */
static herr_t select_blocks(hid_t space, const struct rc_h5_piece *piece)
{
    const bool apart = piece->stride && piece->stride != piece->block;
    const hsize_t most = apart ? piece->block : piece->extent[0];
    hsize_t start[RC_H5_DIMS], extent[RC_H5_DIMS], left = piece->extent[0];
    herr_t failed = H5Sselect_none(space);

    memcpy(start, piece->start, sizeof start);
    memcpy(extent, piece->extent, sizeof extent);
    for (; left > 0 && failed >= 0; left -= extent[0], start[0] += piece->stride) {
        extent[0] = left < most ? left : most;
        failed = H5Sselect_hyperslab(
            space, left == piece->extent[0] ? H5S_SELECT_SET : H5S_SELECT_OR, start,
            NULL, extent, NULL);
    }
    return failed;
}

int rc_h5_transfer(const struct rc_h5_piece *piece, bool write, bool collective,
                   void *data, struct rc_error *err)
{
    int64_t nothing = 0; /* HDF5 wants an address from those, too */
    int status = RC_OK;
    hid_t file = H5Dget_space(piece->set);
    hid_t memory = H5Screate_simple(piece->rank, piece->extent, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_XFER);
    herr_t failed = collective ? H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE) : 0;

    if (piece->extent[0] == 0) {
        H5Sselect_none(memory);
        data = &nothing;
    }
    if (failed >= 0)
        failed = select_blocks(file, piece);
    if (failed >= 0)
        failed = write ? H5Dwrite(piece->set, piece->type, memory, file, how, data)
                       : H5Dread(piece->set, piece->type, memory, file, how, data);
    if (failed < 0)
        status =
            rc_h5_fail(err, "cannot %s '%s'", write ? "write" : "read", piece->name);
    return RC_H5_CLOSE(status, err, how, memory, file);
}

/* Attributes flag_values and flag_meanings, as the climate and forecast (CF)
 * conventions have them, so that xarray and others show names for codes. The meanings
 * are words with blanks between: a blank in a name becomes '_', and an empty name
 * "none". There are at most 256 names, since codes are bytes.
 */
int rc_h5_put_flags(hid_t set, const char *const *names, size_t count,
                    struct rc_error *err)
{
    uint8_t values[256];
    const char *word[256];
    size_t bytes = 1;

    for (size_t i = 0; i < count; i++) {
        values[i] = (uint8_t)i;
        word[i] = names[i] && *names[i] ? names[i] : "none";
        bytes += strlen(word[i]) + 1;
    }
    char *meanings = calloc(bytes, 1), *at = meanings;
    if (!meanings)
        return rc_fail(err, RC_ENOMEM, "no memory for the names of %zu values", count);
    for (size_t i = 0; i < count; i++) {
        for (const char *from = word[i]; *from; from++)
            *at++ = (char)(*from == ' ' ? '_' : *from);
        *at++ = (char)(i + 1 < count ? ' ' : 0);
    }
    int status;
    if ((status = rc_h5_put_attribute(set, "flag_values", H5T_NATIVE_UINT8, count,
                                      values, err)))
        goto out;
    status = rc_h5_put_word(set, "flag_meanings", meanings, err);
out:
    free(meanings);
    return status;
}

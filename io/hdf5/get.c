/* Reads attributes, texts and numbers out of a file that may come from a stranger.
 *
 * Every reader checks class, shape and size before it asks for memory or hands a
 * number on, and says in its error which object was not as expected. Whether HDF5
 * itself survives the file was tried before, in a child process
 * (sandbox_read.c).
 */
#include "io/hdf5/hdf5.h"

#include <string.h>
#include <unistd.h>

/* The string that an attribute or a dataset holds, which is open; closes it. */
static int read_string(hid_t holder, const char *name, bool attribute,
                       struct rc_pool *pool, const char **out, struct rc_error *err)
{
    hid_t type = attribute ? H5Aget_type(holder) : H5Dget_type(holder);
    hid_t space = attribute ? H5Aget_space(holder) : H5Dget_space(holder);
    hid_t memory = type < 0 ? type : H5Tget_native_type(type, H5T_DIR_DEFAULT);
    char *text = NULL;
    int status = RC_OK;

    if (space < 0 || H5Tget_class(type) != H5T_STRING ||
        H5Tis_variable_str(type) <= 0 || H5Sget_simple_extent_npoints(space) != 1)
        status = rc_fail(err, RC_EUSAGE, "'%s' is not a string", name);
    else if ((attribute
                  ? H5Aread(holder, memory, &text)
                  : H5Dread(holder, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text)) < 0)
        status = rc_h5_fail(err, "cannot read '%s'", name);
    else if (!(*out = rc_pool_copy(pool, text)))
        status = rc_fail(err, RC_ENOMEM, "no memory for '%s'", name);
    if (text)
        H5free_memory(text);
    return RC_H5_CLOSE(status, err, memory, space, type, holder);
}

int rc_h5_get_word(hid_t object, const char *name, struct rc_pool *pool,
                   const char **out, struct rc_error *err)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);

    return attribute < 0 ? rc_h5_fail(err, "cannot read the attribute '%s'", name)
                         : read_string(attribute, name, true, pool, out, err);
}

int rc_h5_get_text(hid_t group, const char *name, struct rc_pool *pool,
                   const char **out, struct rc_error *err)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);

    return set < 0 ? rc_h5_fail(err, "cannot read '%s'", name)
                   : read_string(set, name, false, pool, out, err);
}

/* A size beyond any real file is refused before anybody asks for memory by it. */
int rc_h5_shape_of(hid_t set, const char *name, int rank, size_t *dims,
                   struct rc_error *err)
{
    hsize_t dim[H5S_MAX_RANK] = {0};
    hid_t space = set < 0 ? set : H5Dget_space(set);
    int status = RC_OK;

    if (space < 0)
        return rc_h5_fail(err, "cannot read '%s'", name);
    if (H5Sget_simple_extent_ndims(space) != rank ||
        H5Sget_simple_extent_dims(space, dim, NULL) != rank) {
        status = rc_fail(err, RC_EUSAGE, "'%s' has %d dimensions, expected %d", name,
                         H5Sget_simple_extent_ndims(space), rank);
        goto out;
    }
    for (int i = 0; i < rank; i++) {
        dims[i] = dim[i];
        if (dims[i] > RC_STORE_ITEMS_MAX) {
            status = rc_fail(err, RC_EUSAGE, "'%s' has an impossible size: %zu", name,
                             dims[i]);
            goto out;
        }
    }
out:
    return rc_h5_close(space, status, err);
}

int rc_h5_get_shape(hid_t group, const char *name, int rank, size_t *dims,
                    struct rc_error *err)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    const int status = rc_h5_shape_of(set, name, rank, dims, err);

    return rc_h5_close(set, status, err);
}

/* deflate makes 258 bytes of 2 bits at most. */
int rc_h5_check_stored(hid_t group, const char *name, struct rc_error *err)
{
    enum { DEFLATE_MOST = 1032 };
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t space = set < 0 ? set : H5Dget_space(set);
    hid_t type = set < 0 ? set : H5Dget_type(set);
    int status = RC_OK;

    if (space < 0 || type < 0) {
        status = rc_h5_fail(err, "cannot read '%s'", name);
        goto out;
    }
    const hssize_t items = H5Sget_simple_extent_npoints(space);
    const hsize_t stored = H5Dget_storage_size(set);
    if (items > 0 && (uint64_t)items / DEFLATE_MOST > stored / H5Tget_size(type))
        status = rc_fail(err, RC_EUSAGE,
                         "'%s' says that it has %lld items, which its %llu bytes "
                         "cannot hold",
                         name, (long long)items, (unsigned long long)stored);
out:
    return RC_H5_CLOSE(status, err, type, space, set);
}

int rc_h5_get_numbers(hid_t group, const char *name, hid_t type, size_t first,
                      size_t count, void *out, struct rc_error *err)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t space = set < 0 ? set : H5Dget_space(set), memory = H5I_INVALID_HID;
    const hsize_t start = first, items = count;
    int status = RC_OK;

    if (space < 0)
        status = rc_h5_fail(err, "cannot read '%s'", name);
    else if (first > 0 && H5Sget_simple_extent_ndims(space) != 1)
        status = rc_fail(err, RC_EUSAGE, "'%s' is not a list", name);
    else if (H5Sget_simple_extent_npoints(space) < (hssize_t)first + (hssize_t)count)
        status = rc_fail(err, RC_EUSAGE, "'%s' is shorter than expected", name);
    else if (H5Sget_simple_extent_ndims(space) != 1 &&
             H5Sget_simple_extent_npoints(space) != (hssize_t)count)
        status = rc_fail(err, RC_EUSAGE, "'%s' is longer than expected", name);
    if (status != RC_OK || count == 0)
        goto out;
    /* Tables of more dimensions are read whole, which is what is selected in the first
     * place; into one dimension HDF5 would take them row by row.
     */
    if (H5Sget_simple_extent_ndims(space) == 1) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &items, NULL);
        memory = H5Screate_simple(1, &items, NULL);
    } else {
        memory = H5Scopy(space);
    }
    if (H5Dread(set, type, memory, space, H5P_DEFAULT, out) < 0)
        status = rc_h5_fail(err, "cannot read '%s'", name);
out:
    return RC_H5_CLOSE(status, err, memory, space, set);
}

/* A number that is the only one of an attribute, as 'type' in memory. */
static int read_number(hid_t object, const char *name, hid_t type, void *out,
                       struct rc_error *err)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = attribute < 0 ? attribute : H5Aget_space(attribute);
    int status = RC_OK;

    if (space < 0 || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, type, out) < 0)
        status = rc_h5_fail(err, "cannot read the attribute '%s'", name);
    return RC_H5_CLOSE(status, err, space, attribute);
}

int rc_h5_get_integer(hid_t object, const char *name, int64_t *out,
                      struct rc_error *err)
{
    return read_number(object, name, H5T_NATIVE_INT64, out, err);
}

int rc_h5_get_real(hid_t object, const char *name, double *out, struct rc_error *err)
{
    return read_number(object, name, H5T_NATIVE_DOUBLE, out, err);
}

/* Codes are numbers of names: one without a name is a damaged file. */
int rc_h5_get_codes(hid_t group, const char *name, size_t first, size_t count,
                    unsigned limit, uint8_t *codes, struct rc_error *err)
{
    int status =
        rc_h5_get_numbers(group, name, H5T_NATIVE_UINT8, first, count, codes, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (codes[i] >= limit)
            return rc_fail(err, RC_EUSAGE, "'%s' of event %zu is %u, expected 0 to %u",
                           name, first + i, codes[i], limit - 1);
    return RC_OK;
}

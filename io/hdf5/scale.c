/* Dimension scales of HDF5's high-level library (H5DS): a list of labels becomes the
 * scale of a dimension, so that h5dump, xarray and others show for each dimension its
 * name and its labels. Both are attributes that name each other's objects, which is
 * why scales are not copied between files with their attributes.
 */
#include "io/hdf5/hdf5.h"

#include <hdf5_hl.h>

int rc_h5_scale(hid_t set, const char *name, struct rc_error *err)
{
    if (H5DSset_scale(set, name) < 0)
        return rc_h5_fail(err, "cannot make a scale of '%s'", name);
    return RC_OK;
}

int rc_h5_put_scale(hid_t group, const char *name, const char *const *texts,
                    size_t count, struct rc_error *err)
{
    hid_t set = H5I_INVALID_HID;
    int status = rc_h5_put_list(group, name, texts, count, &set, err);

    if (status != RC_OK)
        return status;
    status = rc_h5_scale(set, name, err);
    return rc_h5_close(set, status, err);
}

int rc_h5_attach(hid_t group, hid_t set, const char *const *scales, int count,
                 struct rc_error *err)
{
    for (int i = 0; i < count; i++) {
        hid_t scale = H5Dopen2(group, scales[i], H5P_DEFAULT);
        int status = RC_OK;
        if (scale < 0 || H5DSattach_scale(set, scale, (unsigned)i) < 0 ||
            H5DSset_label(set, (unsigned)i, scales[i]) < 0)
            status = rc_h5_fail(err, "cannot label a dimension with '%s'", scales[i]);
        status = rc_h5_close(scale, status, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_h5_put_labelled(hid_t group, const char *name, hid_t type, int rank,
                       const char *const *scales, const size_t *dims, const void *data,
                       const char *units, struct rc_error *err)
{
    hid_t set = H5I_INVALID_HID;
    int status;

    if ((status = rc_h5_put_numbers(group, name, type, rank, dims, data, &set, err)) ||
        (status = rc_h5_attach(group, set, scales, rank, err)))
        goto out;
    if (units)
        status = rc_h5_put_word(set, "units", units, err);
out:
    return rc_h5_close(set, status, err);
}

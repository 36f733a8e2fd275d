/* Dimension scales: what makes a dimension show its name and its labels. */
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

    if (status == RC_OK)
        status = rc_h5_scale(set, name, err);
    return rc_h5_close(set, status, err);
}

int rc_h5_attach(hid_t group, hid_t set, const char *const *scales, int count,
                 struct rc_error *err)
{
    int status = RC_OK;

    for (int i = 0; i < count && status == RC_OK; i++) {
        hid_t scale = H5Dopen2(group, scales[i], H5P_DEFAULT);
        if (scale < 0 || H5DSattach_scale(set, scale, (unsigned)i) < 0 ||
            H5DSset_label(set, (unsigned)i, scales[i]) < 0)
            status = rc_h5_fail(err, "cannot label a dimension with '%s'", scales[i]);
        status = rc_h5_close(scale, status, err);
    }
    return status;
}

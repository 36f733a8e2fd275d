/* A file's form: written, and compared with what is expected of a file that is opened,
 * which may come from a stranger.
 */
#include "campaign/base/files/file.h"
#include "io/hdf5/hdf5.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { SIEVE_BYTES = 4096 };

/* Opened by the system first: it says better than HDF5 why a file cannot be opened. */
int rc_h5_open(const char *path, const struct rc_h5_form *form, hid_t *out,
               struct rc_error *err)
{
    int probe = rc_file_open(path, RC_FILE_IN, O_RDONLY);
    int status = RC_OK;

    *out = H5I_INVALID_HID;
    if (probe < 0)
        return rc_file_fail_open(err, path);
    close(probe);
    if (H5Fis_hdf5(path) <= 0)
        return rc_fail(err, RC_EUSAGE, "'%s' is not an HDF5 file, expected %s", path,
                       form->what);

    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0) {
        H5Pset_file_locking(access, false, true); /* locks fail on some file systems */
        /* HDF5 clears such a buffer for each dataset that is not in chunks: small ones,
         * which are read whole.
         */
        H5Pset_sieve_buf_size(access, SIEVE_BYTES);
    }
    *out = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (*out < 0) {
        rc_h5_fail(err, "'%s': cannot open it", path);
        err->status = RC_EUSAGE; /* the file is to blame, not the disk */
        status = RC_EUSAGE;
    }
    return rc_h5_close(access, status, err);
}

int rc_h5_put_form(hid_t file, const struct rc_h5_form *form, struct rc_error *err)
{
    const int status = rc_h5_put_word(file, "format", form->format, err);

    return status ? status
                  : rc_h5_put_attribute(file, "format_version", H5T_NATIVE_INT64, 1,
                                        &form->version, err);
}

int rc_h5_check_form(hid_t file, const struct rc_h5_form *form, struct rc_pool *pool,
                     struct rc_error *err)
{
    const char *format = NULL;
    int64_t version = 0;

    if (H5Aexists(file, "format") <= 0 ||
        rc_h5_get_word(file, "format", pool, &format, err) != RC_OK ||
        strcmp(format, form->format) != 0)
        return rc_fail(err, RC_EUSAGE,
                       "an HDF5 file, but not %s: it has no attribute 'format' that is "
                       "'%s'",
                       form->what, form->format);
    int status = rc_h5_get_integer(file, "format_version", &version, err);
    if (status != RC_OK || version == form->version)
        return status;
    return rc_fail(err, RC_EUSAGE, "format version %lld, expected %lld",
                   (long long)version, (long long)form->version);
}

/* Writes and reads a small file from all ranks, to see for the doctor that parallel
 * HDF5 works where results are to go.
 *
 * All ranks call every collective function of HDF5 here, also after a failure of their
 * own: none may be missing in a call that others wait in. The file is removed in any
 * case.
 */
#include "io/hdf5/check.h"

#include "campaign/base/agree.h"
#include "io/hdf5/hdf5.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

const char *rc_hdf5_describe(char *out, size_t room)
{
    unsigned major = 0, minor = 0, release = 0;

    H5get_libversion(&major, &minor, &release);
    snprintf(out, room, "HDF5 %u.%u.%u, parallel", major, minor, release);
    return out;
}

#ifndef H5_HAVE_PARALLEL
#error                                                                                 \
    "rollcall needs an HDF5 that was built with MPI (Debian: libhdf5-openmpi-dev, Spack: hdf5+mpi)"
#endif

/* One number of each rank, written or read by all at once; not RC_OK where anything
 * fails.
 */
static int transfer_numbers(hid_t file, MPI_Comm comm, int *value, bool write)
{
    const hsize_t total = (hsize_t)rc_team_size(comm);
    hid_t all = H5Screate_simple(1, &total, NULL);
    hid_t set = write ? H5Dcreate2(file, "ranks", H5T_NATIVE_INT, all, H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT)
                      : H5Dopen2(file, "ranks", H5P_DEFAULT);
    struct rc_error ignored = {.rank = -1};
    const struct rc_h5_piece piece = {set,
                                      H5T_NATIVE_INT,
                                      "ranks",
                                      1,
                                      .start = {(hsize_t)rc_team_rank(comm)},
                                      .extent = {1}};
    int status =
        set < 0 ? RC_EIO : rc_h5_transfer(&piece, write, true, value, &ignored);

    return RC_H5_CLOSE(status, &ignored, set, all);
}

/* Rank 0 puts an empty file there (on it, *created says so), and every rank must see
 * it: a rank that opens another directory of that name would leave the others waiting
 * in HDF5.
 */
static int all_see(MPI_Comm comm, const char *path, const char *directory,
                   bool *created, struct rc_error *err)
{
    int status = RC_OK;

    *created = false;
    if (rc_team_rank(comm) == 0) {
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        *created = file >= 0;
        if (file < 0 || close(file) != 0)
            status = rc_fail_errno(err, "cannot write in '%s'", directory);
    }
    status = rc_agree(comm, status, err);
    if (status == RC_OK && access(path, R_OK | W_OK) != 0)
        status =
            rc_fail(err, RC_EIO,
                    "'%s' is not the directory that rank 0 writes in, or cannot be "
                    "written",
                    directory);
    return rc_agree(comm, status, err);
}

int rc_hdf5_check(MPI_Comm comm, const char *directory, struct rc_error *err)
{
    int pid = (int)getpid(), value = rc_team_rank(comm) + 1, back = 0;
    char path[4096];
    bool created;

    rc_broadcast(comm, 0, &pid, sizeof pid);
    snprintf(path, sizeof path, "%s/.rollcall-check-%d.h5", directory, pid);
    rc_h5_quiet(); /* the message below is the message */
    int status = all_see(comm, path, directory, &created, err);
    if (status == RC_OK) {
        hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
        bool failed = file < 0 || transfer_numbers(file, comm, &value, true) ||
                      transfer_numbers(file, comm, &back, false);
        failed = (file >= 0 && H5Fclose(file) < 0) || failed;
        H5Pclose(access);
        if (failed || back != value)
            status = rc_fail(err, RC_EIO,
                             "parallel HDF5 cannot write and read back a file in '%s'",
                             directory);
    }
    MPI_Barrier(comm); /* nobody looks for the file any more */
    if (created)
        unlink(path);
    return rc_agree(comm, status, err);
}

/* check.h - can this HDF5 write one file from many ranks, here? */
#ifndef RC_IO_HDF5_CHECK_H
#define RC_IO_HDF5_CHECK_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stddef.h>

/* The version of the HDF5 library at run time, and whether it is parallel. */
const char *rc_hdf5_describe(char *out, size_t room);

/* Collective over 'comm', which must not be MPI_COMM_NULL.  Writes a small
 * file in 'directory' from all ranks at once, reads it back from all, compares
 * and removes it.
 */
int rc_hdf5_check(MPI_Comm comm, const char *directory, struct rc_error *err);

#endif

/* selftest.h - does the distributed linear algebra work here? */
#ifndef RC_SOLVE_ALGEBRA_SELFTEST_H
#define RC_SOLVE_ALGEBRA_SELFTEST_H

#include "campaign/base/error.h"

#include <mpi.h>

/* Collective over 'comm', which must not be MPI_COMM_NULL.  Represents a few events
 * with known coordinates on each rank, by ScaLAPACK over all ranks; *deviation is the
 * largest difference from the answer.
 */
int rc_solve_selftest(MPI_Comm comm, double *deviation, struct rc_error *err);

#endif

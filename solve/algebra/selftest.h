/* selftest.h - does the distributed linear algebra work here? */
#ifndef RC_SOLVE_ALGEBRA_SELFTEST_H
#define RC_SOLVE_ALGEBRA_SELFTEST_H

#include "campaign/base/error.h"

#include <mpi.h>

/* Collective over 'comm', which must not be MPI_COMM_NULL.  Represents a few
 * events on each rank whose coordinates are known, by ScaLAPACK over all ranks;
 * *deviation is the largest difference to the answer.
 */
int rc_solve_selftest(MPI_Comm comm, double *deviation, struct rc_error *err);

#endif

/* blas_memory.h - makes OpenBLAS take its work space early */
#ifndef RC_SOLVE_ALGEBRA_BLAS_MEMORY_H
#define RC_SOLVE_ALGEBRA_BLAS_MEMORY_H

#include "campaign/base/error.h"

/* OpenBLAS takes its work space, 128 MiB of address space, when it first needs it, and
 * keeps it; where a limit forbids that, it tries for ever (its issue 5289, repaired in
 * 0.3.30).  This function makes it take the space now, or says RC_ENOMEM where there is
 * none.  To be called before any function of BLAS or LAPACK; further calls cost little.
 * Only this rank.
 */
int rc_blas_memory(struct rc_error *err);

#endif

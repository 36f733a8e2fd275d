/* blas_memory.h - the memory that BLAS takes for itself */
#ifndef RC_SOLVE_ALGEBRA_BLAS_MEMORY_H
#define RC_SOLVE_ALGEBRA_BLAS_MEMORY_H

#include "campaign/base/error.h"

/* OpenBLAS takes its work space, 128 MiB of address space, when it first needs it, and
 * keeps it; where a limit keeps it from it, it tries for ever (issue 5289, mended in
 * 0.3.30).  This has BLAS take it now, or says RC_ENOMEM where it could not.  To be
 * called before anything of BLAS or LAPACK; again costs little.  Only this rank.
 */
int rc_blas_memory(struct rc_error *err);

#endif

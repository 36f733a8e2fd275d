/* must.h - what a benchmark cannot go on without */
#ifndef RC_TESTS_BENCH_MUST_H
#define RC_TESTS_BENCH_MUST_H

#include "campaign/base/error.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(int status, const struct rc_error *err)
{
    if (status == RC_OK)
        return;
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, err->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort(); /* what does not return, as analysers know */
}

#endif

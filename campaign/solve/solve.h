/* solve.h - from readings to metric tables: campaign.h5 to metrics.h5 */
#ifndef RC_CAMPAIGN_SOLVE_SOLVE_H
#define RC_CAMPAIGN_SOLVE_SOLVE_H

#include "campaign/base/error.h"
#include "solve/definitions.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rc_spec;

struct rc_solving {
    MPI_Comm comm;
    const char *dir;
    const struct rc_spec *spec;     /* whose metrics to take; NULL: the store's */
    const char *const *definitions; /* files of the user's, ended by NULL; or NULL */
    const char *const *suites;      /* only these, ended by NULL; NULL: all */
    double alpha, tau;              /* 0: as the definitions say */
    bool alpha_scan, tau_gap;       /* found from the data instead */
    bool plain; /* the published method alone, without cross-examination */
    uint64_t seed;
    FILE *out; /* of rank 0, for tables; NULL: none */
};

/* Collective.  Solves DIR/campaign.h5, puts DIR/metrics.h5 in place and prints the
 * tables.  '*incomplete' tells whether units are missing, for the exit status.
 */
int rc_solve(const struct rc_solving *how, bool *incomplete, struct rc_error *err);

#endif

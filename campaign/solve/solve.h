/* solve.h - from readings to metric tables: campaign.h5 to metrics.h5 */
#ifndef RC_CAMPAIGN_SOLVE_SOLVE_H
#define RC_CAMPAIGN_SOLVE_SOLVE_H

#include "campaign/base/error.h"
#include "solve/definitions/definitions.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct rc_progress;
struct rc_spec;

/* The settings of a solve. */
struct rc_solving {
    MPI_Comm comm;                  /* of all ranks, or MPI_COMM_NULL */
    const char *dir;                /* of the campaign */
    const struct rc_spec *spec;     /* campaign file with metrics; NULL: the store's */
    const char *const *definitions; /* the user's files, ended by NULL; or NULL */
    const char *const *suites;      /* only these, ended by NULL; NULL: all */
    double alpha;    /* rounding in the choice; 0: as the definitions say */
    double tau;      /* threshold of noise, relative; 0: as the definitions say */
    bool alpha_scan; /* alpha is found from the data instead */
    bool tau_gap;    /* tau is found from the data instead */
    bool plain;      /* the published method alone, without cross-examination */
    uint64_t seed;   /* of the random draws for intervals */
    FILE *out;       /* of rank 0, for tables; NULL: none */
    bool summary;    /* a few lines instead of tables */
    struct rc_progress *progress; /* says which kind is solved; may be NULL */
};

/* Collective.  Solves DIR/campaign.h5, puts DIR/metrics.h5 in place and prints the
 * tables or their summary.  '*incomplete' tells whether units are missing, for the exit
 * status.  On failure the DIR/metrics.h5 that was there stays.
 */
int rc_solve(const struct rc_solving *how, bool *incomplete, struct rc_error *err);

#endif

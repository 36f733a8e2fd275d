/* gather.h - bytes of all ranks, gathered on every rank */
#ifndef RC_CAMPAIGN_BASE_GATHER_H
#define RC_CAMPAIGN_BASE_GATHER_H

#include "campaign/base/agree.h"

#include <stddef.h>

struct rc_gathered {
    unsigned char *byte; /* those of rank 0, then those of rank 1, ... */
    size_t *from;        /* where each rank's begin; from[ranks] is the number of all */
};

/* Collective over 'comm': each rank gives 'bytes' of 'data' (NULL where it gives none),
 * and every rank gets all of them.  If it fails, it fails on every rank, with 'out'
 * zeroed.
 */
int rc_gather(MPI_Comm comm, const void *data, size_t bytes, struct rc_gathered *out,
              struct rc_error *err);
void rc_gathered_fini(struct rc_gathered *gathered); /* accepts one that is zeroed */

#endif

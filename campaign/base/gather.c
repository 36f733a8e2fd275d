/* Gathers bytes of all ranks on all of them. */
#include "campaign/base/gather.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes go through MPI as they are");

void rc_gathered_fini(struct rc_gathered *gathered)
{
    free(gathered->byte);
    free(gathered->from);
    *gathered = (struct rc_gathered){0};
}

int rc_gather(MPI_Comm comm, const void *data, size_t bytes, struct rc_gathered *out,
              struct rc_error *err)
{
    const size_t size = (size_t)rc_team_size(comm), rank = (size_t)rc_team_rank(comm);
    int status = RC_OK;

    *out = (struct rc_gathered){.from = rc_calloc(size + 1, sizeof *out->from)};
    if (!out->from)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu ranks", size);
    status = rc_agree(comm, status, err);
    if (status != RC_OK || !out->from)
        goto out;
    out->from[rank + 1] = bytes;
    if (comm != MPI_COMM_NULL)
        MPI_Allgather(MPI_IN_PLACE, 1, MPI_UINT64_T, out->from + 1, 1, MPI_UINT64_T,
                      comm);
    for (size_t i = 0; i < size; i++)
        out->from[i + 1] += out->from[i];
    out->byte = rc_calloc(out->from[size], 1);
    if (!out->byte)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu bytes of all ranks",
                         out->from[size]);
    status = rc_agree(comm, status, err);
    if (status != RC_OK || !out->byte)
        goto out;
    if (bytes > 0)
        memcpy(out->byte + out->from[rank], data, bytes);
    for (size_t i = 0; i < size; i++)
        rc_broadcast(comm, (int)i, out->byte + out->from[i],
                     out->from[i + 1] - out->from[i]);
out:
    if (status != RC_OK)
        rc_gathered_fini(out);
    return status;
}

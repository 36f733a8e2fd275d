/* Checks for memory before OpenBLAS takes it: without memory it would end the process
 * or try for ever.
 */
#include "solve/algebra/blas_memory.h"

#include "solve/algebra/scalapack.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

/* The work space of OpenBLAS on x86-64 and arm64, and a reserve for the C library. */
static const size_t room_bytes = (size_t)130 << 20;

int rc_blas_memory(struct rc_error *err)
{
    static bool taken;
    const int order = 1;
    double one = 1;
    int info = 0;

    if (taken)
        return RC_OK;
    void *room = mmap(NULL, room_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return rc_fail(err, RC_ENOMEM,
                       "no memory for the work space of BLAS, %zu MiB of address space",
                       room_bytes >> 20);
    munmap(room, room_bytes);
    dpotrf_("U", &order, &one, &order, &info);
    taken = true;
    return RC_OK;
}

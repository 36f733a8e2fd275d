/* Memory that all ranks of a node share: an MPI window, and a gate in its first page.
 *
 * All of it belongs to the first rank, since parts of several ranks need not be
 * adjacent; MPI need not align the base.  Ranks wait at the gate: MPI's own barrier
 * spins, and takes milliseconds with more ranks than cores.
 */
#include "kernels/fft3d/window.h"

#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "kernels/fft3d/split.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <time.h>

enum {
    PAGE = 4096,
    SPINS = 20000, /* looks at the gate before a rank sleeps */
    NAP_NS = 20000,
    SPARE = 1 << 20 /* bytes of shared memory for MPI itself */
};

struct rc_fft_gate {
    _Alignas(64) atomic_uint arrived; /* ranks that wait for the next opening */
    _Alignas(64) atomic_uint opened;  /* openings so far */
};

/* Memory that MPI shares is files in /dev/shm, whose pages come when they are touched:
 * where there are too few, the rank that touches one too many is killed.
 */
static int check_room(size_t bytes, struct rc_error *err)
{
    struct statvfs disk;
    char wanted[RC_TEXT_SHORT], there[RC_TEXT_SHORT];
    if (statvfs("/dev/shm", &disk))
        return RC_OK; /* MPI has another place for its files */
    uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (room > SPARE && bytes <= room - SPARE)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM, "ranks cannot share %s: /dev/shm has %s left",
                   rc_text_put_size(wanted, bytes), rc_text_put_size(there, room));
}

static int share_memory(struct rc_fft_window *window, MPI_Comm node, size_t bytes,
                        struct rc_error *err)
{
    int rank, unit;
    MPI_Aint all;
    char *base = NULL;
    MPI_Comm_rank(node, &rank);
    int status = rc_agree(node, check_room(bytes, err), err);
    if (status)
        return status;
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    int failed = MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)bytes : 0, 1,
                                         MPI_INFO_NULL, node, &base, &window->win);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_ARE_FATAL);
    if (failed) {
        window->win = MPI_WIN_NULL;
        status = rc_fail(err, RC_ENOMEM, "MPI gives no window of %zu bytes", bytes);
    }
    status = rc_agree(node, status, err);
    if (status)
        return status;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window->win);
    MPI_Win_shared_query(window->win, 0, &all, &unit, &base);
    size_t skip = (PAGE - (uintptr_t)base % PAGE) % PAGE;
    window->gate = (struct rc_fft_gate *)(base + skip);
    window->base = base + skip + PAGE;
    if (rank == 0)
        *window->gate = (struct rc_fft_gate){0};
    MPI_Win_sync(window->win);
    MPI_Barrier(node);
    MPI_Win_sync(window->win);
    return RC_OK;
}

int rc_fft_window_init(struct rc_fft_window *window, MPI_Comm node, size_t bytes,
                       struct rc_error *err)
{
    *window = (struct rc_fft_window){.win = MPI_WIN_NULL};
    window->ranks = (unsigned)rc_team_size(node);
    if (window->ranks > 1)
        return share_memory(window, node, bytes + 2 * (size_t)PAGE, err);
    window->base = window->alone = rc_fft_memory(bytes);
    return window->base ? RC_OK
                        : rc_fail(err, RC_ENOMEM, "no memory for %zu bytes", bytes);
}

void rc_fft_window_fini(struct rc_fft_window *window)
{
    free(window->alone);
    if (window->gate) {
        MPI_Win_unlock_all(window->win);
        MPI_Win_free(&window->win);
    }
    *window = (struct rc_fft_window){.win = MPI_WIN_NULL};
}

static void wait_at(struct rc_fft_gate *gate, unsigned ranks)
{
    unsigned before = atomic_load(&gate->opened);
    if (atomic_fetch_add(&gate->arrived, 1) + 1 == ranks) {
        atomic_store(&gate->arrived, 0);
        atomic_fetch_add(&gate->opened, 1);
        return;
    }
    const struct timespec nap = {.tv_nsec = NAP_NS};
    for (unsigned i = 0; atomic_load(&gate->opened) == before; i++) {
        if (i >= SPINS)
            nanosleep(&nap, NULL);
    }
}

void rc_fft_window_fence(struct rc_fft_window *window)
{
    if (!window->gate)
        return;
    MPI_Win_sync(window->win);
    wait_at(window->gate, window->ranks);
    MPI_Win_sync(window->win);
}

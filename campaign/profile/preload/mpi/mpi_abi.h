/* mpi_abi.h - in what MPIs differ that have the same standard: how handles and statuses
 * lie in memory, and which numbers constants are
 *
 * Two such binary interfaces are known.  Handles are addresses in Open MPI's, and
 * integers in MPICH's, which Intel MPI, Cray MPICH and MVAPICH keep.  This library
 * includes no MPI's header, so it serves programs of either, wherever it was compiled.
 * The program's interface is found when the program first calls MPI, by a function that
 * the header of its MPI names.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_ABI_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers that all have in common. */
enum {
    RC_MPI_ANY_TAG = -1,
    RC_MPI_UNDEFINED = -32766,
    RC_MPI_THREAD_MULTIPLE = 3,
};
enum { RC_MPI_STATUS_WORDS = 3 }; /* of 8 bytes: a status of either has room */

/* A handle of any kind: an address, or an integer with its sign. */
typedef intptr_t rc_mpi_handle;

/* A handle that is always there: the address of a variable, or a number. */
struct rc_mpi_constant {
    const char *variable; /* NULL: it is the number */
    int number;
};

/* An object of Fortran's that stands for a constant of C's; none: NULL. */
struct rc_mpi_object {
    const char *variable;
    size_t offset; /* in it */
};
enum { RC_MPI_OBJECTS = 2 }; /* 'use mpi' may have others than mpi_f08 */

/* Facts that are looked at once, as the interface is found. */
struct rc_mpi_names {
    const char *mark; /* a function of C's that only MPIs of this kind have */
    struct rc_mpi_constant world, null, request_null, int64, integer, most, sum;
    struct rc_mpi_object in_place[RC_MPI_OBJECTS], status_ignore[RC_MPI_OBJECTS],
        statuses_ignore[RC_MPI_OBJECTS];
    int cart, graph, dist_graph;
};

struct rc_mpi_abi {
    uint8_t spare_bits; /* of a word that has a handle: 0, or 32 of integers */
    uint8_t status_bytes, source_at, tag_at, count_at; /* of a status, in bytes */
    int any_source, proc_null, root;
    intptr_t in_place, status_ignore; /* addresses that C is given */
    const struct rc_mpi_names *names; /* NULL: the interface has not been found */
};

extern const struct rc_mpi_abi rc_mpi_abi_open, rc_mpi_abi_mpich;

/* The program's, once rc_mpi_abi_find() has said true, which later calls say again. */
extern struct rc_mpi_abi rc_mpi_abi __attribute__((visibility("hidden")));
bool rc_mpi_abi_find(void);

/* The handle that C has given, or written to 'array'. */
static inline rc_mpi_handle rc_mpi_handle_of(const void *word)
{
    return (intptr_t)((uintptr_t)word << rc_mpi_abi.spare_bits) >>
           rc_mpi_abi.spare_bits;
}
static inline rc_mpi_handle rc_mpi_handle_at(const void *array, int i)
{
    return rc_mpi_abi.spare_bits ? ((const int *)array)[i]
                                 : ((const intptr_t *)array)[i];
}
/* MPI has written a handle there, which may be shorter. */
static inline void rc_mpi_handle_made(rc_mpi_handle *handle)
{
    *handle = rc_mpi_handle_at(handle, 0);
}

#endif

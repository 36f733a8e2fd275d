/* mpi_abi.h - the binary interface of the program's MPI: the layout of handles and
 * statuses, and the values of constants
 *
 * Two such interfaces are known.  Handles are addresses in Open MPI's, and integers in
 * MPICH's, which Intel MPI, Cray MPICH and MVAPICH share.  This library includes no
 * header of MPI, so it works with programs of both, wherever it was compiled.  The
 * program's interface is found at its first call of MPI, by a function that only one
 * kind of MPI has.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_ABI_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MPI_MPI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers that are the same in both. */
enum {
    RC_MPI_ANY_TAG = -1,
    RC_MPI_UNDEFINED = -32766,
    RC_MPI_THREAD_MULTIPLE = 3,
};
enum { RC_MPI_STATUS_WORDS = 3 }; /* of 8 bytes: room for a status of both */

/* A handle of any kind: an address, or an integer with its sign. */
typedef intptr_t rc_mpi_handle;

/* A predefined handle: the address of a variable, or a number. */
struct rc_mpi_constant {
    const char *variable; /* NULL: it is the number */
    int number;
};

/* A Fortran object whose address has the meaning of a constant in C. */
struct rc_mpi_object {
    const char *variable; /* NULL: there is none */
    size_t offset;        /* in the variable */
};
enum { RC_MPI_OBJECTS = 2 }; /* 'use mpi' may have others than mpi_f08 */

/* Facts that are only used when the interface is found, or rarely. */
struct rc_mpi_names {
    const char *mark; /* a C function that only MPIs of this kind have */
    struct rc_mpi_constant world, null, request_null, int64, integer, most, sum;
    struct rc_mpi_object in_place[RC_MPI_OBJECTS], status_ignore[RC_MPI_OBJECTS],
        statuses_ignore[RC_MPI_OBJECTS];
    int cart, graph, dist_graph;
};

struct rc_mpi_abi {
    uint8_t spare_bits; /* bits of a word that a handle does not use: 0 or 32 */
    uint8_t status_bytes, source_at, tag_at, count_at; /* layout of a status */
    int any_source, proc_null, root;
    intptr_t in_place, status_ignore; /* addresses that are passed in C */
    const struct rc_mpi_names *names; /* NULL: the interface has not been found */
};

extern const struct rc_mpi_abi rc_mpi_abi_open, rc_mpi_abi_mpich;

/* The program's interface, once rc_mpi_abi_find() has returned true.  That does nothing
 * if the interface is found already.
 */
extern struct rc_mpi_abi rc_mpi_abi __attribute__((visibility("hidden")));
bool rc_mpi_abi_find(void);

/* The handle that was passed in C as a word, or is in an array. */
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
/* Completes a handle that MPI has written there, as its own may be shorter. */
static inline void rc_mpi_handle_made(rc_mpi_handle *handle)
{
    *handle = rc_mpi_handle_at(handle, 0);
}

#endif

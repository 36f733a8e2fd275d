/* mpi_abi.c - the known binary interfaces of MPI, and how to find the program's */
#include "campaign/profile/preload/mpi/mpi_abi.h"
#include "campaign/profile/preload/preload.h"

#include <dlfcn.h>
#include <string.h>

static const struct rc_mpi_names open_names = {
    .mark = "OMPI_C_MPI_DUP_FN",
    .world = {"ompi_mpi_comm_world", 0},
    .null = {"ompi_mpi_comm_null", 0},
    .request_null = {"ompi_request_null", 0},
    .int64 = {"ompi_mpi_int64_t", 0},
    .integer = {"ompi_mpi_int", 0},
    .most = {"ompi_mpi_op_max", 0},
    .sum = {"ompi_mpi_op_sum", 0},
    .in_place = {{"mpi_fortran_in_place_", 0}},
    .status_ignore = {{"mpi_fortran_status_ignore_", 0}},
    .statuses_ignore = {{"mpi_fortran_statuses_ignore_", 0}},
    .cart = 1,
    .graph = 2,
    .dist_graph = 3,
};

const struct rc_mpi_abi rc_mpi_abi_open = {
    .spare_bits = 0,
    .status_bytes = 24,
    .source_at = 0,
    .tag_at = 4,
    .count_at = 16,
    .any_source = -1,
    .proc_null = -2,
    .root = -4,
    .in_place = 1,
    .status_ignore = 0,
    .names = &open_names,
};

/* Fortran's objects are in its common blocks, after MPI_BOTTOM, and in module mpi_f08.
 */
static const struct rc_mpi_names mpich_names = {
    .mark = "MPIR_Dup_fn",
    .world = {NULL, 0x44000000},
    .null = {NULL, 0x04000000},
    .request_null = {NULL, 0x2c000000},
    .int64 = {NULL, 0x4c00083a},
    .integer = {NULL, 0x4c000405},
    .most = {NULL, 0x58000001},
    .sum = {NULL, 0x58000003},
    .in_place = {{"mpipriv1_", 4}, {"MPIR_F08_MPI_IN_PLACE", 0}},
    .status_ignore = {{"mpipriv1_", 8}, {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0}},
    .statuses_ignore = {{"mpipriv2_", 0}, {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0}},
    .cart = 2,
    .graph = 1,
    .dist_graph = 3,
};

const struct rc_mpi_abi rc_mpi_abi_mpich = {
    .spare_bits = 32,
    .status_bytes = 20,
    .source_at = 8,
    .tag_at = 12,
    .count_at = 0,
    .any_source = -2,
    .proc_null = -1,
    .root = -3,
    .in_place = -1,
    .status_ignore = 1,
    .names = &mpich_names,
};

RC_PRELOAD_OFTEN _Alignas(64) struct rc_mpi_abi rc_mpi_abi;

/* Looks for a mark in the library whose function the program calls.  libmpi_abi.so is
 * left out: it has the interface of the MPI standard, whichever MPI it belongs to.
 */
bool rc_mpi_abi_find(void)
{
    static const struct rc_mpi_abi *const all[] = {&rc_mpi_abi_open, &rc_mpi_abi_mpich,
                                                   NULL};
    const void *function = rc_preload_next("PMPI_Comm_size", NULL);
    struct rc_preload_loaded file;
    if (rc_mpi_abi.names)
        return true;
    if (!function || !rc_preload_loaded_find(function, &file) ||
        strstr(file.name, "libmpi_abi."))
        return false;
    void *library = dlopen(file.name, RTLD_LAZY | RTLD_NOLOAD);
    for (size_t i = 0; library && all[i]; i++)
        if (dlsym(library, all[i]->names->mark))
            rc_mpi_abi = *all[i];
    if (library)
        dlclose(library);
    dlerror(); /* so that the program does not see an error of this search */
    return rc_mpi_abi.names != NULL;
}

# mpi_lib.sh - sourced by scripts that start ranks: 'mpirun' is that of the MPI which the build in 'build' is of, 'mpi' is
# openmpi or mpich, and more ranks than there are cores start, as root too, and are bound to none.
# shellcheck shell=bash disable=SC2034  # the scripts that source it use it
mpi=openmpi
if [ -x "${build:?is where the program was built}/tests/mpich/mpirun" ]; then
    mpi=mpich
    PATH=$build/tests/mpich:$PATH
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none

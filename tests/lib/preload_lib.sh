# preload_lib.sh - sourced by scripts with the arguments LIBRARY PROGRAMS [MPIEXEC]: the library
# that is preloaded, and the folder of profile_blocks and of the programs of apps/.
# shellcheck shell=bash disable=SC2034  # the scripts that source it use all of it
set -u
library=${1:?the library} programs=${2:?the folder of the programs} mpiexec=${3:-mpirun}
if [ "$mpiexec" = none ]; then
    echo "left out: there is no other MPI, expected mpicc.mpich and mpiexec.mpich (or those of openmpi)"
    exit 77
fi
work=$(mktemp -d)

# start RANKS COMMAND...: of a program of the MPI whose mpiexec it is; $mpi is its name
mpi=open start=("$mpiexec" --oversubscribe -n)
if "$mpiexec" --version 2>/dev/null | grep -q HYDRA; then mpi=mpich start=("$mpiexec" -n); fi
start() { "${start[@]}" "$@"; }
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failed=$((failed + 1))
}

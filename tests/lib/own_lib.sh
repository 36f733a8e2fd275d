# own_lib.sh - sourced, after cli_lib.sh, by the scripts about kernels of users' own: 'top' is the root of the tree, 'cc' a
# compiler; 77 where there is none, or no source soft.
# shellcheck shell=bash disable=SC2034,SC2154  # what its scripts use, and what cli_lib.sh sets
few_variables
unset "${!OMPI_@}" # no mpirun here
top=$(cd "$tests/.." && pwd)
cc=${CC:-cc}
if ! "$rollcall" events --source soft 'soft::instructions' >.out 2>.err || ! command -v "$cc" >.out; then
    echo 'no source soft, or no compiler' >&2
    exit 77
fi

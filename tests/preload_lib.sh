# preload_lib.sh - sourced by scripts with the arguments LIBRARY PROGRAMS [MPIEXEC]: the library
# that is preloaded, and the folder of profile_blocks and of the programs of apps/.
# shellcheck shell=bash disable=SC2034  # the scripts that source it use all of it
set -u
library=${1:?the library} programs=${2:?the folder of the programs} mpiexec=${3:-mpirun}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failed=$((failed + 1))
}

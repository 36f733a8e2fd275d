#!/bin/sh
# mpich.sh tests|bytes BUILD - rollcall under MPICH, beside BUILD, a build of another MPI: it is built into
# build-mpich at the top of the tree (or RC_BUILD_MPICH); its tests with the label mpich pass; both give the same bytes.
# 77: this machine has no MPICH, or not all libraries of it.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/jobs/setup.sh"
what=${1:?tests or bytes} other=$(cd "${2:?a build of another MPI}" && pwd)
build=${RC_BUILD_MPICH:-$top/build-mpich}
rc_mpi=mpich # for setup.sh

lacks=$(rc_missing build option test | grep -v '^option ' || true)
if [ -n "$lacks" ]; then
    echo "skipped: MPICH, or a library of it, is not installed: $(echo "$lacks" | cut -d' ' -f2 | tr '\n' ' ')"
    exit 77
fi

rc_build_tested "$build"
case $what in
tests)
    cd "$build"
    ctest --output-on-failure --no-tests=error --parallel "$(($(nproc) + 2))" -L '^mpich$' -LE '^slow$'
    ;;
bytes) exec bash "$top/tests/same_mpi.sh" "$other" "$build" ;;
*) exit 2 ;;
esac

#!/bin/sh
# run.sh - installs what is missing, builds, runs every test.  Needs no
# arguments and asks nothing; arguments go to ctest: tests/run.sh -L unit
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/jobs/setup.sh"

build=${RC_BUILD:-$top/build-test}
rc_setup build option test extra
rc_build "$build" -DBUILD_TESTING=ON -DRC_WERROR=ON
rc_mpi_env
cd "$build"
# One more than there are processors: some tests wait most of their time.
exec ctest --output-on-failure --parallel "$(($(nproc) + 1))" "$@"

#!/usr/bin/env bash
# store.sh BUILD [DIR] - speed and size of campaign.h5: 20,000 and 200,000 events of 5
# repetitions x 48 points on 1, 2 and 4 ranks, in a file in DIR.
set -euo pipefail
build=${1:?the build directory, such as build}
dir=$(mktemp -d "${2:-${TMPDIR:-/tmp}}/rollcall-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

echo "$(nproc) processors; file system: $(stat -f -c %T "$dir"); MB are 10^6 bytes before compression"
{
    echo "events ranks define_s write_s close_s MB/s bytes/event uncompressed ratio MiB/rank open_ms read_1_ms"
    for events in 20000 200000; do
        for ranks in 1 2 4; do
            mpirun -n "$ranks" "$build/tests/bench_store" "$events" "$dir/campaign.h5"
            rm "$dir/campaign.h5"
        done
    done
} | column -t

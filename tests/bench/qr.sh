#!/usr/bin/env bash
# qr.sh BUILD [RUNS [BLOCK]] - choosing among 20,000 and 427,000 events on 1, 2 and 4
# ranks, against PDGEQPF and DGEQP3 on the same matrix; and representing them.
set -euo pipefail
build=${1:?the build directory, such as build}
runs=${2:-5}
block=${3:-64}
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OPENBLAS_NUM_THREADS=1

echo "$(nproc) processors; medians of $runs runs that take turns, with the fastest and slowest; blocks of $block events"
{
    printf 'events\tranks\tmatrix\twhat\tms\ttimes ours\n'
    for events in 20000 427000; do
        for ranks in 1 2 4; do
            mpirun -n "$ranks" "$build/tests/bench_qr" "$events" "$block" "$runs"
        done
    done
} | column -t -s "$(printf '\t')"

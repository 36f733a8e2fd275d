#!/usr/bin/env bash
# qr.sh BUILD [RUNS [BLOCK]] - choosing among 20,000 and 427,000 events on 1, 2 and 4
# ranks, against PDGEQPF and DGEQP3 on the same matrix; and representing them.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
runs=${2:-5}
block=${3:-64}
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

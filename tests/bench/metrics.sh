#!/usr/bin/env bash
# metrics.sh BUILD [DIR] - speed and size of metrics.h5 and of its exports: 427,000
# events in 20 coordinates on 1, 2 and 4 ranks, in a file in DIR.  Shows the run with the fastest writing out of RUNS
# (3).
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
new_dir "${2:-}"
runs=${RUNS:-3}

echo "$(nproc) processors; file system: $(stat -f -c %T "$dir")"
{
    echo "events block ranks events_s columns_s close_s read_s bytes/event MiB/rank"
    for ranks in 1 2 4; do
        for ((i = 0; i < runs; i++)); do
            mpirun -n "$ranks" "$build/tests/bench_metrics" 427000 4096 "$dir/metrics.h5"
        done | sort -k 5 -g | head -n 1
    done
} | column -t

for what in "json" "csv --table metrics" "csv --table events" "csv --table representations"; do
    best=
    for ((i = 0; i < runs; i++)); do
        began=$(date +%s%N)
        # shellcheck disable=SC2086  # the words are options
        "$build/bin/rollcall" export "$dir" --format $what -o "$dir/out"
        ms=$((($(date +%s%N) - began) / 1000000))
        if [ -z "$best" ] || [ "$ms" -lt "$best" ]; then
            best=$ms
        fi
    done
    echo "$what: $best ms, $(($(stat -c %s "$dir/out") / 1000000)) MB"
done

#!/usr/bin/env bash
# store.sh BUILD [DIR] - speed and size of campaign.h5: 20,000 and 200,000 events of 5
# repetitions x 48 points on 1, 2 and 4 ranks, in a file in DIR.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
new_dir "${2:-}"

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

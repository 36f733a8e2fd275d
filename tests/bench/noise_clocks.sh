#!/usr/bin/env bash
# noise_clocks.sh BUILD [TIMES [LIMIT_NS]] - how well the clocks of nodes are told apart, where the
# truth is known: every other rank is in a time namespace whose clock is 1234 s ahead.  By
# shared memory (goal: within 200 ns) and by TCP loopback (1 us), or LIMIT_NS, 2 ranks and
# 4.  Needs root.  Where there are fewer processors than ranks, these wait for each other and
# errors are larger: that is printed, and no failure unless the truth is outside the bounds.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
times=${2:-50} given=${3:-}
unshare -T --fork --monotonic 1234 true || {
    echo "no time namespaces can be made here"
    exit 77
}

# clocks NAME LIMIT_NS RANKS OPTION...: a job of so many ranks.
clocks() {
    local name=$1 limit=$2 ranks=$3 job=() i
    shift 3
    limit=${given:-$limit}
    [ "$ranks" -le "$(nproc)" ] || limit=1e9
    for ((i = 0; i < ranks; i += 2)); do
        job+=(-n 1 "$build/tests/bench_clocks" "$limit" "$times" 0 :
            -n 1 unshare -T --fork --monotonic 1234 "$build/tests/bench_clocks" "$limit" "$times" 1234 :)
    done
    echo "$name, $ranks ranks:"
    mpirun "$@" "${job[@]:0:${#job[@]}-1}"
}
status=0
for ranks in 2 4; do
    clocks "shared memory" 200 "$ranks" || status=1
    clocks "TCP loopback" 1000 "$ranks" --mca pml ob1 --mca btl self,tcp || status=1
done
exit "$status"

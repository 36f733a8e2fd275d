#!/usr/bin/env bash
# [LEVELS="L1 L2"] stream_likwid.sh BUILD [ROUNDS [CPU...]] - loops of the suite 'stream' against those of likwid-bench (Debian: likwid),
# which are assembly: the same sizes, the same vectors, the same passes on the same CPUs, in turns.  A row for each level
# of the caches, kernel and number of workers: GB/s of both (the median of the rounds) and the ratio of both in a round,
# with the 95 % interval of its median.  likwid-bench has ordinary pages; so has the suite in 'small', while 'huge' is as the
# suite is measured.  Both come before what else is on the machine where that is allowed: one worker at SCHED_FIFO, several at
# nice -20, since threads of likwid-bench at SCHED_FIFO wait for each other for ever.  On a busy machine see the best rounds.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
rounds=${2:-20}
shift $(($# > 2 ? 2 : $#))
cpus=("$@")
[ $# -gt 0 ] || cpus=(0 1)
new_dir ""
as_first
all_first=()
! nice -n -20 true 2>/dev/null || all_first=(nice -n -20)

if grep -qw avx512f /proc/cpuinfo; then
    width=avx512 fma=avx512_fma
elif grep -qw fma /proc/cpuinfo; then
    width=avx fma=avx_fma
else
    width=sse fma=sse
fi

# The sizes: half of L1 and of L2, a part of L3 that both workers have, and memory.
l1=$(getconf LEVEL1_DCACHE_SIZE) l2=$(getconf LEVEL2_CACHE_SIZE) l3=$(getconf LEVEL3_CACHE_SIZE)
sizes=("L1 $((l1 / 2))")
[ "$l2" -eq 0 ] || sizes+=("L2 $((l2 / 2))")
[ "$l3" -eq 0 ] || sizes+=("L3 $((l3 / 8))")
sizes+=("memory $((4 * (l3 > l2 ? l3 : l2)))")

# kernel, kind of stores, likwid-bench's name, arrays
pairs=("copy plain copy_$width 2" "triad plain stream_$fma 3" "read plain load_$width 1"
    "write plain store_$width 1" "update plain update_$width 1" "copy streaming copy_mem_$width 2"
    "triad streaming stream_mem_${fma/avx512_fma/avx512} 3" "write streaming store_mem_$width 1")

# theirs NAME BYTES PASSES CPU...: GB/s
theirs() {
    local name=$1 bytes=$2 passes=$3 list unit=B
    shift 3
    [ $((bytes % 1000)) -ne 0 ] || bytes=$((bytes / 1000)) unit=kB
    list=$(IFS=, && echo "$*")
    "${first[@]}" taskset -c "$list" likwid-bench -t "$name" -i "$passes" -w "M0:$((bytes * $#))$unit:$#" 2>"$dir/err" |
        awk '/^MByte\/s:/ { printf "%.3f", $2 / 1000 }'
}
ours() { "${first[@]}" "$build/tests/bench_stream" "$@"; }

: >"$dir/rows"
for ((round = 0; round < rounds; round++)); do
    for size in "${sizes[@]}"; do
        read -r level bytes <<<"$size"
        [[ " ${LEVELS:-$level} " == *" $level "* ]] || continue
        for pair in "${pairs[@]}"; do
            read -r kernel store name arrays <<<"$pair"
            [ "$store" = plain ] || [ "$level" = memory ] || continue
            # whole blocks of 64 doubles in each array, so that neither rounds; likwid-bench
            # takes sizes up to 2 GiB in bytes, larger ones in units of 1000 bytes
            block=$((bytes > 1 << 27 ? 64000 : 512))
            whole=$((bytes / arrays / block * block * arrays))
            case $level in L1) passes=$((600000000 / whole)) ;; L2) passes=$((250000000 / whole)) ;; *) passes=$((80000000 / whole + 1)) ;; esac
            for ((workers = 1; workers <= ${#cpus[@]}; workers++)); do
                used=("${cpus[@]:0:workers}")
                first=("${above[@]}")
                [ "$workers" -eq 1 ] || first=("${all_first[@]}")
                a=$(theirs "$name" "$whole" "$passes" "${used[@]}") || { cat "$dir/err" >&2 && exit 1; }
                b=$(ours "$kernel" "$store" "$whole" "$passes" small "${used[@]}")
                c=$(ours "$kernel" "$store" "$whole" "$passes" huge "${used[@]}")
                echo "$level $whole $kernel $store $workers $name $a $b $c" >>"$dir/rows"
            done
        done
    done
done

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1); $rounds rounds, CPUs ${cpus[*]}; load $(cut -d ' ' -f 1-3 /proc/loadavg)"
python3 - "$dir/rows" <<'PY'
import math
import statistics
import sys

rows = {}
for line in open(sys.argv[1], encoding="ascii"):
    level, size, kernel, store, workers, name, *numbers = line.split()
    rows.setdefault((level, size, kernel, store, workers, name), []).append([float(n) for n in numbers])


def told(ratios):
    """The median, and the order statistics that enclose it in 95 % of samples."""
    ratios = sorted(ratios)
    n = len(ratios)
    rank, below = 0, 0.0
    while rank < n // 2 and below + math.comb(n, rank) / 2**n <= 0.025:
        below += math.comb(n, rank) / 2**n
        rank += 1
    rank = max(rank - 1, 0)
    return "%.3f [%.3f, %.3f]" % (statistics.median(ratios), ratios[rank], ratios[n - 1 - rank])


print("%-6s %10s %-6s %-9s %1s %-18s %-25s  %-25s %-22s %-22s" % (
    "level", "bytes", "kernel", "store", "w", "likwid-bench", "median: GB/s, small, huge", "best: GB/s, small, huge",
    "small / likwid", "huge / likwid"))
for key, of in rows.items():
    medians = " ".join("%7.1f" % statistics.median(r[i] for r in of) for i in range(3))
    bests = " ".join("%7.1f" % max(r[i] for r in of) for i in range(3))
    print("%-6s %10s %-6s %-9s %1s %-18s %-25s  %-25s %-22s %-22s" % (
        *key, medians, bests, told([r[1] / r[0] for r in of]), told([r[2] / r[0] for r in of])))
PY

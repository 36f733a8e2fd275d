#!/usr/bin/env bash
# scale.sh BUILD [RANKS [DIR]] - a campaign of all 427,000 events of a simulated node, suites
# flops and branch, 5 repetitions: wall time, peak memory of a rank, bytes in the journal
# and in campaign.h5.  Then the same command again, with nothing left to measure, and pack.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
ranks=${2:-4}
new_dir "${3:-}"

# timed NAME RANKS COMMAND...: a row of the table.
timed() {
    local name=$1 n=$2 start end
    shift 2
    start=$(date +%s.%N)
    measured "$n" "$build/bin/rollcall" "$@"
    end=$(date +%s.%N)
    sort -rn "$dir/peak" | awk -v name="$name" -v n="$n" -v start="$start" -v end="$end" '
        { cpu += $2 } NR == 1 { most = $1 } { least = $1 }
        END { printf "%s\t%d\t%.1f\t%.1f\t%d\t%d\n", name, n, end - start, cpu, most, least }' \
        >>"$dir/table"
}

campaign=(-o "$dir/x" --source model:summit-node --suite "flops,branch" --repeat 5:5)
echo "$(nproc) processors, $ranks ranks"
printf 'what\tranks\tseconds\tcpu_seconds\tMiB_most\tMiB_least\n' >"$dir/table"
timed "run, from nothing" "$ranks" run "${campaign[@]}"
grep -oE 'model: .*|measured .*|queue: .*' "$dir/x/log.txt"
timed "run, nothing left" "$ranks" run "${campaign[@]}"
timed "pack" "$ranks" pack "$dir/x"
timed "pack" 1 pack "$dir/x"
column -t -s "$(printf '\t')" "$dir/table"

journal=$(cat "$dir"/x/journal/*.rcj | wc -c)
store=$(wc -c <"$dir/x/campaign.h5")
events=$(sed -n 's/.*model: \([0-9]*\) events in .* groups.*/\1/p' "$dir/x/log.txt" | head -1)
awk -v j="$journal" -v s="$store" -v e="$events" 'BEGIN {
    printf "journal %.1f MB, campaign.h5 %.1f MB; ", j / 1e6, s / 1e6
    printf "for each of %d events with %d values: %.0f and %.0f bytes\n", e, 5 * (48 + 11), j / e, s / e }'

#!/usr/bin/env bash
# scale.sh BUILD [RANKS [DIR]] - a campaign of all 427,000 events of a simulated node, suites
# flops and branch, 5 repetitions: wall time, peak memory of a rank, bytes in the journal
# and in campaign.h5.  Then the same command again, with nothing left to measure, and pack.
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
ranks=${2:-4}
dir=$(mktemp -d "${3:-${TMPDIR:-/tmp}}/rollcall-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

# Each rank's peak memory, by the kernel's account of a process that has ended.
cat >"$dir/peak.py" <<'PY'
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "a") as out:
    out.write(f"{usage.ru_maxrss / 1024:.0f} {usage.ru_utime + usage.ru_stime:.1f}\n")
sys.exit(os.waitstatus_to_exitcode(status))
PY

# timed NAME RANKS COMMAND...: a row of the table.
timed() {
    local name=$1 n=$2 start end
    shift 2
    : >"$dir/peak"
    start=$(date +%s.%N)
    mpirun -n "$n" python3 "$dir/peak.py" "$dir/peak" "$build/bin/rollcall" "$@" \
        >"$dir/out" 2>"$dir/err" || { cat "$dir/err" >&2; exit 1; }
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

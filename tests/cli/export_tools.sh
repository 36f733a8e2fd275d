#!/usr/bin/env bash
# Debian's likwid and linux-perf read the output of 'export' and 'show' for LIKWID and perf: groups of a simulated
# campaign and of odd names, and calls of perf stat.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
export OPENBLAS_NUM_THREADS=1
missing=

# LIKWID's own reader, and Lua, with which it computes metrics.
if command -v likwid-perfctr >/dev/null && command -v lua5.3 >/dev/null; then
    run 0 python3 -B "$here/house/tool_names.py" icx "$here/../campaign/sources/model/machines/spr.yaml"
    printf '%s\n' "$out" >icx.yaml
    run 0 "$rollcall" run -o icx --source model:icx.yaml --suite flops,branch,cycles,blas --repeat 2:2
    run 0 "$rollcall" run -o zen --source model:zen3 --suite branch --repeat 2:2
    mkdir odd groups
    "$build/tests/metrics_sample" odd/metrics.h5 || fail "no sample"
    run 0 "$rollcall" export icx --format likwid -o groups/icx
    run 0 "$rollcall" export zen --format likwid -o groups/zen
    run 3 "$rollcall" export odd --format likwid --kind "made-up cpu, model 1/2" -o groups/odd
    run 0 python3 -B "$here/cli/likwid_check.py" groups
    has "icx/RC_FLOPS: "
    has "zen/RC_BRANCH: "
    has "odd/RC_FLOPS_A: "
    # Metrics that one did not measure, by their own counts.
    has "icx/RC_FLOPS: DP operations [1/s] = "
    has "icx/RC_FLOPS: CPI = "
    has "icx/RC_CYCLES: IPC = "
    has "icx/RC_CYCLES: cycles [1/s] = "
    has "zen/RC_BRANCH: CPI = "
    rm -r icx icx.yaml zen odd groups
else
    missing="$missing likwid"
fi

# perf stat, with events that it counts by software, and with hardware's, which it reads
# whether they are here or not.
if command -v perf >/dev/null; then
    mkdir d
    "$build/tests/metrics_sample" d/metrics.h5 software || fail "no sample"
    run 0 "$rollcall" export d --format perf-stat
    printf '%s\n' "$out" >lines
    [ "$(grep -c '^perf stat -e ' lines)" -eq 2 ] || fail "lines: $out"
    run 0 "$rollcall" show d weighted
    has "$(grep '# weighted' lines)"
    while read -r line; do
        run 0 bash -c "${line/COMMAND/true}"
        case $err in
        *"syntax error"* | *"not supported"*) fail "perf says '$err' of '$line'" ;;
        *task-clock*) ;;
        *) fail "perf counts nothing by '$line': $err" ;;
        esac
    done < <(grep '^perf stat' lines)
    "$build/tests/metrics_sample" d/metrics.h5 || fail "no sample"
    run 0 "$rollcall" show d single
    line=$(sed -n 's/^ *perf  *perf stat/perf stat/p' <<<"$out")
    [ -n "$line" ] || fail "no line in: $out"
    run 0 bash -c "${line/COMMAND/true}"
    case $err in
    *"syntax error"*) fail "perf says '$err' of '$line'" ;;
    *instructions:k*) ;;
    *) fail "perf does not know '$line': $err" ;;
    esac
    rm -r d lines
else
    missing="$missing linux-perf"
fi
if [ -n "$missing" ] && [ "$failed" -eq 0 ]; then
    echo "without$missing (apt-get install$missing)" >&2
    exit 77
fi
finish

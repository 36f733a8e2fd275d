#!/usr/bin/env bash
# busy.sh [RUNS [CTEST OPTION...]] - no test may fail for want of a quiet machine: runs
# tests/run.sh RUNS times (3) beside processes that compute and write, and prints a line
# for each run.  The output of one that failed is kept.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_setup bench
runs=${1:-3}
[ $# -eq 0 ] || shift
logs=$(mktemp -d)

stress-ng --cpu 4 --io 2 --temp-path "$logs" >"$logs/stress" 2>&1 &
stress=$!
trap 'kill "$stress" 2>/dev/null || true; wait "$stress" || true; rmdir "$logs" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

failed=0
for ((run = 1; run <= runs; run++)); do
    began=$SECONDS status=0
    sh "$top/tests/run.sh" "$@" >"$logs/run.$run" 2>&1 || status=$?
    kill -0 "$stress" 2>/dev/null || {
        echo "the machine was not kept busy: $(cat "$logs/stress")" >&2
        exit 1
    }
    echo "run $run of $runs: $(grep 'tests passed' "$logs/run.$run" || echo "ended with $status"), $((SECONDS - began)) s"
    if [ "$status" -eq 0 ]; then
        rm "$logs/run.$run"
    else
        failed=$((failed + 1))
        sed -n '/The following tests FAILED/,$p' "$logs/run.$run"
        echo "all that it said: $logs/run.$run"
    fi
done
[ "$failed" -gt 0 ] || rm "$logs/stress"
[ "$failed" -eq 0 ]

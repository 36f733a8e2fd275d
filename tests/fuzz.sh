#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS - runs every fuzz target of a build side by side, each
# from its seeds in tests/data/fuzz/NAME, and fails if one finds something.
set -euo pipefail
build=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
failed=0
pids=()
names=()
for target in "$build"/tests/fuzz_*; do
    if [ ! -f "$target" ] || [ ! -x "$target" ]; then
        continue
    fi
    name=${target##*/fuzz_}
    work=$(mktemp -d)
    mkdir -p "$work/corpus"
    cp -r "$here/data/fuzz/$name/." "$work/corpus/"
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -close_fd_mask=3 \
        -artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1 &
    pids+=($!)
    names+=("$name:$work")
done
if [ ${#pids[@]} -eq 0 ]; then
    echo "fuzz.sh: no fuzz target in '$build/tests'" >&2
    exit 1
fi
for i in "${!pids[@]}"; do
    name=${names[$i]%%:*} work=${names[$i]#*:}
    if wait "${pids[$i]}"; then
        echo "fuzz $name: $(grep -aoE 'Done [0-9]+ runs' "$work/log" | tail -n 1), nothing found"
        rm -rf "$work"
    else
        echo "fuzz $name: failed, see $work" >&2
        tail -n 30 "$work/log" >&2
        failed=1
    fi
done
exit $failed

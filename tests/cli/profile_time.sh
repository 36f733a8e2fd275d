#!/usr/bin/env bash
# profile_time.sh ROLLCALL - the time that a profile names is the program's own, from its begin to the end of its
# last process, and so is the processor time, however many programs a process becomes.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
app=$build/tests/profile_app

# launch DIR WORD...: profiles a program; 'took' is its time, in s, with that of its launcher.
launch() {
    local dir=$1 before=$EPOCHREALTIME
    shift
    run 0 "$rollcall" profile -o "$dir" -- "$@"
    took=$(awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
    run 0 "$rollcall" profile "$dir" --format json
}

# number KEY LEAST MOST: of the launch as JSON.
number() {
    printf '%s' "$out" | python3 -c '
import json, sys
key, least, most = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
value = json.load(sys.stdin)
for part in key.split("."):
    value = value[part]
value = value / 1e9 if key.endswith("_ns") else value
assert least <= value <= most, "%s is %g, expected %g to %g" % (key, value, least, most)' "$@" ||
        fail "$1, of which the launcher and the program took $took s"
}

# A sampler begins before the program, and ends a tenth of a second or more after it.
launch a sleep 0.3
number wall_ns 0.3 "$took"
# It waited for its sampler's start; without processor time of its own it lost none to it.
number cost.start_s 0.001 "$took"
number cost.longer_s 0.001 "$took"
run 0 "$rollcall" profile a
grep -q 'The program took about 0\.0.* longer' <<<"$out" || fail "no time by which the program took longer: $out"
case $out in
'sleep 0.3: 3'??.?' ms on 1 node'* | 'sleep 0.3: 4'??.?' ms on 1 node'*) ;;
*) [ "${took%.*}" -gt 0 ] || fail "the time is not the program's: ${out:0:60}" ;;
esac
run 0 "$rollcall" export a --format chrome -o a.json
grep -Eq '"program_ns": ?[34][0-9]{8}' a.json || [ "${took%.*}" -gt 0 ] || fail "no time of the program in its export"

# The last process counts, not the first, which has ended before.
launch b "$app" daemon sleep 400
number wall_ns 0.4 5

# A sampler takes from the program what it takes of a processor that the program might use.
launch d "$app" spin 700
number cost.crowded_s 0.0001 1
number cost.samples_s 0.00001 0.1
if [ "$(nproc)" -gt 1 ]; then
    launch e taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$app" spin 700
    number cost.crowded_s 0 0.02 # until taskset has moved it
fi

# The processor time is whole where the sampler comes too late to ask: it is stopped until the program's parent has
# heard of the end.
"$rollcall" profile -o f -- "$app" mark begun spin 600 &
program=$!
for _ in $(seq 1000); do
    [ ! -e begun ] || break
    sleep 0.01
done
sampler=$(samplers f)
[ -n "$sampler" ] || fail "f has no sampler"
kill -STOP "$sampler"
wait "$program" || fail "f: the program failed"
kill -CONT "$sampler"
run 0 "$rollcall" profile f --format json
number cost.program_s 0.6 1.2

# A process that becomes thirty programs one after the other, ten of them between two looks of the sampler.
words=()
for _ in $(seq 29); do
    words+=(spin 10 exec)
done
for turn in 1 2 3; do
    launch "c$turn" "$app" "${words[@]}" spin 10
    number cost.program_s 0.29 0.6
done
rm -rf -- *
finish

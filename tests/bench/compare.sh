#!/usr/bin/env bash
# compare.sh BUILD [DIR] - time, memory and size of comparisons of two campaigns with
# 427,752 events each: a simulated node of the Summit class, and the same with one
# family of events renamed and another one noisier.  The campaigns stay in DIR, where
# one is given, and are taken from there the next time.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
kept_dir "${@:2}"
rollcall=$build/bin/rollcall

# make NAME PROGRAM: a campaign on the machine as that sed program changes it.
make_campaign() {
    sed "$2" "$build/share/rollcall/machines/summit-node.yaml" >"$dir/$1.yaml"
    [ -e "$dir/$1/metrics.h5" ] ||
        "$rollcall" run -o "$dir/$1" --source "model:$dir/$1.yaml" --suite branch \
            >"$dir/$1.txt" 2>&1
}
make_campaign before ''
make_campaign after 's/PM_RUN_INST_CMPL/PM_RUN_INST_CMPL_NEW/; s/relative 1e-6, absolute 3/relative 3e-1/'

measure() {
    local format=$1 status=0
    shift
    /usr/bin/time -f "%e s, %U + %S s of a processor, %M KiB" -o "$dir/time" \
        "$rollcall" compare "$@" --format "$format" >"$dir/out.$format" || status=$?
    echo "$format, $(basename "$1") and $(basename "$2"):" \
        "exit status $status, $(grep ' s, ' "$dir/time"), $(stat -c %s "$dir/out.$format") bytes"
}
for format in text json html; do
    measure $format "$dir/before" "$dir/before"
    measure $format "$dir/before" "$dir/after"
done
tail -n 2 "$dir/out.text"

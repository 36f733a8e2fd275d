#!/usr/bin/env bash
# compare_pairs.sh ROLLCALL - a few pairs of campaigns of one simulated machine are the same whatever
# the seed of its noise, and each event that changed is told (bench/compare_pairs.py has many).
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$(dirname "$rollcall")/.." && pwd)

run 0 python3 "$here/bench/compare_pairs.py" "$build" 6 branch,dcache,memory 0.005
has "6 pairs of 4 campaigns with other noise: 0 alarms"
has "2 % more: 6 of 6 told"
has "broken mask: 6 of 6 told"
has "gone: 6 of 6 told"
finish

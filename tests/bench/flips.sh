#!/usr/bin/env bash
# flips.sh ROLLCALL [COUNT [FIRST [DAMAGE]]] - whether one bit that changed is told: COUNT (200)
# times in campaign.h5 and in metrics.h5 of a small campaign, another bit for each number from
# FIRST (1) on.  'report' must end with 1 and one line that names the file, without HDF5 having
# read it.  Prints a line for each that does not, and then how many did.
set -u
rollcall=$(realpath "${1:?the program, such as build/bin/rollcall}")
count=${2:-200} first=${3:-1}
damage=$(realpath "${4:-$(dirname "$rollcall")/../tests/bench_damage}")
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1

"$rollcall" run -o d --source model:spr --suite branch --repeat 2:2 >/dev/null 2>&1 ||
    { echo "flips.sh: no campaign could be made" >&2; exit 1; }
mkdir whole
cp d/*.h5 whole/
told=0
for file in campaign.h5 metrics.h5; do
    for ((n = first; n < first + count; n++)); do
        "$damage" flip "whole/$file" "$n" "d/$file" >flipped || exit 1
        status=0
        timeout -k 5 200 "$rollcall" report d --text >out 2>err </dev/null || status=$?
        if [ "$status" -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
            grep -q "'d/$file' is damaged: its checksum is not that of what it holds" err; then
            told=$((told + 1))
        else
            echo "$file, number $n,$(cat flipped): status $status, $(head -c 300 err | tr '\n' '|')"
        fi
    done
    cp "whole/$file" "d/$file"
done
echo "$told of $((2 * count)) flipped bits told"
[ "$told" -eq $((2 * count)) ]

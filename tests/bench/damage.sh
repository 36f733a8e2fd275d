#!/usr/bin/env bash
# damage.sh ROLLCALL [COUNT [FIRST [DAMAGE [DIR]]]] - what the commands make of damaged results:
# COUNT (100) times, campaign.h5 and metrics.h5 of a small campaign are damaged, in
# another way for each number from FIRST (1) on, and read by the commands that read them.
# Each must end by itself in time (200 s: reading first in a child may take 60), with a
# status of its own (0 to 3) and at most one line of complaint, which names the file.  Prints a line for each that does not, with
# what was done to the file (it is kept in DIR, where one is given), and then how many did
# what.  DAMAGE is the program that damages: bench_damage, beside the tests of ROLLCALL.
set -u
rollcall=$(realpath "${1:?the program, such as build/bin/rollcall}")
count=${2:-100} first=${3:-1} kept=${5:-}
damage=$(realpath "${4:-$(dirname "$rollcall")/../tests/bench_damage}")
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
[ -z "$kept" ] || { mkdir -p "$kept" && kept=$(realpath "$kept"); } || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1

"$rollcall" run -o whole --source model:spr --suite branch --repeat 2:2 >/dev/null 2>&1 ||
    { echo "damage.sh: no campaign could be made" >&2; exit 1; }

declare -A number
names=(read refused crashed hung unclear)

# judge FILE WORDS...: runs rollcall with them on d and counts what became of it.
judge() {
    local file=$1 status=0 what lines
    shift
    { timeout -k 5 200 "$rollcall" "$@" >out 2>err </dev/null || status=$?; } 2>/dev/null
    # That metrics.h5 is not of the campaign.h5 beside it, or that this is not known, is an answer.
    lines=$(grep -Evc "^(solved in |incomplete: )|metrics[.]h5'? (is of (another|the readings|the definitions)|was solved with other)" err)
    case $1.$status in
    *.0 | *.3) what="read" ;;
    compare.1) what="read" && [ ! -s err ] || what=refused ;; # something differs
    *.1 | *.2) what=refused ;;
    *.124) what=hung ;;
    *) what=crashed ;;
    esac
    if [ $what = read ] && [ "$lines" -gt 0 ]; then what=unclear; fi
    if [ $what = refused ] && { [ "$(wc -l <err)" -ne 1 ] || ! grep -qE "'d/($file|metrics[.]h5)'" err; }; then
        what=unclear
    fi
    key="$file $1${3:+ $3}"
    number[$key $what]=$((${number[$key $what]:-0} + 1))
    case $what in
    read | refused) return ;;
    esac
    printf '%s: %s of number %d: %s, status %d: %s; %s\n' $what "$file" "$n" "$*" \
        $status "$(cat damaged)" "$(head -c 300 err | tr '\n' '|')"
    [ -z "$kept" ] || cp "d/$file" "$kept/$n-$file"
}

# try FILE: damages it in a copy of the campaign.
try() {
    rm -rf d
    cp -r whole d
    "$damage" copy "whole/$1" "$n" "d/$1" >damaged || exit 1
}

for ((n = first; n < first + count; n++)); do
    try campaign.h5
    judge campaign.h5 status d
    judge campaign.h5 report d --text
    judge campaign.h5 report d --curves=0
    judge campaign.h5 solve d
    try metrics.h5
    judge metrics.h5 report d --text
    judge metrics.h5 report d --curves=0
    judge metrics.h5 export d --format=json
    judge metrics.h5 compare d whole
done
{
    echo "file command option ${names[*]}"
    for key in "campaign.h5 status" "campaign.h5 report --text" "campaign.h5 report --curves=0" \
        "campaign.h5 solve" "metrics.h5 report --text" "metrics.h5 report --curves=0" \
        "metrics.h5 export --format=json" "metrics.h5 compare whole"; do
        line=$key
        [ "${key#* * }" != "$key" ] || line="$key -"
        for what in "${names[@]}"; do
            line="$line ${number[$key $what]:-0}"
        done
        echo "$line"
    done
} | column -t

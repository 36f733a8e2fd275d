#!/usr/bin/env bash
# same_results.sh THEN NOW - whether two programs give the same results: campaign.h5,
# metrics.h5 and the exports of simulated machines, of all events of 'soft', and what NOW
# makes of a journal that THEN wrote.  Ends with 1 where something differs by value.
set -euo pipefail
then=$(realpath "${1:?the program of then}") now=$(realpath "${2:?the program of now}")
here=$(cd "$(dirname "$0")" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0 python=${PYTHON:-/usr/bin/python3}

# 3: done, with units that have no valid result.
may_be_partial() {
    local status=0
    "$@" >out 2>&1 || status=$?
    case $status in 0 | 3) ;; *) cat out && return 1 ;; esac
}

# exported DIR PROGRAM FORMAT: without what names a program, a campaign, a time; JSON with
# its names in order; the files of a directory one after the other; one line where there is
# nothing to export (an end with 3), and what was said where it is refused, as for a kind
# that does not say whose counters it has.
exported() {
    local dir=$1 program=$2 format=$3 status=0
    rm -rf "$dir.$format"
    "$program" export --format "$format" -o "$dir.$format" "$dir" >out 2>&1 || status=$?
    if [ -d "$dir.$format" ]; then
        (cd "$dir.$format" && find . -type f | sort | xargs -r tail -n +1) >files
        rm -r "$dir.$format"
        mv files "$dir.$format"
    fi
    case $status in
    0) ;;
    3) echo nothing >"$dir.$format" ;;
    *) (echo "ended with $status" && cat out) >"$dir.$format" ;;
    esac
    if [ "$format" = json ] && [ "$status" -eq 0 ]; then
        "$python" -m json.tool --sort-keys "$dir.json" >sorted
        mv sorted "$dir.json"
    fi
    sed -E -e 's/[0-9a-f]{32}|rollcall [0-9.]+[+][0-9a-f]+(-dirty)?|20..-..-..T[0-9:.]+Z//g' "$dir.$format"
}

for source in model:spr model:mi250x model:zen3 soft; do
    echo "$source"
    rm -rf old new later
    options=(--source "$source")
    [ "$source" != soft ] || options+=(--suite "flops,branch,dcache,icache,instructions")
    may_be_partial "$then" run -o old "${options[@]}"
    # The caches that soft simulates see other addresses in each run: there the journal says all.
    if [ "$source" != soft ]; then
        may_be_partial "$now" run -o new "${options[@]}"
        "$python" -B "$here/same_results.py" old new || failed=1
    fi
    mkdir later
    cp -r old/journal old/campaign.yaml later/
    may_be_partial "$now" pack later
    may_be_partial "$now" solve later
    echo "  its journal of then, read now"
    "$python" -B "$here/same_results.py" old later || failed=1
    for format in json csv papi likwid perf; do
        exported old "$then" "$format" >a
        exported later "$now" "$format" >b
        if grep -qx nothing b; then
            echo "    export --format $format: now 'nothing in it', then $(grep -cv '^#' a) lines without comments"
        elif ! diff a b >differs; then
            echo "    export --format $format differs: $(wc -l <differs) lines"
            head -n 6 differs
            failed=1
        fi
    done
done
exit "$failed"

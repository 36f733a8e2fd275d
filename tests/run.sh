#!/bin/sh
# run.sh [--all | --changed] [CTEST ARGUMENT]... - installs what is missing, builds, and
# runs the tests: those that are not slow, or all, or of the slow ones those whose files
# changed (slow.txt).  It asks nothing, and says what it left out.
# Examples: tests/run.sh -L unit; tests/run.sh --all -R slurm
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/jobs/setup.sh"

slow=none
case ${1:-} in
--all | --changed)
    slow=${1#--}
    shift
    ;;
esac
left_out=$(sh "$top/tests/house/left_out.sh" slow.txt "$slow")
labels=$(printf '%s\n' "$left_out" | sed 's/ .*//' | paste -s -d '|')

build=${RC_BUILD:-$top/build-test}
rc_setup build option test extra
rc_build_tested "$build"
rc_mpi_env
cd "$build"

# ctest leaves out what fits all of several -LE: there may be only one.
without=${labels:+^($labels)\$}
count=$#
while [ "$count" -gt 0 ]; do
    count=$((count - 1)) argument=$1
    shift
    case $argument in
    -LE | --label-exclude)
        without=${without:+$without|}${1:?a pattern of labels}
        count=$((count - 1))
        shift
        ;;
    *) set -- "$@" "$argument" ;;
    esac
done
if [ -n "$without" ]; then set -- "$@" -LE "$without"; fi

# Two more than there are processors: the longest tests wait most of their time.  With more,
# ranks that wait for each other take the processors from all.
status=0
ctest --output-on-failure --no-tests=error --parallel "$(($(nproc) + 2))" "$@" || status=$?
[ -z "$labels" ] || rc_say "left out, which 'sh tests/run.sh --all' runs:"
[ -z "$labels" ] || printf '%s\n' "$left_out" | while read -r label _ why; do
    rc_say "  $why: $(ctest -N -L "^$label\$" | sed -n 's/^ *Test *#[0-9]*: //p' | tr '\n' ' ')"
done
exit "$status"

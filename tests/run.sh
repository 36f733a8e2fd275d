#!/bin/sh
# run.sh [--all | --changed] [CTEST ARGUMENT]... - installs what is missing, builds, and
# runs the tests: those that are not slow, or all, or of the slow ones those whose files
# changed (slow.txt).  It asks nothing, and says what it left out.
# Examples: tests/run.sh -L unit; tests/run.sh --all -R slurm
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/jobs/setup.sh"

slow=none changed=
case ${1:-} in
--all | --changed)
    slow=${1#--}
    shift
    ;;
esac
if [ "$slow" = changed ]; then changed=$(sh "$top/tests/changed.sh") || slow=all; fi

# prefixes PATHS: as a pattern; a file begins with each, else slow.txt is out of date.
prefixes() {
    for path in $(echo "$1" | tr ',' ' '); do
        if ! ls -d "$top/$path"* >/dev/null 2>&1; then
            rc_say "tests/slow.txt: no file's name begins with '$path'"
            return 1
        fi
    done
    echo "$1" | sed 's/[.]/[.]/g; s/,/|/g; s/.*/^(&)/'
}

# Which labels are left out, and a line for each.
labels='' because=''
while read -r label _ paths why; do
    case $label in '' | '#'*) continue ;; esac
    pattern=$(prefixes "$paths")
    [ "$slow" != all ] || continue
    if [ "$slow" = changed ] && found=$(printf '%s\n' "$changed" | grep -E -m 1 "$pattern"); then
        rc_say "slow tests '$label' are run: $found changed"
        continue
    fi
    labels=$labels${labels:+|}$label
    because="$because$label $why
"
done <"$top/tests/slow.txt"

build=${RC_BUILD:-$top/build-test}
rc_setup build option test extra
rc_build "$build" -DBUILD_TESTING=ON -DRC_WERROR=ON
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

# One more than there are processors: some tests wait most of their time.
status=0
ctest --output-on-failure --no-tests=error --parallel "$(($(nproc) + 1))" "$@" || status=$?
[ -z "$because" ] || rc_say "left out, which 'sh tests/run.sh --all' runs:"
printf '%s' "$because" | while read -r label why; do
    rc_say "  $why: $(ctest -N -L "^$label\$" | sed -n 's/^ *Test *#[0-9]*: //p' | tr '\n' ' ')"
done
exit "$status"

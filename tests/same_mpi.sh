#!/usr/bin/env bash
# same_mpi.sh BUILD BUILD - whether rollcall gives the same bytes under the MPIs of two builds: campaign.h5, packed from
# the same journals, and metrics.h5 and the tables, on 1, 2, 3 and 5 ranks each; and whether campaigns that each of them
# measures are the same, but for their numbers and times.
set -u
first=${1:?a build} second=${2:?a build of another MPI} failed=0
tests=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) rollcall=$first/bin/rollcall
cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# by BUILD RANKS WORD...: rollcall under the mpirun of that build's MPI.
by() {
    local mpiexec
    mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$1/CMakeCache.txt")
    timeout 300 "$mpiexec" -n "$2" "$1/bin/rollcall" "${@:3}" </dev/null >out 2>err || {
        echo "'$mpiexec -n $2 rollcall ${*:3}' ended with $?: $(cat err)"
        failed=1
    }
}

fail() {
    echo "$*"
    failed=1
}

# file WHERE NAME: of the first build it is kept, of the second it is compared with that.
file() {
    if [ ! -e "$2" ]; then
        cp "$1" "$2"
    else
        cmp "$1" "$2" || fail "$2: the bytes differ"
        sizes[${2##*.}]=$(stat -c %s "$2")
    fi
}

declare -A sizes
options=(--source model:spr --suite "flops,branch" --repeat 2:3)
by "$first" 1 run -o one --no-solve "${options[@]}"
for build in "$first" "$second"; do
    for ranks in 1 2 3 5; do
        rm one/campaign.h5
        by "$build" "$ranks" pack one
        by "$build" "$ranks" solve one
        sed -i '/^solved in /d' out
        file one/campaign.h5 "$ranks.campaign"
        file one/metrics.h5 "metrics"
        file out "tables"
        [ "$build" = "$second" ] || continue
        by "$build" "$ranks" run -o own --no-solve "${options[@]}"
        same one own || fail "campaigns on $ranks ranks, and on one of the other MPI"
        rm -r own
    done
done
echo "campaign.h5 of ${sizes[campaign]} bytes, metrics.h5 of ${sizes[metrics]} bytes, and the tables: of two MPIs, on 1, 2, 3 and 5 ranks"
exit "$failed"

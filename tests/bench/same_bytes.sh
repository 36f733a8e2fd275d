#!/usr/bin/env bash
# same_bytes.sh ROLLCALL [SOURCE...] - whether the solve of one campaign gives the same bytes of
# metrics.h5, tables, JSON and CSV alone and on 1, 2, 3 and 5 ranks, for each source (model:spr,
# model:zen3).  Ends with 1 where something differs.
set -u
rollcall=$(realpath "${1:?the program, such as build/bin/rollcall}")
shift
[ $# -gt 0 ] || set -- model:spr model:zen3
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OPENBLAS_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
failed=0

# solved NAME COMMAND...: what it makes of d, without the line of times, as NAME.*.
solved() {
    local name=$1 status=0
    shift
    rm -f d/metrics.h5
    "$@" "$rollcall" solve d >"$name.txt" 2>err </dev/null || status=$?
    case $status in 0 | 3) ;; *) cat err >&2 && exit 1 ;; esac
    sed -i '/^solved in /d' "$name.txt"
    cp d/metrics.h5 "$name.h5"
    for format in json csv; do
        "$rollcall" export --format "$format" -o "$name.$format" d >err 2>&1 || exit 1
    done
}

for source in "$@"; do
    rm -rf d
    "$rollcall" run -o d --source "$source" --repeat 3:3 --no-solve >/dev/null 2>&1
    [ -e d/campaign.h5 ] || { echo "same_bytes.sh: no campaign could be made" >&2; exit 1; }
    solved alone
    for ranks in 1 2 3 5; do
        solved "r$ranks" mpirun -n "$ranks"
        for what in h5 txt json csv; do
            cmp -s "alone.$what" "r$ranks.$what" && continue
            echo "$source: $what of $ranks ranks differs from that of one process"
            failed=1
        done
    done
    echo "$source: metrics.h5 of $(stat -c %s alone.h5) bytes, tables, JSON, CSV: alone, 1, 2, 3, 5 ranks"
done
[ "$failed" -ne 0 ] || echo "all the same bytes"
exit "$failed"

#!/usr/bin/env bash
# The published tables come out of campaigns on the machines that they were planted
# in: row by row, by the published method alone and with cross-examination, and the
# same on any number of ranks.  Compared are the events of each metric, whatever their
# order, coefficients, backward errors and the events chosen; published_check.py says
# how near.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
table=$tests/data/published_metrics.csv

find_h5py

check() {
    run 0 "$python" "$tests/cli/published_check.py" "$@"
    echo "$out"
}

# published MACHINE SUITES: campaign, and each way to solve it.
published() {
    run 0 "$rollcall" run -o "$1" --source "model:$1" --suite "$2" --no-solve
    for way in "" --plain; do
        for n in 1 2 3; do
            # shellcheck disable=SC2086  # no option is none
            run 0 timeout 240 mpirun -n $n "$rollcall" solve $way "$1"
            check table "$table" "$1" "$1/metrics.h5"
            mv "$1/metrics.h5" "$1$way.$n"
            check same "$1$way.1" "$1$way.$n"
        done
    done
}

published spr flops,branch,dcache
check noise spr.1
published mi250x gpu-flops
rm -r spr* mi250x*
finish

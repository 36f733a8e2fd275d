#!/usr/bin/env bash
# planted_mixed.sh BUILD [tune|report [COUNT [FIRST]]] - the solve on COUNT (1,000) random
# machines whose events mix families, and on as many with noise on all events
# (tests/planted/planted_mixed.c), from number FIRST on.  Seeds 1 to 1,000, 2,000,001 to 2,000,500,
# 3,000,001 to 4,001,000, 5,000,001 to 5,001,000 and 6,000,001 to 6,001,000 are for tuning;
# those from 7,000,001 on, 'report' (the default), are for what is said of the solve: nobody
# looks at single ones of these, and who has done so takes others from then on.  Missed and false metrics are listed for
# 'tune' only.  Simulated readings throughout.
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
how=${2:-report}
first=7000001
[ "$how" != tune ] || first=1
first=${4:-$first}
export OPENBLAS_NUM_THREADS=1
status=0
for noise in "" --noise; do
    start=$(date +%s)
    echo "seeds $first to $((first + ${3:-1000} - 1))${noise:+, relative noise of 1e-6 to 1e-3 on all events}"
    "$build/tests/planted_mixed" $noise "$first" "${3:-1000}" 2>/dev/null |
        { [ "$how" = tune ] && cat || grep -v "^seed "; } || status=$?
    echo "$(($(date +%s) - start)) seconds"
done
exit "$status"

#!/usr/bin/env bash
# planted_caches.sh BUILD [tune|report [COUNT [FIRST]]] - the solve on COUNT (1,000) random
# machines with events of caches and memory (tests/planted/planted_caches.c), from number FIRST on.
# Seeds 1 to 1,000,000 are for tuning; those from 7,000,001 on, 'report' (the default), are
# for what is said of the solve: nobody looks at single ones of these, and who has done so
# takes others from then on.  Missed and false metrics are listed for 'tune' only.
# Simulated readings throughout.
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
how=${2:-report}
first=7000001
list=
[ "$how" != tune ] || first=1 list=--list
first=${4:-$first}
export OPENBLAS_NUM_THREADS=1
status=0
start=$(date +%s)
echo "seeds $first to $((first + ${3:-1000} - 1))"
"$build/tests/planted_caches" $list "$first" "${3:-1000}" 2>/dev/null || status=$?
echo "$(($(date +%s) - start)) seconds"
exit "$status"

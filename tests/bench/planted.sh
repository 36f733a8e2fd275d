#!/usr/bin/env bash
# planted.sh BUILD [COUNT [FIRST]] - the solve on COUNT (1,000) random machines whose truth
# is known (tests/planted/planted.h): a line for each failure with the machine's number, then what
# was compared, and the rate.  Simulated readings throughout.
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
export OPENBLAS_NUM_THREADS=1
start=$(date +%s)
status=0
"$build/tests/planted" "${3:-1}" "${2:-1000}" 2>/dev/null || status=$?
echo "$(($(date +%s) - start)) seconds"
exit "$status"

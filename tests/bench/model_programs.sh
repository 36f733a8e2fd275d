#!/usr/bin/env bash
# model_programs.sh BUILD [PROGRAMS [FIRST]] - planted programs (simulated): of 1,000 random ones, measured on 4 to 64
# ranks, which parts stop scaling, and what all takes on 1,024; and those of published programs, with their published
# bytes, and the ranks at which communication takes more time than computation (tests/planted/programs).
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
start=$(date +%s)
"$build/tests/bench_model_programs" random "${2:-1000}" "${3:-1}"
echo
"$build/tests/bench_model_programs" "$(dirname "$0")/../planted/programs"
echo "$(($(date +%s) - start)) seconds"

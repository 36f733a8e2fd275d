#!/usr/bin/env bash
# collectives.sh BUILD [FILE.csv [RANKS...]] - times of seven collectives of two MPI
# libraries, which others measured (Extra-P's repository, tests/data/mpi_data.csv): fitted
# on fewer ranks, asked at RANKS (512 and 256).  The form a log P + b s + c is fitted to
# the same rows.
set -eu
build=$(cd "${1:?the build directory}" && pwd)
file=${2:-$(dirname "$0")/../../../../shared/data/scaling/mpi_data.csv}
if [ ! -r "$file" ]; then
    echo "collectives.sh: no file '$file': name mpi_data.csv of Extra-P's tests/data" >&2
    exit 77
fi
[ $# -gt 2 ] || set -- "$build" "$file" 512 256
"$build/tests/bench_model_collectives" "$file" "${@:3}"

#!/usr/bin/env bash
# fft3d.sh BUILD [ROUNDS] - the 3D-FFT against FFTW-MPI and FFTW on one rank: medians of the
# ratios of at least 20 alternating rounds, with what they must be and shall be.  Planners
# measure on both sides.  FFTW cannot pad a contiguous array: ours without padding is beside.
# The slab path is held against slabs that are packed for MPI_Alltoallv of all ranks (path pencil
# on a grid of 4x1); nodes of one rank, which pack nothing and send their planes' rows, are beside.
# It takes minutes, most of them FFTW's planner.  A goal that is missed makes it end with 1.
set -euo pipefail
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/bench_lib.sh"
rounds=${2:-21}
race=$build/tests/bench_fft3d
[ -x "$race" ] || {
    echo "fft3d.sh: no $race: FFTW with MPI (libfftw3-mpi-dev) was not found" >&2
    exit 77
}
new_dir ""
for case in "256 2" "128 2" "240 2" "320 2" "256 1" "256 4"; do
    mpirun --oversubscribe -n "${case#* }" "$race" "${case% *}" "$rounds" |
        tee -a "$dir/said"
done
if grep -q MISSED "$dir/said"; then exit 1; fi

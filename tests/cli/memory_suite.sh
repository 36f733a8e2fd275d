#!/usr/bin/env bash
# Metrics of memory traffic: defined on simulated machines whose channels count it, and with
# what 'soft' simulates of its caches, where operands are cold.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1

run 0 "$rollcall" run -o spr --source model:spr --suite flops,blas,memory --repeat 5:5
run 0 "$rollcall" solve spr
has "suite memory: 10 of 10 metrics defined"
has "8 x UNC_M"

# Its processor counts both precisions together.
run 0 "$rollcall" run -o zen3 --source model:zen3 --suite flops,blas,memory --repeat 5:5
run 0 "$rollcall" solve zen3
has "suite memory: 9 of 10 metrics defined"
has "8 x DRAM_CHANNEL_DATA_CONTROLLER_"
has "not on this machine: needs 'DP operations', which is not defined"

# The rest needs what other suites define.
run 0 "$rollcall" run -o soft --source soft --suite memory --repeat 2:2
run 0 "$rollcall" solve soft
has "suite memory: 7 of 10 metrics defined"
has "1 x soft::sim_memory_drained"
# Also with stores past the caches.
has "exact on 32 points of this suite alone"
has "needs 'instructions', which was not measured"
rm -rf soft
run 0 "$rollcall" run -o soft --source soft --suite flops,blas,memory --repeat 2:2
run 0 "$rollcall" solve soft
has "suite memory: 10 of 10 metrics defined"
rm -rf spr zen3 soft
finish

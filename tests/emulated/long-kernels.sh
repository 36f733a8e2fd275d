# long-kernels.sh - as 30-kernels.sh, all points, however long.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"
check "every point retires what its kernel expects" "$build/tests/counted" INST_RETIRED 100000000000
finish

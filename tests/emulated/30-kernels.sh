# The kernels' expectations against the processor's own count.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"
check "every point retires what its kernel expects" "$build/tests/counted" INST_RETIRED
finish

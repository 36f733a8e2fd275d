# The unit tests, as far as they need no other tools than the machine has (test_fill: bash)
# and end in time (test_groups takes minutes on the emulator).
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"

# unit NAME...: the tests; 77 is a test that says why it is skipped.
unit() {
    for name in "$@"; do
        rc=0
        timeout 120 "$build/tests/test_$name" >"$name.log" 2>&1 || rc=$?
        case $rc in
        0) echo "  ok      $name: $(grep -c '^\[       OK' "$name.log") tests" ;;
        77) echo "  skipped $name: $(grep -m 1 skipped "$name.log")" ;;
        *)
            echo "  FAILED  $name ($rc)"
            grep -v '^\[       OK\|^\[ RUN' "$name.log" | tail -n 12
            failed=1
            ;;
        esac
    done
}
unit papi_hw export_papi_hw text memory sum file yaml template child machine kernels \
    flops branch icache blas papi presets repeat args spec patterns catalogue record state \
    share deal rows formula definitions noise fit cross model
finish

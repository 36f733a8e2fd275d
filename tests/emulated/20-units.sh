# The unit tests, as tests/CMakeLists.txt names them, but for those that need other tools
# than the machine has or more instructions than are of use here.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"

# unit NAME: the test; 77 is one that says why it is skipped.
unit() {
    rc=0
    began=$(cut -d. -f1 /proc/uptime)
    timeout 120 "$build/tests/test_$1" >"$1.log" 2>&1 || rc=$?
    took="$(($(cut -d. -f1 /proc/uptime) - began)) s of the machine's time"
    case $rc in
    0) echo "  ok      $1: $(grep -c '^\[       OK' "$1.log") tests, $took" ;;
    77) echo "  skipped $1: $(grep -m 1 skipped "$1.log")" ;;
    *)
        echo "  FAILED  $1 ($rc), $took"
        grep -v '^\[       OK\|^\[ RUN' "$1.log" | tail -n 12
        failed=1
        ;;
    esac
}
# fill, schedulers: bash; terminal: a UTF-8 locale; the others take minutes, and nothing
# in them is of the processor.
names=$(sed -n 's/^rc_test(\([a-z0-9_]*\) \(unit\|hw\)[ )].*/\1/p' "$top/tests/CMakeLists.txt")
for name in $names; do
    case $name in
    fill | schedulers | terminal | groups | journal | report_page | report_text) echo "  left out $name" ;;
    *) unit "$name" ;;
    esac
done
finish

#!/usr/bin/env bash
# silence.sh ROLLCALL - on terminals of 80 and of 120 columns verify, run and count are never silent for 2 s while they
# work, a line that is drawn again fits, and what a program prints under count is there whole.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
few_variables
build=$(cd "$(dirname "$rollcall")/.." && pwd)
if ! "$rollcall" events --source soft 'soft::instructions' >.out 2>.err; then
    echo 'no source soft' >&2
    exit 77
fi
mkdir c
"$build/tests/profile_metrics" c/metrics.h5 steps || fail 'no metrics'

# speaks COLUMNS COMMAND...: out is what it showed.
speaks() {
    run 0 python3 "$tests/house/silence.py" "$1" 2 "$rollcall" "${@:2}"
    [ -z "$err" ] || fail "'${*:2}': $err"
    rm -rf d
}
speaks 80 verify --suite branch
speaks 120 run -o d --source soft --suite branch --repeat 2:2
speaks 80 count c -m 'DP operations' -- "$build/tests/count_app" dgemm 12
speaks 120 count c -m 'DP operations' -- "$build/tests/count_app" dgemm 4 print yes dgemm 12

# Nothing is drawn over what the program prints, not even while a line of it is not ended.
run 0 python3 - "$rollcall" "$build/tests/count_app" <<'PY'
import os, pty, sys
os.environ["TERM"] = "xterm"
got = b""
def read(fd):
    global got
    data = os.read(fd, 65536)
    got += data
    return data
null = os.open("/dev/null", os.O_WRONLY)
keep = os.dup(1)
os.dup2(null, 1)
pty.spawn([sys.argv[1], "count", "c", "-m", "DP operations", "--", sys.argv[2], "dgemm", "10", "part", "a line ",
           "dgemm", "10", "print", "that is whole"], read, lambda fd: b"")
os.dup2(keep, 1)
assert b"instructions stepped" in got, got
assert b"\x1b[Ka line that is whole\r\n" in got, got
PY
rm -r c
finish

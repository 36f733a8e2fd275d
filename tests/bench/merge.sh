#!/usr/bin/env bash
# merge.sh BUILD [RANKS [DIR]] - a campaign of all 427,000 events of a simulated node, suites
# flops and branch, 5 repetitions, taken apart and merged again; and merged with one of 2
# repetitions in other groups: wall and processor time, peak memory, bytes.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
ranks=${2:-2}
new_dir "${3:-}"

# timed NAME COMMAND...: a row of the table, by the kernel's account of the process.
timed() {
    python3 - "$dir/table" "$@" <<'PY' || exit 1
import os, sys, time
table, name, *command = sys.argv[1:]
start = time.monotonic()
pid = os.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(command[0], command)
_, status, usage = os.wait4(pid, 0)
with open(table, "a") as out:
    out.write(f"{name}\t{time.monotonic() - start:.1f}\t{usage.ru_utime:.1f}\t{usage.ru_stime:.1f}\t{usage.ru_maxrss / 1024:.0f}\n")
sys.exit(os.waitstatus_to_exitcode(status))
PY
}

bytes() {
    cat "$dir/$1"/journal/*.rcj | wc -c
}

campaign=(--no-solve --source model:summit-node --suite "flops,branch")
echo "$(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg)"
echo 'group_size: 7' >"$dir/other.yaml"
mpirun -n "$ranks" "$build/bin/rollcall" run -o "$dir/whole" --repeat 5:5 "${campaign[@]}" >/dev/null 2>&1
mpirun -n "$ranks" "$build/bin/rollcall" run -o "$dir/other" -c "$dir/other.yaml" --repeat 2:2 "${campaign[@]}" \
    >/dev/null 2>&1
printf 'what\tseconds\tuser\tsystem\tMiB\n' >"$dir/table"
timed "pack" "$build/bin/rollcall" pack "$dir/whole"
timed "split in two" "$build/bin/rollcall" merge --split 2 -o "$dir/half" "$dir/whole"
timed "merge the halves" "$build/bin/rollcall" merge --no-solve -o "$dir/again" "$dir/half/0" "$dir/half/1"
timed "merge with other groups" "$build/bin/rollcall" merge --no-solve -o "$dir/both" "$dir/whole" "$dir/other"
column -t -s "$(printf '\t')" "$dir/table"
echo "journals: whole $(bytes whole), again $(bytes again), other $(bytes other), both $(bytes both) bytes"
python=python3
"$python" -c "import h5py" 2>/dev/null || python=/usr/bin/python3
"$python" - "$dir/whole/campaign.h5" "$dir/again/campaign.h5" <<'PY'
import sys
import h5py, numpy
a, b = (h5py.File(path) for path in sys.argv[1:])
for k in a["kinds"]:
    for s in a["kinds"][k]["suites"]:
        x, y = (f["kinds"][k]["suites"][s] for f in (a, b))
        for name in ("values", "enabled", "running", "status", "stop"):
            assert x[name].shape == y[name].shape
            for i in range(0, x[name].shape[0], 8192):
                assert numpy.array_equal(x[name][i:i + 8192], y[name][i:i + 8192]), (s, name, i)
print("the halves merged are the whole, reading by reading")
PY
"$build/bin/rollcall" status "$dir/both" --format csv

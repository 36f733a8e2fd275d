# bench_lib.sh - sourced by the benchmarks here, whose first argument is the directory of a
# build: 'build' and 'top', where the sources are, as whole paths; MPI as benchmarks want it.
# shellcheck shell=bash disable=SC2034  # its scripts use all of it
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
rc_mpi_env
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

# new_dir PARENT: 'dir' in it, or in the usual place where it is empty; gone when the script is.
new_dir() {
    dir=$(mktemp -d "${1:-${TMPDIR:-/tmp}}/rollcall-bench-XXXXXX")
    trap 'rm -rf "$dir"' EXIT
}

# kept_dir [DIR]: that one as 'dir', which stays, or a new one.
kept_dir() {
    if [ $# -eq 0 ]; then
        new_dir ""
    else
        mkdir -p "$1"
        dir=$(cd "$1" && pwd)
    fi
}

# as_first: 'above', the words before a command that is to have its core before others: at
# SCHED_FIFO where that is allowed.
as_first() {
    above=()
    if chrt -f 50 true 2>"$dir/err"; then
        above=(chrt -f 50)
    else
        echo "no SCHED_FIFO here: $(cat "$dir/err")"
    fi
}

# noise_of NAME SECONDS CPU: measures the detours of a core into "$dir/NAME" and NAME.json.
noise_of() {
    "${above[@]}" taskset -c "$3" "$build/bin/rollcall" noise -o "$dir/$1" --time "${2}s" \
        --format json >"$dir/$1.json" 2>"$dir/err" || {
        cat "$dir/err" >&2
        exit 1
    }
}

# tick_hz: how often the kernel's tick comes, as it says; else as often as most kernels have it.
tick_hz() {
    zcat /proc/config.gz 2>/dev/null | sed -n 's/^CONFIG_HZ=//p' | grep . || echo 250
}

# measured RANKS COMMAND...: what it printed in "$dir/out" and "$dir/err"; in "$dir/peak" of
# each rank the peak of its memory in MiB and its processor seconds, by the kernel's account
# of a process that has ended.
measured() {
    local n=$1
    shift
    : >"$dir/peak"
    cat >"$dir/peak.py" <<'PY'
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "a") as out:
    out.write(f"{usage.ru_maxrss / 1024:.0f} {usage.ru_utime + usage.ru_stime:.2f}\n")
sys.exit(os.waitstatus_to_exitcode(status))
PY
    mpirun -n "$n" python3 "$dir/peak.py" "$dir/peak" "$@" >"$dir/out" 2>"$dir/err" || {
        cat "$dir/err" >&2
        exit 1
    }
}

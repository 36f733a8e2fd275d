#!/usr/bin/env bash
# noise_none.sh BUILD [RUNS [SECONDS [CPU]]] - what periods 'noise' finds in RUNS runs on a
# core that nobody was told to steal from: those of the kernel's tick, and others, which are
# false, or of something that did come then (of the host, say).  Goal: others in at most 1 %
# of the runs.  At SCHED_FIFO where that is allowed.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
runs=${2:-200} seconds=${3:-2} cpu=${4:-0}
new_dir ""
as_first
echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) CPUs, $runs runs of $seconds s on CPU $cpu"
for run in $(seq "$runs"); do
    noise_of "$run" "$seconds" "$cpu"
    rm -r "${dir:?}/$run"
done
python3 - "$dir" "$runs" "$(tick_hz)" <<'PY'
import json, sys
where, runs, hz = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
found = []  # (run, Hz, % of the time)
for run in range(1, runs + 1):
    core, = json.load(open(f"{where}/{run}.json"))["detours"]
    found += [(run, p["hz"], p["hz"] * p["stolen_us"] / 1e4) for p in core["periods"]]
near = lambda a, b: abs(a / b - 1) < 1e-3
in_runs = lambda lines: len({f[0] for f in lines})
tick = [f for f in found if any(near(f[1], hz * k / d) for k, d in ((1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (1, 4)))]
rest, kinds = sorted(f[1:] + f[:1] for f in found if f not in tick), []
while rest:
    same = [f for f in rest if near(f[0], rest[0][0])]
    kinds.append((len({f[2] for f in same}), same))
    rest = [f for f in rest if f not in same]
others = {f[2] for _, same in kinds for f in same}
print(f"tick of {hz} Hz, its multiples, halves and quarters: in {in_runs(tick)} of {runs} runs")
print(f"other lines: in {len(others)} of {runs} runs = {100 * len(others) / runs:.1f} %")
for n, same in sorted(kinds, reverse=True, key=lambda k: k[0]):
    print(f"  {same[0][0]:9.3f} Hz in {n:3} runs; stolen, % of the time: " + " ".join(f"{f[1]:.3f}" for f in same[:8]))
PY

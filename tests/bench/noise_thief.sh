#!/usr/bin/env bash
# noise_thief.sh BUILD [SECONDS [RUNS [CPU]]] - what 'noise' makes of a thief whose pulses are
# known: the error of the period, time stolen by length of pulse, the least share that is
# found; Poisson pulses, and none; then how often the tick of the kernel is found in RUNS
# runs.  At SCHED_FIFO where that is allowed, with the thief above.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
seconds=${2:-10} runs=${3:-10} cpu=${4:-0}
new_dir ""
thief=$build/tests/thief
as_first
echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) CPUs, $seconds s each on CPU $cpu"

# steal NAME PERIOD_US STEAL_US [SEED]: with a thief, whose pulses are in NAME.pulses.
steal() {
    "$thief" "$cpu" "$2" "$3" $((seconds + 3)) "${@:4}" >"$dir/$1.pulses" &
    local pid=$!
    sleep 1
    noise_of "$1" "$seconds" "$cpu"
    wait $pid
}

cat >"$dir/judge.py" <<'PY'
import json, sys
where, names = sys.argv[1], sys.argv[2:]

def fit(x, y):
    n, mx, my = len(x), sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)

stolen = []
print(f"{'planted':>16} {'duty_%':>7} {'found_us':>13} {'error':>8} {'stolen_us':>9} {'hits':>11}  other lines")
for name in names:
    period, length = (float(x) for x in name.split("-")[:2])
    pulses = [[int(x) for x in line.split()] for line in open(f"{where}/{name}.pulses")]
    half = len(pulses) // 2  # a median: some pulses are late by ms, when the host has the core
    truth = sorted(pulses[i + half][0] - pulses[i][0] for i in range(half))[half // 2] / half / 1e3
    spun = sorted(p[1] - p[0] for p in pulses)[len(pulses) // 2] / 1e3
    core, = json.load(open(f"{where}/{name}.json"))["detours"]
    lines = core["periods"]
    mine = [p for p in lines if abs(1e6 / p["hz"] / truth - 1) < 1e-3]
    others = " ".join(f"{p['hz']:.3f}" for p in lines if p not in mine)
    what = f"{period:.0f} us/{length:.0f} us"
    if not mine:
        print(f"{what:>16} {100 * length / period:7.2f} {'missed':>13} {'':8} {'':9} {'':>11}  {others}")
        continue
    p = mine[0]
    found = 1e6 / p["hz"]
    print(f"{what:>16} {100 * length / period:7.2f} {found:13.4f} {abs(found / truth - 1):8.1e} "
          f"{p['stolen_us']:9.1f} {p['hits']:5}/{p['pulses']:5}  {others}")
    stolen.append((period, spun, p["stolen_us"]))
for period in sorted({s[0] for s in stolen}):
    of = [(b, s) for q, b, s in stolen if q == period]
    if len(of) > 2:
        slope = fit([b for b, _ in of], [s for _, s in of])
        print(f"period {period:.0f} us: stolen = {slope:.4f} x length + {of[0][1] - slope * of[0][0]:.1f} us "
              f"({len(of)} lengths; goal 1 +- 0.03)")
PY

names=()
for period in 2100 7300 31000; do
    for length in 20 50 100 200 500; do
        steal "$period-$length" "$period" "$length"
        names+=("$period-$length")
    done
done
for period in 10000 97000; do
    steal "$period-100" "$period" 100
    names+=("$period-100")
done
steal 20000-20 20000 20
names+=(20000-20)
python3 "$dir/judge.py" "$dir" "${names[@]}"

# Pulses that have no period, and none: nothing but the tick may be found.
steal poisson 7300 100 1
noise_of none "$seconds" "$cpu"
python3 - "$dir" <<'PY'
import json, sys
for name in "poisson", "none":
    core, = json.load(open(f"{sys.argv[1]}/{name}.json"))["detours"]
    print(f"{name}: lost {100 * core['lost']:.2f} %, lines", *(f"{p['hz']:.3f}" for p in core["periods"]))
PY

for run in $(seq "$runs"); do
    noise_of "tick-$run" "$seconds" "$cpu"
done
python3 - "$dir" "$runs" "$(tick_hz)" <<'PY'
import glob, json, sys
where, runs, hz = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
errors = []
for path in glob.glob(f"{where}/tick-*.json"):
    core, = json.load(open(path))["detours"]
    errors += sorted(abs(p["hz"] - hz) for p in core["periods"])[:1]
found = [e for e in errors if e < 0.01]
print(f"tick of {hz} Hz: found in {len(found)} of {runs} runs, worst error {max(found, default=float('nan')):.5f} Hz")
PY

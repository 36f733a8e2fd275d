#!/usr/bin/env bash
# noise_who.sh BUILD [SECONDS [RUNS [CPU]]] - how much of the time in detours of more than 5 us has
# a name, and whose: at SCHED_FIFO where that is allowed, so that it is less of other programs.
# It takes root, for tracefs, and h5dump.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
seconds=${2:-5} runs=${3:-3} cpu=${4:-0}
new_dir ""
rollcall=$build/bin/rollcall
as_first
echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) CPUs, $seconds s each on CPU $cpu"
"$rollcall" run -o "$dir/d" --source model:spr --suite branch --events 'BR*' --repeat 2:2 --no-solve \
    >"$dir/out" 2>"$dir/err" || exit 1
for _ in $(seq "$runs"); do
    # shellcheck disable=SC2016  # the inner shell's
    unshare -m sh -c '[ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
        exec "$@"' - "${above[@]}" taskset -c "$cpu" "$rollcall" noise -o "$dir/d" --time "${seconds}s" \
        >"$dir/out" 2>"$dir/err" || {
        cat "$dir/err" >&2
        exit 1
    }
done
python3 - "$dir/d/noise.h5" <<'PY'
import collections, re, subprocess, sys

def read(name):
    text = subprocess.run(["h5dump", "-y", "-w", "0", "-d", "/detours/" + name, sys.argv[1]],
                          capture_output=True, text=True, check=True).stdout
    text = text[text.index("DATA {"):].split("}")[0]
    if '"' in text:
        return [t.replace("\\000", "") for t in re.findall(r'"([^"]*)"', text)]
    return [int(t) for t in re.findall(r"\d+", text)]

names, longer = read("causes"), 5000
time, count = collections.Counter(), collections.Counter()
for length, cause in zip(read("length"), read("cause")):
    if length > longer:
        time[names[cause]] += length
        count[names[cause]] += 1
whole = sum(time.values())
nameless = sum(time[n] for n in names[:2])
print(f"{100 * (whole - nameless) / whole:.2f} % of the time in detours of more than 5 us has a name")
for name, ns in time.most_common(12):
    print(f"{100 * ns / whole:6.2f} % {count[name]:6} of {ns / count[name] / 1e3:9.1f} us  {name or 'not asked'}")
PY

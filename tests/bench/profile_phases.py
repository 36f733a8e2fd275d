"""profile_phases.py BUILD [RUNS] [SEED] - what 'rollcall profile' finds of the phases of a program that names none.

In each of RUNS runs (20) build/tests/profile_phases does eight things, each for 50 ms to 2 s, in
a random order, and writes down when each began.  A boundary is found if the profile has one within one
update period of its series from there; 'others' are found elsewhere, such as where the program had to
wait.  STEADY runs (2) of 20 s of the same work should have none; what is within the first two readings
is not counted, since the program reads half a MB to begin.  RATE is that of readings (50): phases of two
periods can be found.  'load' is the share of the processors that others had.  As root it has a loopback
interface of its own, which nobody else sends over.  It takes 2.5 minutes."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

KINDS, PHASES, STEADY_MS = ("touch", "spin", "send", "sleep"), 8, 20000
CLASSES = (50, 100, 200, 500)  # ms, of the shorter of the phases beside a boundary
build, runs = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20
dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
rate, steady = os.environ.get("RATE", "50"), int(os.environ.get("STEADY", 2))
TICK = os.sysconf("SC_CLK_TCK")
ALONE = ["unshare", "--net", "--mount", "sh", "-c", 'ip link set lo up && mount -t sysfs none /sys && exec "$@"',
         "sh"] if os.geteuid() == 0 else []


def busy():
    """Seconds that all processors were busy so far, what the host stole included."""
    user, nice, system, _, _, irq, soft, steal = map(int, open("/proc/stat").readline().split()[1:9])
    return (user + nice + system + irq + soft + steal) / TICK


def profile(words, directory):
    """When the program's phases began, when and in which event those of the profile did (s since
    1970), how far a boundary may be off, the others' %, and whether the budget made readings rarer."""
    before, was = os.times(), busy()
    said = subprocess.run(ALONE + [f"{build}/bin/rollcall", "profile", "-o", directory, "--rate", rate, "--budget", "10%",
                                   "-e", "sysfs:::net:lo:*", "--", f"{build}/tests/profile_phases", *words],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    after = os.times()
    own = sum(after[2:4]) - sum(before[2:4])
    others = (busy() - was - own) / ((after.elapsed - before.elapsed) * os.cpu_count())
    page = {"nodes": [{"ended": False}]}
    while not page["nodes"][0]["ended"]:  # the sampler writes its last after the program
        page = json.loads(subprocess.run([f"{build}/bin/rollcall", "profile", "--format", "json", directory],
                                         stdout=subprocess.PIPE, check=True).stdout)
    planted = [int(line.split()[0]) / 1e9 for line in said.splitlines()]
    period = page["period_ns"] / 1e9
    found = [(page["unix_ns"] / 1e9 + p["from_s"], p["event"]) for p in page["phases"][1:]]
    found = [f for f in found if planted[0] + 2 * period < f[0] < planted[-1] - period]
    slowed = any(rate["what"] == "series" for rate in page["rates"])
    return planted, found, period, 100 * max(0, others), slowed


def order():
    """Every kind twice, none beside itself, and ms for each."""
    kinds = []
    while len(kinds) < PHASES:
        next_ones = [kind for kind in KINDS if kind not in kinds[-1:] and kinds.count(kind) < 2]
        kinds = kinds + [dice.choice(next_ones)] if next_ones else []  # only what was last is left: anew
    return [(kind, str(int(50 * 40 ** dice.random()))) for kind in kinds]


def try_planted(work):
    there, seen, off, loads, elsewhere, missed, rarer = {c: 0 for c in CLASSES}, {c: 0 for c in CLASSES}, [], [], 0, [], 0
    for run in range(runs):
        kinds = order()
        planted, found, period, others, slowed = profile([w for pair in kinds for w in pair], f"{work}/{run}")
        loads.append(others)
        rarer += slowed
        for i in range(1, PHASES):
            shorter = 1000 * min(planted[i] - planted[i - 1], planted[i + 1] - planted[i])
            kind = max(c for c in CLASSES if c <= max(shorter, CLASSES[0]))
            nearest = min((abs(planted[i] - at) for at, _ in found), default=math.inf)
            there[kind] += 1
            if nearest <= period:
                seen[kind] += 1
                off.append(1000 * nearest)
            else:
                missed.append(f"{kinds[i - 1][0]}-{kinds[i][0]} ({shorter:.0f} ms)")
        elsewhere += sum(min(abs(at - p) for p in planted) > period for at, _ in found)
    all_there, all_seen = sum(there.values()), sum(seen.values())
    print("update_ms\tplanted\tfound\tshare_%\t" + "\t".join(f"from_{c}_ms" for c in CLASSES) + "\tothers\tmedian_off_ms\tload_%")
    print(f"{1000 * period:.0f}\t{all_there}\t{all_seen}\t{100 * all_seen / all_there:.1f}\t" +
          "\t".join(f"{seen[c]}/{there[c]}" for c in CLASSES) +
          f"\t{elsewhere}\t{sorted(off)[len(off) // 2] if off else math.nan:.1f}\t{sum(loads) / runs:.0f}", flush=True)
    if rarer:
        print(f"in {rarer} of {runs} runs the budget made readings rarer")
    if missed:
        print("missed:", ", ".join(sorted(missed)))
    return all_seen / all_there


print(f"load {open('/proc/loadavg').read().split()[0]}, {os.cpu_count()} processors")
with tempfile.TemporaryDirectory(prefix="rollcall-phases-") as work:
    share, invented = try_planted(work), 0
    for run in range(steady):
        _, found, _, others, slowed = profile(["all", str(STEADY_MS)], f"{work}/steady{run}")
        invented += len(found)
        events = ", ".join(sorted({event for _, event in found}))
        print(f"steady, {STEADY_MS // 1000} s: {len(found)} invented, load {others:.0f} %{' ' + events if events else ''}", flush=True)
sys.exit(share < 0.95 or invented > 0)

"""against.py THEN NOW [ROUNDS [NAME...]] - how long two programs take for the same work, in
rounds in which they take turns (then, now, now, then): medians of the ratios now/then of
the wall time and of the processor time, with intervals of 95 % by bootstrap, and the load.
Ends with 1 where a ratio of the processor time is surely above 1.05."""
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", "2"]
SPR = ["--source", "model:spr"]
# Each: its name, its command after the program, whether on 2 ranks; {d} is a directory of
# the program's own with a campaign of 'spr' on three suites, {new} one that is not there.
WORK = [
    ("events", ["events", "--source", "model:summit-node", "--format", "csv"], False),
    ("plan", ["plan", "--source", "model:summit-node", "--suite", "flops,branch"], False),
    ("kernels", ["kernels"], False),
    ("run", ["run", "-o", "{new}", *SPR, "--suite", "flops,branch,dcache", "--repeat", "5:5"], False),
    ("run, 2 ranks", ["run", "-o", "{new}", *SPR, "--suite", "flops,branch,dcache", "--repeat", "5:5"], True),
    ("run, 2000 events", ["run", "-o", "{new}", "--source", "model:summit-node", "--events", "*[0-9]0*", "--suite", "flops",
                          "--repeat", "3:3", "--no-solve"], True),
    ("pack", ["pack", "{d}"], False),
    ("solve", ["solve", "{d}"], False),
    ("status", ["status", "{d}"], False),
    ("export csv", ["export", "--format", "csv", "{d}"], False),
    ("export json", ["export", "--format", "json", "{d}"], False),
    ("report --text", ["report", "--text", "{d}"], False),
    ("report", ["report", "{d}"], False),
    ("compare", ["compare", "{d}", "{other}"], False),
    ("verify", ["verify", "--suite", "flops"], False),
]


def spent(command, cwd):
    """Wall and processor seconds of a command and all its children."""
    began = time.monotonic()
    with open(os.devnull, "w") as null, open("said", "w") as said:
        child = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=null, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
    status = os.waitstatus_to_exitcode(status)
    if status not in (0, 3) and not (status == 1 and "compare" in command):
        sys.exit(f"{' '.join(command)} ended with {status}: {open('said').read()[-500:]}")
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime


def command(program, work, ranks, own):
    new = os.path.join(own, "new")
    shutil.rmtree(new, ignore_errors=True)
    words = [w.format(d=os.path.join(own, "d"), other=os.path.join(own, "other"), new=new) for w in work]
    return (MPIRUN if ranks else []) + [program, *words]


def interval(ratios):
    dice = random.Random(1)
    medians = sorted(statistics.median(dice.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[1949]


def main(then, now, rounds, names):
    programs = [os.path.realpath(then), os.path.realpath(now)]
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OPENBLAS_NUM_THREADS="1",
                      OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_mpi_yield_when_idle="1")
    top = tempfile.mkdtemp(prefix="rollcall-against-")
    os.chdir(top)
    own = []
    for i, program in enumerate(programs):
        own.append(os.path.join(top, "then" if i == 0 else "now"))
        os.mkdir(own[i])
        for name, seed in [("d", "1"), ("other", "2")]:
            spent([program, "run", "-o", os.path.join(own[i], name), *SPR, "--suite", "flops,branch,dcache",
                   "--repeat", "5:5", "--seed", seed], own[i])
    worse = []
    print(f"{os.cpu_count()} processors; {rounds} rounds of then, now, now, then; ratios now/then, 95 % of their medians")
    print(f"{'work':<18}{'s_then':>8}{'s_now':>8}  {'wall':<22}{'processor':<22}{'load':>5}")
    for name, work, ranks in WORK:
        if names and name not in names:
            continue
        walls, cpus, seconds = [], [], ([], [])
        for i in (0, 1):
            spent(command(programs[i], work, ranks, own[i]), own[i])
        for _ in range(rounds):
            took = [spent(command(programs[i], work, ranks, own[i]), own[i]) for i in (0, 1, 1, 0)]
            walls.append((took[1][0] + took[2][0]) / (took[0][0] + took[3][0]))
            cpus.append((took[1][1] + took[2][1]) / max(took[0][1] + took[3][1], 1e-3))
            for i, at in [(0, 0), (1, 1), (1, 2), (0, 3)]:
                seconds[i].append(took[at][0])
        wall, cpu = interval(walls), interval(cpus)
        if cpu[1] > 1.05:
            worse.append(name)
        shown = [f"{m:.3f} ({low:.3f}..{high:.3f})" for m, low, high in (wall, cpu)]
        print(f"{name:<18}{statistics.median(seconds[0]):8.3f}{statistics.median(seconds[1]):8.3f}  {shown[0]:<22}{shown[1]:<22}"
              f"{os.getloadavg()[0]:5.1f}", flush=True)
    os.chdir("/")
    shutil.rmtree(top)
    if worse:
        print(f"worse by more than 5 %: {', '.join(worse)}")
    return bool(worse)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], int((sys.argv + [""])[3:4][0] or "10") if len(sys.argv) > 3 else 10, sys.argv[4:]))

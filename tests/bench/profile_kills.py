"""profile_kills.py BUILD [N] [SEED] - N profiles (100), in each of which something is killed at a random
instant, by SIGKILL or SIGSEGV, in turn: the program, the sampler, a rank of two, their mpirun.  The program begins and ends regions all the time, and puts down how often it did.

Of each sort it prints how many profiles showed more than that (visits of regions, processor time,
processes), how long before the instant the last entry in the journal is, the most and the median, how many
profiles lack visits that must be there (none must after the sampler's death, which ends the record), and how
often the program ended other than it does alone.  Status 1: any of these, or more than 0.2 s lost by the
death of one process."""
import glob
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

build, count = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100
dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
work = tempfile.mkdtemp(prefix="rollcall-kills-")
victims = ("program", "sampler", "rank", "mpirun")
ROUNDS, REGIONS, LOST_S = 60, 3, 0.2


def children(pid):
    return [int(p) for p in open(f"/proc/{pid}/task/{pid}/children").read().split()]


def sampler_of(directory):
    """Its pid: it has the journal open."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open(f"/proc/{pid}/comm").read() != "rollcall-sample\n":
                continue
            files = [os.readlink(f"/proc/{pid}/fd/{f}") for f in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        if any(f.startswith(directory + "/") for f in files):
            return int(pid)
    return None


def entries(directory):
    """When each was, in ns of the raw clock, as far as the journal goes."""
    out = subprocess.run([f"{build}/tests/profile_dump", *glob.glob(f"{directory}/journal/*.rcj")],
                         capture_output=True, text=True).stdout
    return (sorted(int(at) for at in re.findall(r"^span .* at (\d+)$", out, re.M)), "\nend " in out)


def shown(directory):
    """Visits of outer, seconds of processor time and processes, as 'rollcall profile DIR' has them."""
    out = subprocess.run([f"{build}/bin/rollcall", "profile", directory, "--format", "json"],
                         capture_output=True, text=True, check=True).stdout
    said = json.loads(out)
    visits = sum(int(r["visits"]) for r in said["regions"] if r["region"] == "outer")
    cpu = sum(float(s["total"]) for s in said["series"] if s["event"] == "program:::cpu_ns")
    return visits, cpu, int(said["ranks"])


def strike(app, victim, sampler):
    """The processes that are to be killed."""
    if victim in ("program", "mpirun"):
        return [app.pid]
    if victim == "rank":
        return [dice.choice([p for p in children(app.pid) if p != sampler])]
    return [sampler]


def one(number):
    victim, directory, marks = victims[number % len(victims)], f"{work}/d{number}", f"{work}/m{number}"
    ranks = 2 if victim in ("rank", "mpirun") else 1
    command = [f"{build}/bin/rollcall", "profile", "-o", directory, "--", f"{build}/tests/profile_app",
               *(f"mark {marks} regions {REGIONS} sleep 10 touch 40 " * ROUNDS).split(), "exit", "5"]
    launcher = ["mpirun", "--oversubscribe", "-n", "2"] if ranks > 1 else []
    app = subprocess.Popen([*launcher, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (sampler := sampler_of(directory)) or not entries(directory)[0]:
        time.sleep(0.005)
    time.sleep(dice.uniform(0, 0.4))
    struck, by = strike(app, victim, sampler), signal.SIGKILL
    if victim != "program" and dice.random() < 0.3:
        by = signal.SIGSEGV
    at = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    for pid in struck:
        os.kill(pid, by)
    _, status, used = os.wait4(app.pid, 0)
    app.returncode = os.waitstatus_to_exitcode(status)
    right = {"program": -by, "rank": None, "mpirun": -by}.get(victim, 5) in (None, app.returncode)
    for _ in range(200):
        found, ended = entries(directory)
        if ended and sampler_of(directory) is None or victim == "sampler":
            break
        time.sleep(0.05)
    lost = at - max((t for t in found if t <= at), default=at)
    begun = os.path.getsize(marks)
    visits, cpu, processes = shown(directory)
    most = REGIONS * begun
    least = 0 if victim == "sampler" else most - REGIONS * ranks
    over = visits > most or processes > ranks or (ranks == 1 and cpu > used.ru_utime + used.ru_stime + 0.02)
    if over or visits < least or not right:
        print(f"{number} {victim} by {by.name}: {visits} visits shown, {least} to {most} true; {cpu:.3f} s shown, "
              f"{used.ru_utime + used.ru_stime:.3f} true; {processes} processes; status {app.returncode}")
    shutil.rmtree(directory)
    os.unlink(marks)
    return victim, lost / 1e9, over, visits < least, not right


print(f"load {open('/proc/loadavg').read().split()[0]}, {os.cpu_count()} processors")
results = [one(i) for i in range(count)]
shutil.rmtree(work)
for victim in victims:
    of = [r for r in results if r[0] == victim]
    if of:
        lost = [r[1] for r in of]
        print(f"{victim}: {len(of)} killed; above the truth {sum(r[2] for r in of)}, visits missing {sum(r[3] for r in of)}, "
              f"ended otherwise {sum(r[4] for r in of)}; lost at most {max(lost):.3f} s, median {statistics.median(lost):.3f} s, "
              f"more than {LOST_S} s: {sum(s > LOST_S for s in lost)}")
sys.exit(any(r[2] or r[3] or r[4] or (r[1] > LOST_S and r[0] != "sampler") for r in results))

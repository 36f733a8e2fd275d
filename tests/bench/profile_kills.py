"""profile_kills.py BUILD [N] [SEED] - N profiles (100), of each of which something is killed with SIGKILL
at a random instant, in turn: the program, the sampler, the sampler and its guardian together.  The
program begins and ends regions all the time.  Prints how long before the instant the last entry in the
journal is (of a sampler alone: the longest gap between two entries), the most and the median of each
sort, and how often the program ended other than it does alone."""
import glob
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
victims = ("program", "sampler", "sampler and guardian")
PAIRS = 120  # of 'regions 3 sleep 10'


def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])


def sampler_of(directory):
    """Its pid: it has the journal open."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open(f"/proc/{pid}/comm").read() != "rollcall-sample\n":
                continue
            files = [os.readlink(f"/proc/{pid}/fd/{f}") for f in os.listdir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        if any(f.startswith(directory) for f in files):
            return int(pid)
    return None


def entries(directory):
    """When each was, in ns of the raw clock, as far as the journal goes."""
    out = subprocess.run([f"{build}/tests/profile_dump", *glob.glob(f"{directory}/journal/*.rcj")],
                         capture_output=True, text=True).stdout
    return sorted(int(at) for at in re.findall(r"^span .* at (\d+)$", out, re.M)), "\nend " in out


def one(number):
    victim, directory = victims[number % 3], f"{work}/d{number}"
    app = subprocess.Popen([f"{build}/bin/rollcall", "profile", "-o", directory, "--", f"{build}/tests/profile_app",
                            *("regions 3 sleep 10 " * PAIRS).split(), "exit", "5"], stderr=subprocess.DEVNULL)
    while not (sampler := sampler_of(directory)) or not entries(directory)[0]:
        time.sleep(0.005)
    time.sleep(dice.uniform(0, 1))
    if victim == "program":
        struck = [app.pid]
    else:
        guardian = parent(sampler)
        struck = [sampler] if victim == "sampler" else [guardian, sampler]
    at = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    for pid in struck:
        os.kill(pid, signal.SIGKILL)
    right = app.wait() == (-signal.SIGKILL if victim == "program" else 5)
    for _ in range(200):
        found, ended = entries(directory)
        if ended or victim == victims[2]:
            break
        time.sleep(0.05)
    if victim == "sampler":
        lost = max(b - a for a, b in zip(found, found[1:]))
    else:
        lost = at - max(t for t in found if t <= at)
    shutil.rmtree(directory)
    return victim, lost / 1e9, right


print(f"load {open('/proc/loadavg').read().split()[0]}, {os.cpu_count()} processors")
lost, wrong = {v: [] for v in victims}, 0
for i in range(count):
    victim, seconds, right = one(i)
    lost[victim].append(seconds)
    wrong += not right
shutil.rmtree(work)
for victim, seconds in lost.items():
    if seconds:
        print(f"{victim}: {len(seconds)} killed, lost at most {max(seconds):.3f} s, median {statistics.median(seconds):.3f} s")
print(f"programs that ended otherwise: {wrong}")
sys.exit(wrong > 0 or max(map(max, filter(None, lost.values()))) > 0.2)

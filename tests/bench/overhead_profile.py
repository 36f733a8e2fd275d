"""overhead_profile.py DIR PAIRS NAME [WAY=WORDS]... -- COMMAND... - what a program takes when it
is started in different ways: COMMAND with {way} replaced by nothing, or by the words of a WAY,
in which {out} is a directory that is not there yet.

The ways take turns: all of them, then all of them in reverse, and so on.  A run's processor
time is that of the launcher, of all ranks, and of all that they leave behind, such as samplers:
this process is where orphans go, and waits for them.  'others' is the share of the machine's
processors that something else had meanwhile, or the host stole.  Each run is a line of
DIR/runs.tsv; the table is made of all lines there with this NAME, so that a study can be made in
pieces.  A pair is a run in a way and the plain run of the same turn; two turns that follow each
other are a quadruple, ABBA, in which what drifts meanwhile is the same for both ways.

With SLICE=SECONDS in the environment the two runs of a pair, of one WAY, are made at once: each is
frozen (a cgroup of version 2) while the other runs for twice so long, in turns ABBA..., so that both have
the same weather where processors change their speed within a part of a second.  Half of the time
is the other run's then: what a profile does each so many ms comes too often, but for half_time.c.
Each process more takes some 25 us more to freeze and go on: COMPANY is how many that sleep are
beside the run without, so that both runs have as many.

With PARTS=FILE:EXPRESSION as well each match of EXPRESSION, of one group, in FILE, which the program writes
where it runs, ends a part of the run that the group names: 'hpccoutf.txt:^End of (\\w+) section' of hpcc.
DIR/parts.tsv has the processor seconds of each part, to within a slice; parts of one name are one.

With SAYS in the environment, a regular expression with one group, what the program itself says there
last takes the place of its processor time: 'Loop time of ([0-9.]+)' of lammps is without its start."""
import ctypes
import math
import os
import random
import re
import select
import shlex
import shutil
import statistics
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
TICK = os.sysconf("SC_CLK_TCK")
SAYS = os.environ.get("SAYS")
SLICE = float(os.environ.get("SLICE", 0))
COMPANY = int(os.environ.get("COMPANY", 0))
PARTS_FILE, _, PARTS = os.environ.get("PARTS", "").partition(":")
QUIET = 10  # % of the processors: pairs with more for others in either run are counted apart


def busy():
    """Seconds that all processors together were busy so far, what the host stole included."""
    user, nice, system, _, _, irq, soft, steal = map(int, open("/proc/stat").readline().split()[1:9])
    return (user + nice + system + irq + soft + steal) / TICK


def orphans():
    """Waits for what a run has left behind, and says its processor seconds."""
    left = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return left
        left += usage.ru_utime + usage.ru_stime


def run(command, out):
    """Wall and processor seconds, the part of the latter that orphans took, and the others' %."""
    shutil.rmtree(out, ignore_errors=True)
    before, began = busy(), time.monotonic()
    with open("said.txt", "w") as said:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
    wall, cpu = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    said = open("said.txt", errors="replace").read()
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{shlex.join(command)} failed: {said[-800:]}")
    left = orphans()
    spent = time.monotonic() - began
    others = max(0.0, busy() - before - cpu - left) / (spent * os.cpu_count())
    if SAYS:
        own = re.findall(SAYS, said)
        if not own:
            sys.exit(f"{shlex.join(command)} says nothing like {SAYS!r}")
        return wall, float(own[-1]), left, 100 * others
    return wall, cpu + left, left, 100 * others


class Group:
    """The processes of a command, which is frozen at first, in a directory of its own, and
    others beside them that only sleep."""

    def __init__(self, root, where, company):
        self.where, self.company = where, company
        self.path = os.path.join(root, f"rollcall-{os.getpid()}-{os.path.basename(where)}")
        os.mkdir(self.path)
        self.ran, self.ended, self.left = 0.0, False, False
        self.parts_file, self.ends, self.used = os.path.join(where, PARTS_FILE), [], []
        if PARTS and os.path.exists(self.parts_file):
            os.remove(self.parts_file)  # programs add to it

    def start(self, words):
        self.freeze(True)
        for _ in range(self.company):
            self.put("cgroup.procs", subprocess.Popen(["sleep", "infinity"]).pid)
        self.words, self.said = words, os.path.join(self.where, "said.txt")
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.put("cgroup.procs", os.getpid())
                os.chdir(self.where)
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                said = os.open(self.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(said, 1)
                os.dup2(said, 2)
                os.execvp(words[0], words)
            finally:
                os._exit(127)
        self.first_ends, self.pidfd = select.poll(), open(os.pidfd_open(self.pid), "rb", buffering=0)
        self.first_ends.register(self.pidfd, select.POLLIN)
        while self.is_empty():
            time.sleep(0.001)

    def is_empty(self):
        with open(os.path.join(self.path, "cgroup.procs")) as file:
            return len(file.readlines()) <= self.company

    def put(self, name, value):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(value))

    def get(self, name, key):
        with open(os.path.join(self.path, name)) as file:
            return int(dict(line.split() for line in file)[key])

    def freeze(self, on):
        self.put("cgroup.freeze", int(on))
        while on and self.get("cgroup.events", "populated") and not self.get("cgroup.events", "frozen"):
            time.sleep(0.0005)

    def go_on(self, seconds):
        """Runs for so long, or to its end: then it is 'left'.  What orphans take is not its time."""
        began = time.monotonic()
        self.freeze(False)
        ended = self.first_ends.poll(1000 * seconds)
        if not self.ended:
            self.ran += time.monotonic() - began
        self.ended = bool(ended)
        while ended and not self.left and time.monotonic() < began + seconds:
            self.left = self.is_empty()
            time.sleep(0.001)
        if not self.left:
            self.freeze(True)

    def look(self):
        """What has been used since the last look belongs to the part that went on then."""
        if not PARTS or not os.path.exists(self.parts_file):
            return
        with open(self.parts_file, errors="replace") as file:
            self.ends = re.findall(PARTS, file.read(), re.M)
        over, used = self.used[:-1], self.get("cpu.stat", "usage_usec") / 1e6
        self.used = over + [used] * (len(self.ends) + 1 - len(over))

    def parts(self):
        seconds = {}
        for part, since, used in zip(self.ends + ["(end)"], [0.0] + self.used, self.used):
            seconds[part] = seconds.get(part, 0.0) + used - since
        return seconds

    def end(self):
        if os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]):
            sys.exit(f"{shlex.join(self.words)} failed: {open(self.said, errors='replace').read()[-800:]}")
        return self.ran, self.get("cpu.stat", "usage_usec") / 1e6

    def remove(self):
        """Whatever still runs in it is ended."""
        self.put("cgroup.kill", 1)
        while self.get("cgroup.events", "populated"):
            time.sleep(0.001)
        os.rmdir(self.path)


def run_sliced(commands, out, first):
    """What run() says of each of two commands, but what orphans took, which is not known apart; their parts."""
    mounts = [m.split() for m in open("/proc/mounts")]
    root = next((m[1] for m in mounts if m[2] == "cgroup2" and os.access(m[1], os.W_OK)), None)
    if not root:
        sys.exit("SLICE needs a file system cgroup2 that may be written to")
    for where in ("plain", "way"):  # the programs write where they are
        if not os.path.isdir(where):
            os.mkdir(where)
            for file in filter(os.path.isfile, os.listdir(".")):
                shutil.copy(file, where)
    shutil.rmtree(out, ignore_errors=True)
    before, began, groups = busy(), time.monotonic(), []
    try:
        for command, where in zip(commands, ("plain", "way")):
            groups.append(Group(root, os.path.abspath(where), COMPANY if where == "plain" else 0))
            groups[-1].start(command)
        turn, seconds = first, SLICE
        while not all(g.left for g in groups):
            groups[turn].go_on(1e6 if groups[1 - turn].left else seconds)
            groups[turn].look()
            turn, seconds = turn if groups[1 - turn].left else 1 - turn, 2 * SLICE
        ends = [g.end() for g in groups]
    finally:
        for group in groups:
            group.remove()
        orphans()
    others = max(0.0, busy() - before - sum(e[1] for e in ends)) / ((time.monotonic() - began) * os.cpu_count())
    return [(wall, cpu, math.nan, 100 * others) for wall, cpu in ends], [g.parts() for g in groups]


def interval(values, of):
    """Mean or median, and where it lies with 95 %, by bootstrap, in % more than 1."""
    dice = random.Random(1)
    again = sorted(of(dice.choices(values, k=len(values))) for _ in range(4000))
    return "%.2f [%.2f, %.2f]" % tuple(100 * (x - 1) for x in (of(values), again[100], again[3899]))


def quadruples(turns, way):
    """Processor time of two runs in a way by that of the two plain ones around or between them."""
    out = []
    for turn, its in turns.items():
        stamp, number = turn.rsplit(".", 1)
        other = turns.get(f"{stamp}.{int(number) + 1}", {})
        if int(number) % 2 == 0 and all(w in t for t in (its, other) for w in (way, "plain")):
            out.append((its[way][1] + other[way][1]) / (its["plain"][1] + other["plain"][1]))
    return out


def table(path, name):
    turns, ways = {}, []
    for line in open(path):
        of, turn, way, *numbers = line.rstrip("\n").split("\t")
        if of == name:
            turns.setdefault(turn, {})[way] = [float(n) for n in numbers]
            if way not in ways and way != "plain":
                ways.append(way)
    for way in ways:
        pairs = [(t["plain"], t[way]) for t in turns.values() if way in t and "plain" in t]
        quiet = [p for p in pairs if max(p[0][3], p[1][3]) <= QUIET]
        for label, some in (("all", pairs), (f"others<={QUIET}%", quiet)):
            if not some or (label != "all" and len(some) == len(pairs)):
                continue
            cells = [name, way, label, str(len(some))]
            cells += [f"{statistics.median(a[i] for a, _ in some):.2f}" for i in (0, 1)]
            cpu = [b[1] / a[1] for a, b in some]
            cells += [interval(cpu, statistics.fmean), interval(cpu, statistics.median)]
            four = quadruples(turns, way) if label == "all" else []
            cells.append(interval(four, statistics.fmean) if four else "-")
            cells.append(interval([b[0] / a[0] for a, b in some], statistics.fmean))
            cells.append(f"{100 * statistics.fmean(b[2] / a[1] for a, b in some):.2f}")
            cells.append(f"{statistics.median(x[3] for p in some for x in p):.0f}")
            print("\t".join(cells))


def parts_table(path, name):
    """Of each part: its share of the run without, and what the way takes more there, in % of the run."""
    turns = {}
    for line in open(path):
        of, turn, way, part, seconds = line.rstrip("\n").split("\t")
        if of == name:
            turns.setdefault(part, {}).setdefault(turn, {})["plain" if way == "plain" else "way"] = float(seconds)
    pairs = {part: [t for t in its.values() if len(t) == 2] for part, its in turns.items()}
    plain = {part: statistics.fmean(t["plain"] for t in its) for part, its in pairs.items() if its}
    whole = sum(plain.values())
    for part, seconds in plain.items():
        more = interval([1 + (t["way"] - t["plain"]) / whole for t in pairs[part]], statistics.fmean)
        share = f"{100 * seconds / whole:.1f}%"
        print("\t".join([name, f"of {part}", share, str(len(pairs[part])), "-", f"{seconds:.2f}", more]))


def note(runs, words, numbers):
    with open(runs, "a") as file:
        file.write("\t".join(words + [f"{n:.4f}" for n in numbers]) + "\n")


def main():
    words, command = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
    where, pairs, name = words[0], int(words[1]), words[2]
    ways = [("plain", [])] + [(w, shlex.split(s)) for w, s in (x.split("=", 1) for x in words[3:])]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    runs, parts_file, out = (os.path.join(where, name) for name in ("runs.tsv", "parts.tsv", "out"))
    stamp = f"{time.time():.0f}"
    if SLICE and (len(ways) != 2 or SAYS):
        sys.exit("SLICE compares one WAY with none, by processor time: no SAYS")
    if os.environ.get("PARTS") and not (SLICE and PARTS):
        sys.exit("PARTS: expected FILE:EXPRESSION, and SLICE")
    ways = [(way, [x.replace("{out}", out) for w in command for x in (its if w == "{way}" else [w])])
            for way, its in ways]
    for turn in range(-1, pairs):  # the first one warms up
        if SLICE:
            both = run_sliced([its for _, its in ways], out, turn % 2)
            for (way, _), numbers, parts in zip(ways, *both) if turn >= 0 else ():
                words = [name, f"{stamp}.{turn}", way]
                note(runs, words, numbers)
                for part, seconds in parts.items():
                    note(parts_file, words + [part], [seconds])
            continue
        for way, its in ways if turn % 2 == 0 else ways[::-1]:
            numbers = run(its, out)
            if turn >= 0:
                note(runs, [name, f"{stamp}.{turn}", way], numbers)
    if os.path.exists(runs):
        table(runs, name)
    if os.path.exists(parts_file):
        parts_table(parts_file, name)


main()

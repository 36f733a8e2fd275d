#!/usr/bin/env python3
"""compare_pairs.py BUILD [PAIRS [SUITES [NOISE]]] - how often 'rollcall compare' cries wolf, and what it misses.

Pairs of campaigns of the simulated machine spr, which differ by the seed of their noise: how many
end with 1, and how many would if chance counted (--chance, as it was before chance was told apart).
Then pairs of which the second machine has an event that counts 2 % more, one whose unit mask is
broken, so that it counts what another mask of it counts, and one that is gone: how many of these
events are named.  Of the first sort are events whose relative noise is at most NOISE.  It ends with
1 where more than 5 % are alarms, or a change was not told.
"""
import collections
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

REPEAT = "5:5"


def run(*command):
    """The exit status and the standard output; anything but 0 and 1 ends the bench."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit("%s: status %d: %s" % (" ".join(command), done.returncode, done.stderr))
    return done.returncode, done.stdout


def scaled(counts, factor):
    """The sum of ideals, each term times the factor."""
    terms = re.split(r"( [+-] )", counts)
    for i in range(0, len(terms), 2):
        number, _, ideal = terms[i].rpartition(" ")
        if ideal[0].isdigit():
            number, ideal = ideal, ""
        terms[i] = ("%.9g %s" % (float(number or 1) * factor, ideal)).strip()
    return "".join(terms)


class Machine:
    """The machine file: what stands before the events, and each event's lines."""

    def __init__(self, path, noise):
        with open(path, encoding="utf-8") as file:
            self.head, *self.events = re.split(r"(?m)^(?=- name: )", file.read())
        self.name = [re.match(r'- name: "?([^"\n]*)', e)[1] for e in self.events]
        self.counts = [self.key(e, "counts") if "verdict:" not in e and "for:" not in e else None
                       for e in self.events]
        level = [max(map(float, re.findall(r"relative ([\d.e-]+)", self.key(e, "noise") or "")), default=0)
                 for e in self.events]
        family = collections.defaultdict(list)
        for i, name in enumerate(self.name):
            family[name.split(":")[0]].append(i)
        self.quiet = [i for i, c in enumerate(self.counts) if c and level[i] <= noise]
        self.masks = [(i, k) for i in self.quiet for k in family[self.name[i].split(":")[0]]
                      if self.counts[k] and self.counts[k] != self.counts[i]]

    @staticmethod
    def key(event, key):
        found = re.search(r'(?m)^  %s: "?([^"\n]*)' % key, event)
        return found[1] if found else None

    def changed(self, number, path):
        """A machine with three events changed, and their names by the change."""
        events = list(self.events)
        twist = self.quiet[number % len(self.quiet)]
        broken, other = next(m for m in self.masks[number * 7 % len(self.masks):] + self.masks if m[0] != twist)
        gone = next(i for i in self.quiet[number * 5 % len(self.quiet):] + self.quiet if i not in (twist, broken) and self.name[i] not in self.head)
        for i, counts in ((twist, scaled(self.counts[twist], 1.02)), (broken, self.counts[other])):
            events[i] = re.sub(r"(?m)^  counts: .*$", '  counts: "%s"' % counts, events[i])
        events[gone] = ""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.head + "".join(events))
        return {"2 % more": self.name[twist], "broken mask": self.name[broken], "gone": self.name[gone]}


def main():
    build, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
    suites = sys.argv[3] if len(sys.argv) > 3 else ""
    machine = Machine(build + "/share/rollcall/machines/spr.yaml",
                      float(sys.argv[4]) if len(sys.argv) > 4 else 0.005)
    rollcall, top = build + "/bin/rollcall", tempfile.mkdtemp(prefix="rollcall-bench-")
    seeds = max(4, 2 * pairs // 5)
    both = list(itertools.combinations(range(seeds), 2))
    pair = both[::len(both) // pairs][:pairs]

    def campaign(name, source, seed):
        run(rollcall, "run", "-o", "%s/%s" % (top, name), "--source", "model:" + source, "--seed", str(seed),
            "--repeat", REPEAT, "-q", *(["--suite", suites] if suites else []))

    def compare(before, after, *options):
        return run(rollcall, "compare", top + "/" + before, top + "/" + after, *options)

    def alarm(number):
        names = ["a%d" % i for i in pair[number]]
        return compare(*names)[0], compare(*names, "--chance", "-q")[0]

    def change(number):
        name = "c%d" % number
        path = "%s/%s.yaml" % (top, name)
        planted = machine.changed(number, path)
        campaign(name, path, 1001 + number)
        status, text = compare("a%d" % (number % seeds), name, "--format", "json")
        shutil.rmtree(top + "/" + name)
        groups = [g for c in json.loads(text)["events"] for g in c["changes"] if not g["chance"]]
        told = {(g["change"], e["event"]) for g in groups for e in g["events"]}
        named = {e for _, e in told}
        others = len(named - set(planted.values()))
        return status, {k: n in named for k, n in planted.items()}, planted, others

    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda i: campaign("a%d" % i, "spr", 1 + i), range(seeds)))
            alarms = list(pool.map(alarm, range(pairs)))
            wolf = sum(a for a, _ in alarms)
            print("%d pairs of %d campaigns with other noise: %d alarms; %d where chance counts"
                  % (pairs, seeds, wolf, sum(b for _, b in alarms)), flush=True)
            changes = list(pool.map(change, range(pairs)))
    finally:
        shutil.rmtree(top)
    missed = 0
    for kind in ("2 % more", "broken mask", "gone"):
        unseen = [planted[kind] for _, told, planted, _ in changes if not told[kind]]
        missed += len(unseen)
        print("%s: %d of %d told%s" % (kind, pairs - len(unseen), pairs, "".join("; not " + n for n in unseen)))
    print("beside them %d innocent events were named in %d of these pairs"
          % (sum(o for *_, o in changes), sum(o > 0 for *_, o in changes)))
    sys.exit(wolf > pairs * 0.05 or missed > 0 or any(s != 1 for s, *_ in changes))


main()

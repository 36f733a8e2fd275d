"""Checks that exports of a profile say what profile.h5 says of its first launch.

usage: profile_exports.py [--part FROM_MS TO_MS] PROFILE.h5 EXPORT...

Of each export the instances (name, begin, end), and of those that have them the readings and the
sums, are the same as in the file; with --part, those within that time, cut to it. The format
of an export follows from what is in it. Times are ns since the zero of the file.
"""

import collections
import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys

import h5py


def wants(condition, what):
    if not condition:
        sys.exit(f"profile_exports.py: {what}")


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


class Truth:
    """What the file says."""

    def __init__(self, path, part):
        self.part = part
        with h5py.File(path) as f:
            region = [text(x) for x in f["/paths/region"][:]]
            call = [text(x) for x in f["/calls/call"][:]]
            rows = f["/instances"]
            self.instances = collections.Counter()
            for begin, end, path_at, call_at in zip(*(rows[x][:].tolist() for x in (
                    "begin_ns", "end_ns", "path", "call"))):
                if cut := self.cut(begin, end):
                    name = call[call_at] if call_at >= 0 else region[path_at]
                    self.instances[(name, *cut)] += 1
            self.readings, self.values = collections.Counter(), collections.Counter()
            for node in f["/nodes"].values():
                for event in node["series"].values():
                    columns = [event[x][:].tolist() for x in ("time", "value", "span", "valid")]
                    for time, value, span, valid in zip(*columns):
                        state = int(event.attrs["state"])
                        if valid and (cut := self.cut(time - (0 if state else span), time)):
                            rate = value if state else value * 1e9 / span
                            if state or cut[1] - cut[0] == span:
                                self.values[(text(event.attrs["name"]), time, value)] += 1
                            self.readings[(text(event.attrs["name"]), *cut, round(rate, 3))] += 1
            self.own_ns = float(sum_of(f["/values/own_time/mean"]))
            self.mpi_ns = float(sum(f["/calls/ns"][:]))
            self.calls = int(sum(f["/calls/calls"][:]))
            self.bytes = int(sum(f["/calls/bytes"][:]))
            self.visits = sum_of(f["/values/visits/mean"])
            known_values = ("visits", "measured", "time", "own_time", "mpi_time", "shortest", "longest", "not_counted")
            self.counts = [inclusive_of_roots(f, name) for name in f["/values"] if name not in known_values]
            self.threads = len(f["/threads/place"])

    def cut(self, begin, end):
        if not self.part:
            return begin, end
        if begin > self.part[1] or end < self.part[0]:
            return None
        if begin < end and (begin == self.part[1] or end == self.part[0]):
            return None
        return max(begin, self.part[0]), min(end, self.part[1])


def sum_of(table):
    return sum(x for row in table for x in row if not math.isnan(x))


def inclusive_of_roots(f, name):
    """What paths right below the root counted, the regions inside of them included."""
    parents = f["/paths/parent"][:].tolist()
    roots = [row for row, parent in zip(f[f"/values/{name}/mean"][:], parents) if parent == 0]
    return sum_of(roots)


def same(what, found, wanted):
    missing, extra = wanted - found, found - wanted
    wants(not missing and not extra,
          f"{what}: missing {list(missing.items())[:3]}, too many {list(extra.items())[:3]}")


def same_begins(what, found, truth):
    """Readings without their ends: a counter holds its value until the next."""
    wanted = collections.Counter()
    for (name, begin, _, value), count in truth.readings.items():
        wanted[(name, begin, value)] += count
    same(what, found, wanted)


def check_chrome(trace, truth):
    found, readings = collections.Counter(), collections.Counter()
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            begin = round(event["ts"] * 1000)
            found[(event["name"], begin, begin + round(event["dur"] * 1000))] += 1
        elif event["ph"] == "C":
            name = event["name"].removesuffix(" (simulated)")
            readings[(name, round(event["ts"] * 1000), round(*event["args"].values(), 3))] += 1
    same("chrome instances", found, truth.instances)
    same_begins("chrome readings", readings, truth)


def check_csv(rows, truth):
    found, readings, own, mpi, calls = collections.Counter(), collections.Counter(), 0, 0, 0
    for row in rows:
        sort = row["sort"]
        if sort in ("instance", "call instance"):
            wants(int(row["end_ns"]) - int(row["begin_ns"]) == int(row["ns"]), "csv: ns is not the length")
            found[(row["name"], int(row["begin_ns"]), int(row["end_ns"]))] += 1
        elif sort in ("reading", "simulated reading"):
            readings[(row["name"], int(row["begin_ns"]), int(row["end_ns"]), round(float(row["mean"]), 3))] += 1
        elif sort in ("thread", "region"):
            own += float(row["own_ns"])
        elif sort == "call":
            mpi += int(row["ns"])
            calls += int(row["count"])
    same("csv instances", found, truth.instances)
    same("csv readings", readings, truth.readings)
    if truth.part:
        wants(own == 0 and calls == 0, "csv: sums of the whole beside a part")
    else:
        wants(abs(own - truth.own_ns) < 1 and mpi == truth.mpi_ns and calls == truth.calls,
              f"csv: sums {own} {mpi} {calls}, expected {truth.own_ns} {truth.mpi_ns} {truth.calls}")


def decode(data):
    """A message of Protocol Buffers: lists of values by the numbers of fields."""
    fields, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            if key & 7 == 1:
                length = 8
            else:
                wants(key & 7 == 2, f"a field of wire type {key & 7}")
                length, at = varint(data, at)
            value = data[at:at + length]
            wants(len(value) == length, "a field is longer than its message")
            at += length
        fields[key >> 3].append(value)
    return fields


def varint(data, at):
    value = shift = 0
    while True:
        wants(at < len(data) and shift < 64, "a number does not end")
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def packed(fields, number):
    values, at, data = [], 0, b"".join(fields[number])
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def check_pprof(data, truth):
    """As proto/profile.proto of pprof has it; values of its samples add up to the file's."""
    profile = decode(data)
    strings = [x.decode() for x in profile[6]]
    wants(strings[0] == "" and len(set(strings)) == len(strings), "the string table")
    functions = {f[1][0]: strings[f[2][0]] for f in map(decode, profile[5])}
    locations = {x[1][0]: functions[decode(x[4][0])[1][0]] for x in map(decode, profile[4])}
    types = [strings[decode(x)[1][0]] for x in profile[1]]
    wants(types[:4] == ["visits", "calls", "bytes", "time"] and strings[profile[14][0]] == "time", f"types {types}")
    sums, stacks = [0] * len(types), collections.Counter()
    for sample in map(decode, profile[2]):
        values = packed(sample, 2)
        wants(len(values) == len(types), "a sample with other values")
        frames = [locations[x] for x in packed(sample, 1)]
        wants(frames, "a sample without frames")
        sums = [a + b for a, b in zip(sums, values)]
        stacks[";".join(reversed(frames))] += values[3]
        labels = {strings[x[1][0]]: strings[x[2][0]] for x in map(decode, sample[3])}
        wants(set(labels) in ({"node", "rank", "thread"}, {"node", "pid", "thread"}), f"labels {labels}")
    wants(sums[0] == truth.visits and sums[1] == truth.calls and sums[2] == truth.bytes, f"pprof: sums {sums}")
    wants(abs(sums[3] - truth.own_ns) < 1000, f"pprof: {sums[3]} ns, expected {truth.own_ns}")
    wants(sums[4:] == truth.counts, f"pprof: counts {sums[4:]}, expected {truth.counts}")


def printable(names):
    """As a terminal may show them: control characters and what is not UTF-8 are '?'."""
    out = collections.Counter()
    for (name, *rest), count in names.items():
        out[(re.sub("[\0-\x1f\x7f-\x9f\ufffd]", "?", name), *rest)] += count
    return out


def check_otf2(path, truth):
    """What otf2-print says of the archive; it checks that each location goes forward in time."""
    said = subprocess.run(["otf2-print", path], capture_output=True, check=True, text=True, errors="replace")
    wants(not said.stderr, f"otf2-print says {said.stderr[:300]}")
    found, values, stacks, last = collections.Counter(), collections.Counter(), {}, {}
    for line in said.stdout.splitlines():
        if m := re.match(r'(ENTER|LEAVE) +(\d+) +(\d+)  Region: "(.*)" <\d+>$', line):
            time = int(m[3])
            wants(time >= last.get(m[2], 0), f"location {m[2]} goes back in time")
            last[m[2]] = time
            if m[1] == "ENTER":
                stacks.setdefault(m[2], []).append((m[4], time))
            else:
                name, begin = stacks[m[2]].pop()
                wants(name == m[4], f"leaves {m[4]}, expected {name}")
                found[(name, begin, time)] += 1
        elif m := re.match(r'METRIC +\d+ +(\d+)  Metric: \d+, 1 Value: \("(.*)" <\d+>; INT64; (-?\d+)\)$', line):
            values[(m[2].removesuffix(" (simulated)"), int(m[1]), int(m[3]))] += 1
    wants(not any(stacks.values()), "regions stay open")
    same("otf2 instances", found, printable(truth.instances))
    same("otf2 readings", values, printable(truth.values))


def check_file(path, truth):
    if path.endswith(".otf2"):
        return check_otf2(path, truth)
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"\x1f\x8b"):
        check_pprof(gzip.decompress(data), truth)
    elif data.startswith(b"{"):
        check_chrome(json.loads(data), truth)
    else:
        check_csv(csv.DictReader(io.StringIO(data.decode("utf-8", "replace"), newline="")), truth)


arguments, stretch = sys.argv[1:], None
if arguments[0] == "--part":
    stretch = int(arguments[1]) * 10**6, int(arguments[2]) * 10**6
    arguments = arguments[3:]
known = Truth(arguments[0], stretch)
wants(known.instances and known.readings, "there is nothing to compare with")
for name in arguments[1:]:
    check_file(name, known)
print(f"{sum(known.instances.values())} instances, {sum(known.readings.values())} readings, "
      f"{known.own_ns:.0f} ns in {known.threads} threads, {known.visits:.0f} visits, {known.calls} calls "
      f"of {known.bytes} bytes")

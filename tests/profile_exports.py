"""Checks that exports of a profile say what profile.h5 says of its first launch.

usage: profile_exports.py [--part FROM_MS TO_MS] PROFILE.h5 EXPORT...

Of each export the instances (name, begin, end), and of those that have them the readings and the
sums, are the same as in the file; with --part, those within that time, cut to it. The format
of an export follows from what is in it. Times are ns since the zero of the file.
"""

import collections
import csv
import io
import json
import math
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
            self.readings = collections.Counter()
            for node in f["/nodes"].values():
                for event in node["series"].values():
                    columns = [event[x][:].tolist() for x in ("time", "value", "span", "valid")]
                    for time, value, span, valid in zip(*columns):
                        state = int(event.attrs["state"])
                        if valid and (cut := self.cut(time - (0 if state else span), time)):
                            rate = value if state else value * 1e9 / span
                            self.readings[(text(event.attrs["name"]), *cut, round(rate, 3))] += 1
            self.own_ns = float(sum_of(f["/values/own_time/mean"]))
            self.mpi_ns = float(sum(f["/calls/ns"][:]))
            self.calls = int(sum(f["/calls/calls"][:]))
            self.bytes = int(sum(f["/calls/bytes"][:]))
            self.visits = sum_of(f["/values/visits/mean"])
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
    return sum(x for row in table[:] for x in row if not math.isnan(x))


def same(what, found, wanted):
    missing, extra = wanted - found, found - wanted
    wants(not missing and not extra,
          f"{what}: missing {list(missing.items())[:3]}, too many {list(extra.items())[:3]}")


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
    wanted = collections.Counter()
    for (name, begin, _, value), count in truth.readings.items():
        wanted[(name, begin, value)] += count
    same("chrome readings", readings, wanted)


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


def check_speedscope(file, truth):
    """As https://www.speedscope.app/file-format-schema.json has it for profiles of the type evented."""
    wants(file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "not speedscope's")
    frames = file["shared"]["frames"]
    wants(all(isinstance(f["name"], str) for f in frames), "a frame without a name")
    wants(len({f["name"] for f in frames}) == len(frames), "a frame twice")
    wants(0 <= file["activeProfileIndex"] < len(file["profiles"]) == truth.threads, "other numbers of threads")
    found = collections.Counter()
    for p in file["profiles"]:
        wants(p["type"] == "evented" and p["unit"] == "nanoseconds" and isinstance(p["name"], str), "no profile")
        last, stack = p["startValue"], []
        for event in p["events"]:
            wants(last <= event["at"] <= p["endValue"], f"{p['name']}: not in the order of time: {event}")
            last = event["at"]
            if event["type"] == "O":
                stack.append((event["frame"], last))
            else:
                wants(event["type"] == "C" and stack[-1][0] == event["frame"], f"{p['name']}: closes another frame")
                found[(frames[event["frame"]]["name"], stack.pop()[1], last)] += 1
        wants(not stack, f"{p['name']}: frames stay open")
    same("speedscope", found, truth.instances)


def check_file(path, truth):
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"{"):
        whole = json.loads(data)
        (check_chrome if "traceEvents" in whole else check_speedscope)(whole, truth)
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

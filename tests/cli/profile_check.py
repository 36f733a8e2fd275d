"""Checks Chrome's trace events of a profile: what viewers need of them.

usage: profile_check.py TRACE [LIMIT]

Every event has what its phase wants, instances of a track lie within each other or
apart, series go forward in time, and tracks have names.
"""

import json
import sys


def refuse_constant(word):
    sys.exit(f"'{word}' is not JSON")


def wants(condition, what):
    if not condition:
        sys.exit(f"profile_check.py: {what}")


with open(sys.argv[1], encoding="utf-8") as file:
    trace = json.load(file, parse_constant=refuse_constant)
limit = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
processes, threads, tracks, series = set(), set(), {}, {}
for event in trace["traceEvents"]:
    phase, pid = event["ph"], event["pid"]
    wants(isinstance(event["name"], str) and isinstance(pid, int), f"no name or process: {event}")
    if phase == "M":
        wants(isinstance(event["args"]["name"], str), f"no name: {event}")
        if event["name"] == "process_name":
            processes.add(pid)
        else:
            threads.add((pid, event["tid"]))
    elif phase == "X":
        wants(event["ts"] >= 0 and event["dur"] >= 0, f"before the begin: {event}")
        tracks.setdefault((pid, event["tid"]), []).append(
            (round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)))
    else:
        wants(phase == "C" and len(event["args"]) == 1, f"an unknown phase: {event}")
        wants(isinstance(list(event["args"].values())[0], (int, float)), f"no number: {event}")
        series.setdefault((pid, event["name"]), []).append(event["ts"])
wants({pid for pid, _ in threads} <= processes, "threads of processes without a name")
wants(set(tracks) <= threads, "instances on tracks without a name")
wants({pid for pid, _ in series} <= processes, "series of nodes without a name")
for track, spans in tracks.items():
    open_until = []
    for begin, end in spans:
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        wants(not open_until or end <= open_until[-1], f"instances cross on track {track}")
        open_until.append(end)
for name, times in series.items():
    wants(times == sorted(times), f"series {name} goes back in time")
written = sum(map(len, tracks.values())) + sum(map(len, series.values()))
wants(written <= limit, f"{written} events, expected at most {limit}")
notes = trace["otherData"]
wants(notes["instances_written"] == sum(map(len, tracks.values())), "other numbers of instances")
wants(notes["readings_written"] == sum(map(len, series.values())), "other numbers of readings")
print(written)

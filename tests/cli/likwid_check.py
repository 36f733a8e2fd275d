"""Usage: likwid_check.py FOLDER.  LIKWID reads FOLDER/ARCH/NAME.txt as its groups: every counter has
one event, and Lua, which LIKWID computes with, computes every metric to a number."""
import ctypes
import glob
import os
import re
import subprocess
import sys

lib = ctypes.CDLL(sorted(glob.glob("/usr/lib/*/liblikwid.so.*"))[-1])
strings = ctypes.POINTER(ctypes.c_char_p)


class Group(ctypes.Structure):
    """GroupInfo of likwid.h."""
    _fields_ = [("groupname", ctypes.c_char_p), ("shortinfo", ctypes.c_char_p), ("nevents", ctypes.c_int),
                ("events", strings), ("counters", strings), ("nmetrics", ctypes.c_int),
                ("metricnames", strings), ("metricformulas", strings), ("longinfo", ctypes.c_char_p)]


folder = sys.argv[1]
for arch in sorted(os.listdir(folder)):
    for name in sorted(os.listdir(os.path.join(folder, arch))):
        name = name.removesuffix(".txt")
        group = Group()
        assert lib.perfgroup_new(ctypes.byref(group)) == 0
        read = lib.perfgroup_readGroup(folder.encode(), arch.encode(), name.encode(), ctypes.byref(group))
        assert read == 0, f"{arch}/{name}: LIKWID's reader says {read}"
        assert b"rollcall" in group.shortinfo, group.shortinfo
        counters = [group.counters[i].decode() for i in range(group.nevents)]
        events = [group.events[i].decode() for i in range(group.nevents)]
        metrics = [(group.metricnames[i].decode(), group.metricformulas[i].decode()) for i in range(group.nmetrics)]
        assert counters and len(set(counters)) == len(counters), counters
        assert len(set(events)) == len(events) and all(re.fullmatch(r"\w+", e) for e in events), events
        assert metrics[0] == ("Runtime (RDTSC) [s]", "time"), metrics[0]
        # what is counted, in a run of 2 s at 1 GHz
        known = "time=2.0 inverseClock=1e-9 " + " ".join(f"{c}={i + 3}.0" for i, c in enumerate(counters))
        print(f"{arch}/{name}: {len(events)} events, {len(metrics)} metrics")
        for metric, formula in metrics:
            assert set(re.findall(r"[A-Z]+C\d+", formula)) <= set(counters), (metric, formula)
            value = subprocess.run(["lua5.3", "-e", f"{known} print({formula})"], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.strip()
            float(value)
            print(f"{arch}/{name}: {metric} = {value}")

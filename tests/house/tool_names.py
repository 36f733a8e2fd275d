"""Names that perf and LIKWID have for the events of libpfm4 (and so of PAPI), by their codes.

tool_names.py make             prints io/export/tool_names.txt from the lists inside the perf, LIKWID and libpfm4 that
                               are installed (Debian 12: linux-perf 6.1, likwid 5.2.2, libpfm4 4.13)
tool_names.py check FILE       that each name in such a file is in those lists, with the code of libpfm4's event
tool_names.py perf PMU FILE    asks perf whether it knows the events of calls of perf stat
tool_names.py json PMU FILE    looks for the events of metrics in perf's layout in its list of the processor
tool_names.py likwid PMU FILES that the events of groups are in LIKWID's list of the processor, on their counters
tool_names.py papi FILE        asks libpfm4, whose names PAPI has, for the events of a file for PAPI
tool_names.py icx FILE         prints the simulated machine of FILE with the events that an Ice Lake server has

perf's lists are read by perf itself, which takes a processor's name and a folder in the place of /sys from its
environment.  LIKWID lists events on a processor that it knows only, so its tables are read from its library."""
import collections
import ctypes
import ctypes.util
import glob
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

# libpfm4's name of a processor's counters: perf's of the processor, and LIKWID's folder of groups (None: unknown to it).
Processor = collections.namedtuple("Processor", "cpuid likwid")
PROCESSORS = {
    "hsw_ep": Processor("GenuineIntel-6-3F-2", "haswellEP"),
    "bdw_ep": Processor("GenuineIntel-6-4F-1", "broadwellEP"),
    "skl": Processor("GenuineIntel-6-5E-3", "skylake"),
    "skx": Processor("GenuineIntel-6-55-4", "skylakeX"),
    "clx": Processor("GenuineIntel-6-55-7", "CLX"),
    "icl": Processor("GenuineIntel-6-7E-5", "ICL"),
    "icx": Processor("GenuineIntel-6-6A-6", "ICX"),
    "spr": Processor("GenuineIntel-6-8F-8", None),
    "amd64_fam17h_zen1": Processor("AuthenticAMD-23-1-2", "zen"),
    "amd64_fam17h_zen2": Processor("AuthenticAMD-23-49-0", "zen2"),
    "amd64_fam19h_zen3": Processor("AuthenticAMD-25-1-1", "zen3"),
    "amd64_fam19h_zen4": Processor("AuthenticAMD-25-17-1", None),
}
# An event's code: event and mask, threshold, edge and the like, and the value of its second register.
Code = collections.namedtuple("Code", "event mask more extra")
EXTRAS = ("offcore_rsp", "ldlat", "frontend")  # what perf calls that register
BITS = {"edge": 18, "any": 21, "inv": 23, "cmask": 24, "in_tx": 32, "in_tx_cp": 33}


# ---- libpfm4
class Perf(ctypes.Structure):  # pfm_perf_encode_arg_t
    _fields_ = [("attr", ctypes.c_void_p), ("text", ctypes.c_void_p), ("size", ctypes.c_size_t), ("idx", ctypes.c_int),
                ("cpu", ctypes.c_int), ("flags", ctypes.c_int), ("pad", ctypes.c_int)]


class Pmu(ctypes.Structure):  # pfm_pmu_info_t
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("size", ctypes.c_size_t), ("pmu", ctypes.c_int),
                ("type", ctypes.c_int), ("count", ctypes.c_int), ("first", ctypes.c_int), ("rest", ctypes.c_int * 4)]


class Event(ctypes.Structure):  # pfm_event_info_t
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("alias", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("pmu", ctypes.c_int), ("data", ctypes.c_int),
                ("idx", ctypes.c_int), ("attributes", ctypes.c_int), ("rest", ctypes.c_int * 2)]


class Attribute(ctypes.Structure):  # pfm_event_attr_info_t
    _fields_ = [("name", ctypes.c_char_p), ("desc", ctypes.c_char_p), ("alias", ctypes.c_char_p),
                ("size", ctypes.c_size_t), ("code", ctypes.c_uint64), ("type", ctypes.c_int),
                ("rest", ctypes.c_int * 4), ("value", ctypes.c_uint64)]


class Pfm:
    """libpfm4, with the events of processors that are not here."""

    def __init__(self):
        os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
        self.lib = ctypes.CDLL(ctypes.util.find_library("pfm"))
        assert self.lib.pfm_initialize() == 0

    def code(self, pmu, name):
        """The code of an event, None: there is none of that name."""
        attr = (ctypes.c_uint64 * 24)()
        arg = Perf(attr=ctypes.cast(attr, ctypes.c_void_p), size=ctypes.sizeof(Perf))
        full = f"{pmu}::{name}".encode()
        if self.lib.pfm_get_os_event_encoding(full, 1 << 3, 1, ctypes.byref(arg)) != 0:
            return None
        config, extra = attr[1], attr[7]  # perf_event_attr
        event = config & 0xff
        if pmu.startswith("amd"):
            return Code(event | config >> 24 & 0xf00, config >> 8 & 0xff, config & 0xff0000 | config & 0xff000000, extra)
        return Code(event, config >> 8 & 0xff, config & ~0xffff, extra)

    def names(self, pmu):
        """All events with each of their masks, and those without one that can do without."""
        found = []
        for number in range(1000):
            info = Pmu(size=ctypes.sizeof(Pmu))
            if self.lib.pfm_get_pmu_info(number, ctypes.byref(info)) == 0 and info.name.decode() == pmu:
                at = info.first
                while at != -1:
                    event = Event(size=ctypes.sizeof(Event))
                    assert self.lib.pfm_get_event_info(at, 0, ctypes.byref(event)) == 0
                    name = event.name.decode()
                    found.append(name)
                    for i in range(event.attributes):
                        a = Attribute(size=ctypes.sizeof(Attribute))
                        assert self.lib.pfm_get_event_attr_info(at, i, 0, ctypes.byref(a)) == 0
                        if a.type == 1:  # a mask
                            found.append(f"{name}:{a.name.decode()}")
                    at = self.lib.pfm_get_event_next(at)
        assert found, f"libpfm4 does not know {pmu}"
        return found


# ---- perf
def perf_sys(folder):
    """A /sys with the one PMU that perf's lists are about."""
    at = os.path.join(folder, "bus/event_source/devices/cpu")
    os.makedirs(os.path.join(at, "format"))
    os.makedirs(os.path.join(folder, "devices"))
    formats = {"event": "config:0-7,32-35", "umask": "config:8-15", "edge": "config:18", "any": "config:21",
               "inv": "config:23", "cmask": "config:24-31", "in_tx": "config:32", "in_tx_cp": "config:33",
               "offcore_rsp": "config1:0-63", "ldlat": "config1:0-15", "frontend": "config1:0-23"}
    for name, text in [("type", "4"), *((f"format/{k}", v) for k, v in formats.items())]:
        with open(os.path.join(at, name), "w") as file:
            file.write(text + "\n")


def perf(pmu, *words):
    with tempfile.TemporaryDirectory() as folder:
        perf_sys(folder)
        return subprocess.run(["perf", *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "SYSFS_PATH": folder, "PERF_CPUID": PROCESSORS[pmu].cpuid})


def perf_names(pmu):
    """Names of perf's list for the processor: their codes."""
    names, name = {}, None
    for line in perf(pmu, "list", "--details").stdout.splitlines():
        if re.fullmatch(r"  [a-z]\S*\s*", line):
            name = line.strip()
        found = re.fullmatch(r"\s+cpu/(event=\S*?)/\s*", line)
        if not found or not name:
            continue
        parts = dict(part.split("=") if "=" in part else (part, "1") for part in found[1].split(","))
        values = {key: int(value, 0) for key, value in parts.items()}
        values.pop("period", None)
        event, mask = values.pop("event"), values.pop("umask", 0)
        extra = max((values.pop(key, 0) for key in EXTRAS), default=0)
        more = 0
        for key, value in values.items():
            more |= value << BITS[key]
        names[name] = Code(event, mask, more, extra)
        name = None
    assert len(names) > 100, f"perf lists {len(names)} events for {pmu}"
    return names


# ---- LIKWID
class Library:
    """The tables of LIKWID's library: arrays of structs with pointers to names and counters."""
    STRIDE = 0x200
    FIRST = ("TEMP_CORE", "ACTUAL_CPU_CLOCK", "SW_INCR")  # of an array

    def __init__(self):
        with open(sorted(glob.glob("/usr/lib/*/liblikwid.so.*"))[-1], "rb") as file:
            self.data = file.read()
        start, count = struct.unpack_from("<Q", self.data, 0x28)[0], struct.unpack_from("<H", self.data, 0x3c)[0]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, start + 64 * i) for i in range(count)]
        self.pointers = {}
        for section in self.sections:
            for at in range(section[4], section[4] + section[5], 24) if section[1] == 4 else ():
                where, kind, to = struct.unpack_from("<QQq", self.data, at)
                if kind & 0xffffffff == 8:
                    self.pointers[where] = to

    def offset(self, address):
        for section in self.sections:
            if section[3] <= address < section[3] + section[5] and section[1] != 8 and section[2] & 2:
                return address - section[3] + section[4]
        return None

    def text(self, address):
        at = self.offset(address)
        return None if at is None else self.data[at:self.data.index(b"\0", at)].decode("latin1")

    def arrays(self):
        """Lists of {name: [(counter, code or None where it has options), ...]}."""
        seen, found = set(), []
        for start in sorted(self.pointers):
            at, array = start, None
            while at not in seen and at in self.pointers and at + 8 in self.pointers:
                name, counter = self.text(self.pointers[at]), self.text(self.pointers[at + 8])
                if not name or counter is None or not re.fullmatch(r"\w+", name) or not re.match(r"[A-Z]+\d*", counter):
                    break
                seen.add(at)
                if array is None or name in self.FIRST:
                    found.append(array := {})
                here = self.offset(at)
                event, mask, bits, threshold, options = struct.unpack_from("<5Q", self.data, here + 16)
                plain = not bits and not threshold and not options
                array.setdefault(name, (counter, event, mask, plain))
                at += self.STRIDE
        return [array for array in found if len(array) > 50]


def likwid_names(pmu, library=[]):
    """Names of LIKWID's list for the processor: counters and codes.  Its groups say which array is the processor's."""
    arch = PROCESSORS[pmu].likwid
    if arch is None:
        return {}
    if not library:
        library.append(Library().arrays())
    used = set()
    for path in glob.glob(f"/usr/share/likwid/perfgroups/{arch}/*.txt"):
        with open(path) as file:
            for line in file.read().partition("EVENTSET")[2].partition("METRICS")[0].splitlines():
                if len(line.split()) == 2:
                    used.add(line.split()[1].partition(":")[0])
    assert used, f"LIKWID has no groups for {arch}"
    fits = [array for array in library[0] if used <= array.keys()]
    assert fits, f"LIKWID has no table with all events of its groups for {arch}"
    return min(fits, key=len)


# ---- which name is an event's
FIXED = {  # events that libpfm4 gives codes of its own, by those that count them: perf's, and LIKWID's counters
    "INST_RETIRED:ANY": ("inst_retired.any", "INSTR_RETIRED_ANY"),
    "INSTRUCTION_RETIRED": (None, "INSTR_RETIRED_ANY"),
    "INSTRUCTIONS_RETIRED": (None, "INSTR_RETIRED_ANY"),
    "CPU_CLK_UNHALTED:THREAD": ("cpu_clk_unhalted.thread", "CPU_CLK_UNHALTED_CORE"),
    "UNHALTED_CORE_CYCLES": (None, "CPU_CLK_UNHALTED_CORE"),
    "UNHALTED_REFERENCE_CYCLES": (None, "CPU_CLK_UNHALTED_REF"),
    "CPU_CLK_UNHALTED:REF_TSC": (None, "CPU_CLK_UNHALTED_REF"),
    "TOPDOWN:SLOTS": (None, "TOPDOWN_SLOTS"),
}
# The kernel's own events, of which it knows the codes itself.
GENERIC = {
    "intel": {(0x3c, 0): "cycles", (0xc0, 0): "instructions", (0xc4, 0): "branches", (0xc5, 0): "branch-misses"},
    "amd": {(0x76, 0): "cycles", (0xc0, 0): "instructions", (0xc2, 0): "branches", (0xc3, 0): "branch-misses"},
}
# Intel's architectural events, which all of its processors have.
ARCHITECTURAL = (
    ("UNHALTED_CORE_CYCLES", "cycles", "CPU_CLK_UNHALTED_CORE:FIXC1"),
    ("INSTRUCTION_RETIRED", "instructions", "INSTR_RETIRED_ANY:FIXC0"),
    ("UNHALTED_REFERENCE_CYCLES", "ref-cycles", "CPU_CLK_UNHALTED_REF:FIXC2"),
    ("BRANCH_INSTRUCTIONS_RETIRED", "branches", "-"),
    ("MISPREDICTED_BRANCH_RETIRED", "branch-misses", "-"),
    ("LLC_REFERENCES", "cache-references", "-"),
    ("LLC_MISSES", "cache-misses", "-"),
)


def alike(name):
    """A name as perf and LIKWID would spell it, without regard to signs and capitals."""
    return re.sub(r"\W", "_", name).lower()


def perf_name(pmu, name, code, names):
    """perf's name, "=" where it is spelt alike, or its raw code."""
    same = re.sub("[:-]", ".", name.lower())
    fixed = FIXED.get(name, (None, None))[0]
    if names.get(same) == code or (fixed == same and same in names):
        return "="
    if fixed in names:
        return fixed
    if not code.more and not code.extra:
        generic = GENERIC["amd" if pmu.startswith("amd") else "intel"].get(code[:2])
        if generic:
            return generic
    equal = sorted((other for other, c in names.items() if c == code), key=lambda other: (len(other), other))
    if equal:
        return equal[0]
    raw = f"event={code.event:#x}" + (f",umask={code.mask:#x}" if code.mask else "")
    for key, bit in BITS.items():
        value = code.more >> bit & (0xff if key == "cmask" else 1)
        raw += f",{key}={value:#x}" if value else ""
    if code.extra:
        key = {0xc6: "frontend", 0xcd: "ldlat"}.get(code.event, "offcore_rsp")
        raw += f",{key}={code.extra:#x}"
    return raw


def likwid_name(name, code, names):
    """LIKWID's name with its counter where that is a fixed one, "=" where it is spelt alike, "-" where there is none."""
    fixed = FIXED.get(name, (None, None))[1]
    if fixed in names:
        return f"{fixed}:{names[fixed][0]}"
    equal = []
    for other, (counter, event, mask, plain) in names.items():
        if counter != "PMC" or (event, mask) != code[:2] or code.extra:
            continue
        if alike(other) == alike(name) and plain == (not code.more):
            return "=" if other == alike(name).upper() else other
        if plain and not code.more:
            equal.append(other)
    return min(equal, key=lambda other: (len(other), other), default="-")


def tool_names(pmu, name, papi, code, perf_list, likwid_list):
    """perf's and LIKWID's of an event, which PAPI may know by another name only."""
    in_perf = perf_name(pmu, papi or name, code, perf_list)
    in_likwid = likwid_name(papi or name, code, likwid_list)
    if papi and in_perf == "=":
        in_perf = papi.lower().replace(":", ".")
    if papi and in_likwid == "=":
        in_likwid = alike(papi).upper()
    return in_perf, in_likwid


def rows_of(pfm, pmu):
    """(name, perf's, LIKWID's, PAPI's where the name alone is none) of each event of the processor."""
    perf_list, likwid_list = perf_names(pmu), likwid_names(pmu)
    for name in pfm.names(pmu):
        code, papi = pfm.code(pmu, name), ""
        if code is None and ":" not in name:  # published names: all masks are meant
            papi = next((f"{name}:{mask}" for mask in ("ALL_BRANCHES", "ANY") if pfm.code(pmu, f"{name}:{mask}")), "")
            code = pfm.code(pmu, papi) if papi else None
        if code is not None:
            yield name, *tool_names(pmu, name, papi, code, perf_list, likwid_list), papi


HEAD = """\
# Events of libpfm4 (and so of PAPI) by the names that perf and LIKWID have for them; made by tests/house/tool_names.py
# from the lists inside Debian's perf 6.1 (the makers' own, in its tools/perf/pmu-events), LIKWID 5.2.2 and libpfm4
# 4.13, by codes of events and masks. A column for each of:
# processors (a letter each, of the lines "@ LETTER NAME TOOLS": libpfm4's name, tools that know it); event; perf's
# name or code; LIKWID's name, with a fixed counter; PAPI's name, where the event alone is none.
# =: the event's own name as the tool spells it. -: the tool has none.
"""


LETTERS = dict(zip([*PROCESSORS, "ix86arch"], "hbkscjip1234x"))  # of the processors, in the file


def make():
    pfm, rows = Pfm(), {}
    for pmu in PROCESSORS:
        for row in rows_of(pfm, pmu):
            rows.setdefault(row, []).append(pmu)
    for row in ARCHITECTURAL:
        rows.setdefault((*row, ""), []).append("ix86arch")
    print(HEAD, end="")
    for pmu, letter in LETTERS.items():
        known = pmu == "ix86arch" or PROCESSORS[pmu].likwid
        print(f"@ {letter} {pmu} {'perf,likwid' if known else 'perf'}")
    for row, pmus in sorted(rows.items(), key=lambda item: (item[0][0], [LETTERS[pmu] for pmu in item[1]])):
        print("".join(LETTERS[pmu] for pmu in pmus), *row[:3], *([row[3]] if row[3] else []))


def check(path):
    """Each row says the event's code by the name of each tool."""
    pfm, wrong, rows, seen = Pfm(), [], 0, set()
    pmus = {letter: pmu for pmu, letter in LETTERS.items()}
    with open(path) as file:
        lines = [line.split() for line in file if line[0] not in "#@"]
    perf_lists = {pmu: perf_names(pmu) for pmu in PROCESSORS}
    for letters, name, perf_says, likwid_says, *papi in lines:
        for pmu in (pmus[letter] for letter in letters):
            rows += 1
            if (pmu, name) in seen:
                wrong.append(f"{pmu} {name} is there twice")
            seen.add((pmu, name))
            if pmu == "ix86arch":
                continue
            code = pfm.code(pmu, papi[0] if papi else name)
            if code is None or bool(papi) == (pfm.code(pmu, name) is not None):
                wrong.append(f"{pmu} {name}: libpfm4 has no such event, or has one without a mask")
                continue
            expected = tool_names(pmu, name, papi[0] if papi else "", code, perf_lists[pmu], likwid_names(pmu))
            if (perf_says, likwid_says) != expected:
                wrong.append(f"{pmu} {name}: {perf_says} {likwid_says}, expected {' '.join(expected)}")
    print(f"{rows} names of {len(lines)} rows")
    return wrong


def check_perf(pmu, path):
    """perf reads all events of a call at once; the unknown ones are looked for one by one."""
    with open(path) as file:
        lists = [line.split()[3] for line in file if line.startswith("perf stat -e ")]
    assert lists, "no call of perf stat"
    # a comma within slashes belongs to an event
    events = sorted({event for text in lists for event in re.findall(r"[^,/]+(?:/[^/]*/[^,]*)?", text)})
    unknown = [] if known(pmu, events) else [event for event in events if not known(pmu, [event])]
    print(f"{pmu}: {len(events)} events in {len(lists)} calls of perf stat")
    return unknown


def known(pmu, events):
    said = perf(pmu, "stat", "-e", ",".join(events), "true").stderr
    return "syntax error" not in said and "Performance counter stats" in said


def check_json(pmu, path):
    """Names in expressions, as their reader takes them apart."""
    with open(path) as file:
        metrics = json.load(file)
    names, unknown = perf_names(pmu), set()
    for metric in metrics:
        for token in re.findall(r"(?:\\\\.|[\w.:@?])+", metric["MetricExpr"].replace("\\", "\\\\")):
            token = token.replace("\\\\", "")
            if re.fullmatch(r"[0-9.]+(e-?[0-9]+)?", token):
                continue
            name = token.partition(":")[0]
            raw = re.fullmatch(r"cpu@((?:\w+=0x[0-9a-f]+,?)+)@[uk]+", token)
            if not raw and name not in names and name not in GENERIC["intel"].values():
                unknown.add(token)
    print(f"{pmu}: {len(metrics)} metrics for perf")
    return sorted(unknown)


def check_likwid(pmu, paths):
    names, unknown, count = likwid_names(pmu), [], 0
    for path in paths:
        with open(path) as file:
            rows = file.read().partition("EVENTSET\n")[2].partition("\n\n")[0].splitlines()
        for counter, event in map(str.split, rows):
            count += 1
            have = names.get(event, ("none",))[0]
            if have != counter and not (have == "PMC" and re.fullmatch(r"PMC\d+", counter)):
                unknown.append(f"{path}: {event} on {counter}")
    print(f"{pmu}: {count} events of LIKWID's in {len(paths)} groups")
    return unknown if count else ["no event"]


def check_papi(path):
    pfm, unknown, count, pmu = Pfm(), [], 0, "?"
    with open(path) as file:
        for line in file:
            fields = line.rstrip("\n").split(",")
            if fields[0] == "CPU":
                pmu = fields[1]
            elif fields[0] in ("EVENT", "PRESET"):
                terms = fields[3:fields.index("LDESC")]
                if fields[2] == "DERIVED_POSTFIX":
                    terms = terms[1:]
                count += len(terms)
                unknown += [f"{pmu}::{term}" for term in terms if pfm.code(pmu, term) is None]
    print(f"{pmu}: {count} events of PAPI's")
    return unknown if count else ["no event"]


def icx(path):
    """Blocks of events without those that an Ice Lake server does not have."""
    pfm = Pfm()
    with open(path) as file:
        head, *blocks = re.split(r"(?m)^(?=- name: )", file.read())
    head = head.replace('"CPU_CLK_UNHALTED:THREAD"', "UNHALTED_CORE_CYCLES")
    # banks are lists of one line, so that the first block with "- name: " is an event
    print(head.replace("name: spr\n", "name: icx\n").replace("Sapphire Rapids", "Ice Lake"), end="")
    for block in blocks:
        name = re.match(r'- name: "?([^"\n]+)', block)[1]
        if name.startswith("UNC_") or name == "BR_MISP_RETIRED" or pfm.code("icx", name):
            print(block, end="")


def main(what, *words):
    checks = {"check": check, "perf": check_perf, "json": check_json, "papi": check_papi,
              "likwid": lambda pmu, *paths: check_likwid(pmu, paths)}
    if what in checks:
        wrong = checks[what](*words)
        print(*wrong[:20], sep="\n", end="\n" if wrong else "")
        return f"{what}: {len(wrong)} are not known" if wrong else 0
    return {"make": make, "icx": icx}[what](*words)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Checks what 'rollcall export' made of the sample of tests/lib/result_lib.h.

usage: export_check.py SCHEMA DIRECTORY, with all.json, metrics.csv, events.csv,
representations.csv and rates.csv, these four as raw-*.csv, and perf.json in it
"""

import csv
import json
import os
import sys

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import checks  # noqa: E402
from checks import equal  # noqa: E402

schema_path, directory = sys.argv[1:]
KIND = "made-up cpu, model 1/2"
LONG = "a_name_of_fifty_bytes_which_is_taken_several_times" * 12
NAMES = [
    "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE",
    "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE",
    "perf::INSTRUCTIONS:u=0:k=1", "with,commas,", "a|pipe", 'say "hi"', "new\nline\r\tand tab",
    b"bytes \xff\xfe", "=1+2 & <spaces>  ", LONG, "café", "bell\x07 and \x7f",
    ".slash/and%41\\", "cpu@event=0x1-*#x@", "l1d misses, simulated",
] + ("MEM_INST_RETIRED:ALL_LOADS MEM_INST_RETIRED:ALL_STORES BR_INST_RETIRED:ALL_BRANCHES BR_MISP_RETIRED:ALL_BRANCHES "
     "MEM_LOAD_RETIRED:L1_HIT MEM_LOAD_RETIRED:L1_MISS MEM_LOAD_RETIRED:L2_HIT MEM_LOAD_RETIRED:L2_MISS "
     "MEM_LOAD_RETIRED:L3_HIT MEM_LOAD_RETIRED:L3_MISS UOPS_ISSUED:ANY L1D:REPLACEMENT "
     "DTLB_LOAD_MISSES:WALK_COMPLETED ITLB_MISSES:WALK_COMPLETED").split()


NUMBERS = ("error", "term", "coefficient", "rounded", "low", "high", "noise", "residual", "value")


def refuse_constant(word):
    sys.exit(f"'{word}' is not JSON")


def load(name):
    with open(f"{directory}/{name}", encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)


def rows(name):
    """RFC 4180: CRLF behind every record, and bytes in names as they are."""
    with open(f"{directory}/{name}", "rb") as file:
        raw = file.read()
    equal(raw.endswith(b"\r\n"), True, f"end of {name}")
    text = raw.decode("utf-8", "surrogateescape")
    found = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
    for row in found:
        equal(None in row or None in row.values(), False, f"cells in a row of {name}")
    return found


def unmarked(row):
    """One "'" goes from the texts of 'csv': the rest is what 'csv-raw' has."""
    for name, text in row.items():
        equal(text[:1] in tuple("=+-@\t\r\n") and name not in NUMBERS, False, f"formula in {name}")
    return {name: text.removeprefix("'") for name, text in row.items()}


def check_raw(name):
    raw = rows(f"raw-{name}")
    marked = rows(name)
    equal([unmarked(row) for row in marked], raw, f"{name}, and without its marks")
    equal(marked == raw, False, f"{name} has a mark somewhere")


def escaped(name):
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


def check_events(kind):
    equal(len(kind["events"]), len(NAMES), "number of events")
    for event, name in zip(kind["events"], NAMES):
        if isinstance(name, bytes):
            equal(bytes.fromhex(event["event_hex"]), name, "bytes of a name")
            name = name.decode("utf-8", "replace")
        equal(event["event"], name, "name of an event")


def check_flops(suite):
    equal(suite["ideals"], ["D_SCAL", "D_128", "INS"], "ideals")
    equal(suite["nuisance"], ["loop, %"], "nuisance columns")
    for number, noise in enumerate(suite["noise"]):
        equal(noise["number"], number, "number of an event")
        equal(noise["noise"], None if number % 5 == 4 else number / 8, "noise")
        known = number % 7 != 6
        equal("representation" in noise, known, "whether there is a representation")
        if known:
            equal(noise["representation"], [number * 10.0 + k for k in range(4)], "it")
    equal(suite["classes"]["exact"], 6, "exact events")
    metrics = {metric["metric"]: metric for metric in suite["metrics"]}
    ops = metrics["DP operations"]
    equal([t["rounded"] for t in ops["terms"]], [1, 2, 4, 8], "rounded coefficients")
    equal(ops["terms"][1]["coefficient"], 2.0000001, "a coefficient")
    equal([t["number"] for t in ops["terms"]], [0, 1, 2, 3], "events of terms")
    equal([a["number"] for a in ops["alternatives"]], [11, 9], "events alone")
    equal(metrics["unknown"]["error"], None, "an error that is not known")
    equal(metrics["unknown"]["terms"], [], "terms of a metric that is not known")
    ratio = metrics["operations per instruction"]
    equal(ratio["expression"], "[DP operations] / [single]", "an expression")
    equal(ratio["value"], [0.5, None, 2], "its values")
    equal("value" in metrics["of false ones"], False, "values of another one")
    verdicts = {metric["verdict"] for metric in suite["metrics"]}
    equal(len(verdicts), 5, "verdicts")


def check_json():
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    everything = load("all.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(everything)
    equal(everything["campaign"]["simulated"], True, "simulated")
    equal([k["kind"] for k in everything["kinds"]], [KIND, "other", "without events"], "kinds")
    check_events(everything["kinds"][0])
    check_flops(everything["kinds"][0]["suites"][0])
    equal(everything["kinds"][2]["suites"], [], "suites of the kind without events")
    broken = json.loads(json.dumps(everything))
    broken["kinds"][0]["suites"][0]["metrics"][0]["verdict"] = "maybe"
    try:
        jsonschema.Draft202012Validator(schema).validate(broken)
    except jsonschema.ValidationError:
        return everything
    sys.exit("the schema takes a verdict that there is not")


def check_csv(everything):
    suites = [(k["kind"], s) for k in everything["kinds"] for s in k["suites"]]
    terms = [(kind, suite["suite"], metric, term) for kind, suite in suites
             for metric in suite["metrics"] for term in metric["terms"] or [None]]
    found = rows("raw-metrics.csv")
    equal(len(found), len(terms), "rows of metrics.csv")
    for row, (kind, suite, metric, term) in zip(found, terms):
        equal([row["kind"], row["suite"], row["metric"]], [kind, suite, metric["metric"]], "key")
        equal(row["verdict"], metric["verdict"], "verdict")
        equal(row["description"], metric["description"], "description")
        equal(row["error"] == "", metric["error"] is None, "an error that is not known")
        equal(row["simulated"], "yes", "simulated")
        if term:
            equal(row["event"], escaped(NAMES[term["number"]]), "event")
            equal(float(row["coefficient"]), term["coefficient"], "coefficient")
        else:
            equal(row["event"], "", "event of a metric without terms")
    noises = [(suite, noise) for _, suite in suites for noise in suite["noise"]]
    found = rows("raw-events.csv")
    equal(len(found), len(noises), "rows of events.csv")
    for row, (suite, noise) in zip(found, noises):
        equal(row["event"], escaped(NAMES[noise["number"]]), "event")
        equal(row["suite"], suite["suite"], "suite")
        equal([row["class"], row["use"]], [noise["class"], noise["use"]], "class and use")
        value = float(row["noise"]) if row["noise"] else None
        equal(value, noise["noise"], "noise")
    numbers = [(noise["number"], name, value) for suite, noise in noises
               for name, value in zip(suite["ideals"] + suite["nuisance"],
                                      noise.get("representation", [])) if value]
    found = [(int(r["number"]), r["coordinate"], float(r["value"]))
             for r in rows("raw-representations.csv")]
    equal(found, numbers, "representations.csv")
    found = rows("raw-rates.csv")
    cells = [(kind, suite, rate, n, p) for kind, suite in suites for rate in suite.get("rates", [])
             for n in range(len(rate["nodes"])) for p in range(len(suite["points"]))]
    equal(len(found), len(cells), "rows of rates.csv")
    for row, (kind, suite, rate, n, p) in zip(found, cells):
        points = len(suite["points"])
        equal([row[c] for c in ("kind", "suite", "rate", "unit", "convention", "node", "point")],
              [kind, suite["suite"], rate["rate"], rate["unit"], rate["convention"], rate["nodes"][n],
               suite["points"][p]], "a row of rates.csv")
        equal([int(row[axis]) for axis in rate["axes"]], rate["parameters"][2 * p:2 * p + 2], "axes")
        for name in "least", "median", "best", "low", "high":
            equal(float(row[name]) if row[name] else None, rate[name][n * points + p], name)
        known = [rate["values"][(n * rate["repetitions"] + r) * points + p]
                 for r in range(rate["repetitions"])]
        equal(int(row["repetitions"]), len(known) - known.count(None), "repetitions")
        equal(row["simulated"], "yes", "simulated")
    equal([row["rate"] for row in found[::6]], ["bandwidth", 'a, "b"\n<c>'], "rates")
    check_raw("metrics.csv")
    check_raw("events.csv")
    equal([unmarked(row) for row in rows("representations.csv")], rows("raw-representations.csv"),
          "representations.csv")


def check_perf():
    found = load("perf.json")
    keys = {"MetricName", "MetricExpr", "BriefDescription", "MetricGroup", "ScaleUnit"}
    for metric in found:
        equal(set(metric), keys, "keys of perf's metrics")
        equal(metric["BriefDescription"].startswith("SIMULATED"), True, "label")
    names = [metric["MetricName"] for metric in found]
    equal(len(set(names)), len(names), "names of perf's metrics are different")
    expressions = {metric["MetricName"]: metric["MetricExpr"] for metric in found}
    equal(expressions["rc_half"], "0.5 * fp_arith_inst_retired.scalar_double:u", "half")
    equal(expressions["rc_single"], "instructions:k", "single")
    for word in ("false", "absent", "close", "unknown"):
        equal(f"rc_{word}" in expressions, False, f"'{word}' is exported")


check_perf()
check_csv(check_json())
print(f"jsonschema {jsonschema.__version__}: {checks.count} checks passed")

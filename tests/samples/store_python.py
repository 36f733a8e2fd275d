"""Checks by h5py and xarray what store_sample.c wrote: every value by its labels."""

import itertools
import math
import os
import sys

import h5py
import numpy
import xarray

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import checks  # noqa: E402
from checks import equal  # noqa: E402

path = sys.argv[1]
MISSING = numpy.iinfo("int64").min
EVENTS = ["perf::INSTRUCTIONS:u", "BR_MISP_RETIRED", "odd\ufffd/name", "café", "L3_READS"]
PLACES = ["n0 core 0", "n1 core 1"]
POINTS = ["p0", "p1", "p2", "p3"]
WORKERS = ["", "n0 cpu 0", "n1 cpu 3"]
FLOPS = "/kinds/zen3-1/suites/flops"
AXES = ["event", "place", "repetition", "point"]


def value(suite, event, place, repetition, point):
    """The formula of store_sample.c; None where nothing was measured."""
    if event == 1 and place == 1 and repetition > 0:
        return None
    return int(f"{suite}{event}{place}{repetition}{point}")


def texts(dataset):
    return [text.decode() for text in dataset[:]]


def check_file(file):
    equal(file.attrs["format"], "rollcall", "attribute format")
    equal(file.attrs["format_version"], 2, "attribute format_version")
    equal(file.attrs["simulated"], 1, "attribute simulated")
    equal(file["campaign/spec"][()].decode().split("\n")[0], "source: model:sample", "spec")
    equal(sorted(file["kinds"]), ["a%2Fkind 50%25", "zen3-1"], "kinds")
    equal(file["kinds/a%2Fkind 50%25"].attrs["name"], "a/kind 50%", "name of a kind")
    order, kinds = [], file["kinds"]  # 'links' alone would not keep the group open
    kinds.id.links.iterate(order.append, idx_type=h5py.h5.INDEX_CRT_ORDER)
    equal(order, [b"zen3-1", b"a%2Fkind 50%25"], "order of the kinds")
    events = file["kinds/zen3-1/events"]
    equal(texts(events["event"]), EVENTS, "events")
    equal(events["event_bytes"][2], b"odd\xff/name", "a name that is not UTF-8")
    equal(texts(events["description"])[0], "instructions, µops", "a description")
    meanings = events["verdict"].attrs["flag_meanings"].split()
    equal(meanings[events["verdict"][4]], "not_permitted", "a verdict")


def check_suite_h5py(suite):
    values = suite["values"]
    equal([axis.label for axis in values.dims], AXES, "labels of the dimensions")
    scales = [texts(values.dims[i][0]) for i in (0, 1, 3)]
    equal(scales, [EVENTS, PLACES, POINTS], "scales")
    equal(values.dims[2][0][:], [0, 1, 2], "repetitions")
    equal(values.dtype, numpy.dtype("int64"), "type of values")
    equal(values.fillvalue, MISSING, "fill value")
    equal(values.attrs["_FillValue"], MISSING, "attribute _FillValue")
    units = [suite[name].attrs["units"] for name in ("values", "enabled", "running")]
    equal(units, ["1", "ns", "ns"], "units")
    equal([d.label for d in suite["status"].dims], AXES[:3], "dimensions of status")
    for name in ("stop", "worker"):
        equal([d.label for d in suite[name].dims], AXES[:2], f"dimensions of {name}")
    equal(suite["stop"].fillvalue, 0, "fill value of stop")
    equal(suite["stop"].attrs["flag_values"], [0, 1, 2], "numbers of stops")
    labels = suite[suite["worker"].attrs["labels"]]
    equal(texts(labels), WORKERS, "labels of workers")
    equal(texts(suite["parameter_units"]), ["B", ""], "units of the parameters")


def check_values(suite, number, events):
    raw = suite["values"]
    for e, p, r, t in itertools.product(range(len(events)), (0, 1), (0, 1, 2), range(4)):
        at = {"event": events[e], "place": PLACES[p], "repetition": r, "point": POINTS[t]}
        found = float(raw.sel(at))
        equal(None if math.isnan(found) else found, value(number, e, p, r, t), str(at))


def check_flops_xarray():
    suite = xarray.open_dataset(path, group=FLOPS, engine="h5netcdf")
    equal(list(suite["values"].dims), AXES, "dimensions in xarray")
    check_values(suite, 1, EVENTS)
    equal(suite["values"].attrs["units"], "1", "unit in xarray")
    equal(suite["enabled"].attrs["units"], "ns", "unit of times in xarray")
    equal(float(suite["basis"].sel(point="p0", ideal="INS")), 30.5, "basis")
    equal(math.isnan(suite["basis"].sel(point="p2", ideal="CE")), True, "unknown ideal")
    equal(int(suite["parameters"].sel(point="p3", parameter="stride")), -1, "a parameter")
    equal(int(suite["iterations"].sel(source="model", point="p2")), 30, "iterations")
    measured = suite["values"].sel(event="BR_MISP_RETIRED").count("repetition")
    equal(measured.sel(place=PLACES[0], point="p1").item(), 3, "repetitions measured")
    equal(measured.sel(place=PLACES[1], point="p1").item(), 1, "repetitions measured")
    mean = suite["values"].sel(event="BR_MISP_RETIRED", place=PLACES[0]).mean("repetition")
    equal(float(mean.sel(point="p2")), 11012.0, "mean over repetitions")
    worker = suite["worker"].sel(event="café", place=PLACES[1])
    equal(suite["workers"].values[int(worker)], "n1 cpu 3", "who measured")
    stop = suite["stop"].sel(event="café", place=PLACES[1])
    equal(suite["stop"].attrs["flag_meanings"].split()[int(stop)], "most_allowed", "stop")
    status = suite["status"].sel(event=EVENTS[2], place=PLACES[0], repetition=0)
    equal(suite["status_names"].values[int(status)], "not all the time", "status")
    suite.close()


def check_other_suites():
    exact = xarray.open_dataset(path, group=FLOPS, engine="h5netcdf", mask_and_scale=False)
    at = {"event": "BR_MISP_RETIRED", "place": PLACES[1], "point": "p0"}
    equal(exact["values"].dtype, numpy.dtype("int64"), "type without masking")
    equal(exact["values"].sel(at).values, [11100, MISSING, MISSING], "exact values")
    exact.close()
    branch = "/kinds/zen3-1/suites/branch"
    with xarray.open_dataset(path, group=branch, engine="h5netcdf") as suite:
        equal(suite.sizes["point"], 1, "points of branch")
        equal(int(suite["values"].count()), 0, "values of a suite that nobody measured")
        equal(int(suite["status"].max()), 0, "its status")
        equal(suite["workers"].values, [""], "its workers")
    other = "/kinds/a%2Fkind 50%25/suites/flops"
    with xarray.open_dataset(path, group=other, engine="h5netcdf") as suite:
        check_values(suite, 3, EVENTS[:2])


with h5py.File(path, "r") as opened:
    check_file(opened)
    check_suite_h5py(opened[FLOPS])
check_flops_xarray()
check_other_suites()
print(f"h5py {h5py.__version__}, xarray {xarray.__version__}: {checks.count} checks passed")

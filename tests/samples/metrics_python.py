"""Checks by h5py and xarray what metrics_sample.c wrote: results by their labels."""

import os
import sys

import h5py
import xarray

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import checks  # noqa: E402
from checks import equal  # noqa: E402

path = sys.argv[1]
SUITE = "/kinds/made-up cpu, model 1%2F2/suites/flops%2Fa"
COORDINATES = ["D_SCAL", "D_128", "INS", "loop, %"]


def texts(dataset):
    return [text.decode() for text in dataset[:]]


def every_dataset_has_scales(name, item):
    if isinstance(item, h5py.Dataset) and item.ndim > 0 and not h5py.h5ds.is_scale(item.id):
        for number, axis in enumerate(item.dims):
            equal(len(axis), 1, f"scales of dimension {number} of {name}")


def check_h5py(file):
    equal(file.attrs["format"], "rollcall metrics", "format")
    equal(file.attrs["simulated"], 1, "simulated")
    suite = file[SUITE]
    suite.visititems(every_dataset_has_scales)
    representation = suite["representation"]
    equal([axis.label for axis in representation.dims], ["event", "coordinate"], "labels")
    equal(texts(representation.dims[1][0]), COORDINATES, "coordinates")
    equal(representation.compression, "gzip", "compression")
    equal(suite.attrs["tau_auto"], 1, "tau_auto")
    equal(suite.attrs["ideal_count"], 3, "ideal_count")
    meanings = suite["class"].attrs["flag_meanings"].split()
    equal(meanings[suite["class"][4]], "good", "a class")
    terms, metrics = suite["metrics/terms"], suite["metrics"]
    first = texts(metrics["metric"]).index("difference")
    rows = [i for i, metric in enumerate(terms["metric"]) if metric == first]
    equal([terms["coefficient"][i] for i in rows], [-1, 1, -1], "terms of 'difference'")
    events = texts(terms["event"])
    equal(events[rows[0]], "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", "its first event")
    equal(file[SUITE + "/pivots/event_bytes"][1], b"bytes \xff\xfe", "bytes of a name")


def check_xarray():
    with xarray.open_dataset(path, group=SUITE, engine="h5netcdf") as suite:
        at = {"event": "perf::INSTRUCTIONS:u=0:k=1", "coordinate": "INS"}
        equal(float(suite["representation"].sel(at)), 42.0, "a representation")
        event = suite.sel(event="with,commas,")
        equal(suite["reasons"].values[int(event["reason"])], "counts 'x', elsewhere", "why")
        equal(float(event["noise"]), 5 / 8, "noise")
        equal(int(suite["class_count"].sel(classes="exact")), 6, "exact events")
    with xarray.open_dataset(path, group=SUITE + "/metrics", engine="h5netcdf") as metrics:
        ratio = metrics.sel(metric="operations per instruction")
        equal(float(ratio["value"].sel(point="p2")), 2.0, "a value")
        equal(str(ratio["formula"].values), "[DP operations] / [single]", "a formula")
        names = metrics["verdict"].attrs["flag_meanings"].split()
        equal(names[int(metrics["verdict"].sel(metric="false"))], "rejected", "a verdict")
    with xarray.open_dataset(path, group=SUITE + "/pivots", engine="h5netcdf") as pivots:
        first = pivots["representation"].sel(coordinate="loop, %").values[0]
        equal(float(first), 0.5, "of the first pivot")


with h5py.File(path, "r") as opened:
    check_h5py(opened)
check_xarray()
print(f"h5py {h5py.__version__}, xarray {xarray.__version__}: {checks.count} checks passed")

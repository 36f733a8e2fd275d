"""same_results.py THEN NOW - what campaign.h5 and metrics.h5 of two directories hold, compared
by value.  Left out: who measured, when and how long, and what names a program or a campaign."""
import sys

import h5py
import numpy

TIMES = ("worker", "workers", "enabled", "running", "digest", "campaign_id", "created_by", "format_version",
         "definitions", "settings", "spec", "nodes", "evidence")
# Coefficients and errors are sums of products: their last bits are nobody's.
NEAR = 1e-9

differs = 0
compared = 0


def say(text):
    global differs
    differs += 1
    print("   ", text)


def everything(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item}) if isinstance(item, h5py.Dataset) else None)
    return found


def plain(item):
    """An array of a dataset; references become the names that they point to."""
    values = item[()]
    if item.dtype.hasobject and h5py.check_ref_dtype(item.dtype):
        return numpy.array([item.file[r].name for r in values.flat])
    return numpy.asarray(values)


def same(a, b):
    if a.shape != b.shape:
        return False
    if a.dtype.names:
        return a.dtype.names == b.dtype.names and all(same(a[n], b[n]) for n in a.dtype.names)
    if a.dtype.kind == "f":
        # An error of rounding is as small as it is, whichever it is.
        return bool(numpy.all(numpy.isclose(a, b, rtol=NEAR, atol=1e-12, equal_nan=True)))
    if a.dtype.hasobject and any(isinstance(x, numpy.ndarray) for x in a.flat):
        return all(same(numpy.asarray(x), numpy.asarray(y)) for x, y in zip(a.flat, b.flat))
    return bool(numpy.all(a == b))


def compare(then, now, name):
    global compared
    with h5py.File(f"{then}/{name}") as a, h5py.File(f"{now}/{name}") as b:
        left, right = everything(a), everything(b)
        for path in sorted(set(left) | set(right)):
            if path.split("/")[-1] in TIMES:
                continue
            if path not in left or path not in right:
                say(f"{name}: {path} is only in {then if path in left else now}")
                continue
            compared += 1
            if not same(plain(left[path]), plain(right[path])):
                say(f"{name}: {path} differs")


for file in ("campaign.h5", "metrics.h5"):
    compare(*sys.argv[1:3], file)
print(f"    {compared} datasets compared, {differs} differ")
sys.exit(differs > 0)

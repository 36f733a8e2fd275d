#!/usr/bin/env python3
"""construct.py DIR: result files as CAT of PAPI 7.2 writes them, of counters that do not
exist: events that count exactly what the tables of the method say (see README.md)."""
import sys

out = sys.argv[1]

# Points of the branch kernels: CE, CR, T, D, M for each iteration.
BRANCH = [(2, 2, 1.5, 0, 0), (2, 2, 1, 0, 0), (2, 2, 2, 0, 0), (2, 2, 1.5, 0, .5),
          (2.5, 2.5, 1.5, 0, .5), (2.5, 2.5, 2, 0, .5), (2.5, 2, 1.5, 0, .5),
          (3, 2.5, 1.5, 0, .5), (3, 2.5, 2, 0, .5), (2, 2, 1, 1, 0), (1, 1, 1, 0, 0)]
BRANCH_EVENTS = {
    "BR_INST_RETIRED:ALL_BRANCHES": (0, 1, 0, 1, 0),
    "BR_INST_RETIRED:COND": (0, 1, 0, 0, 0),
    "BR_INST_RETIRED:COND_TAKEN": (0, 0, 1, 0, 0),
    "BR_MISP_RETIRED": (0, 0, 0, 0, 1),
}
for event, weight in BRANCH_EVENTS.items():
    with open(f"{out}/{event}.branch", "w") as f:
        for point in BRANCH:
            f.write("%.2f\n" % sum(w * c for w, c in zip(weight, point)))

# Events of the vector kernels: an FMA counts twice.
VEC_EVENTS = {}
for width, form in (("SCALAR", "Scalar"), ("128B_PACKED", "Vector AVX128"),
                    ("256B_PACKED", "Vector AVX256"), ("512B_PACKED", "Vector AVX512")):
    for word, precision in (("SINGLE", "SP"), ("DOUBLE", "DP")):
        VEC_EVENTS[f"FP_ARITH_INST_RETIRED:{width}_{word}"] = (form, precision)
for event, (form, precision) in VEC_EVENTS.items():
    with open(f"{out}/{event}.vec", "w") as f:
        f.write("# ExpectedInstrs EventCount\n")
        for fma, bodies in (("Non-FMA", (24, 48, 96)), ("FMA", (12, 24, 48))):
            for word in ("HP", "SP", "DP"):
                for kernel in ("Scalar", "Vector AVX128", "Vector AVX256", "Vector AVX512"):
                    f.write(f"# {word} {fma} {kernel}\n")
                    for body in bodies:
                        counts = (word, kernel) == (precision, form)
                        f.write(f"{body} {body * (2 if fma == 'FMA' else 1) * counts}\n")

# Loads: caches of 32 KiB, 1 MiB and 16 MiB for each of two threads.
L1, L2, L3 = 32768, 1048576, 16777216
SIZES = (6888, 11585, 19483, 77935, 185363, 440871, 2097152, 4194304, 8388608, 33554432,
         67108864, 134217728)
DCACHE_EVENTS = {
    "MEM_LOAD_RETIRED:L1_HIT": lambda b: b <= L1,
    "MEM_LOAD_RETIRED:L1_MISS": lambda b: b > L1,
    "MEM_LOAD_RETIRED:L3_HIT": lambda b: L2 < b <= L3,
    "L2_RQSTS:DEMAND_DATA_RD_HIT": lambda b: L1 < b <= L2,
}
for event, count in DCACHE_EVENTS.items():
    with open(f"{out}/{event}.data.reads", "w") as f:
        f.write(f"# Core: 0 1\n# L1:{L1} L2:{L2} L3:{L3}\n")
        for pattern, stride, pages in ((3, 64, 64), (3, 64, 16), (3, 128, 64), (3, 128, 16),
                                       (4, 64, 4), (4, 128, 4)):
            f.write("# PTRN=%d, STRIDE=%d, PPB=%f, ThreadCount=2\n" % (pattern, stride, pages))
            for size in SIZES:
                f.write("%d %f %f\n" % (size, count(size), count(size)))

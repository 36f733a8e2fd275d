"""profile_gpu.py BUILD - what a profile says of an NVIDIA GPU beside what NVML says: a program of
PyTorch rests, multiplies matrices, and rests again, for 4 s each, in regions, under
'rollcall profile -s nvml', and asks NVML itself at the begin and end of each for the device's
energy.  Prints for each region both energies, power by the profile's series, and the work that was
done.  BUDGET: 1%; OUT_PROFILE: where the profile stays.  Needs a GPU, and a Python with torch and
pynvml."""
import csv
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from statistics import fmean as mean

SECONDS, N = 4.0, 8192
PHASES = ("rest", "multiply", "rest_again")


def load():
    import pynvml
    import torch

    library = ctypes.CDLL(None)
    pynvml.nvmlInit()
    device = pynvml.nvmlDeviceGetHandleByIndex(0)
    a = torch.randn(N, N, device="cuda", dtype=torch.bfloat16)
    for _ in range(3):
        a @ a
    torch.cuda.synchronize()
    time.sleep(2)
    for phase in PHASES:
        library.PAPI_hl_region_begin(phase.encode())
        before, began, done = pynvml.nvmlDeviceGetTotalEnergyConsumption(device), time.monotonic(), 0
        while phase == "multiply" and time.monotonic() - began < SECONDS:
            for _ in range(20):
                a @ a
            torch.cuda.synchronize()
            done += 20
        time.sleep(max(0, began + SECONDS - time.monotonic()))
        after, ended = pynvml.nvmlDeviceGetTotalEnergyConsumption(device), time.monotonic()
        library.PAPI_hl_region_end(phase.encode())
        print(phase, ended - began, (after - before) / 1000, 2 * N**3 * done / (ended - began) / 1e12, flush=True)


def main():
    rollcall = os.path.join(os.path.abspath(sys.argv[1]), "bin", "rollcall")
    with tempfile.TemporaryDirectory() as work:
        out = os.environ.get("OUT_PROFILE", os.path.join(work, "profile"))
        said = subprocess.run([rollcall, "profile", "-o", out, "-s", "sysfs,nvml", "--budget",
                               os.environ.get("BUDGET", "1%"), "--", sys.executable,
                               os.path.abspath(__file__), "--load"], stdout=subprocess.PIPE, text=True, check=True)
        table = subprocess.run([rollcall, "export", out, "--format", "csv-raw", "-o", "-"],
                               stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = list(csv.DictReader(line for line in table.splitlines() if not line.startswith("#")))
    at = {}
    for row in rows:
        if row["sort"] == "instance" and row["path"].split("/")[-1].strip() in PHASES:
            at[row["path"].split("/")[-1].strip()] = (float(row["begin_ns"]), float(row["end_ns"]))
    series = {}
    for row in rows:
        if row["sort"] == "reading" and "nvml" in row["name"]:
            series.setdefault(row["name"].split(":")[-1], []).append(row)
    print(f"{'region':12} {'s':>5} {'J by NVML':>10} {'J by profile':>12} {'readings':>8} {'W':>7} {'W least':>8} {'W most':>7} {'%':>5} {'MHz':>5} {'TFLOP/s':>8}")
    for line in said.stdout.splitlines():
        phase, seconds, joule, tera = line.split()
        begin, end = at[phase]
        energy = sum(float(r["value"]) / 1000 * max(0.0, min(end, float(r["end_ns"])) - max(begin, float(r["begin_ns"]))) /
                     (float(r["end_ns"]) - float(r["begin_ns"])) for r in series["energy"]
                     if r["value"] and float(r["end_ns"]) > float(r["begin_ns"]))

        def inside(name):
            return [float(r["value"]) for r in series.get(name, []) if r["value"] and begin <= float(r["end_ns"]) <= end]

        power, used, clock = inside("power_instant"), inside("gpu_utilization"), inside("sm_clock")
        cells = [f(v) / by if v else float("nan") for f, v, by in
                 ((mean, power, 1000), (min, power, 1000), (max, power, 1000), (mean, used, 1), (mean, clock, 1))]
        print(f"{phase:12} {float(seconds):5.2f} {float(joule):10.1f} {energy:12.1f} {len(power):8} {cells[0]:7.1f} {cells[1]:8.1f} "
              f"{cells[2]:7.1f} {cells[3]:5.1f} {cells[4]:5.0f} {float(tera):8.1f}")


if sys.argv[1] == "--load":
    load()
else:
    main()

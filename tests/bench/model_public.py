#!/usr/bin/env python3
"""Laws of measurements that others published, against points that were left out.

    python3 tests/bench/model_public.py BUILD [DATA]

DATA is ../shared/data/scaling beside the checkout, with relearn_data.txt and mpi_data.csv
of Extra-P's repository; without them nothing is measured.
"""
import csv
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def read_relearn(path):
    points, kernels, values = [], [], []
    for line in open(path):
        words = line.split()
        if line.startswith("POINTS"):
            points.append(tuple(words[2:-1]))
        elif line.startswith("REGION"):
            kernels.append(line[6:].strip())
            values.append([])
        elif line.startswith("DATA"):
            values[-1].append(words[1:])
    return points, kernels, values


def ask(program, text):
    out = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return out.stdout.splitlines()


def share(numbers, part):
    numbers = sorted(numbers)
    return numbers[int(part * (len(numbers) - 1) + 0.5)]


def show(name, rows, verbose):
    """Rows are (label, measured, predicted, low, high)."""
    off = [abs(p / m - 1) for _, m, p, _, _ in rows]
    held = sum(low <= m <= high for _, m, _, low, high in rows)
    wide = sum(not high - low <= 2 * p for _, m, p, low, high in rows)
    within = [100 * sum(o <= w / 100 for o in off) / len(off) for w in (5, 10, 15, 20)]
    print(f"{name}: {len(rows)} values; within 5 / 10 / 15 / 20 %: "
          + " / ".join(f"{w:.0f}" for w in within)
          + f"; median {100 * share(off, 0.5):.1f} %, 90th {100 * share(off, 0.9):.0f} %; "
          f"held by {100 * held / len(rows):.0f} % of intervals; {wide} said unknown")
    if verbose:
        for (label, m, p, low, high), o in zip(rows, off):
            print(f"    {label:45} {m:10.4g} {p:10.4g} [{low:.4g}, {high:.4g}] {100 * o:.1f} %")


def relearn(program, path, chosen, asked, verbose):
    points, kernels, values = read_relearn(path)
    rows = []
    for kernel, of in zip(kernels, values):
        measured = [sum(map(float, v)) / len(v) for v in of]
        if not any(measured):
            continue
        text = "".join(f"2 at {' '.join(p)} = {' '.join(v)}\n"
                       for p, v in zip(points, of) if chosen(p))
        wanted = [i for i, p in enumerate(points) if asked(p)]
        text += "".join(f"2 ask {' '.join(points[i])}\n" for i in wanted) + "fit\n"
        answer = ask(program, text)
        if verbose:
            print("   ", kernel, answer[-1])
        for i, line in zip(wanted, answer):
            value, low, high = map(float, line.split()[:3])
            rows.append((f"{kernel[-35:]} {points[i][1]}", measured[i], value, low, high))
    return rows


def collectives(program, path, verbose):
    series = {}
    for row in csv.DictReader(open(path)):
        series.setdefault((row["mpi"], row["variable"]), []).append(row)
    rows = []
    for (mpi, name), of in series.items():
        text = ""
        for row in of[:-1]:
            error = (float(row["ci_median_right"]) - float(row["ci_median_left"])) / 3.92
            text += f"1 near {row['Ranks']} = {row['median']} {error}\n"
        answer = ask(program, text + f"1 ask {of[-1]['Ranks']}\nfit\n")
        if verbose:
            print("   ", mpi, name, answer[-1])
        value, low, high = map(float, answer[0].split()[:3])
        rows.append((f"{mpi} {name}", float(of[-1]["median"]), value, low, high))
    return rows


def main():
    arguments = [a for a in sys.argv[1:] if a != "-v"]
    verbose = "-v" in sys.argv
    data = arguments[1] if len(arguments) > 1 else os.path.join(
        HERE, "../../../shared/data/scaling")
    program = os.path.join(arguments[0], "tests/bench_model_fit")
    text, table = (os.path.join(data, n) for n in ("relearn_data.txt", "mpi_data.csv"))
    if not os.path.exists(text) or not os.path.exists(table):
        print(f"{data}: expected relearn_data.txt and mpi_data.csv; nothing was measured")
        return 0
    show("RELeARN, 24 points, at (512, 9000)",
         relearn(program, text, lambda p: p != ("512", "9000"),
                 lambda p: p == ("512", "9000"), verbose), verbose)
    show("RELeARN, p <= 256, at p = 512",
         relearn(program, text, lambda p: p[0] != "512", lambda p: p[0] == "512", verbose),
         verbose)
    show("collectives, 32..256, at 512", collectives(program, table, verbose), verbose)
    return 0


if __name__ == "__main__":
    sys.exit(main())

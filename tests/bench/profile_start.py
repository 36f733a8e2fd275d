"""profile_start.py BUILD... [-n TIMES]: what 'rollcall profile' takes that is the same for each run, in ms
of processor time and page faults, medians of TIMES (40) runs of a program that ends at once, less what
that takes alone: of the first rank of a node with its sampler, and of each further rank."""
import argparse
import ctypes
import os
import shutil
import statistics
import subprocess
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
PROGRAM = ["sh", "-c", "sleep $FOR"]  # which has the same words whether it stays or not


def run(command, **more):
    """Processor seconds and page faults of a command and of all that it leaves behind."""
    child = subprocess.Popen(command, env={**os.environ, **more})
    _, _, usage = os.wait4(child.pid, 0)
    cpu, faults = usage.ru_utime + usage.ru_stime, usage.ru_minflt
    while "FIRST" not in more:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        cpu, faults = cpu + usage.ru_utime + usage.ru_stime, faults + usage.ru_minflt
    return 1000 * cpu, faults


def medians(runs):
    return [statistics.median(x) for x in zip(*runs)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="+")
    parser.add_argument("-n", type=int, default=40)
    args = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    folder = tempfile.mkdtemp()
    alone = medians([run(PROGRAM, FOR="0") for _ in range(args.n)])
    print(f"{'build':24}  first_rank_and_sampler_ms  page_faults  further_rank_ms  page_faults")
    for build in args.build:
        words = [os.path.join(build, "bin/rollcall"), "profile", "-q", "-o", os.path.join(folder, "out"), "--", *PROGRAM]
        first = medians([run(words, FOR="0") for _ in range(args.n)])
        job = {"PMIX_NAMESPACE": f"job{os.getpid()}", "PMIX_RANK": "0"}
        stays = subprocess.Popen(words, env={**os.environ, **job, "FOR": str(0.1 * args.n + 2)})
        time.sleep(0.5)
        job["PMIX_RANK"] = "1"
        further = medians([run(words, FOR="0", FIRST="stays", **job) for _ in range(args.n)])
        stays.wait()
        cells = [a - b for pair in (first, further) for a, b in zip(pair, alone)]
        print("{:24}  {:25.1f}  {:11.0f}  {:15.1f}  {:11.0f}".format(build[-24:], *cells))
    shutil.rmtree(folder)


main()

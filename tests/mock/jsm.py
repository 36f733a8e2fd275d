"""jsm.py - jsrun of IBM Job Step Manager, in an LSF job of a machine with CSM.

Source: "jsrun command" of the IBM Spectrum LSF documentation (jsm/jsrun) and the Summit
User Guide of OLCF, "Job Launcher (jsrun)".  A resource set lies within a node; -n sets,
each of -a tasks on -c cores; -r sets on a node; -p tasks instead of -n and -a.
"""
import os
import re

import batch
from batch import Refused

VALUED = {
    "nrs": "n", "rs_per_host": "r", "tasks_per_rs": "a", "cpu_per_rs": "c", "gpu_per_rs": "g", "bind": "b",
    "launch_distribution": "d", "np": "p", "latency_priority": "l", "memory_per_rs": "m", "rs_per_socket": "K",
    "env": "E", "smpiargs": "M", "exit_on_error": "X", "stdio_mode": "e", "stdio_stdout": "o", "stdio_stderr": "k",
    "chdir": "h", "use_resource": "U",
}  # fmt: skip
FLAGS = {"immediate": "i", "use_spindle": "L", "version": "V"}
COUNT = r"[1-9]\d*"
VALUES = {
    "n": COUNT + "|ALL_HOSTS", "r": COUNT, "a": COUNT, "c": COUNT + "|ALL_CPUS", "g": r"\d+|ALL_GPUS", "p": COUNT,
    "b": r"none|rs|packed:\d+|proportional-packed:\d+", "d": r"cyclic|packed|plane:\d+", "K": COUNT, "m": r"\d+",
    "X": "0|1", "e": "individual|collected|prepended",
}  # fmt: skip


def take(argv):
    found, words = {}, list(argv)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        long, joined, value = word[2:].partition("=") if word.startswith("--") else ("", "", "")
        letter = (VALUED.get(long) or FLAGS.get(long)) if long else word[1]
        if letter in FLAGS.values():
            found[letter] = True
            continue
        if letter not in VALUED.values():
            raise Refused(f"jsrun: unrecognized option '{word}'", 1)  # wording not known
        if not long and len(word) > 2:
            value, joined = word[2:], "="
        if not joined:
            if not words:
                raise Refused(f"jsrun: option requires an argument -- '{letter}'", 1)  # wording not known
            value = words.pop(0)
        if not re.fullmatch(VALUES.get(letter, ".*"), value):
            raise Refused(f"Error: Invalid value for option -{letter}: {value}", 1)  # wording not known
        found[letter] = value
    return found, words


def command(_, argv):
    found, words = take(argv)
    job = batch.load(os.environ.get("RC_MOCK_JOB", ""))
    if "LSB_JOBID" not in os.environ or job is None:
        raise Refused("Error: It is only possible to use js commands within a job allocation unless "
                      "CSM is running", 1)  # wording not known  # fmt: skip
    if not words:
        raise Refused("Error: no command to run", 1)  # wording not known
    if "p" in found and ("n" in found or "a" in found):
        raise Refused("Error: -p cannot be used with -n or -a", 1)  # wording not known
    nodes, cores = job["nodes"], max(os.cpu_count() or 1, job["ranks"])
    each = int(found.get("a", "1"))
    cpus = cores if found.get("c") == "ALL_CPUS" else int(found.get("c", "1"))
    fit = int(found.get("r", max(1, cores // cpus)))
    sets = nodes * fit if found.get("n") == "ALL_HOSTS" else int(found.get("n", found.get("p", nodes * fit)))
    if sets > nodes * fit or fit * cpus > cores:
        raise Refused("Error: Resource requirement cannot be satisfied by the allocation", 1)  # wording not known
    environment = dict(os.environ, JSM_NAMESPACE_SIZE=str(sets * each))
    return batch.mpirun(sets * each, words, environment, job["key"])

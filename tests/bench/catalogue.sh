#!/usr/bin/env bash
# catalogue.sh ROLLCALL - time and memory of listing, trying and grouping: the
# events of this machine, and the 427,000 of a simulated node.
set -euo pipefail
rollcall=${1:?the program, such as build/bin/rollcall}
python3 - "$rollcall" <<'PY'
import os, sys, time

def run(*arguments):
    """Wall seconds, peak MiB of that process, and its last line."""
    read, write = os.pipe()
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.dup2(write, 1)
        os.close(read)
        os.execv(sys.argv[1], ["rollcall", *arguments])
    os.close(write)
    last = b""
    with os.fdopen(read, "rb") as stream:
        for line in stream:
            last = line.strip() or last
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"rollcall {' '.join(arguments)} failed")
    print(f"{time.monotonic() - start:7.2f} s {usage.ru_maxrss / 1024:7.0f} MiB  "
          f"rollcall {' '.join(arguments)}\n{'':22}{last.decode(errors='replace')}")

for qualifiers in ("none", "umasks", "all"):
    run("events", "--source", "papi", "--qualifiers", qualifiers)
for command in ("events", "plan"):
    run(command, "--source", "model:summit-node")
run("events", "--source", "model:summit-node", "--format", "csv")
run("events", "--source", "model:summit-node", "--format", "json")
PY

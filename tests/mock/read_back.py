#!/usr/bin/python3 -SE
"""read_back.py SYSTEM FILE - the directives of a script as the mock of the system reads them.

A line for each word, of all directives; what the mock refuses is on standard error, and
the status is 1.
"""
import os
import sys

sys.dont_write_bytecode = True
import batch  # noqa: E402
import flux  # noqa: E402
import lsf  # noqa: E402
import pbs  # noqa: E402


def words(system, text):
    if system == "flux":
        return [w for _, found in flux.directives(text.decode("utf-8"), "script") for w in found]
    found = []
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        if line.startswith("#PBS") or line.startswith("#BSUB"):
            found += {"pbs": pbs.words_of, "lsf": lsf.words_of}[system](line.partition(" ")[2])
    return found


def main():
    with open(sys.argv[2], "rb") as file:
        text = file.read()
    try:
        found = words(sys.argv[1], text)
    except (batch.Refused, ValueError) as refused:
        print(getattr(refused, "text", refused), file=sys.stderr)
        return 1
    sys.stdout.buffer.write(b"".join(w.encode("utf-8", "surrogateescape") + b"\n" for w in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Checks of a script: the first one that fails ends it, the others are counted."""

import sys

count = 0


def equal(found, expected, what):
    global count
    count += 1
    if hasattr(found, "tolist"):  # of numpy, which compares element by element
        found = found.tolist()
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")

"""Checks what 'rollcall compare --format json' wrote.

usage: compare_check.py SCHEMA FILE [KEY.KEY...=JSON]...; each key is a name or the number
of an item; '#' behind the last one is the number of items
"""

import json
import sys

import jsonschema


def refuse_constant(word):
    sys.exit(f"'{word}' is not JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)


def look_up(value, keys):
    for key in keys.split("."):
        if key == "#":
            return len(value)
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def equal(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


def check_counts(data):
    """The sums are those of what is listed."""
    word = {"class": "noise", "use": "use", "counts": "counts", "rates": "rates"}
    sums, chance = ({"metrics": 0, "events": 0, "counts": 0, "noise": 0, "use": 0, "rates": 0} for _ in range(2))
    for suite in data["suites"]:
        for metric in suite["metrics"]:
            equal(len(metric["columns"]), len(data["columns"]), "cells")
            cells = sum(bool(cell["differs"]) for cell in metric["columns"])
            equal(metric["differs"], cells > 0, metric["metric"])
            sums["metrics"] += cells
            chance["metrics"] += sum(cell["chance"] for cell in metric["columns"])
    for column in data["events"]:
        for change in column["changes"]:
            equal(len(change["events"]), change["count"], "events of a change")
            of = chance if change["chance"] else sums
            of[word.get(change["change"], "events")] += change["count"]
    equal(data["differences"], sums, "differences")
    equal(data["chance"], chance, "what chance explains")
    differs = any(sums[word] for word in data["checked"]) or len(data["absent"]) > 0
    equal(data["same"], not differs, "same")


def main():
    schema, data = load(sys.argv[1]), load(sys.argv[2])
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    validator.validate(data)
    check_counts(data)
    for wish in sys.argv[3:]:
        keys, expected = wish.split("=", 1)
        equal(look_up(data, keys), json.loads(expected), keys)
    data["columns"][0]["relation"] = "cousins"
    if validator.is_valid(data):
        sys.exit("the schema takes a relation that there is not")


main()

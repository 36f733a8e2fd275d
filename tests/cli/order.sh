#!/usr/bin/env bash
# Units come longest first, by what calibration finds: how long readings take, and
# how many repetitions noise will ask for.
# shellcheck source=tests/lib/cli_lib.sh
machines=$(cd "$(dirname "$0")/../data/machines" && pwd)
. "$(dirname "$0")/../lib/cli_lib.sh"

# 153 groups of 10 durations: a noisy one takes 5 sweeps, an exact one 2.  Other work on the machine lengthens some
# readings, so that not all estimates are right: of two units
# of which one takes four times as long as the other, it comes first in nearly all cases.
# Without calibration that is so in half of them.
order_of_plan() {
    run 0 "$rollcall" plan --source "model:$machines/uneven.yaml" --suite flops --repeat 2:5 --format json
    printf '%s' "$out" >plan.json
    python3 - <<'PY'
import json, re
from itertools import combinations
kind = json.load(open("plan.json"))["kinds"][0]
first = {}
for row in kind["groups"]:
    first.setdefault(row["group"], row["event"])
unit = {"400US": 0.4e-3, "1MS": 1e-3, "2500US": 2.5e-3, "8MS": 8e-3, "20MS": 20e-3}
def true(event):
    noise, time = re.match("(EXACT|NOISY)_([0-9]+.S)_", event).groups()
    return 48 * unit[time] * (5 if noise == "NOISY" else 2)
units = kind["units"]
estimated = [u["seconds"] for u in units]
took = [true(first[u["group"]]) for u in units]
right = [a > b for a, b in combinations(took, 2) if max(a, b) >= 4 * min(a, b)]
print(len(units), estimated == sorted(estimated, reverse=True), sum(right) > 0.8 * len(right))
PY
}
for _ in {1..8}; do
    order=$(order_of_plan)
    [ "$order" != "153 True True" ] || break
done
[ "$order" = "153 True True" ] || fail "order is $order"
rm plan.json
finish

#!/usr/bin/env bash
# Units come longest first, by what calibration finds: how long readings take, and
# how many repetitions noise will ask for.
# shellcheck source=tests/cli_lib.sh
machines=$(cd "$(dirname "$0")/../data/machines" && pwd)
. "$(dirname "$0")/../cli_lib.sh"

# 153 groups of 10 durations: a noisy one takes 5 sweeps, an exact one 2.
# What else the machine does may look like long readings: the best of some tries counts.
order_of_plan() {
    run 0 "$rollcall" plan --source "model:$machines/uneven.yaml" --suite flops --repeat 2:5 --format json
    printf '%s' "$out" >plan.json
    python3 - <<'PY'
import json, re
kind = json.load(open("plan.json"))["kinds"][0]
first = {}
for row in kind["groups"]:
    first.setdefault(row["group"], row["event"])
unit = {"400US": 0.4e-3, "1MS": 1e-3, "2500US": 2.5e-3, "8MS": 8e-3, "20MS": 20e-3}
def true(event):
    noise, time = re.match("(EXACT|NOISY)_([0-9]+.S)_", event).groups()
    return 48 * unit[time] * (5 if noise == "NOISY" else 2)
units = kind["units"]
longest = [true(first[u["group"]]) for u in units]
print(len(units), all(seconds == max(longest) for seconds in longest[:2]),
      sum(longest[:9]) > 0.8 * sum(sorted(longest)[-9:]),
      min(longest[:12]) > 0.7, max(longest[75:]) < 0.25)
PY
}
for _ in {1..30}; do
    order=$(order_of_plan)
    [ "$order" != "153 True True True True" ] || break
done
[ "$order" = "153 True True True True" ] || fail "order is $order"
rm plan.json
finish

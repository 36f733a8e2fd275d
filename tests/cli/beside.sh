#!/usr/bin/env bash
# 'events --with A,B': what counts beside them in one group, by trial.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"

# Bad usage first.
run 2 "$rollcall" events --source model:spr --with ''
says "rollcall events: --with: expected names, found ''"
run 2 "$rollcall" events --source model:spr --with INST_RETIRED:ANY --no-trial
says "rollcall events: --with: expected trials, found --no-trial"
run 1 "$rollcall" events --source model:spr --with BR_MIPS_RETIRED
said "rollcall events: --with: no event 'BR_MIPS_RETIRED' on kind model-spr-"
said ", did you mean 'BR_MISP_RETIRED'?"
run 0 "$rollcall" events --source model:spr --verdict counts-nothing --format csv-raw
dead=$(tail -n 1 <<<"$out" | cut -d, -f2)
run 1 "$rollcall" events --source model:spr --with "$dead"
said "rollcall events: --with: '$dead' cannot be counted: counts nothing"
run 0 "$rollcall" events --source model:spr --verdict ok --format csv-raw
all=$(tail -n +2 <<<"$out" | cut -d, -f2)
# shellcheck disable=SC2046  # a word for each
run 1 "$rollcall" events --source model:spr --with "$(printf '%s,' $(head -n 40 <<<"$all"))INST_RETIRED:ANY"
said "rollcall events: --with: these do not count together: "
# shellcheck disable=SC2046  # a word for each
run 2 "$rollcall" events --source model:spr --with "$(printf '%s,' $(head -n 70 <<<"$all"))INST_RETIRED:ANY"
says "rollcall events: --with: expected at most 64 events"

# Groups of the plan were tried as a whole: its events count beside each other, whatever
# is asked for first, and none counts beside a group that is full.
run 0 "$rollcall" plan --source model:spr --format csv-raw
printf '%s\n' "$out" >plan.csv
printf '%s\n' "$all" >ok
groups=$(python3 - <<'PY'
import csv
groups, ok = {}, set(open("ok").read().split("\n"))
for row in csv.DictReader(open("plan.csv")):
    if row["role"] == "own":
        groups.setdefault(row["group"], []).append(row["event"])
print("\n".join([",".join(events) for events in groups.values() if len(events) > 2 and ok.issuperset(events)][:3]))
PY
)
rm plan.csv ok
[ "$(wc -l <<<"$groups")" -eq 3 ] || fail "groups of the plan: $groups"
while IFS=, read -r first second others; do
    run 0 "$rollcall" events --source model:spr --with "$first" --with "$second" --format csv-raw
    beside=$(tail -n +2 <<<"$out" | cut -d, -f2)
    for event in ${others//,/ }; do
        grep -qxF "$event" <<<"$beside" || fail "$event is in a group with $first and $second, and not beside them"
    done
    grep -qxF "$first" <<<"$beside" && fail "$first beside itself"
done <<<"$groups"
lowest=$(head -n 1 <<<"$groups")
run 0 "$rollcall" events --source model:spr --with "$lowest" --format csv-raw
few=$(tail -n +2 <<<"$out" | wc -l)
run 0 "$rollcall" events --source model:spr --with "${lowest%%,*}" --format csv-raw
[ "$few" -lt "$(tail -n +2 <<<"$out" | wc -l)" ] || fail "as many count beside a whole group"

# In text it is said how many, with patterns too; JSON has what was asked for.
run 0 "$rollcall" events --source model:spr 'fp_arith_inst_retired:*' --with br_misp_retired
has " of 12 other events that count alone count beside these, by "
run 0 "$rollcall" events --source model:spr --with BR_MISP_RETIRED,INST_RETIRED:ANY --format json
python3 -c 'import json, sys
kind = json.load(sys.stdin)["kinds"][0]
assert kind["with"] == ["BR_MISP_RETIRED", "INST_RETIRED:ANY"] and len(kind["events"]) > 100' <<<"$out" ||
    fail "the JSON"
finish

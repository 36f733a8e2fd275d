#!/usr/bin/env bash
# noise_planted.sh ROLLCALL - a campaign on simulated nodes, from its machine file to 'noise': the
# node that is off is named, and what nodes and cores add is found again, on any number of ranks.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"

cat >many.yaml <<'YAML'
name: many
topology: package:1 l3:1 core:4 pu:1
nodes: 24
effects: node 5e-3, core 2e-3
banks: [{name: all, counters: unlimited}]
events:
- {name: "PLAIN_{i}", for: [i = 0..19], counts: INS, noise: relative 1e-3}
- {name: "OFF_{i}", for: [i = 0..9], counts: INS, noise: relative 1e-3,
   effects: "node 5e-3, core 2e-3, outlier 7 -3%"}
- {name: SAME, counts: INS, effects: node 0}
YAML
measure=(run --no-solve --source model:./many.yaml --suite flops --repeat 5:5)

# Bad machine files.
sed 's/outlier 7/outlier 24/' many.yaml >bad.yaml
run 2 "$rollcall" run -o c --source model:./bad.yaml
said "bad.yaml:9: 'effects': an outlier 24 of 24 nodes, which are numbered from 0"
[ ! -e c ] || fail "a bad machine file begins a campaign"
rm bad.yaml

# The same readings, and words, on any number of ranks.
for n in 1 2 3 5; do
    run 0 ranks "$n" "$rollcall" "${measure[@]}" -o "c$n" --replicate core
    run 0 "$rollcall" noise "c$n" --format json
    cp "$work/.out" "json$n"
    cmp -s json1 "json$n" || fail "what a run on $n ranks says differs"
done
"$rollcall" noise c1 --format csv >csv1 2>"$work/.err"
"$rollcall" noise c1 | grep -v '^c1/noise.h5$' >text1
grep -q '(simulated readings)' text1 || fail "not simulated: $(head -1 text1)"
awk '$1 == "n07" && $2 == "off" && $3 >= 9 && $5 < 0.001 && $6 < -2 { found = 1 } END { exit !found }' text1 ||
    fail "n07 is not off: $(cat text1)"
[ "$(grep -c '^n[0-9]* *off' text1)" = 1 ] || fail "a false node: $(cat text1)"
[ "$(awk '$1 == "flops" { print $10 }' text1)" = 96 ] || fail "places: $(cat text1)"
python3 - csv1 <<'PY' || fail "the components are not what was planted"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 31, len(rows)
inside = {"node": 0, "core": 0, "repetition": 0}
for row in rows:
    if row["event"] == "SAME":
        assert row["verdict"] == "exact", row
    if not row["event"].startswith("PLAIN"):
        continue
    # Noise is of each point: the mean over 48 scatters less.
    for level, planted in ("node", 5e-3), ("core", 2e-3), ("repetition", 1e-3 / 48 ** 0.5):
        inside[level] += float(row[f"sd_{level}_low"]) <= planted <= float(row[f"sd_{level}_high"])
    assert row["verdict"] == "node", row
assert min(inside.values()) >= 16, inside  # of 20, at 0.95 each
PY

# A run that goes on finds nothing left, on more ranks too.
run 0 ranks 3 "$rollcall" run -o c1
"$rollcall" noise c1 | grep -v '^c1/noise.h5$' | cmp -s text1 - || fail "going on changed something"

# Nodes alone, and no places at all.
run 0 "$rollcall" "${measure[@]}" -o nodes --replicate node
run 0 "$rollcall" noise nodes
has 'cores were not measured apart'
[ "$(awk '$1 == "flops" { print $10 }' "$work/.out")" = 24 ] || fail "places: $out"
run 0 "$rollcall" "${measure[@]}" -o any
run 0 "$rollcall" noise any
has 'each unit was measured once'
run 0 "$rollcall" plan --source model:./many.yaml --suite flops --replicate core --format json
[ "$(echo "$out" | grep -c '"place": *"n07 core 3"')" = 1 ] || fail "plan: $(echo "$out" | grep -c place) places"
rm -rf -- *
finish

#!/usr/bin/env bash
# own_rates.sh ROLLCALL - rates of a simulated campaign: said by solve, exported, compared; slow
# nodes by the study of noise
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"

cat >machine.yaml <<'END'
name: eight
summary: eight nodes, of which the fourth is slow
topology: "pack:1 core:4 pu:1"
nodes: 8
clock: 1000

banks:
- {name: core, scope: core, counters: 8}
events:
- {name: "time::wall", counts: 100 INS, noise: "relative 1e-3", effects: outlier 3 +5%}
- {name: BRANCHES, counts: T + CR}
END
cat >rates.yaml <<'END'
suite: branch
rates:
- rate: branches, per "ns"
  unit: 1/ns
  convention: retired
  formula: BRANCHES / time::wall
- rate: instructions
  unit: 1/ns
  formula: iterations * INS / time::wall
END
run 0 "$rollcall" run -q -o d --source model:machine.yaml --suite branch --replicate node --repeat 8:8
run 0 "$rollcall" solve d --definitions rates.yaml
tr -s ' \n' ' ' <"$work/.out" >one
for line in 'rate branches, per "ns" (retired): best 0.01' '; slowest n3, median 0.0095' 'rate instructions: best 0.01'; do
    grep -qF "$line" one || fail "not said: $line: $out"
done
run 0 "$rollcall" export d --format csv --table rates -o rates.csv
tr -d '\r' <rates.csv >rows
[ "$(head -n 1 rows)" = kind,suite,rate,unit,convention,node,point,pattern,repetitions,least,median,best,low,high,simulated ] ||
    fail "$(head -n 1 rows)"
[ "$(grep -c ',"branches, per ""ns""",1/ns,retired,n[0-7],' rows)" = 88 ] || fail "rows: $(head -n 3 rows)"
[ "$(grep -c ',8,[0-9.e,-]*,yes$' rows)" = 176 ] || fail "rows that are not labelled as simulated"
run 0 "$rollcall" export d --format json -o all.json
grep -q '"convention": *"retired"' all.json || fail "no rate in JSON"

# Bad rates, each with its place.
sed 's/BRANCHES/BRANCHE/' rates.yaml >typo.yaml
run 0 "$rollcall" solve d --definitions typo.yaml
tr -s ' \n' ' ' <"$work/.out" >one
grep -qF "rate branches, per \"ns\" is left out: typo.yaml:3: column 1: no event, ideal or axis \
'BRANCHE' was measured here, did you mean 'BRANCHES'?" one || fail "$out"
sed 's/time::wall/(time::wall/' rates.yaml >broken.yaml
run 2 "$rollcall" solve d --definitions broken.yaml
said "broken.yaml:6: rates[0].formula: column 23: a '(' without its ')', expected one"
sed 's/suite: branch/suite: streem/' rates.yaml >other.yaml
run 2 "$rollcall" solve d --definitions other.yaml
said "other.yaml:1: suite 'streem', expected one that was measured"
run 0 "$rollcall" solve d
run 3 "$rollcall" export d --format csv --table rates
said 'nothing to export: no suite has a rate'

# The node that takes 5 % longer is named.
run 0 "$rollcall" noise d
[ "$(awk '$1 ~ /^n[0-9]/ { print $1, $2; exit }' "$work/.out")" = 'n3 off' ] || fail "not n3: $out"
grep -q ': 1 of 8 nodes is off' "$work/.out" || fail "$out"

# Rates that changed, and that did not, with the same noise or other.
run 0 "$rollcall" solve d --definitions rates.yaml
for seed in 1 2; do
    run 0 "$rollcall" run -q -o "seed$seed" --source model:machine.yaml --suite branch --replicate node --repeat 8:8 --seed $seed --no-solve
    run 0 "$rollcall" solve "seed$seed" --definitions rates.yaml
done
run 0 "$rollcall" compare d seed1
run 0 "$rollcall" compare d seed2 --check rates
lacks 'other rates'
sed 's/100 INS/110 INS/' machine.yaml >all.yaml
run 0 "$rollcall" run -q -o all --source model:all.yaml --suite branch --replicate node --repeat 8:8 --no-solve
run 0 "$rollcall" solve all --definitions rates.yaml
run 1 "$rollcall" compare d all --as-one-kind --check rates
tr -s ' \n' ' ' <"$work/.out" >one
grep -qF 'suite branch, other rates: 2 rates: branches, per "ns" (9.09 % less), instructions (9.09 % less)' one || fail "$out"
run 1 "$rollcall" compare d all --as-one-kind --check rates --format json
cp "$work/.out" compared.json
grep -q '"change": *"rates"' compared.json || fail "no rates in JSON"
rm -rf -- *
finish

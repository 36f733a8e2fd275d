#!/usr/bin/env bash
# own_metrics.sh ROLLCALL - a user's kernel against the metrics: a row for each one that its counts imply, with what was
# expected and counted. A count of operations alone implies operations; a wrong count is told; what is not known
# implies nothing.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/own_lib.sh
. "$tests/lib/own_lib.sh"
# object COUNTS: mine.so, the example with these counts of the polynomial.
object() {
    sed "s/{\"D_SCAL\", 6}, {\"OPS_DP\", 6}, {\"STORES\", 1}/$1/" "$top/docs/examples/own_kernel.c" >own_kernel.c
    "$cc" -O2 -ffp-contract=off -fPIC -shared -I "$top/kernels" -o mine.so own_kernel.c || fail 'no mine.so'
}
# solved FILE SUITES: the part of the tables of solve that is about the kernel.
solved() {
    rm -rf d
    run 0 "$rollcall" run --kernel "$1" --suite "$2" --source soft --repeat 2:2 -o d
    run 0 "$rollcall" solve d
    out=${out#*suite own-}
    while IFS= read -r line; do
        [ ${#line} -le 80 ] || fail "more than 80 columns: '$line'"
    done <<<"$out"
}
# row METRIC POINT REST: there is this row; no_row METRIC [POINT]: there is none.
row() { grep -qE "^  $1 +$2 +$3\$" <<<"$out" || fail "no row '$1', '$2', '$3' in: $out"; }
no_row() { ! grep -qE "^  $1 +${2:-[a-z]+} +[0-9]" <<<"$out" || fail "a row '$1' in: $out"; }

# Unknown ideals, and ideals that are named twice.
object '{"D_SCAL", ROLLCALL_UNKNOWN}, {"D_SCAL", 6}'
run 2 "$rollcall" kernels --kernel ./mine.so
said "point 'polynomial': ideal 'D_SCAL' twice"
object '{"D_SCAL", ROLLCALL_UNKNOWN}'
run 2 "$rollcall" kernels --kernel ./mine.so
said "point 'polynomial' has no counts of ideals"
yaml() { sed "s/ideals: 4 D_SCAL + 4 OPS_DP/ideals: 4 OPS_DP\n  unknown: $1/" "$top/docs/examples/own_commands.yaml" >own.yaml; }
yaml '[OPS_DQ]'
run 2 "$rollcall" kernels --kernel own.yaml
said "own.yaml:12: unknown: no ideal 'OPS_DQ', did you mean 'OPS_DP'?"
yaml '[OPS_DP]'
run 2 "$rollcall" kernels --kernel own.yaml
said "own.yaml:12: unknown: 'OPS_DP' has a count"

# All counts.
object '{"D_SCAL", 6}, {"STORES", 1}'
run 0 "$rollcall" verify --kernel ./mine.so --suite own-mine
solved ./mine.so own-mine,flops
[[ $out == *'metrics that its counts imply: '*' agree, 0 are off'* ]] || fail "not all agree: $out"
row 'DP instructions' polynomial '6 +6 +exact'
row 'DP operations' polynomial '6 +6 +exact'
row 'DP operations per instruction' polynomial '1 +1 +exact'
row 'SP operations' polynomial '0 +0 +exact'
row 'DP operations' stores '0 +0 +exact'
# A part of the metrics is solved again: what the kernel implies is kept. Files and exports have it.
run 0 "$rollcall" solve d --suite flops
run 0 "$rollcall" export d --format json -o all.json
python3 - all.json <<'END' || fail 'not the rows in all.json'
import json, sys
suites = {s["suite"]: s for s in json.load(open(sys.argv[1]))["kinds"][0]["suites"]}
row = [r for r in suites["own-mine"]["implied"] if r["metric"] == "DP operations" and r["point"] == "polynomial"]
assert row == [{"metric": "DP operations", "suite": "flops", "point": "polynomial", "expected": 6, "counted": 6, "agrees": True}]
assert "implied" not in suites["flops"]
END
run 0 "$rollcall" show d 'DP operations'
has 'polynomial of own-mine: expected 6, counted 6, agrees'

# Operations alone: no more is claimed of instructions than that they are none of single precision.
object '{"OPS_DP", 6}, {"STORES", 1}'
run 0 "$rollcall" verify --kernel ./mine.so --suite own-mine
solved ./mine.so own-mine,flops
row 'DP operations' polynomial '6 +6 +exact'
row 'FP operations' polynomial '6 +6 +exact'
row 'SP instructions' polynomial '0 +0 +exact'
no_row 'DP instructions' polynomial
no_row 'DP operations per instruction' polynomial
row 'DP instructions' stores '0 +0 +exact'

# A wrong count is off by so much, whatever becomes of the metric.
object '{"OPS_DP", 8}, {"STORES", 1}'
solved ./mine.so own-mine,flops
row 'DP operations( \(rejected\))?' polynomial '8 +6 +-2 +-25.00'
[[ $out == *'are off'* && $out != *', 0 are off'* ]] || fail "nothing is off: $out"
object '{"D_SCAL", 6}, {"STORES", 2}'
solved ./mine.so own-mine,instructions
row 'stores \(rejected\)' polynomial '2 +1[.0-9]* +-(1|0[.]99[0-9]*) +-(50|49)[.][0-9]+'
no_row 'loads'

# One ideal of the family is not known: metrics that have it are not implied, nor are operations.
object '{"D_SCAL", 6}, {"D_256", ROLLCALL_UNKNOWN}, {"STORES", 1}'
solved ./mine.so own-mine,flops
no_row 'DP operations' polynomial
no_row 'DP instructions' polynomial
row 'DP FMA instructions' polynomial '0 +0 +exact'
yaml '[D_256]'
run 0 "$rollcall" kernels --kernel own.yaml --suite own-commands --format csv
has 'own-commands,sums,OPS_DP,4,'
[[ $out != *'own-commands,sums,D_'* && $out == *'own-commands,products,D_256,0,'* ]] || fail "claims too much: $out"
rm -r d own.yaml own_kernel.c mine.so all.json
finish

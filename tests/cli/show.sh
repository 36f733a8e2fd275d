#!/usr/bin/env bash
# The command 'show': one event or metric by words, as a card.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
export OPENBLAS_NUM_THREADS=1 COLUMNS=200

# Bad usage first.
run 2 "$rollcall" show
says "rollcall show: expected DIR, the directory of a campaign"
run 2 "$rollcall" show d
says "rollcall show: expected words after DIR, such as: rollcall show d dp operations"
run 1 "$rollcall" show d word
says "rollcall show: 'd' is not there, expected the directory of a campaign"
run 2 "$rollcall" show d word --format csv
says "rollcall show: --format: 'csv', expected one of: text, json"

run 0 "$rollcall" run -o d --source model:spr --suite flops,branch --repeat 2:2
run 2 "$rollcall" show d ' '
says "rollcall show: expected words of the name or description of an event or a metric"
# shellcheck disable=SC2046  # one word each
run 2 "$rollcall" show d $(seq 33)
said "expected at most 32 words"
run 1 "$rollcall" show d operations --kind none
said "rollcall show: kind 'none' is not there, expected one of 'model-spr-"

# Missing things: which word, and what is near.
run 1 "$rollcall" show d dp oprations
says "rollcall show: no event or metric has 'oprations', did you mean 'operations'?"
run 1 "$rollcall" show d BR_MIPS_RETIRED
says "rollcall show: no event or metric has 'BR_MIPS_RETIRED', did you mean 'BR_MISP_RETIRED'?"
run 1 "$rollcall" show d xyzzyplugh
says "rollcall show: no event or metric has 'xyzzyplugh', 'rollcall report --text' lists the metrics"
run 1 "$rollcall" show d mispredicted dp
says "rollcall show: each word is somewhere, but no event or metric has all of them: mispredicted dp"

# A metric, by words in any order, people's words, and PAPI's name.
run 0 "$rollcall" show d dp flops
card=$out
[ -z "$err" ] || fail "said '$err'"
case $out in
"'DP operations' can be counted on model-spr-"*": a sum of 4 events gives it, exact on 59 points of 2 suites."*) ;;
*) fail "the sentence is: $out" ;;
esac
has "
  SIMULATED     no hardware was measured
"
has "PAPI_DP_OPS"
has "should be     D_SCAL + 2 D_128 + 4 D_256"
has "8 x FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE"
has "PAPI          EVENT,RC_DP_OPERATIONS,DERIVED_POSTFIX,N0|2|*|"
has "perf          perf stat -e fp_arith_inst_retired."
has "rollcall      rollcall count d -m 'DP operations' -- COMMAND"
has "LIKWID        cannot say it: event 'FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE' is of a processor that LIKWID"
has " have all of these words; --all shows each:"
for words in 'FLOPS DP' 'operations dp' 'flops dp'; do
    # shellcheck disable=SC2086  # words
    run 0 "$rollcall" show d $words
    [ "${out%%.*}" = "${card%%.*}" ] || fail "'$words' found: ${out%%.*}"
done
run 0 "$rollcall" show d papi_dp_ops
[ "$out" = "${card%$'\n\n'*}" ] || fail "PAPI's name found: $out"
run 0 "$rollcall" show d 'dp operations' --all
[ "$(grep -c "^'DP operations" <<<"$out")" -eq 2 ] || fail "--all shows: $out"
run 0 "$rollcall" show d dp fma
has "cannot be counted on model-spr-"
lacks "perf stat"

# Single events that were found to be the same, and an event.
run 0 "$rollcall" show d PAPI_BR_MSP
has "or alone      BR_MISP_RETIRED:ALL_BRANCHES, BR_MISP_RETIRED:COND"
run 0 "$rollcall" show d br_misp_retired:cond
has "BR_MISP_RETIRED:COND counts 'mispredicted', 1 each."
has "
  branch        exact: 'mispredicted', 1 each
"
lacks "
  flops "
has "papi_command_line 'BR_MISP_RETIRED:COND'"
has "perf          perf stat -e br_misp_retired.cond:u COMMAND
"
run 0 "$rollcall" show d br_misp_retired:ret
has "too noisy for suite"

# Events that cannot be counted for one reason share a line, below those that can.
run 0 "$rollcall" show d amx
has "
  2 more cannot be counted here: counts nothing, no kernel uses the matrix unit"
lacks "AMX_OPS_RETIRED:INT8"
lacks "  and "
run 0 "$rollcall" show d retired pmm
[ "$(grep -c 'no persistent memory' <<<"$(tr -s ' \n' ' ' <<<"$out" | sed 's/cannot be counted/\n&/g')")" -le 2 ] ||
    fail "each has its own line: $out"

# JSON says the same.
run 0 "$rollcall" show d dp flops --format json
printf '%s\n' "$out" >card.json
run 0 "$rollcall" show d br_misp_retired:cond --format json
printf '%s\n' "$out" >event.json
python3 - <<'PY' || fail "the JSON"
import json
m = json.load(open("card.json"))
assert m["words"] == ["dp", "flops"] and m["found"] == 1 + len(m["others"]), m
c = m["cards"][0]
assert c["metric"] == "DP operations" and c["verdict"] == "defined" and c["simulated"] is True
assert len(c["terms"]) == 4 and c["lines"]["perf"]["line"].startswith("perf stat -e ")
e = json.load(open("event.json"))["cards"][0]
assert e["event"] == "BR_MISP_RETIRED:COND" and e["sentence"].endswith("counts 'mispredicted', 1 each")
branch = {s["suite"]: s for s in e["suites"]}["branch"]
assert branch["word"] == "exact" and [round(x["value"], 9) for x in branch["counts"]] == [1], branch
PY
rm card.json event.json

# Names that break whoever takes them apart, and every verdict.
"$build/tests/metrics_sample" d/metrics.h5 || fail "no sample"
kind="made-up cpu, model 1/2"
run 0 "$rollcall" show d --kind "$kind" --all o
run 0 "$rollcall" show d --kind "$kind" --all e --format json
python3 -c 'import json, sys; json.load(sys.stdin)' <<<"$out" || fail "no JSON of odd names"
run 0 "$rollcall" show d --kind "$kind" false
has "'false' cannot be trusted on made-up cpu, model 1/2: wrong in suite 'branch': error 0.9."
has "fails         in suite branch: off by 0.9 on 11 points"
lacks "perf stat"
run 0 "$rollcall" show d --kind "$kind" unknown
has "'unknown' may or may not be countable on made-up cpu, model 1/2: no point has it."
run 0 "$rollcall" show d --kind "$kind" 'two sources'
has "PAPI          cannot say it: event 'l1d misses, simulated' is not an event of PAPI's"
rm -r d
finish

#!/usr/bin/env bash
# Rates of a suite over sizes: the cards of 'show', the text and the page of 'report'.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export COLUMNS=80
mkdir one three
run 0 "$build/tests/rates_sample" one 1
run 0 "$build/tests/rates_sample" three 3 simulated

# Bad words first: which it is, and what is near.
run 1 "$rollcall" show one stream traid
said "rollcall show: suite 'stream' has no rates of 'traid', expected a kernel of: copy, triad; did you mean 'triad'?"
run 1 "$rollcall" show one stream triad w3
said "rollcall show: suite 'stream' has no rates of 'w3', expected a kernel of: copy, triad"
run 1 "$rollcall" show one stream copy triad
said "rollcall show: suite 'stream' has no rates of all of these words together, expected a kernel of: copy, triad"
run 1 "$rollcall" show one stream triad --kind none
said "rollcall show: kind 'none' is not there"
# shellcheck disable=SC2046  # one word each
run 2 "$rollcall" show one stream $(seq 17)
said "rollcall show: expected at most 16 words"
run 0 "$rollcall" run -q -o none --source model:spr --suite branch --events 'BR_INST_RETIRED*' --repeat 2:2
run 1 "$rollcall" show none stream triad
says "rollcall show: 'none' has no rates of suite 'stream': 'rollcall run -o DIR --source time --suite stream' measures them"
run 1 "$rollcall" show one steam triad
said "rollcall show: no event or metric has 'steam'"

# The card: the answer, the rate with its convention, the table, then where it comes from; 80 columns.
narrow() {
    local line
    while IFS= read -r line; do
        [ ${#line} -le 80 ] || fail "${#line} columns: $line"
    done <<<"$out"
}
run 0 "$rollcall" show one stream triad
narrow
case $out in
"'triad' reaches at best 200 GB/s in L1, 80 in L2, 30 in L3, 10 in memory with"*) ;;
*) fail "the answer is: $out" ;;
esac
has "rate          bandwidth in GB/s, convention 'stream': each array"
has "level   cache  workers  variant    plateau  best  median
  L1        48K        1  plain          24K   200   199.7
"
has "
  L3        16M        2  streaming      12M    60   59.91
  memory               1  plain         192M    10   9.985
"
has "formula       workers * iterations * B_STREAM /"
has "campaign      0123456789abcdef, rates_sample"
has "show one stream triad allocate"
lacks SIMULATED
run 0 "$rollcall" show one 'STREAM triad w2' streaming
has "'triad' reaches at best 400 GB/s in L1, 160 in L2, 60 in L3, 19.5 in memory"
lacks "  plain"
run 0 "$rollcall" show one stream triad allocate plain
has "'triad' reaches at best 267 GB/s in L1"
has "convention 'allocate': a line"

# Several nodes: from the slowest to the fastest; a level without a plateau; simulated readings.
run 0 "$rollcall" show three stream copy
narrow
has "SIMULATED     no hardware was measured"
has "no plateau in L3)"
has "
  L3        32M        1  plain         none
"
has "
  memory               1  plain         192M      9   8.987  8.088  8.987
"
has "slowest node  1 worker, plain: 10 % less on n1 at 48M"

# All kernels.
run 0 "$rollcall" show three stream
narrow
has "Suite 'stream' has rates of 2 kernels on planted: 'rollcall show three stream"
has "
  triad         2  plain      400  160    60      15
  triad"
has "SIMULATED     no hardware was measured"

# JSON says the same.
run 0 "$rollcall" show three stream copy w1 plain --format json
printf '%s\n' "$out" >card.json
python3 - <<'PY' || fail "the JSON"
import json
j = json.load(open("card.json"))
assert j["words"] == ["stream", "copy", "w1", "plain"] and j["found"] == 1 and j["others"] == []
c = j["cards"][0]
assert (c["rate"], c["unit"], c["convention"], c["suite"], c["simulated"], c["nodes"], c["repetitions"]) == (
    "bandwidth", "GB/s", "stream", "stream", True, ["n0", "n1", "n2"], 4)
assert len(c["curves"]) == 1
v = c["curves"][0]
assert (v["kernel"], v["variant"], v["workers"]) == ("copy", "plain", 1) and v["bytes"] == [12288 << i for i in range(15)]
assert [(l["level"], l["cache"], l["plateau"]) for l in v["levels"]] == [
    ("L1", 49152, 1), ("L2", 2097152, 7), ("L3", 33554432, -1), ("memory", 0, 14)]
assert len(v["medians"]) == 45 and v["low"][14] == v["medians"][15 + 14] == 8.0878 and v["high"][14] == v["median"][14] and v["best"][14] == 9
PY
rm card.json

# The figure of characters: no control characters, no wider than the page.
run 0 "$rollcall" report three --text
narrow
! grep -q $'\033' <<<"$out" || fail "colours without a terminal"
has "planted: 2 rates; simulated"
lacks "0 of 0 metrics"
has "planted, suite stream: bandwidth in GB/s by convention 'stream'"
has "(SIMULATED)"
has "L1 48K"
has "    360 |"
has "12K                                                               192M"
has "    a 1 worker, plain: 180 GB/s in L1"
has "; 10 % less on n1"
for columns in 30 41 200; do
    COLUMNS=$columns run 0 "$rollcall" report three --text
    wide=$(awk '{ if (length($0) > most) most = length($0) } END { print most }' <<<"$out")
    [ "$wide" -le "$columns" ] || fail "$wide columns of $columns"
done

# The page: a panel where there are rates, and only there.
run 0 "$rollcall" report three
for text in '<a href="#curves">Rates</a>' '<h2 id="curves">' 'id="curves-data">' '<strong>Simulated:</strong>'; do
    grep -qF "$text" three/report.html || fail "the page has no $text"
done
run 0 "$rollcall" report none
! grep -qE 'href="#curves"|id="curves-data"' none/report.html || fail "a panel of rates without rates"
rm -r one three none
finish

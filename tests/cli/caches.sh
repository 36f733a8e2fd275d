#!/usr/bin/env bash
# Metrics of caches and memory by the points of all suites: no stranger stands for an event
# of a cache because the two are proportional on some kernels, and what is counted together
# with something else is found by taking that off.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py

# terms METRIC: "COEFFICIENT EVENT" of each, by event, where it is defined.
terms() {
    "$python" -c '
import csv, sys
for row in sorted(csv.DictReader(open("table")), key=lambda row: row["event"]):
    if row["metric"] == sys.argv[1] and row["verdict"] == "defined":
        held = row["rounded_holds"] == "yes"
        value = float(row["rounded" if held else "coefficient"])
        if value:
            print("%.9g" % value, row["event"])' "$1" | paste -sd ' '
}

# is METRIC TERMS, where '' says that it is not defined.
is() {
    local found
    found=$(terms "$1")
    [ "$found" = "$2" ] || fail "$dir: '$1' is '$found', expected '$2'"
}

# Strangers that are proportional to lines entered on some kernels, without an event that
# counts the lines that hit, and with one.
strangers='- {name: BRANCHES, counts: 2 CR + 2 T}
- {name: LOGIC_LOADS, counts: INT_LOGIC + LOADS}
- {name: HALVES, counts: 0.5 INT_LOGIC + 0.5 D_SCAL + S_SCAL}
- {name: LINES_MISSED, counts: L1IM, noise: relative 1e-4}'
planted strangers <<<"$strangers"
is 'L1I misses' '1 LINES_MISSED'
is 'L1I reads' ''
is 'L1I hits' ''
planted lines <<<"$strangers
- {name: LINES_HIT, counts: L1IH, noise: relative 1e-4}"
is 'L1I misses' '1 LINES_MISSED'
is 'L1I reads' '1 LINES_HIT 1 LINES_MISSED'
is 'L1I hits' '1 LINES_HIT'

# Stores that hit are not all stores.
planted stores <<<'- {name: STORES, counts: STORES}'
is stores '1 STORES'
is 'L1 write hits' ''
planted misses <<<'- {name: STORES, counts: STORES}
- {name: STORE_MISSES, counts: L1DWM, noise: relative 1e-4}'
is 'L1 write hits' '1 STORES -1 STORE_MISSES'
is 'L1 write misses' '1 STORE_MISSES'

# An event that counts other families besides, which other events take off.
planted families <<<'- {name: MIXED, counts: 4 LOADS + 0.5 D_SCAL + S_SCAL}
- {name: DOUBLES, counts: 0.5 D_SCAL}
- {name: MORE, counts: INS + S_SCAL}
- {name: INS, counts: INS}'
for metric in loads 'L1 reads'; do
    is "$metric" '-0.25 DOUBLES 0.25 INS 0.25 MIXED -0.25 MORE'
done

# Two caches in one event, with noise.
planted both <<<'- {name: HITS_LINES, counts: L1DH + L1IM, noise: relative 6e-3}
- {name: MISSED_BYTES, counts: 64 L1DM, noise: relative 1e-4}
- {name: LOADS, counts: LOADS}'
is 'L1 hits' '1 LOADS -0.015625 MISSED_BYTES'
is 'L1 misses' '0.015625 MISSED_BYTES'

# A clock is not a cache: nobody asks of which ideals cycles are a sum.
planted clock --suite flops,cycles <<<'- {name: CYCLES, counts: CYC}'
grep -q ',cycles,cycles,by reference,' table || fail "clock: $(grep cycles table)"
! grep 'sum of ideals' table || fail 'clock: cycles are doubted'

# An ideal that these two suites do not tell from others takes nothing off a metric of caches: all
# instructions of memory are loads there.
run 0 "$rollcall" run -o some --source model:spr --suite flops,dcache --repeat 5:5 --events MEM_INST_RETIRED:ANY \
    --events OFFCORE_RESPONSE_0:READS_TO_CORE_ANY_RESPONSE --events 'MEM_LOAD_RETIRED:L*' --events L2_RQSTS:DEMAND_DATA_RD_HIT
dir=some
run 0 "$rollcall" export some --format csv --table metrics
echo "$out" >table
case $(terms 'L2 hits') in
*MEM_INST_RETIRED:ANY*) fail "some: L2 hits are $(terms 'L2 hits')" ;;
*' MEM_LOAD_RETIRED:L2_HIT' | *' L2_RQSTS:DEMAND_DATA_RD_HIT') ;;
*) fail "some: L2 hits are '$(terms 'L2 hits')'" ;;
esac

# The simulated caches of every machine without counters.
run 0 timeout 240 "$rollcall" run -o default --source soft --repeat 2:2
dir=default
run 0 "$rollcall" export default --format csv --table metrics
echo "$out" >table
is 'L1I reads' '1 soft::sim_l1i_hit 1 soft::sim_l1i_miss'
is 'L1I hits' '1 soft::sim_l1i_hit'
is 'L1 write hits' '1 soft::sim_l1d_store_hit'
run 0 timeout 240 "$rollcall" count default -m "L1I reads,L1I hits" --format json -o counts.json -- true
"$python" -c '
import json, sys
value = {m["metric"]: m["value"] for m in json.load(open("counts.json"))["metrics"]}
sys.exit(not value["L1I reads"] >= value["L1I hits"] > 0)' || fail "more hits than reads: $(cat counts.json)"

rm -r counts.json strangers lines stores misses families both clock some default ./*.yaml table
finish

#!/usr/bin/env bash
# noise.sh ROLLCALL - which nodes are off and where readings scatter, in campaigns in which
# that was planted (noise_sample.c), and in some that cannot tell.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/cli_lib.sh
. "$tests/cli_lib.sh"
sample=$(dirname "$rollcall")/../tests/noise_sample

# Bad inputs.
run 2 "$rollcall" noise
said 'expected DIR'
run 1 "$rollcall" noise nowhere
said "'nowhere' is not there"
mkdir empty
run 1 "$rollcall" noise empty
said "'empty/campaign.h5' is not there"
mkdir bad
echo nonsense >bad/campaign.h5
run 2 "$rollcall" noise bad
said 'bad/campaign.h5'
mkdir c
"$sample" c/campaign.h5 24 4 5 80 || fail "no sample"
run 2 "$rollcall" noise c --verdict often
said "'often', expected exact"
run 2 "$rollcall" noise c --level socket
said "'socket', expected rep, core or node"
run 1 "$rollcall" noise c --suite dcache
said "no readings of suite 'dcache'"
run 1 "$rollcall" noise c --kind other
said "no kind 'other'"

# Nodes, and levels.
run 0 "$rollcall" noise c
cp "$work/.out" first
has 'of 24 nodes '
[ "$(awk '$1 ~ /^n[0-9]/ { print $1, $2, $4; exit }' first)" = 'n7 10 0.001' ] || fail "not n7 first: $out"
[ "$(grep -c '^n[0-9]' first)" -le 2 ] || fail "more than one false node: $out"
[ "$(awk '$1 == "n7" && $6 < -2 && $6 > -4.5' first)" ] || fail "n7 is off by: $(grep n7 first)"
[ "$(awk '$1 == "flops" { print $2, $3, $4, $5, $6, $9 }' first)" = '10 10 10 10 40 10' ] ||
    fail "levels: $(grep flops first)"
lacks '!'

# Cores, and the events that scatter from one to the other.
run 0 "$rollcall" noise c --level core
cp "$work/.out" cores
[ "$(awk '$1 == "n5" && $2 == "core" { print $3, $4, $6 }' cores)" = '2 10 0.001' ] || fail "not n5 core 2: $out"
[ "$(grep -c '^n[0-9]* *core ' cores)" -le 2 ] || fail "more than one false core: $out"
[ "$(grep -c '^flops  EVENT_3_' cores)" = 10 ] || fail "events that scatter over cores: $out"
grep -q '^flops  EVENT_4_' cores && fail "an event that scatters over nodes is listed: $out"

# The same on any number of ranks, in each format.
for format in text csv json; do
    "$rollcall" noise c --format "$format" >alone
    for n in 2 3 5; do
        run 0 ranks "$n" "$rollcall" noise c --format "$format"
        cmp -s alone "$work/.out" || fail "--format $format on $n ranks differs from one"
    done
done
run 0 ranks 3 "$rollcall" noise c --level core
cmp -s cores "$work/.out" || fail "--level core on 3 ranks differs from one"
"$rollcall" noise c --format json | python3 -c '
import json, sys
kind, = json.load(sys.stdin)["kinds"]
assert kind["kind"] == "planted" and kind["simulated"] is True
assert len(kind["events"]) == 80 and len(kind["nodes"]) == 24, kind
assert kind["nodes"][0]["node"] == "n7" and kind["nodes"][0]["events_off"] == 10
assert "cores" not in kind
event = {e["event"]: e for e in kind["events"]}
assert event["EVENT_0_OF_0"]["verdict"] == "exact"
assert event["EVENT_1_OF_3"]["verdict"] == "differs"
for level, number, planted in ("repetition", 2, 0.01), ("core", 3, 0.02), ("node", 4, 0.02):
    inside = 0
    for i in range(10):
        e = event[f"EVENT_{number}_OF_{i}"]
        assert e["verdict"] == level, e
        inside += e[f"sd_{level}_low"] <= planted <= e[f"sd_{level}_high"]
    assert inside >= 8, (level, inside)
' || fail "the JSON is not what was planted"

# Lists of events, and patterns of them.
run 0 "$rollcall" noise c --verdict node,differs --events 'EVENT_?_OF_3'
[ "$(echo "$out" | grep -c '^flops  EVENT_[14567]_OF_3 ')" = 5 ] || fail "listed: $out"
has 'where the scatter of 8 events is'
[ "$(awk '$1 == "flops" { print $2, $3, $4, $5, $6; exit }' "$work/.out")" = '1 1 1 1 4' ] ||
    fail "levels of 8 events: $out"
run 0 "$rollcall" noise c --format csv --events EVENT_0_OF_0
[ "$(echo "$out" | wc -l)" = 2 ] || fail "rows: $out"

# What cannot be told is said with what brings it.
mkdir one two any once
run 0 "$sample" one/campaign.h5 1 4 5 16
run 0 "$sample" two/campaign.h5 2 1 5 16
run 0 "$sample" any/campaign.h5 1 1 5 16 any
run 0 "$sample" once/campaign.h5 8 2 1 16
run 0 "$rollcall" noise one
has 'no nodes were compared: that takes three of a kind'
has "there is one node: start 'rollcall run' on several"
run 0 "$rollcall" noise one --level core
has 'no cores were compared'
run 0 "$rollcall" noise two
has 'two nodes can differ'
has "cores were not measured apart: 'rollcall run --replicate core' does"
run 0 "$rollcall" noise any
has "each unit was measured once, wherever a core was free"
[ "$(awk '$1 == "flops" { print $2, $7 }' "$work/.out")" = '4 12' ] || fail "levels: $out"
run 0 "$rollcall" noise once
has "there is one repetition"
rm -rf -- *
finish

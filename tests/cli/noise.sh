#!/usr/bin/env bash
# noise.sh ROLLCALL - which nodes are off and where readings scatter, in campaigns in which
# that was planted (noise_sample.c), and in some that cannot tell.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
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
[ "$(awk '$1 ~ /^n[0-9]/ { print $1, $2, $3, ($5 <= 0.02); exit }' first)" = 'n7 off 10 1' ] || fail "not n7 first: $out"
has ': 1 of 24 nodes is off'
has 'n7: farthest off on EVENT_5_OF_'
[ "$(awk 'length > 80' first)" = "" ] || fail "wider than 80 columns: $(awk 'length > 80' first)"
[ "$(grep -c '^n[0-9]* *off' first)" = 1 ] || fail "a false node: $out"
[ "$(awk '$1 == "n7" && $6 < -2 && $6 > -4.5' first)" ] || fail "n7 is off by: $(grep n7 first)"
[ "$(awk '$1 == "flops" { print $2, $3, $4, $5, $6, $9 }' first)" = '10 10 10 10 40 10' ] ||
    fail "levels: $(grep flops first)"
lacks '!'

# Cores, and the events that scatter from one to the other.
run 0 "$rollcall" noise c --level core
cp "$work/.out" cores
[ "$(awk '$1 == "n5" && $2 == "core" { print $3, $4, $5; exit }' cores)" = '2 off 10' ] || fail "not n5 core 2: $out"
[ "$(grep -c '^n[0-9]* *core [0-9]* *off' cores)" = 1 ] || fail "a false core: $out"
[ "$(grep -c '^flops  EVENT_3_' cores)" = 10 ] || fail "events that scatter over cores: $out"
grep -q '^flops  EVENT_4_' cores && fail "an event that scatters over nodes is listed: $out"

# The same on any number of ranks, in each format, and so is noise.h5.
numbers_of() { # and names of c/noise.h5
    command -v h5dump >dumps || return 0
    h5dump -d /kinds/planted/suites/flops/components -d /kinds/planted/suites/flops/place_median \
        -d /kinds/planted/by_node/p -d /kinds/planted/outliers/event c/noise.h5 | sed 1d
}
for format in text csv json; do
    run 0 "$rollcall" noise c --format "$format"
    mv "$work/.out" "alone.$format"
done
numbers_of >alone
for on in 2/text 3/csv 5/json; do
    rm c/noise.h5
    run 0 ranks "${on%/*}" "$rollcall" noise c --format "${on#*/}"
    cmp -s "alone.${on#*/}" "$work/.out" || fail "on $on ranks it differs from one"
    numbers_of | cmp -s - alone || fail "noise.h5 of $on ranks differs from that of one"
done
run 0 ranks 3 "$rollcall" noise c --level core
cmp -s cores "$work/.out" || fail "--level core on 3 ranks differs from one"
python3 -c '
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
' <alone.json || fail "the JSON is not what was planted"

# Lists of events, and patterns of them.
run 0 "$rollcall" noise c --verdict node,differs --events 'EVENT_?_OF_3'
[ "$(echo "$out" | grep -c '^flops  EVENT_[14567]_OF_3 ')" = 5 ] || fail "listed: $out"
has 'where the scatter of 8 events is'
[ "$(awk '$1 == "flops" { print $2, $3, $4, $5, $6; exit }' "$work/.out")" = '1 1 1 1 4' ] ||
    fail "levels of 8 events: $out"
run 0 "$rollcall" noise c --format csv --events EVENT_0_OF_0
[ "$(echo "$out" | wc -l)" = 2 ] || fail "rows: $out"

# Unknown results are said, with the command that brings them.
mkdir one two any once
run 0 "$sample" one/campaign.h5 1 4 5 16
run 0 "$sample" two/campaign.h5 2 1 5 16
run 0 "$sample" any/campaign.h5 1 1 5 16 any
run 0 "$sample" once/campaign.h5 8 2 1 16
run 0 "$rollcall" noise one
has 'no nodes were compared: at least three nodes of a kind are needed'
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

# noise.h5: where it is, is said.  It is whole where a part is printed, and stays as it is
# where it has all.
run 0 "$rollcall" noise c
[ "$(tail -n 1 "$work/.out")" = c/noise.h5 ] || fail "where it is: $out"
run 0 "$rollcall" noise c --format json
[ "$(cat "$work/.err")" = c/noise.h5 ] || fail "where it is, of JSON: $err"
cp c/noise.h5 before.h5
run 0 "$rollcall" noise c --suite flops
lacks noise.h5
cmp -s c/noise.h5 before.h5 || fail "noise.h5 was made again for a part that is printed"
rm c/noise.h5 before.h5
run 0 "$rollcall" noise c --events 'EVENT_0*'
has c/noise.h5
numbers_of | cmp -s - alone || fail "noise.h5 is not whole where a part is printed"
if python3 -c 'import h5py' 2>"$work/.err"; then
    python3 - <<'end' || fail "noise.h5 as h5py reads it"
import h5py, math
f = h5py.File("c/noise.h5")
assert f.attrs["format"] == "rollcall noise" and f.attrs["simulated"] == 1
kind = f["kinds/planted"]
suite = kind["suites/flops"]
assert [d.label for d in suite["components"].dims] == ["event", "level"]
assert [l.decode() for l in suite["components"].dims[1][0][()]] == ["repetition", "core", "node"]
assert suite["components"].shape == (80, 3) and suite["place_median"].shape == (80, 96)
verdict = suite["verdict"].attrs["flag_meanings"].split()
names = [n.decode() for n in suite["event"][()]]
assert verdict[suite["verdict"][names.index("EVENT_4_OF_0")]] == "node"
assert abs(math.sqrt(suite["components"][names.index("EVENT_3_OF_0"), 1]) / 0.02 - 1) < 0.3
node = [n.decode() for n in kind["by_node/node"][()]]
assert kind["by_node/events_off"][node.index("n7")] == 10
n7 = node.index("n7")
assert sum(kind["outliers/node"][()] == n7) == 10
off = suite["place_median"][names.index("EVENT_5_OF_0")][suite["node"][()] == n7]
assert all(0.95 < y < 0.99 for y in off), off
end
fi

# Nodes that are off stand in the first lines of the report.
run 0 "$rollcall" noise c
run 0 "$rollcall" report c --text
head -n 20 "$work/.out" | grep -q '1 of 24 nodes is off: n7' || fail "not in the first lines: $out"

# A damaged one is replaced; another rollcall that writes results is waited for.
echo nonsense >c/noise.h5
run 0 "$rollcall" report c
has c/report.html
grep -q 'The study of noise is not shown' c/report.html || fail "a page without a word on a damaged noise.h5"
run 0 "$rollcall" noise c
run 0 "$rollcall" report c
grep -q 'id="noise-0"' c/report.html || fail "a page without noise"
grep -q 'The study of noise' c/report.html && fail "a page with a note on noise"

# Damaged by a stranger: a page is made with or without it, a comparison ends by itself.
mkdir d
cp c/campaign.h5 d
for number in 1 2 3 4; do
    run 0 "$(dirname "$sample")/bench_damage" copy c/noise.h5 "$number" d/noise.h5
    status=0
    timeout -k 5 200 "$rollcall" report d >"$work/.out" 2>"$work/.err" || status=$?
    [ "$status" -le 2 ] || fail "a report with damage $number: $status, $(cat "$work/.err")"
    [ "$status" = 0 ] || grep -q 'd/noise.h5' "$work/.err" || fail "damage $number: $(cat "$work/.err")"
    status=0
    timeout -k 5 200 "$rollcall" noise c --against d/noise.h5 >"$work/.out" 2>"$work/.err" || status=$?
    [ "$status" -le 2 ] || fail "against damage $number: $status, $(cat "$work/.err")"
    [ "$(wc -l <"$work/.err")" -le 1 ] || fail "damage $number: $(cat "$work/.err")"
done

# One of other readings, or of another campaign, is told.
mkdir other
run 0 "$sample" other/campaign.h5 24 4 5 80 seed=2 off=9 rep=0.05
cp c/noise.h5 other/noise.h5
run 0 "$rollcall" report other
grep -q 'from other readings than campaign.h5 holds now' "$work/.err" || fail "older readings: $err"
grep -q 'id="noise-0"' other/report.html || fail "a page without noise that is older"
rm other/noise.h5
run 0 "$rollcall" report other
grep -q 'id="noise-0"' other/report.html && fail "a page with noise of nothing"

# Against another campaign: from its campaign.h5, from its noise.h5, from that file alone.
run 2 "$rollcall" noise c --against nowhere
said "'nowhere' is not there"
run 2 "$rollcall" noise c --against empty
said "'empty' has neither noise.h5 nor campaign.h5"
run 2 "$rollcall" noise c --against bad
said 'bad/campaign.h5'
run 2 "$rollcall" noise c --against c/campaign.h5
said 'rollcall noise'
run 2 "$rollcall" noise c --against other --check colour
said "'colour', expected nodes, periods or level"
run 2 "$rollcall" noise c --check nodes
said '--check goes with --against'
run 2 "$rollcall" noise c --against other --check periods
said 'periods cannot be compared'
run 2 "$rollcall" noise nowhere --against c
said "'nowhere' is not there"
rm c/noise.h5
run 0 "$rollcall" noise c --against c
[ "$out" = '0 differences from c' ] || fail "against itself: $out"
[ ! -e c/noise.h5 ] || fail "--against wrote noise.h5"
mkdir again
run 0 "$sample" again/campaign.h5 24 4 5 80 seed=4
run 0 "$rollcall" noise c --against again
run 1 "$rollcall" noise other --against c
cp "$work/.out" differences
grep -Eq '^nodes +n7 +off, p 0.00[0-9]*, on 10 of 60 events +not off$' differences || fail "n7: $out"
grep -Eq '^nodes +n9 +not off +off, p [0-9.e-]+, on (9|10) of 60' differences || fail "n9: $out"
[ "$(grep -c '^level .*EVENT_2_OF_' differences)" = 10 ] || fail "levels of ten events: $out"
[ "$(grep -c '^level ' differences)" -le 12 ] || fail "more than a false level or two: $out"
run 0 "$rollcall" noise c
run 1 ranks 3 "$rollcall" noise other --against c
cmp -s "$work/.out" differences || fail "from noise.h5, on 3 ranks: $out"
run 1 "$rollcall" noise other --against c/noise.h5 --check nodes
lacks EVENT
has '2 differences from c/noise.h5'
run 1 "$rollcall" noise other --against c --format csv
[ "$(echo "$out" | wc -l)" -ge 13 ] || fail "rows: $out"
run 1 "$rollcall" noise other --against c --format json
echo "$out" | python3 -c '
import json, sys
found = json.load(sys.stdin)
assert found["differs"] is True and found["against"] == "c"
assert {d["what"] for d in found["differences"] if d["check"] == "nodes"} == {"n7", "n9"}
' || fail "differences as JSON: $out"
cp other/campaign.h5 again/campaign.h5
cp c/noise.h5 again/noise.h5
run 0 "$rollcall" noise other --against again
grep -q 'it is studied now' "$work/.err" || fail "an older noise.h5 in the reference: $err"

# Periods, of detours.
detours=$(dirname "$sample")/noise_detours_sample
run 0 "$detours" c 2 1
run 0 "$detours" again 2 1
run 0 "$rollcall" noise c --against again --check periods
run 0 "$rollcall" report c
grep -q 'id="noise-data"' c/report.html || fail "a page without detours"

# Detours that are measured are in it, and on the page.
run 0 "$rollcall" run -o r --source model:spr --suite branch --repeat 2:2 --no-solve
run 0 "$rollcall" noise -o r --time 300ms
[ "$(tail -n 1 "$work/.out")" = r/noise.h5 ] || fail "where it is: $out"
run 0 "$rollcall" report r
grep -q 'id="noise-data"' r/report.html || fail "a page without the detours that were measured"

# Also where a part is printed; 'status' says whether they are.
run 0 "$rollcall" status r
has 'r/noise.h5: made from campaign.h5 and the detours as they are'
cp r/noise.h5 older.h5
run 0 "$rollcall" noise -o r --time 100ms --events 'BR*'
[ "$(tail -n 1 "$work/.out")" = r/noise.h5 ] || fail "noise.h5 is not made where a part is printed: $out"
run 0 "$rollcall" status r
has 'r/noise.h5: made from campaign.h5 and the detours as they are'
mv older.h5 r/noise.h5
run 0 "$rollcall" status r
has "r/noise.h5: older than the journals: it has 1 of 2 measurements of detours; 'rollcall noise DIR' makes it again"
run 0 "$rollcall" noise r --suite branch
has r/noise.h5
rm r/noise.h5
run 0 "$rollcall" status r
has "r/noise.h5: is not there; 'rollcall noise' makes it"
run 0 "$rollcall" status r --format json
echo "$out" | grep -A 2 '"noise"' | grep -q '"there": false' || fail "status as JSON: $out"
echo nonsense >r/noise.h5
run 0 "$rollcall" status r
has 'r/noise.h5: '
lacks 'as they are'
rm -rf -- *
finish

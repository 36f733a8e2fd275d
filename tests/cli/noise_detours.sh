#!/usr/bin/env bash
# noise_detours.sh ROLLCALL - detours measured and judged as a user does it, beside a
# campaign and without one, stopped, killed, and by other commands passed over.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"

# Bad inputs: none leaves anything behind.
measure=("$rollcall" noise -o d)
for time in 0 0s abc 5 -1s 2d; do
    run 2 "${measure[@]}" --time "$time"
    said "--time: '$time', expected a duration"
done
for rounds in 0 1.5 many 1001; do
    run 2 "${measure[@]}" --rounds "$rounds"
    said "--rounds: '$rounds', expected a whole number from 1 to 1000"
done
run 2 "$rollcall" noise
said 'expected DIR, the directory of a campaign, or -o DIR'
run 2 "$rollcall" noise -o ''
said 'expected DIR'
run 2 "${measure[@]}" d
said "'d' and -o 'd'"
run 2 "$rollcall" noise d --time 3s
said '--time is for measuring, expected -o DIR with it'
run 2 "$rollcall" noise d --alone
said '--alone is for measuring'
run 2 "${measure[@]}" --work ''
run 2 "${measure[@]}" --work flops,flips
said "no suite 'flips'"
run 2 "${measure[@]}" --work flops:none
said "no kernel 'none'"
run 2 ranks 2 "${measure[@]}" --time never
[ ! -e d ] || fail "a refused command left d"
echo text >file
run 2 "$rollcall" noise -o file --time 1s
said "'file' is a file, expected a directory"
run 1 "$rollcall" noise -o /proc/d --time 1s
said "cannot make directory '/proc/d'"
rm file

# This machine may have no clock for it: that is said, and nothing is made.
if ! "${measure[@]}" --time 100ms >.out 2>.err; then
    grep -q 'detours cannot be measured' .err || fail "said $(cat .err)"
    [ ! -e d ] || fail "left d"
    echo "SKIP: $(cat .err)"
    exit 77
fi
rm -r d

# Results are shown, and again without measuring.
run 0 ranks 2 "${measure[@]}" --time 1s
cp .out first
said 'measuring detours on 2 cores of 1 node: 1 time 1.0 s'
grep -q '^node *core *lost_% *>1us/s *p50_us *p99_us *max_us *slowdown_1e4$' first ||
    fail "no table: $out"
[ "$(grep -c "^[^ ][^ ]*  *[0-9][0-9]*  *[0-9.]*  *[0-9]*  " first)" = 2 ] || fail "not two rows: $out"
has 'cores that wait for each other after each grain of work:'
[ "$(grep -c '^[^ ]* core [0-9]* lost [0-9.e+]* %:' first)" = 2 ] || fail "no causes of two cores: $out"
[ "$(awk 'length > 80' first)" = "" ] || fail "wider than 80 columns: $(awk 'length > 80' first)"
[ "$(awk '$1 == 2 && NF >= 4 { print $2 }' first)" = '0.1
1
10' ] || fail "cores that were measured together: $out"
run 0 "$rollcall" noise d
cmp -s first .out || fail "judged again, the table differs: $(diff first .out)"
for n in 2 3; do
    run 0 ranks $n "$rollcall" noise d
    cmp -s first .out || fail "on $n ranks the table differs: $(diff first .out)"
done
run 0 "$rollcall" noise d --format csv
[ "$(wc -l <.out)" = 3 ] || fail "not three lines of CSV: $out"
run 0 "$rollcall" noise d --format json
python3 - .out <<'PY' || fail "the JSON is wrong: $out"
import json, sys
try:
    import gzip, re
    hz = int(re.search(r"^CONFIG_HZ=(\d+)", gzip.open("/proc/config.gz", "rt").read(), re.M).group(1))
except Exception:
    hz = 0
j = json.load(open(sys.argv[1]))
assert j["kinds"] == [] and len(j["detours"]) == 2, j
for d in j["detours"]:
    assert 0.9 < d["time_s"] < 2 and 0 <= d["lost"] < 1 and d["work"] is None, d
    assert d["detours"] == 0 or 1 <= d["p50_us"] <= d["p99_us"] <= d["max_us"] < 4e6, d
    assert abs(sum(c["share"] for c in d["causes"]) - d["lost"]) < 1e-4 + 1e-4 * d["lost"], d
    assert all(p["share"] <= d["lost"] + 1e-6 for p in d["periods"]), d
    ticks = [p for p in d["periods"] if hz and abs(p["hz"] / hz - 1) < 0.01 and p["hits"] > 0.9 * p["pulses"]]
    for p in ticks:
        assert abs(p["hz"] - hz) < 0.1 and p["hits"] <= p["pulses"], (hz, p)
    print("core", d["core"], "tick of", hz, "Hz:", ticks or "not seen", file=sys.stderr)
assert j["together_missing"] is None and len(j["together"]) == 3, j
for t in j["together"]:
    assert t["cores"] == 2 and t["slowdown"] >= 1 and t["if_independent"] >= 1, t
    assert t["synchrony"] is None or 0.5 <= t["synchrony"] <= 2 + 10 * t["error"], t
PY

# A directory that has only detours has a page, and no command sends to one that has nothing.
run 0 "$rollcall" report d
has d/report.html
grep -q 'lost most of all cores: ' d/report.html || fail "no answer on the page of detours"
run 0 "$rollcall" report d --text
has 'lost most of all cores: '
run 0 "$rollcall" status d
has "'rollcall noise' judges them, 'rollcall report' makes a page of them"
lacks 'rollcall pack'
run 1 "$rollcall" pack d
said "has only detours, of which nothing is packed: 'rollcall noise DIR' shows them"
rm d/report.html

# Another round, other passes; then a campaign in the same directory.
run 0 "${measure[@]}" --time 300ms --work flops --alone --rounds 2 --format json
python3 - .out <<'PY' || fail "rounds and passes: $out"
import json, sys
d = json.load(open(sys.argv[1]))["detours"]
new = [(x["round"], x["work"], x["alone"]) for x in d if x["round"] > 0]
assert sorted(new, key=str) == sorted(((r, w, a) for r in (1, 2) for w in (None, "flops") for a in (False, True)), key=str), new
for x in d:
    if x["work"]:
        assert x["quantum_us"] >= 15 and x["slower"] >= 0 and 1e7 < x["clock_hz"] < 1e11, x
PY
run 0 "$rollcall" noise d
grep -q '^node *core *round *alone *work *us *stolen_%' .out || fail "no table of work: $out"
run 0 "$rollcall" status d
has "10 measurements of detours: 'rollcall noise' judges them"
lacks 'its campaign file'
run 1 "$rollcall" pack d
said 'has only detours, of which nothing is packed'
run 0 ranks 2 "$rollcall" run -o d --source model:spr --suite flops 'FP_ARITH*' --repeat 2:2
run 0 "$rollcall" status d
has 'complete'
has '10 measurements of detours'
lacks 'not understood'
run 0 "$rollcall" pack d
run 0 "$rollcall" solve d
run 0 "$rollcall" noise d
has 'where the scatter of'
grep -q '^node *core *round *alone *lost_%' .out || fail "no detours beside the campaign: $out"
run 0 "$rollcall" noise d --format json
python3 -c 'import json, sys; j = json.load(sys.stdin); assert len(j["kinds"]) == 1 and len(j["detours"]) == 10' <.out ||
    fail "JSON of both: $out"
run 0 "${measure[@]}" --time 100ms
run 0 "$rollcall" status d
has '11 measurements of detours'
cp -r d o
rm o/journal/*.noise.rcj
run 0 "$rollcall" merge --no-solve -o m d o
said "11 measurements of detours stay in 'd'"
run 0 "$rollcall" noise m
lacks 'lost_%'
rm -r m o

# Ranks of two nodes, by their names: how far their clocks are apart is measured.
two=()
for node in n1 n2; do
    two+=(-n 1 env "SLURMD_NODENAME=$node" "$rollcall" noise -o two --time 200ms --rounds 2 :)
done
run 0 mpirun "${two[@]:0:${#two[@]}-1}"
said 'clocks of 2 nodes: known to'
for node in n1 n2; do
    [ "$(grep -c "^$node  *[0-9]" .out)" = 2 ] || fail "not two rows of $node: $out"
done
run 0 "$rollcall" noise two --format json
python3 -c '
import json, sys
j = json.load(sys.stdin)
assert len(j["together"]) >= 2 or j["together_missing"], j["together"]
' <.out || fail "two nodes together: $out"
run 0 "$rollcall" run -o two --source model:spr --suite branch --events 'BR*' --repeat 2:2 --no-solve
run 0 "$rollcall" noise two
if python3 -c 'import h5py' 2>.err; then
    python3 - <<'PY' || fail "the clocks in noise.h5"
import h5py
f = h5py.File("two/noise.h5")
clock, node, rounds = f["clock"], f["detours/node"][()], f["detours/round"][()]
assert set(clock["node"][()]) == {b"n2"}, clock["node"][()]
assert sorted(rounds[r] for r in clock["record"][()]) == [0, 1]
assert all(node[r] == b"n2" for r in clock["record"][()])
assert len(set(clock["at"][()])) == 2 and all(clock["uncertainty"][()] > 0), clock["at"][()]
PY
fi
rm -r two

# Damage is passed over; journals of another campaign are refused.
node=$(basename d/journal/*.noise.rcj)
head -c 1000 "d/journal/$node" >torn
cat torn >>"d/journal/$node"
run 0 "$rollcall" noise d --format csv
run 0 "$rollcall" noise -o e --time 100ms
cp "e/journal/$node" d/journal/other.noise.rcj
run 1 "$rollcall" noise d
said 'different campaigns'
rm d/journal/other.noise.rcj

# wait_for FILE: up to 20 s, until it is longer than a journal's header.
wait_for() {
    for _ in $(seq 200); do
        [ "$(stat -c %s "$1" 2>.stat || echo 0)" -gt 64 ] && return
        sleep 0.1
    done
    fail "$1 does not grow"
}

# A signal ends it; a round that was complete is kept, and so it is after a kill.
for signal in TERM KILL; do
    rm -rf e
    "$rollcall" noise -o e --time 1s --rounds 100 >.job.out 2>.job.err &
    job=$!
    wait_for "e/journal/$node"
    run 1 "$rollcall" noise -o e --time 100ms
    said "another rollcall is working in 'e'"
    kill -$signal $job
    wait $job 2>.wait
    ended=$?
    if [ $signal = TERM ]; then
        [ $ended = 3 ] || fail "ended with $ended: $(cat .job.err)"
        grep -q 'passes that were complete are kept' .job.err || fail "said $(cat .job.err)"
    fi
    run 0 "$rollcall" noise e --format csv
    [ "$(wc -l <.out)" -ge 2 ] || fail "after SIG$signal nothing is there: $out"
done
rm -rf e
"$rollcall" noise -o e --time 60s >.job.out 2>.job.err &
job=$!
sleep 1
kill -USR1 $job
wait $job
[ $? = 3 ] || fail "SIGUSR1: $(cat .job.err)"
[ ! -e e ] || fail "a measurement without a result left $(find e)"
rm -rf d first torn .job.out .job.err .stat .wait .err .out
finish

#!/usr/bin/env bash
# Campaigns merged, and taken apart: what does not go together is named and nothing is
# written; what was taken apart in any way is the whole again; a kill or a full disk
# leaves no campaign.
# shellcheck disable=SC2154,SC2317  # functions that others call by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py

measure() {
    run 0 "$rollcall" run -o "$1" --source model:spr --repeat 5:5 --no-solve "${@:2}"
}
merge() {
    run "$1" "$rollcall" merge --no-solve -o "${@:2}"
}
# Readings by event, whatever the order of events.  Why repetitions ended is decided by
# all the events of a group, and groups may differ.
same_readings() {
    "$python" - "$1/campaign.h5" "$2/campaign.h5" <<'PY' || fail "readings of $1 and $2 differ"
import sys
import h5py, numpy
a, b = (h5py.File(path) for path in sys.argv[1:])
assert set(a["kinds"]) == set(b["kinds"])
for k in a["kinds"]:
    x, y = a["kinds"][k], b["kinds"][k]
    order = [{n: i for i, n in enumerate(f["events"]["event"].asstr()[...])} for f in (x, y)]
    assert set(order[0]) == set(order[1])
    rows = [[o[n] for n in sorted(o)] for o in order]
    for name in ("verdict", "scope", "description", "source"):
        assert (x["events"][name][...][rows[0]] == y["events"][name][...][rows[1]]).all(), name
    assert set(x["suites"]) == set(y["suites"])
    for s in x["suites"]:
        p, q = x["suites"][s], y["suites"][s]
        for name in ("values", "status", "enabled", "running"):
            assert numpy.array_equal(p[name][...][rows[0]], q[name][...][rows[1]]), name
        for name in ("basis", "iterations"):
            assert numpy.array_equal(p[name][...], q[name][...], equal_nan=True), name
PY
}
# The metrics of a campaign: verdicts, and terms in the order of their names.
metrics_of() {
    "$rollcall" solve "$1" >/dev/null 2>&1 && "$rollcall" export "$1" --format json | "$python" -c '
import json, sys
for k in json.load(sys.stdin)["kinds"]:
    for s in k["suites"]:
        for m in s["metrics"]:
            print(k["kind"], s["suite"], m["metric"], m["verdict"], sorted((t["event"], t["rounded"]) for t in m.get("terms", [])))' |
        sort
}
same_metrics() {
    metrics_of "$1" >"$work/.one"
    metrics_of "$2" >"$work/.two"
    diff "$work/.one" "$work/.two" >"$work/.diff" || fail "metrics of $1 and $2: $(head -3 "$work/.diff")"
    [ "$(wc -l <"$work/.one")" -gt 10 ] || fail "$1 has no metrics"
    rm "$work/.diff" "$work/.one" "$work/.two"
}

# id_of DIR: the campaign's own number, whatever the directory is named.
id_of() {
    "$rollcall" status "$1" | sed -n -E "1s/^campaign ([0-9a-f]{32}), named ${1##*/}\$/\1/p" | grep . ||
        echo "no id of $1"
}

measure whole --suite flops,branch
measure flops --suite flops
measure branch --suite branch
"$rollcall" events --source model:spr --format csv 2>/dev/null |
    "$python" -c 'import csv, sys; print("\n".join(r["event"] for r in csv.DictReader(sys.stdin)))' >names
[ "$(wc -l <names)" -gt 500 ] || fail "$(wc -l <names) events"

# Bad lines and operands: one line, and nothing is written.
mkdir empty empty/journal
while IFS='|' read -r status arguments line; do
    eval "set -- $arguments"
    run "$status" "$rollcall" merge "$@"
    said "$line"
    [ ! -e new ] || fail "merge $arguments: wrote something"
done <<'END'
2|-o new|expected two or more directories of campaigns
2|-o new whole|expected two or more directories of campaigns
2|whole flops|expected -o DIR: the directory for the result
2|-o '' whole flops|expected -o DIR: the directory for the result
2|-o new whole ''|expected directories of campaigns, found an empty name
2|-o new --split 0 whole|--split: '0', expected a whole number of shares
2|-o new --split 2x whole|--split: '2x', expected a whole number of shares
2|-o new --split 20000 whole|20000 shares, expected 1 to 10000
2|-o new --split 2 whole flops|--split: 2 directories, expected one campaign's
2|--split 2 whole|expected -o DIR: where the shares are to be
1|-o new whole nothing|nothing: no campaign is here, expected a directory with journals in 'nothing/journal'
1|-o new whole empty|empty: no campaign is here, expected journals NODE.rcj in 'empty/journal'
1|-o whole flops branch|'whole' holds a campaign already (journal is there), expected another directory
2|-o names/x flops branch|'names' is a file, expected a directory
1|-o new whole whole/campaign.h5|whole/campaign.h5/journal
END
rm -r empty

cp -r flops gone
rm -r gone/journal
merge 1 new gone branch
says "rollcall merge: gone: has a campaign.h5, and the journals that it was made from are not there: the journals are needed"
rm -r gone

# Conflicts: all of them, a line each.
measure seed --suite flops --seed 2
merge 1 new seed flops branch
said "rollcall merge: the seed of the model is 2 in 'seed', 1 in 'flops'"
said "rollcall merge: the seed of the model is 2 in 'seed', 1 in 'branch'"
said "the campaigns do not go together: 2 conflicts; nothing is written"
[ ! -e new ] || fail "a conflict, and something is written"
slow_machine other.yaml 1us || fail "no event of the machine takes time"
run 0 "$rollcall" run -o other --source model:./other.yaml --repeat 2:2 --no-solve --suite branch
merge 0 both flops other
has "2 kinds, 2 suites, 1106 events"
run 0 "$rollcall" solve both
[ "$(grep -c "7 of 11 metrics defined" <<<"$out")" -eq 1 ] || fail "two kinds, one with flops: $out"
rm -r both other other.yaml seed

# By suites, and by units: campaign.h5 is the same to the byte of its values.
merge 0 suites flops branch
has "suites/campaign.h5: 1 kind, 2 suites, 553 events; of 154 units 154 are ok, 0 invalid, 0 failed, 0 missing; simulated readings are among them"
same whole suites || fail "split by suites"
run 0 "$rollcall" merge --split 3 -o shares whole
[ "$out" = "$(printf 'shares/%d\n' 0 1 2)" ] || fail "--split says $out"
[ "$(units whole | uniq)" = "$(cat <(units shares/0) <(units shares/1) <(units shares/2) | sort)" ] || fail "the shares' units are not the campaign's"
for i in 0 1 2; do
    [ "$(id_of shares/$i)" = "$(id_of whole)" ] || fail "share $i has another id than the whole"
done
for order in "0 1 2" "2 0 1" "1 0 2" "0 0 1 2 1"; do
    # shellcheck disable=SC2046,SC2086  # words of a list
    merge 0 m $(printf 'shares/%s ' $order)
    same whole m || fail "shares $order"
    id=$(id_of m)
    [ "$id" = "$(id_of whole)" ] || fail "shares have another id than the whole: $id"
    rm -r m
done
merge 3 part shares/0 shares/2
cp -r part goes-on
run 0 "$rollcall" run -o goes-on --no-solve
said "resuming the campaign that is there"
same whole goes-on || fail "what was missing is not measured as in the whole"
merge 0 mended part goes-on
same whole mended || fail "a campaign and what it became are not that campaign"
rm -r part goes-on mended shares

# With itself, and with overlapping copies.
merge 0 self whole whole
same whole self || fail "merged with itself it is another"
run 0 "$rollcall" status self
has "merge, "
has ", of 2: whole, whole"
run 0 "$rollcall" status self --format json
printf '%s' "$out" | "$python" -c '
import json, sys
s = json.load(sys.stdin)
(o,) = s["origins"]
assert o["operation"] == "merge" and len(s["runs"]) == 1
assert [p["directory"] for p in o["operands"]] == ["whole"] * 2
assert o["operands"][0]["campaign"] == s["campaign"]' || fail "origins in JSON: $out"
merge 0 again self whole suites
run 1 "$rollcall" merge -o new suites flops
said "'suites' and 'flops' were merged from the same campaign: its readings would count twice"
rm -r self again

# By events, which groups them otherwise: in a row, and one by one, where another one of
# two equal events may come first.
head -n 250 names >first
tail -n +251 names >second
awk 'NR % 2' names >odd
awk 'NR % 2 == 0' names >even
for half in first second odd even; do
    measure "half-$half" --suite flops,branch --events "@$half"
done
# A campaign that lists events does not say that these are all: what is in none of them is not known.
measure listed --suite flops,branch --events @names
for halves in "half-first half-second" "half-second half-first" "half-odd half-even"; do
    # shellcheck disable=SC2086  # words of a list
    merge 0 m $halves
    has "553 events"
    same_readings whole m
    [ "$halves" = "half-odd half-even" ] || same_metrics listed m
    run 0 "$rollcall" run -o m --no-solve
    said "0 of 0 units"
    rm -r m
done

rm -r listed

# Three ways in any order; and one whose patterns take out.
measure out --suite flops,branch --events '*' --events '!BR_*' --events '!FP_*'
measure only --suite flops,branch --events 'BR_*' --events 'FP_*'
for order in "out only half-odd" "half-odd only out" "only half-odd out"; do
    # shellcheck disable=SC2086  # words of a list
    merge 0 m $order
    run 0 "$rollcall" run -o m --no-solve
    said "0 of 0 units"
    [ -d three ] || cp -r m three
    same_metrics three m
    rm -r m
done
rm -r three
measure out2 --suite flops,branch --events '*' --events '!*_*'
merge 0 m out out2
said "rollcall merge: campaign.yaml: events: are listed by name, since patterns with '!' cannot be joined"
run 0 "$rollcall" run -o m --no-solve
said "0 of 0 units"
rm -r m out2 out only

# Other campaigns that measured the same: more repetitions, in the order given.
measure twin --suite flops
merge 0 m flops twin
run 0 "$rollcall" status m --format csv
has ",10,10,"
"$python" - flops/campaign.h5 m/campaign.h5 <<'PY' || fail "more repetitions"
import sys
import h5py, numpy
a, m = (h5py.File(p) for p in sys.argv[1:])
(k,) = a["kinds"]
one, two = (f["kinds"][k]["suites"]["flops"]["values"][...] for f in (a, m))
assert numpy.array_equal(two[:, :, :5], one) and numpy.array_equal(two[:, :, 5:], one)
PY
rm -r m twin

# Differences between campaign files that can be joined are said.
run 0 "$rollcall" run -o more --source model:spr --repeat 2:3 --no-solve --suite branch
merge 0 m flops more
says "rollcall merge: campaign.yaml: repeat: differs between the campaigns, the result has 2:5"
run 0 "$rollcall" run -o m --no-solve
said "0 of 0 units"
rm -r m more

# Damage costs what it hit, and is said; a lost campaign file is found beside it.
cp -r branch torn
journal=$(echo torn/journal/*.rcj)
truncate -s -400 "$journal"
merge 3 m flops torn
said "rollcall merge: $journal:"
said "in 1 place"
run 0 "$rollcall" run -o m --no-solve
same whole m || fail "a torn journal, merged and gone on with"
rm -r m torn

# Names of directories may be anything.
hostile=$'a "b" <c> \xf0\x9f\x98\x80\n\'d\' \\ %s'
cp -r flops "$hostile"
merge 0 "$hostile/x" "$hostile" branch
same_readings whole "$hostile/x"
run 0 "$rollcall" status "$hostile/x"
has "<c>"
run 0 "$rollcall" status "$hostile/x" --format json
printf '%s' "$out" | "$python" -c 'import json, sys; print(json.load(sys.stdin)["origins"][0]["operands"][0]["directory"])' >.said
[ "$(cat .said)" = "$hostile" ] || fail "another name: $(cat .said)"
rm -r "$hostile" .said

# Killed while it writes: no campaign is there, and the next one is not hindered.
merging() {
    [ -s "m/.merge/journal/merged.rcj" ]
}
measure long --suite flops --repeat 400:400
measure long2 --suite branch --repeat 400:400
merging_or_over() {
    merging || ! kill -0 "$job" 2>/dev/null
}
for tries in {1..20}; do # some may be over before they are killed
    start "$rollcall" merge --no-solve -o m long long2
    await 300 merging_or_over
    kill -KILL "$job" 2>/dev/null
    reap
    [ "$ended" -eq 0 ] || break
    rm -r m
done
[ "$ended" -eq 137 ] || fail "$tries merges were over before they were killed, or ended with $ended"
run 1 "$rollcall" status m
said "no campaign is here"
if [ -e m/campaign.h5 ] || [ -e m/campaign.yaml ]; then
    fail "killed, and results are there"
fi
merge 0 m flops branch
[ ! -e m/.merge ] || fail "what a killed merge left is still there"
same whole m || fail "merged after a kill"
rm -r m

# Somebody else works there.
mkdir m
"$python" -c '
import fcntl, os, struct, time
f = open("m/.lock", "w")
f.write("rollcall lock\nhost there\nprocess 7\nsince now\nkey 0\n"); f.flush()
fcntl.lockf(f, fcntl.LOCK_EX)
open("locked", "w")
time.sleep(600)' &
holder=$!
await 300 test -e locked
merge 1 m flops branch
said "another rollcall is working in 'm': process 7 on there, since now"
kill "$holder"
wait "$holder" 2>/dev/null
rm -r m locked

as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
if [ "$(id -u)" -ne 0 ]; then
    echo "not shown, for want of root: full disks, directories of others"
else
    chmod 755 "$work"
    run 1 as_nobody "$rollcall" merge -o "$work/m" flops branch
    said "cannot make directory '$work/m': Permission denied"
    if unshare -m true 2>/dev/null; then
        for size in 100k 300k 500k; do
            mkdir disk
            mount -t tmpfs -o "size=$size" none disk
            merge 1 disk/m flops branch
            [ -z "$(ls -A disk)" ] || fail "a full disk of $size: $(ls -RA disk) is left"
            mount -o remount,size=20m disk
            merge 0 disk/m flops branch
            same whole disk/m || fail "after a full disk"
            umount disk
            rmdir disk
        done
    fi
fi
(
    failed=0
    ulimit -f 100
    merge 1 m long long2
    [ "$failed" -eq 0 ]
) || fail "a limit of file sizes"
[ ! -e m ] || fail "a limit of file sizes: something is left"

# Means and differences, which compare makes.
rm -rf m
while IFS='|' read -r arguments line; do
    eval "set -- $arguments"
    run 2 "$rollcall" compare "$@"
    said "$line"
    [ ! -e new ] || fail "compare $arguments: wrote something"
done <<'END'
--mean whole whole|expected -o DIR: the directory for the result
--mean -o new whole|expected two or more directories of campaigns
--difference -o new whole|expected two campaigns, A and B for A - B
--difference -o new whole flops branch|expected two campaigns, A and B for A - B
--difference --mean -o new whole flops|--difference: --mean goes with -o DIR alone
--mean --quiet -o new whole flops|--quiet: --mean goes with -o DIR alone
--mean -o whole whole flops|'whole' holds a campaign already (journal is there)
--mean -o new flops branch|there is no event that all campaigns count in the same suite
END
measure seed --suite flops,branch --seed 2
run 0 "$rollcall" compare --mean -o twice whole whole
run 0 "$rollcall" compare --mean -o mean whole seed
run 0 "$rollcall" compare --mean -o mean2 seed whole
run 0 "$rollcall" compare --difference -o zero whole whole
run 0 "$rollcall" compare --difference -o change whole seed
run 0 "$rollcall" report change
grep -q "there is nothing to solve for" change/report.html || fail "the page does not say what a difference is"
grep -q "rollcall solve" change/report.html && fail "the page asks to solve a difference"
run 0 "$rollcall" report change --text
lacks "rollcall solve"
rm change/report.html
run 0 "$rollcall" compare --difference -o back seed whole
"$python" - <<'PY' || fail "means and differences are not what their names say"
import h5py, numpy
missing = numpy.iinfo(numpy.int64).min
f = {d: h5py.File(d + "/campaign.h5") for d in ("whole", "seed", "twice", "mean", "mean2", "zero", "change", "back")}
(k,) = f["whole"]["kinds"]
for s in ("flops", "branch"):
    at = {d: x["kinds"][k]["suites"][s] for d, x in f.items()}
    v = {d: x["values"][...] for d, x in at.items()}
    n = {d: x["iterations"][...] for d, x in at.items()}
    there = v["whole"] != missing
    for d in v:
        assert (there == (v[d] != missing)).all(), d
    v = {d: x[there] for d, x in v.items()}
    assert (v["twice"] == 2 * v["whole"]).all() and (n["twice"] == 2 * n["whole"]).all()
    assert (v["mean"] == v["whole"] + v["seed"]).all() and (v["mean2"] == v["mean"]).all()
    assert (v["zero"] == 0).all() and (v["change"] == v["whole"] - v["seed"]).all() and v["change"].any()
    assert (v["back"] == -v["change"]).all()
    for d in ("zero", "change", "back"):
        assert (n[d] == n["whole"]).all() and (at[d]["basis"][...] == 0).all()
    for d in v:
        assert (at[d]["status"][...] == at["whole"]["status"][...]).all()
    assert numpy.array_equal(at["mean"]["basis"][...], at["whole"]["basis"][...], equal_nan=True)
PY
same_metrics whole twice
run 0 "$rollcall" solve mean
run 0 "$rollcall" export mean --format json
has "mean: of 2: whole, seed"
run 2 "$rollcall" solve change
says "rollcall solve: 'change/campaign.h5' is a difference of campaigns: all its expected counts are 0, and there is nothing to solve for"
run 0 "$rollcall" status change
has ", of 2: whole, seed"
run 1 "$rollcall" run -o mean
said "of this build has other points or another basis than the one that this campaign measured"
run 1 "$rollcall" merge -o new mean whole
said "suite 'flops', source 'model': point "
run 0 "$rollcall" compare --mean -o part whole half-odd flops
said "rollcall compare: 1 suite is not in all campaigns and left out: branch"
said "events are not in all campaigns and left out: the first is "
rm -r seed twice mean mean2 zero change back part

# An earlier merge is replaced, nothing else is.
run 0 "$rollcall" merge --no-solve -o m flops branch
same m whole || fail "what is to be replaced"
run 2 "$rollcall" merge --no-solve -o m flops
run 0 "$rollcall" merge --replace --no-solve -o m flops
same m flops || fail "replaced by one campaign: another result"
run 0 "$rollcall" merge --replace --no-solve -o m flops branch
same m whole || fail "replaced: another result"
[ ! -e m/.merge ] || fail "left: m/.merge"
run 0 "$rollcall" run -o m --no-solve
run 1 "$rollcall" merge --replace --no-solve -o m flops branch
said "'m' holds more than a merge made (journal/"
run 1 "$rollcall" merge --replace --no-solve -o whole flops branch
said "'whole' holds more than a merge made (journal/"
rm -r m

# Solved at the end, as a run does.
run 0 "$rollcall" merge -o m flops branch
has "7 of 11 metrics defined"
has "m/metrics.h5"
rm -rf m whole flops branch long long2 suites half-* names first second odd even
rm -f .job.out .job.err .diff
finish

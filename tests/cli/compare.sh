#!/usr/bin/env bash
# The command 'compare' as a user and a CI job see it.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$(dirname "$rollcall")/.." && pwd)
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
export COLUMNS=160

# Bad usage and trouble of any sort first: all of it ends with 2.
run 2 "$rollcall" compare
says "rollcall compare: expected the directories of campaigns"
run 2 "$rollcall" compare nowhere also-not
says "rollcall compare: 'nowhere' is not there, expected the directory of a campaign or its metrics.h5"
run 2 "$rollcall" compare ""
says "rollcall compare: an operand is empty, expected a campaign's directory"
mkdir empty
run 2 "$rollcall" compare empty empty
says "rollcall compare: 'empty/metrics.h5' is not there, 'rollcall solve DIR' makes it from a campaign"
run 2 "$rollcall" compare --bogus
run 2 "$rollcall" compare a b --format xml
run 2 "$rollcall" compare a b --check metrics,colour
says "rollcall compare: --check: found 'colour', expected one of metrics, events, counts, noise, use, rates"
for words in "" "," "metrics," "Metrics" "metrics events" "$(printf 'x%.0s' {1..10000})"; do
    run 2 "$rollcall" compare a b --check "$words"
done
run 2 "$rollcall" compare a b --quiet -o file
says "rollcall compare: --quiet writes nothing, --output a file"
long=$(printf 'y%.0s' {1..10000})
run 2 "$rollcall" compare "$long" b
hostile=$'say "hi" <b>\n\e[2J \xf0\x9f\x98\x80 \xff'
run 2 "$rollcall" compare "$hostile" b
[ "$(wc -l <"$work/.err")" = 1 ] || fail "more than a line: $err"

cat >machine.txt <<'END'
name: small
topology: package:1 l3:1(size=8388608) l2:2(size=1048576) core:1 pu:1
seed: 7
banks:
- {name: core, counters: 8}
- {name: l3, scope: l3, counters: 2}
events:
- {name: INSTRUCTIONS, counts: INS}
- {name: BRANCHES, counts: CR + D}
- {name: CONDITIONAL, counts: CR}
- {name: TAKEN, counts: T}
- {name: MISPREDICTED, counts: M}
- {name: L3_READS, counts: L1DM, bank: l3}
- {name: "say \"hi\" <b>&amp; \U0001F600", counts: 3 T}
END

# change NAME PROGRAM: a machine that differs from the base by a line.
change() {
    sed "$2" machine.txt >"$1.yaml"
    run 0 "$rollcall" run -o "$1" --source "model:./$1.yaml" --suite branch
}
change base ''
change again ''
change noisy '/MISPREDICTED/s/}/, noise: relative 1e-2}/'
change gone '/TAKEN/d'
change twice 's/counts: T}/counts: 2 T}/'
change denied '/MISPREDICTED/s/}/, verdict: not permitted, reason: perf_event_paranoid is 4}/'
change scope 's/bank: l3/bank: core/'
change shape 's/l2:2/l2:4/'
cmp -s base/metrics.h5 again/metrics.h5 && fail "the two campaigns are one"

# Files that are damaged, or something else.
head -c 20000 base/metrics.h5 >cut.h5
seq 1000 >text.h5
run 2 "$rollcall" compare base cut.h5
run 2 "$rollcall" compare base text.h5
says "rollcall compare: 'text.h5' is not an HDF5 file, expected rollcall's metrics"
run 2 "$rollcall" compare base base/campaign.h5
run 2 "$rollcall" compare base
says "rollcall compare: there is nothing to compare it with: expected two campaigns, or one of several kinds, and found 1 kind"
run 2 "$rollcall" compare base base --suite branch,none
says "rollcall compare: suite 'none' is in none of them"
run 2 "$rollcall" compare base again -o nowhere/x
status=0
"$rollcall" compare base base >&- 2>"$work/.err" || status=$?
[ $status -eq 2 ] || fail "a closed standard output ended with $status"
if [ -e /dev/full ]; then
    status=0
    "$rollcall" compare base gone >/dev/full 2>"$work/.err" || status=$?
    [ $status -eq 2 ] || fail "a full standard output ended with $status"
fi
echo precious >kept
run 2 "$rollcall" compare base text.h5 -o kept
[ "$(cat kept)" = precious ] || fail "a failed comparison changed its file"

# A campaign and itself, by any name, and the same machine measured again.
run 0 "$rollcall" compare base base
has "same
"
has "simulated readings are among these"
run 0 "$rollcall" compare base/ base/metrics.h5 base
has "same
"
run 0 "$rollcall" compare base again
has "against A: same kind"
has "events of B against A: same"
run 0 "$rollcall" compare base again --quiet
[ -z "$out$err" ] || fail "--quiet printed '$out$err'"

# Each change is found, in both directions.
finds() {
    local a=$1 b=$2
    shift 2
    run 1 "$rollcall" compare "$a" "$b"
    says ""
    for text; do
        has "$text"
    done
    has "differs: "
    lacks "same
"
    run 1 "$rollcall" compare "$b" "$a" --quiet
}
finds base noisy "class exact -> too noisy for this suite: 1 event: MISPREDICTED" "use chosen -> not used: 1 event: MISPREDICTED" \
    "not there*" "differs: metrics 4, noise 1, use 1" "same machine"
run 1 "$rollcall" compare base noisy --all
has "B: defined -> not on this machine: no combination"
finds base gone "only in A: 1 event: TAKEN"
finds gone base "only in B: 1 event: TAKEN"
finds base twice "B: coefficient of TAKEN 1 -> 0.5" "suite branch, other counts: 1 event: TAKEN (50 % off)"
finds twice base "B: coefficient of TAKEN 0.5 -> 1"
finds base denied "verdict ok -> not permitted: 1 event: MISPREDICTED (perf_event_paranoid is 4)"
finds base scope "scope l3 -> core: 1 event: L3_READS" "differs: events 1"

# Differences that count for the exit status.
run 1 "$rollcall" compare base scope --check events
run 0 "$rollcall" compare base scope --check metrics,noise --check use
has "same: events 1 (not counted)"
run 1 "$rollcall" compare base twice -q --check metrics
run 1 "$rollcall" compare base twice -q --check counts
run 0 "$rollcall" compare base twice -q --check events,noise,use
run 1 "$rollcall" compare base noisy -q --check noise
run 0 "$rollcall" compare base noisy -q --check events

# Another shape is another kind, unless the user says that it is not.
run 0 "$rollcall" compare base shape --as-one-kind
has "against A: another kind, taken for the same"
run 0 "$rollcall" compare base shape
has "against A: another kind"
run 1 "$rollcall" compare base gone again
has "C again: "
has "events of C against A: same"

# Beside another seed: chance is told, and does not decide, unless it is asked for; where the
# readings are not there, nothing tells it from a change.
for seed in 1 2; do
    run 0 "$rollcall" run -o seed$seed --source model:spr --suite memory --seed $seed --repeat 5:5
done
run 0 "$rollcall" compare seed1 seed2
has "same; by chance: noise "
has "(--all names them)"
has "events of B against A: same"
lacks ", class good"
run 0 "$rollcall" compare seed1 seed2 --all
has "by chance: suite memory, class "
run 0 "$rollcall" compare seed1/metrics.h5 seed2/metrics.h5 --quiet
run 1 "$rollcall" compare seed1 seed2 --chance
lacks "by chance"
run 0 "$rollcall" compare seed1 seed2 --format json -o seeds.json
rm seed1/campaign.h5
run 1 "$rollcall" compare seed1 seed2
has "(readings are not there"

# The program's exit status of other commands is what it was.
run 1 "$rollcall" export nowhere --format json

# Several kinds of one campaign, with names that break whoever takes them apart.
"$build/tests/metrics_sample" sample.h5 || fail "no sample"
run 1 "$rollcall" compare sample.h5
has "A sample.h5: made-up cpu, model 1/2,"
has "B sample.h5: other,"
has "new?line??and tab"
run 1 "$rollcall" compare sample.h5 base
has "base has no kind like B"
has ", kinds 2"
run 0 "$rollcall" compare sample.h5 sample.h5 --format json -o sample.json

python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c "import jsonschema" 2>"$work/.err"; then
        python=$candidate
        break
    fi
done
# checks FILE WISH...: the JSON follows its schema, and these are in it.
checks() {
    [ -n "$python" ] || return
    run 0 "$python" "$here/cli/compare_check.py" "$here/../docs/compare.schema.json" "$@"
}
checks sample.json same=true columns.#=6 columns.3.reference='"A"' columns.5.relation='"same kind"'
run 1 "$rollcall" compare sample.h5 --format json -o kinds.json
checks kinds.json same=false columns.1.relation='"another kind"' columns.0.reference=null
checks seeds.json same=true differences.noise=0 columns.1.judged=true events.0.changes.0.chance=true
for change in noisy gone twice denied scope; do
    run 1 "$rollcall" compare base $change --format json -o $change.json
    [ -z "$out" ] || fail "printed '$out' beside the file"
done
checks gone.json simulated=true events.0.changes.0.change='"gone"' \
    events.0.changes.0.events.0.event='"TAKEN"' differences.events=1
checks noisy.json events.0.changes.0.change='"class"' events.0.changes.0.from='"exact"' \
    events.0.changes.0.to='"too noisy for this suite"' events.0.changes.0.events.0.noise_before=0
checks denied.json events.0.changes.0.to='"not permitted"' \
    events.0.changes.0.events.0.reason='"perf_event_paranoid is 4"'
checks twice.json differences.counts=1 events.0.changes.0.change='"counts"' events.0.changes.0.events.0.off=0.5
checks scope.json suites.0.metrics.0.differs=false events.0.changes.0.to='"core"'
checks twice.json suites.0.metrics.1.columns.1.differs='["coefficients"]' \
    suites.0.metrics.1.columns.1.terms.0.after.rounded=0.5
run 0 "$rollcall" compare base twice --check events --format json -o checked.json
checks checked.json same=true checked='["events"]' differences.metrics=2

# A page for a browser, valid whatever is in the names.
run 1 "$rollcall" compare base gone noisy --format html
has "<strong>Simulated:</strong>"
has "events of C against A: these changed"
has "only in A: 1 event: TAKEN"
lacks "<b>& "
printf '%s\n' "$out" >names.html
run 1 "$rollcall" compare base gone noisy --format json
printf '%s\n' "$out" >names.json
python3 - names.html names.json <<'PY' || fail "the data of the page are not what --format json says"
import base64, gzip, json, re, sys
page, data = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
held = re.search('<script type="text/plain" id="comparison-data">(.*?)</script>', page, re.S)[1]
assert json.loads(gzip.decompress(base64.b64decode(held))) == json.loads(data)
PY
run 1 "$rollcall" compare sample.h5 --format html -o page.html
if command -v tidy >"$work/.out"; then
    for page in page names; do
        run 0 tidy -q -e $page.html
        says ""
    done
fi

# In a merged campaign the label stands at the kinds whose readings are simulated.
if "$rollcall" events --source soft 'soft::br*' >"$work/.out" 2>&1; then
    run 0 "$rollcall" run -o counted --source soft --suite branch 'soft::br*' --repeat 2:2
    run 0 "$rollcall" run -o model --source model:spr --suite branch 'BR_INST*' --repeat 2:2
    run 0 "$rollcall" merge -o mixed counted model
    run 1 "$rollcall" compare mixed
    [ "$(printf '%s\n' "$out" | sed -n 's/^[AB] mixed: .* metrics defined\(, simulated\)\?.*/x\1/p' | sort)" = $'x\nx, simulated' ] ||
        fail "labels of two kinds: $out"
    run 0 "$rollcall" export mixed --format csv
    [ "$(printf '%s\n' "$out" | sed 1d | awk -F, '{ print ($1 ~ /^model/), $NF }' | sort -u | tr -d '\r')" = $'0 no\n1 yes' ] ||
        fail "labels of two kinds in CSV: $out"
fi

rm -rf counted model mixed seed1 seed2 base again noisy gone twice denied scope shape empty machine.txt ./*.html ./*.json ./*.h5 ./*.yaml kept
if [ -z "$python" ]; then
    echo "without jsonschema (Debian: apt-get install python3-jsonschema)" >&2
    [ "$failed" != 0 ] || exit 77
fi
finish

#!/usr/bin/env bash
# profile_passes.sh ROLLCALL - what threads count, spread over launches: each takes the next
# pass that is missing, and status says when all are there.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
app=$(cd "$(dirname "$rollcall")/../tests" && pwd)/profile_app
events=(-e perf::PAGE-FAULTS -e perf::CONTEXT-SWITCHES -e perf::CPU-MIGRATIONS)
profile=("$rollcall" profile -o d --stacks off --rate 1)
"${profile[@]}" "${events[@]}" -- "$app" regions 1 2>said || {
    cat said
    echo 'no counters of threads here'
    exit 77
}
rm -r d

# settled: the samplers of all launches have ended, which they do a moment after their programs.
settled() {
    for _ in {1..300}; do
        case $("$rollcall" status d) in
        *'not ended'*) sleep 0.1 ;;
        *) return 0 ;;
        esac
    done
    fail 'a sampler has not ended'
}

# Bad inputs.
for passes in 0 x -1 1001; do
    run 2 "${profile[@]}" "${events[@]}" --passes "$passes" -- "$app" regions 1
    said '--passes'
done
run 2 "${profile[@]}" "${events[@]}" --passes 5 -- "$app" regions 1
said '--passes 5: the 3 events that threads count make 3 passes, expected that number'
run 2 "$rollcall" profile d --passes 2
said '--passes does not go with this'
many=()
for event in CPU-CLOCK TASK-CLOCK PAGE-FAULTS FAULTS CONTEXT-SWITCHES CPU-MIGRATIONS MINOR-FAULTS \
    MAJOR-FAULTS ALIGNMENT-FAULTS; do
    many+=(-e "perf::$event")
done
run 2 "${profile[@]}" "${many[@]}" --passes 1 -- "$app" regions 1
said '--passes 1: the 9 events that threads count make 2 passes'
rm -r d

# Three passes; one is killed, and comes again when the others are there.
run 0 "${profile[@]}" "${events[@]}" --passes 3 -- "$app" regions 5 touch 100
said 'pass 0 of 0 to 2'
settled
run 3 "$rollcall" status d
[[ $out == *'passes: 1 of 3 are there; missing: 1, 2'* ]] || fail "status says: $out"
run 137 "${profile[@]}" "${events[@]}" --passes 3 -- "$app" regions 5 raise 9
said 'pass 1 of 0 to 2'
run 0 "${profile[@]}" "${events[@]}" --passes 3 -- "$app" regions 5 touch 100
said 'pass 2 of 0 to 2'
settled
run 3 "$rollcall" status d
[[ $out == *'passes: 2 of 3 are there; missing: 1'* ]] || fail "status says: $out"
run 3 "$rollcall" status d --format json
python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["passes"] == 3 and d["missing_passes"] == [1] and len(d["launches"]) == 3, d' <<<"$out" ||
    fail 'not the passes as JSON'
settled
printf '7 8 9\n1 5 3 0\n99999999999999999999 x\n' >>d/passes.txt
run 0 "${profile[@]}" "${events[@]}" --passes 3 -- "$app" regions 5 touch 100
said 'pass 1 of 0 to 2'
settled
run 0 "$rollcall" status d
[[ $out == *'passes: 3 of 3 are there'* ]] || fail "status says: $out"

# The counts of each are shown and packed; a fourth launch is a repetition of the first pass.
run 0 "$rollcall" profile d
for text in 'What threads counted there' 'What threads counted in pass 0, launch 0' \
    'What threads counted in pass 2, launch 2' PAGE-FAULTS CONTEXT-SWITCHES CPU-MIGRATIONS; do
    [[ $out == *"$text"* ]] || fail "no '$text' in: $out"
done
run 0 "$rollcall" profile d --region touch
run 0 "$rollcall" profile d --format json
python3 -c '"""All passes, with the counts of those of other launches."""
import json, sys
d = json.load(sys.stdin)
launches = [p["launch"] for p in d["passes"]]
events = [{c["event"] for c in p.get("counts", [])} for p in d["passes"]]
assert launches == [0, 3, 2] and [len(e) for e in events] == [1, 0, 1], d["passes"]
assert len(events[0] | events[2] | {c["event"] for c in d["counts"]}) == 3, events' <<<"$out" || fail "not the passes: $out"
run 0 "$rollcall" pack d
run 0 "${profile[@]}" "${events[@]}" --passes 3 -- "$app" regions 5 touch 100
said 'pass 0 of 0 to 2'
settled
run 0 "$rollcall" status d
ln -sf /dev/null d/passes.txt
run 2 "$rollcall" status d
said 'd/passes.txt'

rm -r d

# Metrics of a campaign: their events are counted, and metrics computed from them.
mkdir c many
"$(dirname "$app")/profile_metrics" c/metrics.h5 || fail 'no metrics'
"$(dirname "$app")/profile_metrics" many/metrics.h5 2 || fail 'no metrics of two kinds'
run 1 "${profile[@]}" --metrics nowhere -- "$app" regions 5
said 'nowhere'
run 2 "${profile[@]}" --metrics many -- "$app" regions 5
said "'many': it has 2 kinds of machines"
run 0 "${profile[@]}" --metrics c --passes 2 -- "$app" regions 5 touch 100
said '2 metrics are counted, 1 others cannot be counted by threads here'
settled
run 0 "$rollcall" profile d --metrics c
[[ $out == *'Metrics of the campaign there'*' faults '* ]] || fail "no faults: $out"
[[ $out != *' doubled '* && $out == *'2 metrics; 2 whose events were not all counted, 1 that'* ]] ||
    fail "a metric of half its events: $out"
run 0 "${profile[@]}" --metrics c --passes 2 -- "$app" regions 5 touch 100
said 'pass 1 of 0 to 1'
settled
run 0 "$rollcall" status d
run 2 "$rollcall" profile d --metrics c --format csv
said '--metrics is not for --format csv'
run 0 "$rollcall" profile d --metrics c --format json
python3 -c '"""Each metric is its combination of the counts, of both launches."""
import json, sys
d = json.load(sys.stdin)
rows = {r["metric"]: r for r in d["metrics"] if r["region"] == "touch"}
assert rows["faults"]["value"] == 100, rows
assert rows["nearly"]["value"] == 300 and rows["nearly"]["verdict"] == "approximate", rows
assert 150 <= rows["doubled"]["value"] <= 200 and rows["doubled"]["verdict"] == "defined", rows
assert (rows["faults"]["low"], rows["faults"]["high"]) == (75, 125), rows
assert set(rows) == {"faults", "doubled", "nearly"}, rows' <<<"$out" || fail "not the metrics: $out"
run 0 "$rollcall" report d --metrics c
run 1 "$rollcall" report d --metrics nowhere -o other.html
said 'nowhere'
[ ! -e other.html ] || fail 'a page without its metrics'

rm -rf -- *
finish

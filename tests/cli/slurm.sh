#!/usr/bin/env bash
# slurm.sh ROLLCALL - 'submit' with a real Slurm of two nodes: whole campaigns, time
# limits, lost nodes, cancelled jobs, arrays, several partitions, wrong words.
# shellcheck disable=SC2154,SC2317  # the libraries' variables; functions called by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/slurm_lib.sh
. "$tests/slurm_lib.sh"
# shellcheck source=tests/cli_lib.sh
. "$tests/cli_lib.sh"
# shellcheck source=tests/campaign_lib.sh
. "$tests/campaign_lib.sh"
trap 'slurm_stop; rm -rf "$work"' EXIT
slurm_start || exit 1

submit() {
    "$rollcall" submit --scheduler slurm "$@"
}

# over DIR SECONDS: no job of DIR waits or runs any more.
over() {
    local status=0
    timeout "$2" "$rollcall" submit --watch "$1" >"$1.watched" 2>&1 || status=$?
    case $status in
    0 | 3) ;;
    *) fail "$1: watching ended with $status: $(cat "$1.watched" "$1"/jobs/*.log)" ;;
    esac
    rm "$1.watched"
}

# How often something happened, by the records of DIR's jobs: events DIR WORD.
events() {
    cat "$1"/jobs/*.record | grep -c " $2" || true
}

log_has() {
    grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(tail -n 30 "$1")"
}

# slow FILE EVENTS TIME: a machine whose events count one by one, each reading so long.
slow() {
    cat >"$1" <<EOS
name: slow
summary: a machine that takes its time
topology: package:1 core:4 pu:1
seed: 7
banks:
- {name: core, counters: 1}
events:
- {name: "E{n}", for: [n = 1..$2], counts: "D_SCAL + {n} INS", time: $3}
EOS
}

# measured DIR COUNT: waits until the journals hold so many units.
enough() {
    [ "$(units "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}
measured() {
    slurm_until 60 enough "$1" "$2" || fail "$1: no $2 units: $(cat "$1"/jobs/*.log)"
}

# few_twice DIR UNITS MORE: all units are measured, and at most so many once more.
few_twice() {
    local all different
    read -r all different <<<"$(count_units "$1")"
    if [ "$different" -ne "$2" ] || [ "$all" -gt $(($2 + $3)) ]; then
        fail "$1: $all units measured, $different different ones, expected $2 and at most $3 more"
    fi
}

# What is refused, in Slurm's words, and nothing is left in the queue.
refused() {
    local words=$1
    shift
    run 1 submit -o refused "$@" -- --source model:spr --suite flops 'FP_*'
    case $err in
    "rollcall submit: sbatch ended with 1: "*"$words"*) ;;
    *) fail "'$*': said '$err', expected '$words'" ;;
    esac
    [ -z "$(squeue -h)" ] || fail "'$*': left in the queue: $(squeue)"
    [ ! -e refused/jobs/jobs.txt ] || fail "'$*': there is a list of jobs"
}
refused "invalid partition specified: nosuch" --queue 'nosuch' --time 5m
refused "Invalid account" --queue guarded --account other --time 5m
refused "Requested time limit is invalid" --time 3h
refused "Node count specification invalid" --queue first --nodes 2 --time 5m
rm -r refused

# A whole campaign over both nodes, to the tables and the report.
flops=(--source model:spr --suite flops 'FP_ARITH*' --repeat 5:5)
run 0 "$rollcall" run -o alone "${flops[@]}"
run 0 submit -o whole --nodes 2 --ranks-per-node 1 --time 5m -- "${flops[@]}"
over whole 120
run 0 "$rollcall" status whole
has "2 nodes"
has "done"
log_has whole/jobs/run.log "metrics defined"
[ -s whole/report.html ] || fail "there is no report"
same whole alone || fail "by two nodes: another result"
run 0 "$rollcall" submit --status whole --format json
printf '%s' "$out" | python3 -c '
import json, sys
s = json.load(sys.stdin)
assert s["complete"] and s["scheduler"] == "slurm" and s["round"] == 1, s
assert [j["state"] for j in s["jobs"]] == ["done"] and s["jobs"][0]["tries"] == 1, s
' || fail "status: $out"

# One that comes after a job, and is watched.
run 0 sbatch --parsable -o /dev/null --wrap 'sleep 3'
run 0 submit -o later --after "$out" --nodes 1 --ranks-per-node 2 --time 5m -- "${flops[@]}"
run 3 "$rollcall" submit --status later
has "waiting"
has "Dependency"
run 0 "$rollcall" submit --watch later
has "waiting: Dependency"
has "done: ended 0"
same later alone || fail "after a job: another result"

# A node is lost in mid-run: only the units at hand are measured again, on the other
# one.
slow slow.yaml 24 10ms
lost=(--source model:slow.yaml --suite flops --repeat 5:5)
run 0 submit -o lost --nodes 2 --ranks-per-node 1 --time 5m -- "${lost[@]}"
measured lost 4
slurm_node n2 down
over lost 120
run 0 "$rollcall" status lost
[ "$(events lost begun)" -eq 2 ] || fail "the job did not run again: $(cat lost/jobs/*)"
[ "$(events lost lost)" -eq 1 ] || fail "the job does not know of the lost node: $(cat lost/jobs/*.record)"
log_has lost/jobs/run.log "try 2 of 10, on n1"
few_twice lost 24 2
slurm_node n2 resume || fail "n2 does not come back"

# Three minutes of work in jobs of one minute: the warning ends each in time, and it has
# itself queued again until all is measured; nothing is measured twice but units at hand.
slow slower.yaml 60 12500us
run 0 submit -o limit --nodes 2 --ranks-per-node 1 --time 1m --warn 20s -- --source model:slower.yaml --suite flops --repeat 10:10
over limit 420
run 0 "$rollcall" submit --status limit
has "complete"
[ "$(events limit begun)" -ge 3 ] || fail "all done in $(events limit begun) jobs: the limit was not in the way"
[ "$(events limit warned)" -ge 2 ] || fail "$(events limit warned) warnings"
[ "$(events limit ended)" -eq 1 ] || fail "ended $(events limit ended) times"
few_twice limit 60 $((2 * $(events limit warned)))
[ -s limit/report.html ] || fail "no report at the end"

# Cancelled, and gone on with.
run 0 submit -o ended --nodes 2 --ranks-per-node 1 --time 5m -- "${lost[@]}"
measured ended 4
run 1 submit -o ended --nodes 2 --time 5m
case $err in
*"of this campaign is running: 'rollcall submit --cancel"*) ;;
*) fail "a second submission: $err" ;;
esac
run 0 "$rollcall" submit --cancel ended
over ended 30
run 3 "$rollcall" submit --status ended
has "cancelled"
before=$(units ended | wc -l)
[ "$before" -lt 24 ] || fail "it was not cancelled in mid-run"
run 0 submit -o ended --nodes 2 --ranks-per-node 1 --time 5m
over ended 60
run 0 "$rollcall" submit --status ended
few_twice ended 24 2

# Four shares, of which one is cancelled and measured later: as if it were not split.
many=(--source model:spr --suite flops,branch 'FP_*' 'BR_*' --repeat 5:5)
run 0 "$rollcall" run -o unsplit "${many[@]}"
run 0 submit -o shares --array 4 --nodes 1 --ranks-per-node 1 --time 5m -- "${many[@]}"
array=$(sed -n 's/^run \([0-9]*\)$/\1/p' <<<"$out")
run 0 scontrol hold "${array}_2"
slurm_until 60 grep -q "ended" shares/jobs/run-3.record || fail "share 3 does not end: $(cat shares/jobs/*)"
run 0 scancel "${array}_2"
over shares 120
run 3 "$rollcall" status shares
run 3 "$rollcall" submit --status shares
has "shares/2: 0 of"
run 0 submit -o shares --array 4 --nodes 1 --ranks-per-node 1 --time 5m
over shares 120
run 0 "$rollcall" submit --status shares
same shares unsplit || fail "in four shares: another result"
log_has shares/jobs/finish.log "metrics defined"
[ -s shares/report.html ] || fail "there is no report of the shares"

# Three kinds in one campaign: a part in each partition, a table for each kind.
parts=()
for kind in first:spr second:zen3 both:slow.yaml; do
    parts+=(--queue "${kind%:*}" --set "source=model:${kind#*:}")
done
run 0 submit -o kinds --nodes 1 --ranks-per-node 1 --time 5m "${parts[@]}" -- --suite flops --repeat 5:5
over kinds 240
run 0 "$rollcall" status kinds
[ "$(grep -c 'suite flops: .* metrics defined' kinds/jobs/finish.log)" -eq 3 ] ||
    fail "not three tables: $(cat kinds/jobs/*.log)"

rm -f slow.yaml slower.yaml
rm -rf alone whole later lost limit ended unsplit shares kinds
finish

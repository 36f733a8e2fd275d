#!/usr/bin/env bash
# slurm.sh ROLLCALL - 'submit' with a real Slurm of two nodes: whole campaigns,
# cancelled jobs, arrays, several partitions, wrong words.
# shellcheck disable=SC2154,SC2317  # the libraries' variables; functions called by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/slurm_lib.sh
. "$tests/lib/slurm_lib.sh"
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
# shellcheck source=tests/lib/submit_lib.sh
. "$tests/lib/submit_lib.sh"
trap 'slurm_stop; rm -rf "$work"' EXIT
slurm_start || exit 1

submit() {
    "$rollcall" submit --scheduler slurm "$@"
}

# Refusals, in Slurm's words, and nothing is left in the queue.
refused() {
    local words=$1
    shift
    run 1 submit -o refused "$@" -- --source model:spr --suite flops 'FP_*'
    case $err in
    "rollcall submit: Slurm: submitting ended with 1: "*"$words"*) ;;
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
over whole 300
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
assert [j["state"] for j in s["jobs"]] == ["done"] and s["jobs"][0]["tries"] == int(sys.argv[1]), s
' "$(events whole begun)" || fail "status: $out"

# One that comes after a job, and is watched.
run 0 sbatch --parsable -o /dev/null --wrap "until [ -e '$work/go' ]; do sleep 0.2; done"
run 0 submit -o later --after "$out" --nodes 1 --ranks-per-node 2 --time 5m -- "${flops[@]}"
run 3 "$rollcall" submit --status later
has "waiting"
has "Dependency"
start "$rollcall" submit --watch later
await 120 grep -q "waiting: Dependency" .job.out || fail "--watch says $(cat .job.out)"
touch go
reap
[ "$ended" -eq 0 ] || fail "--watch ended with $ended: $(cat .job.err)"
grep -q "done: ended 0" .job.out || fail "--watch says $(cat .job.out)"
rm go .job.out .job.err
same later alone || fail "after a job: another result"

# Cancelled, and gone on with.
slow slow.yaml 16 10ms
long=(--source model:slow.yaml --suite flops --repeat 5:5)
run 0 submit -o ended --nodes 2 --ranks-per-node 1 --time 5m -- "${long[@]}"
measured ended 4
run 1 submit -o ended --nodes 2 --time 5m
case $err in
*"of this campaign is running: 'rollcall submit --cancel"*) ;;
*) fail "a second submission: $err" ;;
esac
run 0 "$rollcall" submit --cancel ended
over ended 300
run 3 "$rollcall" submit --status ended
has "cancelled"
before=$(units ended | wc -l)
[ "$before" -lt 16 ] || fail "it was not cancelled in mid-run"
run 0 submit -o ended --nodes 2 --ranks-per-node 1 --time 5m
over ended 300
run 0 "$rollcall" submit --status ended
few_twice ended 16 2

# Four shares, of which one is cancelled and measured later: as if it were not split; the
# last job solves with the ranks of a node.
many=(--source model:spr --suite flops --suite branch 'FP_*' 'BR_*' --repeat 5:5)
run 0 "$rollcall" run -o unsplit "${many[@]}"
run 0 submit -o shares --array 4 --nodes 1 --ranks-per-node 2 --time 5m -- "${many[@]}"
array=$(sed -n 's/^run \([0-9]*\)$/\1/p' <<<"$out")
run 0 scontrol hold "${array}_2"
slurm_until 300 grep -q "ended" shares/jobs/run-3.record || fail "share 3 does not end: $(cat shares/jobs/*)"
run 0 scancel "${array}_2"
over shares 300
run 3 "$rollcall" status shares
run 3 "$rollcall" submit --status shares
has "shares/2: 0 of"
run 0 submit -o shares --array 4 --nodes 1 --ranks-per-node 2 --time 5m
over shares 300
run 0 "$rollcall" submit --status shares
same shares unsplit || fail "in four shares: another result"
log_has shares/jobs/finish.log "metrics defined"
[ -s shares/report.html ] || fail "there is no report of the shares"

# Ranks do not start: each element goes on as a job of its own, by its number and in its
# log.
cat >once <<'EOS'
#!/bin/bash
# once PROGRAM run -o DIR/shares/I ...: fails the first time for each share.
if [[ $2 = run && $4 = */shares/* && ! -e failed.${4##*/} ]]; then
    touch "failed.${4##*/}"
    exit 1
fi
exec mpirun -n 1 "$@"
EOS
chmod +x once
printf '[launch]\n./once\n' >once.template
run 0 submit -o again --template once.template --array 2 --time 5m -- "${flops[@]}"
over again 300
run 0 "$rollcall" submit --status again
for i in 0 1; do
    job=$(sed -n 's/^.* again //p' again/jobs/run-$i.record)
    [ "$(cut -d' ' -f3- again/jobs/run-$i.record | sed 's/^[0-9]*_[0-9] /ARRAY /' | paste -sd,)" = \
        "ARRAY begun,ARRAY idle,ARRAY again $job,$job begun,$job ended 0" ] || fail "an element alone: $(cat again/jobs/run-$i.record)"
    log_has again/jobs/run-$i.log "rollcall job $job: try 2 of 10"
done
[ "$(find again/jobs -name '*.log' | wc -l)" -eq 4 ] || fail "logs: $(ls again/jobs)"
same again alone || fail "elements as jobs of their own: another result"

# Three kinds in one campaign: a part in each partition, a table for each kind.
parts=()
for kind in first:spr second:zen3 both:slow.yaml; do
    parts+=(--queue "${kind%:*}" --set "source=model:${kind#*:}")
done
run 0 submit -o kinds --nodes 1 --ranks-per-node 1 --time 5m "${parts[@]}" -- --suite flops --repeat 5:5
over kinds 300
run 0 "$rollcall" status kinds
[ "$(grep -c 'suite flops: .* metrics defined' kinds/jobs/finish.log)" -eq 3 ] ||
    fail "not three tables: $(cat kinds/jobs/*.log)"

rm slow.yaml once once.template failed.0 failed.1
rm -rf again alone whole later ended unsplit shares kinds
finish

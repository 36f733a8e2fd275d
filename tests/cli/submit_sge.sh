#!/usr/bin/env bash
# submit_sge.sh ROLLCALL - 'submit' with a real Grid Engine of two hosts: whole campaigns,
# time limits, hosts that may not submit, cancelled jobs, arrays, two queues, wrong words.
# shellcheck disable=SC2154,SC2317  # the libraries' variables; functions called by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
# shellcheck source=tests/lib/submit_lib.sh
. "$tests/lib/submit_lib.sh"
# shellcheck source=tests/lib/sge_lib.sh
. "$tests/lib/sge_lib.sh"
export SGE_SLOTS=2
trap 'sge_stop; rm -rf "$work"' EXIT
sge_start || exit $?

# Open MPI's settings for root and for more ranks than cores: a job has the environment that
# its script gives it.
settings=()
# The hosts share their files here, so that one removes the job's TMPDIR when a task of it
# ends there while the next one of the other host begins in it.
export OMPI_MCA_orte_tmpdir_base=$sge_dir/tmp
for name in ${!OMPI_*} OPENBLAS_NUM_THREADS; do
    settings+=(--set "env.$name=${!name}")
done

submit() {
    "$rollcall" submit --scheduler sge "${settings[@]}" "$@"
}

# queued ID: the job waits or runs.
queued() {
    qstat -g d -u '*' | grep -q -E "^ *$1 "
}

# over DIR SECONDS: all jobs of DIR, and those that they have submitted, have ended.
idle() {
    local id
    for id in $(sed -n 's/^job .* \([0-9][0-9]*\) .*/\1/p' "$1/jobs/jobs.txt") \
        $(sed -n 's/.* again //p' "$1"/jobs/*.record 2>/dev/null); do
        ! queued "$id" || return 1
    done
}
over() {
    await "$2" idle "$1" || fail "$1: not over: $(qstat -g d -u '*') $(tail -n 20 "$1"/jobs/*.log)"
}

# How often something happened, by the records of DIR's jobs: events DIR WORD.
events() {
    cat "$1"/jobs/*.record 2>/dev/null | grep -c " $2" || true
}
happened() {
    [ "$(events "$1" "$2")" -gt 0 ]
}

# Limits and work are longer where the machine is slow.
pace=$(pace)
limit=(--time "$((30 + 10 * pace))s" --warn 30s)
slow forty.yaml 40 $((5 * pace))ms
slow dozens.yaml 24 $((5 * pace))ms
slow twelve.yaml 12 $((5 * pace))ms
forty=(--source model:forty.yaml --suite flops --repeat 5:5)
dozens=(--source model:dozens.yaml --suite flops --repeat 5:5)
twelve=(--source model:twelve.yaml --suite flops --repeat 5:5)
flops=(--source model:spr --suite flops 'FP_ARITH*' --repeat 5:5)

# Refusals, in Grid Engine's words: nothing is left in the queue, nor listed.
refused() {
    local words=$1
    shift
    run 1 submit -o refused --nodes 1 --ranks-per-node 1 "$@" -- "${flops[@]}"
    says "rollcall submit: Grid Engine: submitting ended with 1: Unable to run job: $words; Exiting."
    [ -z "$(qstat -u '*')" ] || fail "'$*': left in the queue: $(qstat -u '*')"
    [ ! -e refused/jobs/jobs.txt ] || fail "'$*': there is a list of jobs"
}
refused 'Job was rejected because job requests unknown queue "nosuch"' --queue nosuch --time 5m
refused 'job rejected: the requested parallel environment "nosuch" does not exist' --set pe=nosuch --time 5m
refused 'job rejected: the requested project "nosuch" does not exist' --account nosuch --time 5m
refused 'unknown resource "nosuch"' --set resource=nosuch=1 --time 5m
refused 'attribute "h_rt" is not a time value' --set resource=h_rt=long --time 5m
rm -r refused

# Directories that qsub's -o and -wd would read as something else.
# shellcheck disable=SC2016  # a directory with that name
for name in 'a$HOME' $'a\nb'; do
    run 2 submit -o "$name" --time 5m -- "${flops[@]}"
    says "rollcall submit: Grid Engine cannot take '$work/${name/$'\n'/?}' as a job's directory: it has a character with a special meaning there"
done

# A whole campaign over both hosts, to the tables and the report, in a directory that
# a shell would read as something else.
name="it's a \"whole\" one; & so on"
run 0 "$rollcall" run -o alone "${flops[@]}"
run 0 submit -o "$name" --nodes 2 --ranks-per-node 2 --time 5m -- "${flops[@]}"
over "$name" 300
log_has "$name/jobs/run.log" "4 ranks on 2 nodes of 1 kind"
log_has "$name/jobs/run.log" "metrics defined"
[ -s "$name/report.html" ] || fail "there is no report: $(tail "$name/jobs/run.log")"
same "$name" alone || fail "by two hosts: another result"
run 0 "$rollcall" submit --status "$name" --format json
printf '%s' "$out" | python3 -c '
import json, sys
s = json.load(sys.stdin)
assert s["complete"] and s["scheduler"] == "sge" and s["round"] == 1, s
assert [j["state"] for j in s["jobs"]] == ["done"] and s["jobs"][0]["tries"] == 1, s
' || fail "status: $out"
rm -r "$name"

# A limit that leaves 10 s: the script's clock warns, the job ends in time and submits
# itself again until all is measured; nothing is measured twice but units at hand.
run 0 submit -o limit --nodes 2 --ranks-per-node 2 "${limit[@]}" -- "${forty[@]}"
await 200 happened limit begun || fail "the job does not begin"
says_running() {
    "$rollcall" submit --status limit | grep -q running
}
await 120 says_running || fail "never running: $("$rollcall" submit --status limit)"
over limit 300
run 0 "$rollcall" submit --status limit
has "done"
has "40 of 40 units ok: complete"
[ "$(events limit begun)" -ge 2 ] || fail "all done in one job: the limit was not in the way"
[ "$(events limit warned)" -ge 1 ] || fail "no warning: $(cat limit/jobs/*.record)"
[ "$(events limit ended)" -eq 1 ] || fail "ended $(events limit ended) times"
log_has limit/jobs/run.log "stopped before the time limit with"
few_twice limit 40 $((4 * $(events limit warned)))
[ -s limit/report.html ] || fail "no report at the end"

# Cancelled in mid-run: what is at hand is finished, and the next submission goes on.
run 0 submit -o ended --nodes 2 --ranks-per-node 2 --time 5m -- "${dozens[@]}"
measured ended 4
run 1 submit -o ended --nodes 2 --ranks-per-node 2 --time 5m
case $err in
*"of this campaign is running: 'rollcall submit --cancel"*) ;;
*) fail "a second submission: $err" ;;
esac
run 0 "$rollcall" submit --cancel ended
has "cancelled run "
over ended 300
run 3 "$rollcall" submit --status ended
has "cancelled"
before=$(units ended | wc -l)
[ "$before" -lt 24 ] || fail "it was not cancelled in mid-run"
run 0 submit -o ended --nodes 2 --ranks-per-node 2 --time 5m
over ended 300
run 0 "$rollcall" submit --status ended
log_has ended/jobs/run.log "metrics defined"
few_twice ended 24 4

# The others at once, in two queues.  Hosts that may not submit: a job of one host has
# itself restarted, by status 99; one of two says that it cannot, and leaves the queue.
qconf -sq all.q | sed -e 's/^\(qname\) .*/\1 b.q/' -e 's/^\(hostlist\) .*/\1 nodeb/' >queue
qconf -Aq queue >/dev/null 2>&1 || fail "no second queue"
run 0 submit -o one --queue all.q --set pe=smp --nodes 1 --ranks-per-node 1 "${limit[@]}" -- "${twelve[@]}"
run 0 submit -o two --queue all.q --nodes 3 --ranks-per-node 1 "${limit[@]}" -- "${forty[@]}"

# After a job; an array; a queue for each of two kinds of machines.
printf "until [ -e '%s/go' ]; do sleep 0.2; done\n" "$work" >blocker
run 0 qsub -terse -q b.q -S /bin/sh -o /dev/null -j y blocker
blocker=$out
run 0 submit -o later --queue b.q --after "$blocker" --nodes 1 --ranks-per-node 2 --time 5m -- "${flops[@]}"
run 3 "$rollcall" submit --status later
has "waiting"
has "held"
run 0 submit -o moved --queue b.q --after "$blocker" --nodes 1 --ranks-per-node 1 --time 5m -- "${flops[@]}"
mv moved broken
run 0 submit -o array --queue b.q --array 3 --nodes 1 --ranks-per-node 2 --time 5m -- "${flops[@]}"
run 0 submit -o kinds --nodes 1 --ranks-per-node 1 --time 5m \
    --queue all.q --set source=model:spr --queue b.q --set source=model:zen3 -- --suite flops --repeat 5:5

for name in one two; do
    await 200 happened $name begun || fail "$name: the job does not begin"
done
for name in nodea nodeb; do
    qconf -ds $name >/dev/null 2>&1 || fail "$name is a submit host still"
done
start "$rollcall" submit --watch later
await 120 grep -q "waiting: held" .job.out || fail "--watch says $(cat .job.out)"
touch go
reap
[ "$ended" -eq 0 ] || fail "--watch ended with $ended: $(cat .job.err)"
grep -q "done: ended 0" .job.out || fail "--watch says $(cat .job.out)"
rm go blocker .job.out .job.err
same later alone || fail "after a job: another result"

# A job that cannot begin, since its directory is gone, stays until it is cancelled.
in_error() {
    "$rollcall" submit --status broken | grep -q "waiting .*in error: 'qstat -j ID' says why"
}
await 200 in_error || fail "in error: $(qstat -u '*') $("$rollcall" submit --status broken)"

over array 300
run 0 "$rollcall" submit --status array
has "3 done"
same array alone || fail "by three shares: another result: $(cat array/jobs/*.log)"
[ -s array/report.html ] || fail "an array: no report: $(tail array/jobs/finish.log)"
over two 300
log_has two/jobs/run.log "3 ranks on 2 nodes"
log_has two/jobs/run.log "and it could not be submitted again"
run 3 "$rollcall" submit --status two
has "ended 3"
over kinds 300
run 0 "$rollcall" status kinds
log_has kinds/jobs/run1.log ", on nodeb"
[ "$(grep -c 'suite flops: .* metrics defined' kinds/jobs/finish.log)" -eq 2 ] ||
    fail "not two tables: $(cat kinds/jobs/*.log)"
over one 300
run 0 "$rollcall" submit --status one
has "12 of 12 units ok: complete"
log_has one/jobs/run.log "is not a submit host"
[ "$(events one begun)" -ge 2 ] || fail "all done in one try: the limit was not in the way"
few_twice one 12 1

for name in nodea nodeb; do
    qconf -as $name >/dev/null 2>&1 || fail "$name is no submit host"
done
run 0 "$rollcall" submit --cancel broken
over broken 300

rm -f forty.yaml dozens.yaml twelve.yaml queue
rm -rf alone limit ended later array kinds one two broken
finish

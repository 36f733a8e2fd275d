#!/usr/bin/env bash
# slurm_limits.sh ROLLCALL - 'submit' with a real Slurm of two nodes: time limits and
# lost nodes.
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

# A node is lost in mid-run: only the units at hand are measured again, on the other
# one.
slow slow.yaml 14 10ms
lost=(--source model:slow.yaml --suite flops --repeat 5:5)
run 0 submit -o lost --nodes 2 --ranks-per-node 1 --time 5m -- "${lost[@]}"
measured lost 4
slurm_node n2 down
over lost 300
run 0 "$rollcall" status lost
[ "$(events lost begun)" -eq 2 ] || fail "the job did not run again: $(cat lost/jobs/*)"
[ "$(events lost lost)" -eq 1 ] || fail "the job does not know of the lost node: $(cat lost/jobs/*.record)"
log_has lost/jobs/run.log "try 2 of 10, on n1"
few_twice lost 14 2
slurm_node n2 resume || fail "n2 does not come back"

# Power cut of the node that has the script: Slurm starts the job again when the node is
# back, and as another one since no ranks start under its number.
run 0 submit -o cut --nodes 2 --ranks-per-node 1 --time 5m -- "${lost[@]}"
measured cut 4
slurm_node n1 cut
slurm_until 200 slurm_is "${out#run }" PENDING || fail "the job is not queued again"
slurm_node n1 boot || fail "n1 does not come back"
over cut 300
run 0 "$rollcall" submit --status cut
few_twice cut 14 2

# More than a minute and a half of work in jobs of one minute: the warning ends each in
# time, and it has itself queued again until all is measured; nothing is measured twice but
# units at hand.  Slurm looks at limits twice a minute, so that the warning comes 14 s to
# 44 s after the begin, when at most 62 of the 64 units of 3 s can be there in two jobs.
slow slower.yaml 64 12500us
run 0 submit -o limit --nodes 2 --ranks-per-node 1 --time 1m --warn 16s -- --source model:slower.yaml --suite flops --repeat 5:5
over limit 500
run 0 "$rollcall" submit --status limit
has "complete"
[ "$(events limit begun)" -ge 3 ] || fail "all done in $(events limit begun) jobs: the limit was not in the way"
[ "$(events limit warned)" -ge 2 ] || fail "$(events limit warned) warnings"
[ "$(events limit ended)" -eq 1 ] || fail "ended $(events limit ended) times"
few_twice limit 64 $((2 * $(events limit warned)))
[ -s limit/report.html ] || fail "no report at the end"

rm slow.yaml slower.yaml
rm -r lost cut limit
finish

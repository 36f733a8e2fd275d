#!/usr/bin/env bash
# slurm_noise.sh ROLLCALL - 'submit ... noise' with a real Slurm of two nodes: a job that
# ends with both nodes told, and one that is cancelled.
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
"$rollcall" noise -o probe --time 10ms >/dev/null 2>.err || slurm_skip "$(cat .err)"
rm -r probe .err
slurm_start || exit 1

run 0 "$rollcall" submit --scheduler slurm -o d --nodes 2 --ranks-per-node 1 --time 5m -- noise --time 2s
over d 300
run 0 "$rollcall" submit --status d
has "done"
has "measured: 'rollcall noise DIR' says what was found"
[ "$(events d begun)" -eq 1 ] || fail "begun $(events d begun) times: $(cat d/jobs/noise.record)"
run 0 "$rollcall" noise d
for node in n1 n2; do
    grep -q "^$node " .out || fail "$node is not told: $out"
    grep -q "^$node " d/jobs/noise.log || fail "$node is not in the log: $(cat d/jobs/noise.log)"
done
log_has d/jobs/noise.log "clocks of 2 nodes: known to"

# Cancelled while it measures: it does not begin again.
run 0 "$rollcall" submit --scheduler slurm -o ended --nodes 2 --ranks-per-node 1 --time 5m -- noise --time 4m
until_true 120 grep -qs ' begun$' ended/jobs/noise.record || fail "it does not begin"
run 0 "$rollcall" submit --cancel ended
over ended 300
run 3 "$rollcall" submit --status ended
has "cancelled"
has "not all is measured yet"
[ "$(events ended begun)" -eq 1 ] || fail "it began again: $(cat ended/jobs/noise.record)"
rm -r d ended
finish

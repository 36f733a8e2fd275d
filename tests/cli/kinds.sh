#!/usr/bin/env bash
# Several nodes and kinds in one job: one answer for each kind, and the nodes
# that differ are named.  Nodes are told apart by the batch system's name for
# them, kinds by hwloc's own way to show another machine.
# shellcheck disable=SC2317,SC2016  # functions that run() calls by name
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

job() {
    mpirun \
        -n 1 env SLURMD_NODENAME=n1 "$@" : \
        -n 2 env SLURMD_NODENAME=n2 "$@" : \
        -n 1 env SLURMD_NODENAME=big HWLOC_SYNTHETIC='pack:2 l3:1 core:4 pu:1' "$@"
}

from=papi event=perf::PAGE-FAULTS
has_perf_events || from=soft event=soft::instructions
run 0 job "$rollcall" events --source "$from" --format json "$event"
printf '%s' "$out" >kinds.json
python3 - "$event" <<'PY' || fail "kinds: $out"
import json, sys
kinds = json.load(open("kinds.json"))["kinds"]
assert [k["nodes"] for k in kinds] == [["n1", "n2"], ["big"]], [k["nodes"] for k in kinds]
assert kinds[0]["kind"] != kinds[1]["kind"]
assert all(k["events"][0]["event"] == sys.argv[1] for k in kinds)
PY
rm kinds.json

run 0 job "$rollcall" events --source "$from" --format csv "$event"
[ "$(printf '%s\n' "$out" | wc -l)" -eq 3 ] || fail "one header and a row for each kind: $out"

run 0 job "$rollcall" plan --source "$from" "$event"
has $' on 2 nodes: n1, n2\n'
has $' on node big\n'

# A node of the same kind that cannot write where results go is named.
mkdir here
differ() {
    mpirun \
        -n 1 env SLURMD_NODENAME=n1 "$rollcall" doctor -o here : \
        -n 1 env SLURMD_NODENAME=n2 sh -c 'cd / && exec "$0" doctor -o here' "$rollcall"
}
run 1 differ
has "node n2 differs in 1: disk: problem, not ok"
rmdir here
finish

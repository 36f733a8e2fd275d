#!/usr/bin/env bash
# Several nodes and kinds in one job: one answer for each kind, and the nodes
# that differ are named.  Nodes are told apart by the batch system's name for
# them, kinds by hwloc's own way to show another machine.
# shellcheck disable=SC2317,SC2016  # functions that run() calls by name
# shellcheck source=tests/cli_lib.sh
. "$(dirname "$0")/../cli_lib.sh"

job() {
    mpirun --oversubscribe --bind-to none \
        -n 1 env SLURMD_NODENAME=n1 "$@" : \
        -n 2 env SLURMD_NODENAME=n2 "$@" : \
        -n 1 env SLURMD_NODENAME=big HWLOC_SYNTHETIC='pack:2 l3:1 core:4 pu:1' "$@"
}

run 0 job "$rollcall" events --source papi --format json 'perf::PAGE-FAULTS'
printf '%s' "$out" >kinds.json
python3 - <<'PY' || fail "kinds: $out"
import json
kinds = json.load(open("kinds.json"))["kinds"]
assert [k["nodes"] for k in kinds] == [["n1", "n2"], ["big"]], [k["nodes"] for k in kinds]
assert kinds[0]["kind"] != kinds[1]["kind"]
assert all(k["events"][0]["event"] == "perf::PAGE-FAULTS" for k in kinds)
PY
rm kinds.json

run 0 job "$rollcall" events --source papi --format csv 'perf::PAGE-FAULTS'
[ "$(printf '%s\n' "$out" | wc -l)" -eq 3 ] || fail "one header and a row for each kind: $out"

run 0 job "$rollcall" plan --source papi 'perf::PAGE-FAULTS'
has "(n1, n2)"
has "(big)"

# A node of the same kind that cannot write where results go is named.
mkdir here
differ() {
    mpirun --oversubscribe --bind-to none \
        -n 1 env SLURMD_NODENAME=n1 "$rollcall" doctor -o here : \
        -n 1 env SLURMD_NODENAME=n2 sh -c 'cd / && exec "$0" doctor -o here' "$rollcall"
}
run 1 differ
has "node n2 differs in 1: disk: problem, not ok"
rmdir here
finish

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

# Ranks of one node whose machine files differ: the run ends before it measures.
export ROLLCALL_ALL_RANKS=1
mkdir a name events nodes topology none
machine=$build/share/rollcall/machines/spr.yaml
cp "$machine" a/m.yaml
sed 's/^name: spr$/name: sprx/' "$machine" >name/m.yaml
sed 's/^\(- name: "BR_INST_RETIRED:\)COND"$/\1OTHER"/' "$machine" >events/m.yaml
sed 's/^seed: /nodes: 3\n&/' "$machine" >nodes/m.yaml
sed '/^topology: /s/l3:1(/l3:2(/' "$machine" >topology/m.yaml
for dir in name events nodes topology; do
    cmp -s "$machine" $dir/m.yaml && fail "$dir: the same machine"
done

# mixed RANKS DIR: as many ranks with a/m.yaml, and one with DIR/m.yaml.
mixed() {
    local job=("$rollcall" run -o "$work/d" --source model:./m.yaml --suite branch --repeat 2:2 --no-solve)
    timeout 60 mpirun -n "$1" sh -c 'cd a && exec "$@"' x "${job[@]}" : \
        -n 1 sh -c 'cd "$1" && shift && exec "$@"' x "$2" "${job[@]}"
}

# refuses RANKS DIR LINE: says this line, of which '*' is any text, and leaves nothing.
refuses() {
    local line="rollcall run: $3 (rank $1)"
    run 1 mixed "$1" "$2"
    # shellcheck disable=SC2053  # a pattern
    [[ $(grep '^rollcall' <<<"$err") == $line ]] || fail "$2 on rank $1: said '$err', expected '$line'"
    [ ! -e d ] || fail "$2: a refused run left a directory"
}
other="this rank does not see the same machine as rank 0 of node"
hint="all ranks of a node need the same sources and machine files"
for ranks in 1 2; do
    refuses $ranks name "$other *: found 'name=sprx', expected 'name=spr'; $hint"
    refuses $ranks none "cannot open './m.yaml': No such file or directory"
done
refuses 1 events "$other *: found 'counters=model: model spr *', expected 'counters=model: model spr *'; $hint"
refuses 1 nodes "$other *: found 'counters=model: model spr *"
refuses 1 topology "$other *: found '*l3:4 *', expected '*l3:2 *'; $hint"
run 0 mixed 1 a
rm -r a name events nodes topology none d
finish

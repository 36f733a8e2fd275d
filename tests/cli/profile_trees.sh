#!/usr/bin/env bash
# profile_trees.sh ROLLCALL - trees of metrics over profiles: events of a tree, a part in each launch, and
# trees of times and efficiencies against what another reader computes from the exported cube.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
programs=$(dirname "$rollcall")/../tests
app=$programs/profile_app

# settled DIR: the samplers of all launches have ended.
settled() {
    for _ in {1..300}; do
        case $("$rollcall" status "$1") in
        *'not ended'*) sleep 0.1 ;;
        *) return 0 ;;
        esac
    done
    fail 'a sampler has not ended'
}

# node_is NAME KEY EXPECTED: a node of the trees that $out has as JSON.
node_is() {
    local found
    found=$(python3 -c 'import json, sys
rows = [r for r in json.load(sys.stdin)["trees"] if r["node"] == sys.argv[1]]
print(rows[0][sys.argv[2]] if rows else "no such node")' "$1" "$2" <<<"$out")
    [ "$found" = "$3" ] || fail "node $1: $2 is '$found', expected '$3'"
}

cat >tree.yaml <<'EOY'
hierarchy: software
nodes:
- {node: EVENTS, sum: FAULTS + SWITCHES + LOST, unit: events}
- {node: FAULTS, sum: MINOR + MAJOR, unit: faults, event: "perf::PAGE-FAULTS"}
- {node: MINOR, event: "perf::MINOR-FAULTS"}
- {node: MAJOR, event: "perf::NO-SUCH-FAULTS"}
- {node: SWITCHES, sum: OWN + CPU, event: "perf::CONTEXT-SWITCHES"}
- {node: OWN, event: "perf::ALIGNMENT-FAULTS"}
- {node: CPU, event: "perf::TASK-CLOCK"}
- {node: EMULATED, event: "perf::EMULATION-FAULTS"}
- {node: MOVED, event: "perf::CPU-MIGRATIONS"}
- {node: CLOCK, event: "perf::CPU-CLOCK"}
- {node: LOST, event: "perf::NO-SUCH-EVENT"}
- {node: HALF, formula: "[MINOR] / [FAULTS] / 2", event: "perf::NO-SUCH-EVENT"}
- {node: DUMMY, event: "perf::MAJOR-FAULTS, perf::NO-SUCH-EVENT"}
EOY

# Bad inputs.
run 2 "$rollcall" profile -o d --hierarchy nosuch -- "$app" regions 1
said "--hierarchy 'nosuch': no hierarchy or node of that name"
run 1 "$rollcall" profile -o d --hierarchy no/such.yaml -- "$app" regions 1
said "cannot open 'no/such.yaml'"
run 2 "$rollcall" profile -o d --hierarchy tree.yaml --passes 2 -- "$app" regions 1
said '--passes with --hierarchy'
run 1 "$rollcall" profile -o d --hierarchy tree.yaml,LOST --metrics nowhere -- "$app" regions 1
said nowhere
printf 'hierarchy: x\nnodes:\n- {node: A, event: perf::NO-SUCH}\n' >void.yaml
run 1 "$rollcall" profile -o d --hierarchy void.yaml -- "$app" regions 1
said "none of the 1 nodes can be counted here: A: event 'perf::NO-SUCH': -e 'perf::NO-SUCH'"
rm -rf d

# Nine events take two launches; status waits for the second; a launch that is killed does not count.
run 0 "$rollcall" profile -o d --stacks off --rate 1 --hierarchy tree.yaml -- "$app" regions 5 touch 100
said '11 of 13 nodes are measured; not '
said 'pass 0 of 0 to 1'
settled d
run 3 "$rollcall" status d
has 'passes: 1 of 2 are there; missing: 1'
run 0 "$rollcall" profile d --hierarchy tree.yaml --format json
node_is EVENTS status incomplete
node_is FAULTS status measured
node_is 'rest of FAULTS' parent FAULTS
run 137 "$rollcall" profile -o d --stacks off --rate 1 --hierarchy tree.yaml -- "$app" regions 5 raise 9
settled d
run 3 "$rollcall" status d
run 0 "$rollcall" profile -o d --stacks off --rate 1 --hierarchy tree.yaml -- "$app" regions 5 touch 100
settled d
run 0 "$rollcall" status d
has 'passes: 2 of 2 are there'
run 0 "$rollcall" profile d --hierarchy tree.yaml
[[ $(tr -s ' \n' '  ' <<<"$out") == *'without '*'LOST'* ]] || fail "nothing of what lacks: $out"
has 'counted twice, or in runs that differ: the parts of SWITCHES add up to more than it'
run 0 "$rollcall" profile d --hierarchy FAULTS,HALF,tree.yaml --format json
node_is HALF value 0.5
node_is MINOR percent_of_parent 100.0
node_is 'rest of FAULTS' parent FAULTS
node_is LOST status 'no such node'
node_is EVENTS lacks 'without LOST'
run 2 "$rollcall" profile d --hierarchy tree.yaml --format csv
said '--hierarchy is not for --format csv'
run 0 "$rollcall" profile d --hierarchy tree.yaml --region outer --launch 0
run 1 "$rollcall" profile d --hierarchy tree.yaml --region nowhere

# Launches as shares: merged they are the whole again, in any order.
for shares in 1 2 3; do
    run 0 "$rollcall" merge d --split "$shares" -o "shares$shares"
    operands=("shares$shares"/*)
    for ((i = ${#operands[@]}; i-- > 0;)); do reversed[${#operands[@]} - 1 - i]=${operands[i]}; done
    run 0 "$rollcall" merge "${reversed[@]}" -o "whole$shares"
    run 0 "$rollcall" export "whole$shares" --format cubex -o "whole$shares.cubex"
    run 0 "$rollcall" export d --format cubex -o d.cubex
    run 0 "$rollcall" merge d -o all
    run 0 "$rollcall" export all --format cubex -o all.cubex
    python3 -B - "$tests/cli" all.cubex "whole$shares.cubex" <<'EOP' || fail "$shares shares are not the whole"
"""The same trees and numbers, but for the rounding of means that were put together in another order."""
import sys
sys.path.insert(0, sys.argv[1])
files = sys.argv[2:]
sys.argv = sys.argv[:1]
from cubex_check import Cube
one, other = Cube(files[0]), Cube(files[1])
assert (one.paths, one.places, one.parent) == (other.paths, other.places, other.parent)
for metric, rows in one.value.items():
    for p, row in enumerate(rows):
        for a, b in zip(row, other.value[metric][p]):
            assert a == b or (a is not None and b is not None and abs(a - b) <= 1e-12 * max(abs(a), abs(b), 1)), (metric, p, a, b)
EOP
    rm -r all
done
run 0 "$rollcall" compare whole3 d --hierarchy tree.yaml
has 'and none else'

# One of several events that count the same is counted, also for one that threads do not count.
mkdir c
"$programs/profile_metrics" c/metrics.h5 alike || fail 'no metrics'
printf 'hierarchy: x\nnodes:\n- {node: A, metric: minor}\n- {node: B, metric: faults}\n' >alike.yaml
run 0 "$rollcall" profile -o r --hierarchy alike.yaml --metrics c -- "$app" touch 100
said '2 of 2 nodes are measured'
settled r
run 0 "$rollcall" profile r --format json
[ "$(grep -c 'perf::[A-Z]*-FAULTS' <<<"$out")" -gt 0 ] || fail "nothing was counted: $out"
lacks 'perf::PAGE-FAULTS'
run 0 "$rollcall" profile r --hierarchy alike.yaml --metrics c --format json
node_is A status measured
node_is B status measured
rm -r r c

# Runs that differ in what both count: named, and no others.
for pages in 100 5000; do
    run 0 "$rollcall" profile -o r -e perf::PAGE-FAULTS -e perf::MAJOR-FAULTS -- "$app" touch 100
    run 0 "$rollcall" profile -o r -e perf::PAGE-FAULTS -e perf::CPU-MIGRATIONS -- "$app" touch $pages
    settled r
    run 0 "$rollcall" profile r --hierarchy tree.yaml
    if [ $pages = 100 ]; then
        lacks 'runs that differ: '
    else
        has 'runs that differ: perf::PAGE-FAULTS'
    fi
    run 0 "$rollcall" profile r --hierarchy tree.yaml --format json
    has '"passes_differ": ['
    rm -r r
done

# Times and efficiencies: rank 1 of 3 comes late to a barrier.
ranks 3 "$rollcall" profile -o w -- "$programs/mpi_wait" barrier 100000 5 >truth 2>said || fail "$(<said)"
settled w
"$rollcall" export w --format cubex -o w.cubex 2>said || fail "$(<said)"
run 0 "$rollcall" profile w --hierarchy time,mpi,openmp,pop,calls --format json
printf '%s\n' "$out" >w.json
python3 -B "$tests/cli/trees_check.py" w.cubex w.json >checked 2>&1 || fail "$(<checked)"
run 0 "$rollcall" profile w --hierarchy pop
has LOAD_BALANCE
lacks IPC_SCALING

# calls_are RANKS ARGUMENT_OF_MPI_WAIT... -- NODE VALUE...
calls_are() {
    local ranks=$1 arguments=()
    while shift && [ "$1" != -- ]; do
        arguments+=("$1")
    done
    ranks "$ranks" "$rollcall" profile -o s -- "$programs/mpi_wait" "${arguments[@]}" >truth 2>said || fail "$(<said)"
    settled s
    run 0 "$rollcall" profile s --hierarchy calls --format json
    while shift && [ $# -gt 0 ]; do
        node_is "$1" value "$2"
        shift
    done
    rm -r s
}

# Messages and their bytes: of requests that are started together, and of calls that send and receive.
calls_are 2 persistent 0 6 -- COMMUNICATIONS_SENT 12 COMMUNICATIONS_RECEIVED 12 SYNCHRONIZATIONS 12 BYTES_SENT 96 BYTES_RECEIVED 96
calls_are 3 sendrecv 1000 5 -- COMMUNICATIONS 30 COMMUNICATIONS_RECEIVED 15 BYTES_SENT 120 BYTES_RECEIVED 120
calls_are 2 receive 100000 7 -- LATE_SENDERS 7 LATE_RECEIVERS 0

# Without waiting its metrics are void, and so is what is computed of them.
ranks 2 "$rollcall" profile -o n --no-waiting -- "$programs/mpi_wait" barrier 1000 5 >truth 2>said || fail "$(<said)"
settled n
run 0 "$rollcall" profile n --hierarchy mpi,pop
lacks WAIT_AT_BARRIER
lacks SERIALISATION
has COMMUNICATION_EFFICIENCY

rm -rf -- *
finish

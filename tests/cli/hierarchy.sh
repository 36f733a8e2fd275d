#!/usr/bin/env bash
# The command 'hierarchy': metrics as trees, on machines whose events are planted, and METRICS.SPEC taken in.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1 COLUMNS=200

# Bad usage and bad files first: one line each.
run 2 "$rollcall" hierarchy
says "rollcall hierarchy: expected DIR, the directory of a campaign, or --source"
run 1 "$rollcall" hierarchy none
says "rollcall hierarchy: 'none' is not there, expected the directory of a campaign"
run 0 "$rollcall" run -o spr --source model:spr -q
run 0 "$rollcall" run -o zen3 --source model:zen3 -q
run 2 "$rollcall" hierarchy spr --only nothing
says "rollcall hierarchy: --only 'nothing': no hierarchy or node of that name, expected one such as data, tlb or DATA_ACCESS"
run 2 "$rollcall" hierarchy spr --counted nothing
said "rollcall hierarchy: --counted 'nothing': no event or group of that name on kind 'model-spr-"
run 2 "$rollcall" hierarchy spr --kind other
said "rollcall hierarchy: --kind 'other': not in 'spr', expected model-spr-"
printf 'hierarchy: x\nnodes:\n- {node: A, sum: B}\n- {node: B, sum: A}\n' >circle.yaml
run 2 "$rollcall" hierarchy spr --with circle.yaml
said "rollcall hierarchy: circle.yaml:3: node 'A' is made from itself by way of 'B', 'A', expected no circle"
printf 'hierarchy: x\nnodes:\n- {node: A, sum: DATA_ACESS}\n' >typo.yaml
run 2 "$rollcall" hierarchy spr --with typo.yaml
says "rollcall hierarchy: typo.yaml:3: node 'A': no node 'DATA_ACESS', did you mean 'DATA_ACCESS'?"
{
    printf 'hierarchy: x\nnodes:\n'
    for i in $(seq 10000); do echo "- {node: N$i}"; done
} >many.yaml
run 2 "$rollcall" hierarchy spr --with many.yaml
said "more than 4096 nodes, expected fewer"

# Trees with their statuses, without any file for the machine.
run 0 "$rollcall" hierarchy spr --only instructions
out=$(tr -s ' ' <<<"$out")
has "INSTRUCTION sim measured metric 'instructions'"
has "BRANCH_PRED sim composed BRANCH_COND_PRED + BRANCH_UNCOND"
lacks SYNCH
lacks "counted twice"
run 0 "$rollcall" hierarchy spr --only instructions --all
has "SYNCH"
# An instruction that computes on what it loads is in two parts of INSTRUCTION: zen3 counts all of them.
run 0 "$rollcall" hierarchy zen3 --only cycles
has "counted twice: the parts of INSTRUCTION add up to more than it at "

# CSV has a row for each node that JSON has, of all kinds under one header.
run 0 "$rollcall" hierarchy spr --format csv
printf '%s\n' "$out" >trees.csv
run 0 "$rollcall" hierarchy spr --format json
printf '%s\n' "$out" >trees.json
run 0 python3 -c '
import csv, json
rows, trees = list(csv.DictReader(open("trees.csv"))), json.load(open("trees.json"))
nodes = [(kind["kind"], node) for kind in trees["kinds"] for node in kind["nodes"]]
assert len(rows) == len(nodes) > 50, (len(rows), len(nodes))
for row, (kind, node) in zip(rows, nodes):
    assert row["kind"] == kind and row["parent"] == (node["parent"] or ""), (row, node)
    for key in ("hierarchy", "node", "status", "value", "unit", "lacks", "reason", "description"):
        assert row[key].removeprefix(chr(39)) == (node[key] or ""), (key, row, node)
depth = {row["node"]: int(row["depth"]) for row in rows}
assert all(int(row["depth"]) == (depth[row["parent"]] + 1 if row["parent"] else 0) for row in rows)'
rm trees.csv trees.json
run 0 "$rollcall" hierarchy --source model:spr --format csv --only instructions
has "kind,hierarchy,node,parent,depth,marks,status,value,unit,lacks,reason,description"
run 2 "$rollcall" hierarchy --source model:spr --passes --format csv
said "rollcall hierarchy: --passes: expected --format text or json"
run 2 "$rollcall" hierarchy spr --format xml
said "expected one of: text, csv, json, csv-raw"

# Each metric that solve defined fills its nodes with its own combination, no other fills one, and sums add up.
cat >check.py <<'PYTHON'
import json, re, sys
trees, solved, files = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3:]
metric_of, sum_of = {}, {}
for f in files:
    for line in open(f):
        node = re.search(r'node: (\w+)', line)
        metric = re.search(r'metric: ([\w -]+)', line)
        of = re.search(r'sum: ([\w +]+)', line)
        if node and metric:
            metric_of[node[1]] = metric[1].strip()
        if node and of:
            sum_of[node[1]] = of[1].strip().split(' + ')
metrics = {}
for kind in solved['kinds']:
    for suite in kind['suites']:
        for m in suite['metrics']:
            if m['metric'] not in metrics or m['verdict'] == 'defined':
                metrics[m['metric']] = m
nodes = {n['node']: n for n in trees['kinds'][0]['nodes'] if not n['is_event']}
filled = wrong = 0
for name, metric in metric_of.items():
    n, m = nodes[name], metrics.get(metric)
    if m and m['verdict'] == 'defined' and not m.get('expression'):
        # a coefficient that was rounded to 0 is none
        of = {t['event']: t for t in m['terms'] if t['rounded'] != 0 or not m.get('rounded_holds', True)}
        mine = {t['event']: t['coefficient'] for t in n['terms']}
        same = set(mine) <= set(t['event'] for t in m['terms']) and all(
            abs(mine[e] - of[e]['coefficient']) < 0.1 for e in of if e in mine) and mine
        filled += bool(same)
        wrong += not same
        if not same:
            print('wrong:', name, metric, mine, m['terms'])
    elif n['status'] == 'measured' and not n['value'].startswith('event'):
        wrong += 1
        print('made up:', name, n)
for name, parts in sum_of.items():
    n = nodes[name]
    if n['status'] == 'composed' and ' + ' in n['value']:
        total = {}
        for p in parts:
            for t in nodes[p]['terms']:
                total[t['event']] = total.get(t['event'], 0) + t['coefficient']
        for t in n['terms']:
            total[t['event']] = total.get(t['event'], 0) - t['coefficient']
        if any(abs(v) > 1e-9 for v in total.values()):
            wrong += 1
            print('does not add up:', name, total)
print(f'{filled} filled, {wrong} wrong')
PYTHON
machines='spr zen3'
if [ "$(uname -m)" = x86_64 ]; then # where instructions can be stepped through
    run 0 "$rollcall" run -o soft --source soft -q
    machines+=' soft'
fi
for machine in $machines; do
    run 0 "$rollcall" hierarchy "$machine" --format json
    printf '%s' "$out" >"$machine.json"
    run 0 "$rollcall" export "$machine" --format json -o "$machine.solved"
    # Trees of what is defined hold; what computes on an operand in memory is in two parts of INSTRUCTION.
    run 0 "$rollcall" hierarchy "$machine"
    out=$(grep -v 'the parts of INSTRUCTION ' <<<"$out")
    lacks 'counted twice'
    run 0 python3 check.py "$machine.json" "$machine.solved" "$here"/../solve/hierarchies/*.yaml
    has " filled, 0 wrong"
    echo "$machine: $out"
    case $out in
    [012]" filled"*) fail "$machine: next to nothing is filled: $out" ;;
    esac
done

# Without an event its nodes lack it, and incomplete sums are marked.
run 0 "$rollcall" hierarchy spr --only MEMORY_TRAFFIC,INSTRUCTION --counted 'BR_*'
has "~ sim"
lacks MEMORY_READ

# Passes by trials: as few as people found by hand for three machines, or fewer.
passes() { # MACHINE MOST OPTION...
    local machine=$1 most=$2 n
    shift 2
    run 0 "$rollcall" hierarchy --source "model:$here/data/machines/$machine.yaml" --with "$here/data/hierarchies/$machine.spec" --passes "$@"
    n=$(grep -c '^pass ' <<<"$out")
    echo "$machine: $n passes"
    if [ "$n" -lt 1 ] || [ "$n" -gt "$most" ]; then
        fail "$machine: $n passes, expected 1 to $most: $out"
    fi
    has "$n passes complete the trees, as far as there are events for them"
}
passes opteron 10
passes power4 6
passes ultrasparc 18
run 2 "$rollcall" hierarchy spr --passes
says "rollcall hierarchy: --passes: expected --source, by whose trials passes are planned"
run 0 "$rollcall" hierarchy spr --source model:spr --only instructions --passes
has "pass 1: "
run 0 "$rollcall" hierarchy spr --source model:spr --only instructions --passes --format json
has '"passes": ['

# An event that is the same, on another counter, saves a pass; two that are the same are counted once.
cat >alike.yaml <<'EOY'
name: alike
summary: events that count the same, on different counters
banks:
- {name: core, counters: 2}
events:
- {name: COND, counts: CR, counters: "0"}
- {name: TAKEN, counts: T, counters: "0"}
- {name: TAKEN_TOO, counts: T, counters: "0 1"}
EOY
printf 'hierarchy: x\nnodes:\n- {node: AGAIN, event: TAKEN_TOO}\n' >again.yaml
run 0 "$rollcall" run -o alike --source model:./alike.yaml --suite branch,instructions -q
run 0 "$rollcall" hierarchy alike --source model:./alike.yaml --only BRANCH_COND --passes
has 'pass 1: COND, TAKEN_TOO'
has 'TAKEN_TOO is counted for TAKEN, which is the same here'
has '1 pass completes'
run 0 "$rollcall" hierarchy alike --source model:./alike.yaml --only BRANCH_COND,x --with again.yaml --passes
has '1 pass completes'
rm -r alike

# METRICS.SPEC: told by its text, and the same as a file of trees.
spec=$here/data/hierarchies/opteron.spec
run 0 "$rollcall" import "$spec" -o trees.yaml
run 0 "$rollcall" import "$spec"
[ "$out" = "$(cat trees.yaml)" ] || fail "a file and the standard output differ"
run 0 "$rollcall" hierarchy spr --with "$spec" --format json
grep -v '"hierarchy"' <<<"$out" >a.json
run 0 "$rollcall" hierarchy spr --with trees.yaml --format json
grep -v '"hierarchy"' <<<"$out" >b.json
cmp -s a.json b.json || fail "METRICS.SPEC and what it becomes are not the same"
printf 'measure A = B + C\n' >bad.spec
run 2 "$rollcall" import bad.spec -o x.yaml
says "rollcall import: bad.spec:1: measure: found '+', expected one counter and no operator"
[ ! -e x.yaml ] || fail "something was written"
run 2 "$rollcall" import --format metrics-spec trees.yaml
says "rollcall import: trees.yaml: expected a METRICS.SPEC, whose lines begin with measure, aggroup, compose or compute"
rm -rf spr zen3 soft ./*.py ./*.yaml ./*.json ./*.solved ./*.spec
finish

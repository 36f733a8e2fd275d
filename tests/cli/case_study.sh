#!/usr/bin/env bash
# case_study.sh ROLLCALL - two machines that were studied (KOJAK, 2005: sPPM on 32 ranks of 2
# threads), as profiles that were made up: compare prints each row that was published.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
"$(dirname "$rollcall")/../tests/case_study" xd1.cubex regatta.cubex || fail 'nothing was made'

# Equal in calls and places, different in counter leaves only.
run 0 env COLUMNS=200 "$rollcall" compare xd1.cubex regatta.cubex
has 'A and B: 16 call paths and 64 places in both and none else; 14 metrics in both, 3 and 3 in one alone, leaves of trees.'
run 0 "$rollcall" compare xd1.cubex regatta.cubex --format json
cat >rows.py <<'EOP'
import json
import sys
rows = {(r['metric'], r['path'], r['profile'].split('.')[0]): r for r in json.load(sys.stdin)['rows']}
RUNHYD, LAST, REDUCE = 'main;runhyd', 'main;runhyd;omp barrier last', 'main;gblmax;MPI_Allreduce'
# metric, path, column, what XD1 and Regatta have, to how many decimals it was published
PUBLISHED = (('time', '', 'most_of_a_place', 180e9, 280e9, -9),
             ('time', RUNHYD, 'most_of_a_place', 163e9, 241e9, -9),
             ('mpi', '', 'of_root_percent', 1.7, 2.2, 1),
             ('wait_at_nxn', REDUCE, 'value', 15e9, 127e9, -9),
             ('wait_at_nxn', REDUCE, 'of_root_percent', .15, .77, 2),
             ('openmp', '', 'of_root_percent', 3.3, .9, 1),
             ('openmp', LAST, 'of_percent', 4, 82, 0),
             ('BRANCH_MISP', '', 'of_root_percent', .08, .58, 2),
             ('BRANCH_MISP', '', 'of_percent', 1.5, 7.0, 1),
             ('BRANCH', '', 'of_root_percent', 5.3, 8.3, 1),
             ('DATA_HIT_L1', '', 'of_root_percent', 97, 97, 0),
             ('DATA_HIT_MEM', '', 'of_root_percent', .27, .14, 2))
for metric, path, column, *values, digits in PUBLISHED:
    for machine, value in zip(('xd1', 'regatta'), values):
        found = rows[metric, path, machine][column]
        if round(found, digits) != round(value, digits):
            sys.exit(f'{metric} {path} {column} of {machine}: {found}, published {value}')
init = [rows['time', 'main;init', m]['most_of_a_place'] / rows['time', '', m]['most_of_a_place'] for m in ('xd1', 'regatta')]
assert [round(100 * x, 1) for x in init] == [.5, 1.9], init
six = [r for (m, p, _), r in rows.items() if m == 'time' and p.startswith('main;runhyd;sppm')]
assert len(six) == 12 and len({round(r['value']) for r in six}) == 2, six
EOP
python3 -B rows.py <<<"$out" || fail 'a published row is another one'
# each fourth rank has twice the MPI of the others
run 0 "$rollcall" import xd1.cubex -o xd1
run 0 "$rollcall" compare xd1 --cut gblmax --flat
has 'MPI_Allreduce'

# Trees are filled once the passes are together: what lacks in each is complete then, in any order.
maker=$(dirname "$rollcall")/../tests/case_study
run 0 "$maker" DC_ACCESS 1000 access.cubex
run 0 "$maker" DC_MISS 30 miss.cubex
run 0 "$maker" DC_L2_REFILL_M 20 refill.cubex
cat >METRICS.SPEC <<'EOS'
measure DATA_ACCESS = DC_ACCESS
compute DATA_HIT_L1 = DC_ACCESS - DC_MISS
compose DATA_HIT_L2 = DC_L2_REFILL_M + DC_L2_REFILL_O
EOS
run 0 "$rollcall" merge -o one access.cubex miss.cubex refill.cubex
run 0 "$rollcall" merge -o other refill.cubex access.cubex
run 0 "$rollcall" merge -o other.all other miss.cubex
for merged in one other.all; do
    run 0 "$rollcall" compare $merged --hierarchy METRICS.SPEC --format json
    python3 -B -c '
import json, sys
rows = {r["metric"]: (r["value"], r["incomplete"]) for r in json.load(sys.stdin)["rows"]}
assert rows["DATA_ACCESS"] == (1000, False) and rows["DATA_HIT_L1"] == (970, False), rows
assert rows["DATA_HIT_L2"] == (20, True), rows' <<<"$out" || fail "the trees of $merged: $out"
done
run 0 "$rollcall" compare other --hierarchy METRICS.SPEC
has '~DATA_HIT_L2'
lacks DATA_HIT_L1
run 2 "$rollcall" compare --mean -o none one other --hierarchy METRICS.SPEC
said '--mean keeps what was counted'
echo 'compute A = B %' >BAD.SPEC
run 2 "$rollcall" compare one --hierarchy BAD.SPEC
said 'BAD.SPEC:1'

# Efficiencies against a reference run: twice the instructions, at half as many per cycle.
for run in 'this perf::INSTRUCTIONS 2000' 'this perf::CYCLES 2000' 'before perf::INSTRUCTIONS 1000' 'before perf::CYCLES 500'; do
    read -r name event value <<<"$run"
    run 0 "$maker" "$event" "$value" "$name.${event#perf::}.cubex"
done
for name in this before; do
    run 0 "$rollcall" merge -o "$name" "$name.INSTRUCTIONS.cubex" "$name.CYCLES.cubex"
done
run 0 "$rollcall" profile this --hierarchy pop,CYCLES --reference before --format json
python3 -B -c '
import json, sys
value = {r["node"]: r["value"] for r in json.load(sys.stdin)["trees"]}
assert value["INSTRUCTION_SCALING"] == .5 and value["IPC_SCALING"] == .5 and value["CYCLES"] == 2000, value
assert "FREQUENCY_SCALING" not in value and "COMPUTATION_EFFICIENCY" not in value, value' <<<"$out" || fail "efficiencies: $out"
run 2 "$rollcall" profile this --reference before
said '--reference: expected --hierarchy pop'
run 1 "$rollcall" profile this --hierarchy pop --reference nowhere
said nowhere
# of a machine with a tree of its own: XD1 computes what Regatta does with other instructions
run 0 "$rollcall" import regatta.cubex -o regatta
run 0 "$rollcall" profile xd1 --hierarchy time,mpi --format json
run 0 "$rollcall" report xd1
[ -s xd1/report.html ] || fail 'no page of a cube'

rm -rf -- *
finish

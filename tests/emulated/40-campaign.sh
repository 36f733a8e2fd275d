# A campaign of few events on one rank, what solve makes of it, and presets for PAPI,
# which has none for this processor: the whole way round.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"

check "a campaign ends complete" \
    ends 0 sh -c 'rollcall run --suite blas,flops,branch,instructions --repeat 2:2 --events INST_RETIRED \
        --events L1D_CACHE --events perf::TASK-CLOCK -o campaign >run.txt 2>&1'
tail -n 32 run.txt
check "'auto' has chosen papi" grep -q '^auto: papi, since perf::INSTRUCTIONS counts' run.txt
rollcall status campaign >status.txt
check "it is of papi, real" grep -q 'papi, real' status.txt
cat status.txt

rollcall export campaign --format csv >metrics.csv
rollcall export campaign --format csv --table events >events.csv
rollcall export campaign --format papi -o presets.csv
cat presets.csv
cp run.txt status.txt metrics.csv events.csv presets.csv "$RESULTS"
for suite in flops branch instructions blas; do
    check "INST_RETIRED is exact on $suite" grep -q ",$suite,INST_RETIRED,.*,ok,exact," events.csv
done
check "'instructions' is 1 x INST_RETIRED" grep -q '^PRESET,PAPI_TOT_INS,NOT_DERIVED,INST_RETIRED' presets.csv

# PAPI itself, with and without what was exported.
papi_command_line PAPI_TOT_INS INST_RETIRED >without.txt 2>&1
check "PAPI alone has no PAPI_TOT_INS" ends 1 grep -q '^PAPI_TOT_INS[[:space:]]*:' without.txt
PAPI_CSV_EVENT_FILE=$PWD/presets.csv papi_command_line PAPI_TOT_INS INST_RETIRED >with.txt 2>&1
cat with.txt
for name in PAPI_TOT_INS INST_RETIRED; do
    sed -n "s/^${name}[[:space:]]*:[[:space:]]*\([0-9][0-9]*\).*/\1/p" with.txt >"$name"
done
check "with the export it counts PAPI_TOT_INS" [ "$(cat PAPI_TOT_INS)" -gt 300000000 ]
check "as many as INST_RETIRED" cmp PAPI_TOT_INS INST_RETIRED

# A program, counted by the metrics of the campaign, and by perf.
counted() {
    rollcall count campaign -m instructions --format csv -o count.csv -- "$@"
    sed -n '2s/^[^,]*,[^,]*,\([0-9]*\),.*/\1/p' count.csv
}
cat >loop.sh <<'END'
i=0
while [ $i -lt 2000 ]; do i=$((i + 1)); done
END
counted sh loop.sh >ours
perf stat -x, -e instructions:u -o perf.csv sh loop.sh
sed -n 's/^\([0-9][0-9]*\),.*/\1/p' perf.csv >theirs
cat count.csv ours theirs
check "'count' counts it" grep -q ',counted,defined,' count.csv
check "and as much as perf, within 1 %" \
    [ $(($(cat ours) * 100 / $(cat theirs))) -ge 99 -a $(($(cat ours) * 100 / $(cat theirs))) -le 101 ]
check "with the program's status" ends 3 rollcall count campaign -m instructions -- sh -c 'exit 3'
check "and an expectation" ends 1 rollcall count campaign --expect 'instructions=5' -- true
check "one without such a program" ends 127 rollcall count campaign -m instructions -- ./nowhere

# The emulated processor takes a cycle for each instruction, so that its cycles are none by
# the time that additions take; a metric of as many as instructions is true here, and
# nowhere else.
check "cycles by reference" ends 0 sh -c 'rollcall run -q --source papi --suite cycles --repeat 2:2 \
    --events CPU_CYCLES --events INST_RETIRED -o reference >/dev/null 2>&1 && rollcall solve reference >reference.txt'
check "are not found" grep -q 'no event counts 1 for each addition' reference.txt
cat >cycles.yaml <<'END'
source: [papi]
suites: [blas]
events: [CPU_CYCLES]
reference: none
repeat: 2:2
metrics:
- {metric: cycles, suite: blas, signature: INS, preset: PAPI_TOT_CYC}
END
check "a metric of the user's" ends 0 sh -c 'rollcall run -c cycles.yaml -o cycles >cycles.txt 2>&1'
rollcall export cycles --format papi -o cycles.csv
cat cycles.csv
check "'cycles' is 1 x CPU_CYCLES" grep -q '^PRESET,PAPI_TOT_CYC,NOT_DERIVED,CPU_CYCLES' cycles.csv
PAPI_CSV_EVENT_FILE=$PWD/cycles.csv papi_command_line PAPI_TOT_CYC CPU_CYCLES >with.txt 2>&1
cat with.txt
for name in PAPI_TOT_CYC CPU_CYCLES; do
    sed -n "s/^${name}[[:space:]]*:[[:space:]]*\([0-9][0-9]*\).*/\1/p" with.txt >"$name"
done
check "with the export PAPI counts PAPI_TOT_CYC" [ "$(cat PAPI_TOT_CYC)" -gt 300000000 ]
check "as many as CPU_CYCLES" cmp PAPI_TOT_CYC CPU_CYCLES
finish

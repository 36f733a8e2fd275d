# doctor, events and plan with counters that count.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"

rollcall doctor >doctor.txt
check "doctor has no problem" [ $? -eq 0 ]
check "hardware counters count" grep -q 'ok *pmu .*INSTRUCTIONS counts' doctor.txt
check "the processor is known by its numbers" grep -q 'ok *machine *ARM processor 0xd0c' doctor.txt
grep -E ' (warning|problem) ' doctor.txt

rollcall events --source papi >events.txt
verdict() {
    grep -q "^$1  *papi  *core  *$2" events.txt
}
for event in INST_RETIRED CPU_CYCLES perf::INSTRUCTIONS perf::CYCLES perf::TASK-CLOCK; do
    check "$event: ok" verdict "$event" ok
done
for event in BR_RETIRED L1D_CACHE L1D_CACHE_REFILL STALL_FRONTEND SW_INCR; do
    check "$event: counts nothing" verdict "$event" 'counts nothing'
done
for event in perf::BRANCHES perf::CACHE-MISSES; do
    check "$event: unsupported" verdict "$event" unsupported
done
cp doctor.txt events.txt "$RESULTS"
grep -v unsupported events.txt | head -n 45
tail -n 8 events.txt

# Nine events for six counters, and one more for the cycles.
rollcall plan --source papi --suite instructions --events INST_RETIRED --events CPU_CYCLES \
    --events 'L1D_TLB_R*' --events 'BR_RET*' --events 'EXC_RETURN' --events 'EXC_TAKEN' \
    --events 'perf::INSTRUCTIONS' >plan.txt
cat plan.txt
largest=$(sed -n 's/^group .*core: //p' plan.txt | awk -F, 'NF > most { most = NF } END { print most }')
check "no group has more than 7 events: $largest" [ "$largest" -le 7 ]
check "the largest group has more than 5" [ "$largest" -gt 5 ]
check "nothing was left over" ends 1 grep -q 'in no group' plan.txt
finish

# Two ranks on the one core, which the system gives to one after the other: counters
# belong to processes, so both count exactly.  And a rank that is killed as it counts.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"

campaign="--source papi --suite flops,branch,icache --repeat 2:2 \
    --events INST_RETIRED --events CPU_CYCLES --events L1D_CACHE --events BR_RETIRED \
    --events SW_INCR --events EXC_TAKEN --events EXC_RETURN"
ranks() {
    mpirun --oversubscribe --bind-to none -n 2 rollcall "$@"
}
units() {
    "$build/tests/journal_units" "$1"/journal/*.rcj 2>/dev/null | grep -c '^unit '
}
# Without what is left over of a reading, that of starting and stopping.
events_of() {
    rollcall export "$1" --format csv --table events | cut -d, -f1-10
}

# shellcheck disable=SC2086  # options are words
{
    check "one rank completes a campaign" ends 0 rollcall run $campaign -o one >one.txt 2>&1
    check "two ranks complete it" ends 0 ranks run $campaign -o two >two.txt 2>&1
}
tail -n 12 two.txt
events_of one >one.csv
events_of two >two.csv
check "what events measure is the same" cmp one.csv two.csv
check "and exact" grep -q ',flops,INST_RETIRED,.*,ok,exact,' two.csv

# One of two ranks is killed by SIGKILL between start and stop, as far as one can tell.
# shellcheck disable=SC2086
ranks run $campaign -o killed >killed.txt 2>&1 &
job=$!
until grep -q ' units (' killed/log.txt 2>/dev/null || ! kill -0 $job; do sleep 0.05; done
kill -KILL "$(pidof rollcall | cut -d' ' -f1)"
rc=0
wait $job || rc=$?
kept=$(units killed)
echo "  the job ended with $rc, $kept of $(units one) units are kept"
check "a job of which a rank is killed ends, and not as done" [ "$rc" -ne 0 ]
check "it was in mid-run" [ "$kept" -lt "$(units one)" ]
check "no rank is left" ends 1 pidof rollcall
"$build/tests/grouped" INST_RETIRED CPU_CYCLES L1D_CACHE BR_RETIRED SW_INCR EXC_TAKEN EXC_RETURN >free.txt
check "its counters are free" grep -q '^INST_RETIRED [1-9][0-9]* valid' free.txt
before=$(cut -d. -f1 /proc/uptime)
check "the campaign goes on" ends 0 timeout 300 mpirun --oversubscribe --bind-to none -n 2 rollcall run -o killed >resumed.txt 2>&1
echo "  in $(($(cut -d. -f1 /proc/uptime) - before)) s of the machine's time"
events_of killed >killed.csv
check "and gives what it would have given" cmp one.csv killed.csv
finish

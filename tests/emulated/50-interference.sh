# Troubles of hardware counters alone: groups that are too large, others that take the
# counters, rights that are taken away.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"
grouped=$build/tests/grouped
others="L1D_CACHE L1D_CACHE_REFILL BR_RETIRED STALL_FRONTEND"
seven="INST_RETIRED CPU_CYCLES $others SW_INCR"

# counts FILE NAME: the reading of NAME in a file of 'grouped' is valid and not 0.
counts() {
    grep -q "^$2 [1-9][0-9]* valid" "$1"
}

# Six counters and one of cycles: an eighth event is never scaled, but refused or invalid.
# shellcheck disable=SC2086  # events are words
{
    "$grouped" $seven >seven.txt
    "$grouped" $seven EXC_TAKEN >eight.txt
}
cat seven.txt eight.txt
check "seven events are a group" grep -q '^trial: ok' seven.txt
check "and count all the time" counts seven.txt INST_RETIRED
check "eight cannot be scheduled" grep -q '^trial: cannot be scheduled' eight.txt
check "and give no reading that counts as valid" ends 1 grep -q ' valid' eight.txt

# perf takes all counters of the processor, pinned: whoever asks for one gets none.
cat >beside.sh <<'END'
"$build/tests/grouped" INST_RETIRED >taken.txt
rollcall events --source papi --events INST_RETIRED --format csv >taken.csv
rollcall run --source papi --suite instructions --repeat 2:3 --events INST_RETIRED -o taken >run.txt 2>&1
echo $? >taken.status
END
all='{r08,r03,r04,r10,r06,r07,cycles}:D'
perf stat -a -e "$all" -o perf.txt sh beside.sh
cat perf.txt taken.txt run.txt
check "counters of others: the trial of an event is not ok" ends 1 grep -q '^trial: ok' taken.txt
check "nor is its reading valid" ends 1 grep -q ' valid' taken.txt
check "a campaign without counters does not end as done" [ "$(cat taken.status)" -ne 0 ]
"$grouped" INST_RETIRED >after.txt
check "afterwards it counts again" counts after.txt INST_RETIRED

# A group is armed and has counted; perf takes one counter, and gives it back.
cat >take.sh <<'END'
rm -f held given
perf stat -a -e r03:D -o perf.txt sh -c ': >held; until [ -e given ]; do sleep 0.01; done' &
echo $! >perf.pid
until [ -e held ]; do sleep 0.01; done
END
cat >give.sh <<'END'
: >given
while grep -q . "/proc/$(cat perf.pid)/cmdline" 2>/dev/null; do sleep 0.01; done
END
# shellcheck disable=SC2086  # events are words
"$grouped" -b 'sh take.sh' -b true -b 'sh give.sh' -b true CPU_CYCLES $others INST_RETIRED EXC_TAKEN >lost.txt
grep -v ' 0 valid' lost.txt
check "a counter is lost in mid-run: the reading is invalid, and 0" [ "$(grep -c '^INST_RETIRED 0 invalid' lost.txt)" -eq 1 ]
check "the next one is refused" [ "$(grep -c '^start: .*cannot be counted' lost.txt)" -eq 1 ]
check "it is back: two more count" [ "$(grep -c '^INST_RETIRED [1-9][0-9]* valid' lost.txt)" -eq 3 ]
sed -n 's/^INST_RETIRED \([1-9][0-9]*\).... valid/\1/p' lost.txt | sort -u >thousands
check "as the first one did" [ "$(grep -c . thousands)" -eq 1 ]

# Rights.
sysctl -q -w kernel.perf_event_paranoid=3
su user -c "PATH=$PATH HOME=/tmp rollcall doctor" >doctor.txt
grep -A 2 -E 'rights|pmu|perf_event ' doctor.txt
check "doctor names perf_event_paranoid 3" grep -q 'paranoid.* 3\|paranoid=3' doctor.txt
check "and does not say that counters count" ends 1 grep -q 'ok *pmu' doctor.txt
sysctl -q -w kernel.perf_event_paranoid=0

finish

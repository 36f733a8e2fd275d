# Counters that wrap, that interrupt, and that others take in the middle of a campaign.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"
grouped=$build/tests/grouped

# value TURNS COMMAND...: the instructions of a loop with as many turns.
value() {
    turns=$1
    shift
    "$@" "$grouped" -n "$turns" INST_RETIRED | sed -n 's/^INST_RETIRED \([0-9]*\) valid$/\1/p'
}

# Counters have 32 bits: the kernel adds what has overflowed.
short=$(value 100000)
turn=$((($(value 200000) - short) / 100000))
turns=$((4500000000 / turn))
long=$(value $turns)
expected=$((short + turn * (turns - 100000)))
echo "  a turn is $turn instructions; $turns turns: $long counted, $expected expected"
check "a counter wraps at 4294967296, and the count is exact" [ "$long" -eq "$expected" ]

# perf samples by a hardware event: its counter interrupts, the other counts as before.
# The emulator looks for overflows when the clock ticks, each 4 million instructions.
plain=$(value 1000000)
sampled=$(value 1000000 perf record -q -e r08:u -c 1000000 -o perf.data)
samples=$(perf script -i perf.data -F event 2>/dev/null | grep -c .)
echo "  $samples interrupts; $plain counted without them, $sampled with them"
check "a counter that overflows interrupts" [ "$samples" -ge $((plain / 8000000)) ]
check "and the other one counts exactly" [ "$plain" -eq "$sampled" ]

# A campaign has begun with groups of seven; then perf takes one counter of six.
# Without what is left over of a reading, that of starting and stopping.
events_of() {
    rollcall export "$1" --format csv --table events | cut -d, -f1-10
}
campaign="--source papi --suite flops,branch,icache --repeat 2:2 \
    --events INST_RETIRED --events CPU_CYCLES --events L1D_CACHE --events BR_RETIRED \
    --events SW_INCR --events EXC_TAKEN --events EXC_RETURN"
# shellcheck disable=SC2086  # options are words
rollcall run $campaign -o whole >whole.txt 2>&1
cat >begin.sh <<END
echo \$\$ >pid
exec rollcall run $campaign -o taken
END
(sh begin.sh >taken.txt 2>&1; echo $? >taken.status) &
until grep -q ' units (' taken/log.txt 2>/dev/null || [ -e taken.status ]; do sleep 0.02; done
kill -STOP "$(cat pid)"
cat >rest.sh <<'END'
kill -CONT "$(cat pid)"
until [ -e taken.status ]; do sleep 0.1; done
END
perf stat -a -e r03:D -o perf.txt sh rest.sh
grep r03 perf.txt
tail -n 12 taken.txt
rollcall status taken >status.txt
cat status.txt
events_of whole >whole.csv
events_of taken >taken.csv
check "groups that lost a counter are measured event by event" [ "$(cat taken.status)" -eq 0 ]
check "which gives what the groups would have given" cmp whole.csv taken.csv
finish

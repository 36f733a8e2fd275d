#!/usr/bin/env bash
# The source 'time': what is listed and said of its costs, and a campaign of its readings.
# shellcheck disable=SC2154  # campaign_lib.sh sets python
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py

run 2 "$rollcall" events --source time:x
says "rollcall events: source 'time' takes no argument, found 'time:x'"
run 2 "$rollcall" events --source tme
said "time"

run 0 "$rollcall" events --source time --format csv
for event in wall begin end thread; do
    grep -Eq "^[^,]*,time::$event,time,core,ok," <<<"$out" || fail "events: no time::$event in $out"
done
run 0 "$rollcall" events --source time
grep -Eq '^time: an empty reading is [0-9]+ ns of time::wall' <<<"$out" || fail "no costs in: $out"
run 0 "$rollcall" events --source auto
lacks time::wall

# One campaign; its readings agree with each other.
run 0 "$rollcall" run -o c --source time --suite flops,cycles --repeat 2:3
has 'metrics defined'
said 'an empty reading is'
"$python" - c/campaign.h5 <<'END' || fail "readings of time"
import sys
import h5py
with h5py.File(sys.argv[1]) as file:
    kind = next(iter(file["kinds"].values()))
    names = [name.decode() for name in kind["events/event"][:]]
    for suite in kind["suites"].values():
        values = suite["values"][:]
        wall, begin, end, thread = (values[names.index("time::" + name)]
                                    for name in ("wall", "begin", "end", "thread"))
        assert wall.size and (wall > 0).all()
        assert (end - begin == wall).all()
        assert (thread > 0).all()
END

# Absolute times are not counts: whatever takes counts leaves them alone.
run 0 "$rollcall" solve c
lacks "'time::begin'"
lacks "'time::end'"
for event in begin end; do
    run 0 "$rollcall" show c time::$event
    has '(a state, not a'
    lacks 'looks like'
done
run 0 "$rollcall" noise c --format csv --verdict exact,differs,repetition,core,node,unresolved
has time::wall
lacks time::begin
run 0 "$rollcall" noise c --format csv --verdict exact,differs,repetition,core,node,unresolved --events 'time::begin'
has time::begin
run 0 "$rollcall" show c time::wall
has 'wall time between start and stop (ns)'
run 0 "$rollcall" show c time::begin
has 'CLOCK_MONOTONIC at the start (ns), a state'
run 0 "$rollcall" noise c
run 0 "$rollcall" status c
has complete
run 0 "$rollcall" report c
[ -s c/report.html ] || fail 'no report'
run 0 "$rollcall" report --text c
has 'source time: real'
for format in csv json; do
    run 0 "$rollcall" export c --format $format
done

# Again: nothing is left to do.
run 0 "$rollcall" run -o c
said '0 of 0 units'
# Points of 'blas' take less than a us each: they are repeated until they last; costs are measured at each open, and vary.
run 0 "$rollcall" run -o short --source time --suite blas --repeat 2:2 --no-solve
said 'points have more iterations than usual under source time, so that readings last '
"$python" - short/campaign.h5 "$err" <<'END' || fail "short readings"
import re
import sys
import h5py
cost = int(re.search(r'(\d+) ns of time::thread', sys.argv[2])[1])
with h5py.File(sys.argv[1]) as file:
    kind = next(iter(file["kinds"].values()))
    names = [name.decode() for name in kind["events/event"][:]]
    wall = kind["suites/blas/values"][names.index("time::wall")]
    assert wall.min() > 20 * cost, (wall.min(), cost)
END
run 0 "$rollcall" run -o short --no-solve
said '0 of 0 units'

rm -rf c short
finish

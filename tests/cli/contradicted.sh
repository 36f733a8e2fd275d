#!/usr/bin/env bash
# A metric that breaks a tree of metrics or a law (hits more than accesses, parts more than
# the whole, fewer than none) is not defined but contradicted, with the tree or law and a
# point, and not exported.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py
export OPENBLAS_NUM_THREADS=1 COLUMNS=4000

# verdict_of DIR METRIC: its verdict, a bar, its reason.
verdict_of() {
    run 0 "$rollcall" export "$1" --format csv --table metrics
    verdict=$(echo "$out" | "$python" -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["metric"] == sys.argv[1]:
        print(row["verdict"] + "|" + row["reason"])
        break' "$2")
}
is() {
    verdict_of "$1" "$2"
    # shellcheck disable=SC2053  # a pattern
    [[ $verdict == $3 ]] || fail "$2 in $1: $verdict, expected $3"
}

cat >machine.yaml <<'YAML'
name: contradicted
topology: core:1 pu:1
banks:
- {name: core, counters: 4}
events:
- {name: HITS, counts: L1IH}
- {name: READS, counts: L1IH + L1IM}
- {name: HALF, counts: 0.5 L1IH + 0.5 L1IM}
- {name: CONDITIONAL, counts: CR}
YAML
run 0 "$rollcall" run -o true --source model:./machine.yaml --suite icache,branch --no-solve --repeat 2:2
run 0 "$rollcall" solve true
is true 'L1I reads' 'defined|*'
is true 'L1I hits' 'defined|*'

# A name of a whole with half of the hits: one event times 0.5 is believed less than one event.
printf 'suite: icache\nmetrics:\n- {metric: l1i READS, signature: 0.5 L1IH}\n' >half.yaml
sed '/name: READS/d; /name: HALF/d' machine.yaml >hits.yaml
run 0 "$rollcall" run -o half --source model:./hits.yaml --suite icache,branch --no-solve --repeat 2:2
run 0 "$rollcall" solve half --definitions half.yaml
has "contradicted: in tree 'code' INST_ACCESS is less than its parts on "
is half 'l1i READS' "contradicted|in tree 'code' INST_ACCESS is less than its parts on * points, such as * of *: *, its parts *"
is half 'L1I hits' 'defined|*'
is half 'L1I miss rate' 'not on this machine|*'
why="in tree 'code' INST_ACCESS is less than its parts on "
run 0 "$rollcall" export half --format papi --verbose
said "icache: l1i READS: contradicted: $why"
has "left out: icache: l1i READS: contradicted: $why"
lacks L1I_READS
for format in likwid perf; do # which know no such processor, either
    run 3 "$rollcall" export half --format $format --verbose
    said "icache: l1i READS: contradicted: $why"
done
run 0 "$rollcall" export half --format json
has '"verdict": "contradicted"'
run 0 "$rollcall" show half 'l1i READS'
has "'l1i READS' is contradicted on "
has "$why"
run 0 "$rollcall" show half 'l1i READS' --format json
has '"verdict": "contradicted"'
lacks '"lines"'
run 0 "$rollcall" report half
grep -q "\"contradicted\",\"reason\":\"$why" half/report.html || fail 'the page has no word of it'
run 0 "$rollcall" hierarchy half
lacks 'counted twice'

# A part of twice as much is believed less than the whole.
printf 'suite: icache\nmetrics:\n- {metric: l1i HITS, signature: 2 L1IH + 2 L1IM}\n' >twice.yaml
sed '/name: HITS/d; /name: HALF/d' machine.yaml >reads.yaml
run 0 "$rollcall" run -o twice --source model:./reads.yaml --suite icache,branch --no-solve --repeat 2:2
run 0 "$rollcall" solve twice --definitions twice.yaml
is twice 'L1I reads' 'defined|*'
is twice 'l1i HITS' "contradicted|in tree 'code' INST_ACCESS is less than its parts, INST_HIT_L1 among them, on * points, such as *"

# Both are one event times a number: nobody can say which is wrong.
sed 's/counts: L1IH}/counts: 4 L1IH}/' hits.yaml >both.yaml
run 0 "$rollcall" run -o both --source model:./both.yaml --suite icache,branch --no-solve --repeat 2:2
run 0 "$rollcall" solve both --definitions half.yaml
is both 'l1i READS' "contradicted|*; it is wrong, or 'L1I hits'"
is both 'L1I hits' "contradicted|*; it is wrong, or 'l1i READS'"
run 1 "$rollcall" count -m 'L1I hits' both -- true
said "metric 'L1I hits' is contradicted in 'both': in tree 'code' INST_ACCESS is less than its parts"


# A whole that counts next to nothing where its parts count much is believed less than both.
printf 'suite: icache\nmetrics:\n- {metric: l1i READS, signature: 0.0001 L1IH}\n' >blind.yaml
run 0 "$rollcall" solve both --definitions blind.yaml
is both 'l1i READS' "contradicted|in tree 'code' INST_ACCESS is less than its parts on *"
is both 'L1I hits' 'defined|*'

# Laws, where no tree says so: L2 hits more loads than missed in L1.
cat >loads.yaml <<'YAML'
name: loads
topology: l2:1 core:1 pu:1
banks:
- {name: core, counters: 4}
events:
- {name: L1_MISSES, counts: L1DM}
- {name: L2_HITS, counts: L2DH}
YAML
# solve_as DIR SIGNATURE METRIC: where the metric is a name for another sum.
solve_as() {
    printf 'suite: dcache\nmetrics:\n- {metric: %s, signature: %s}\n' "$3" "$2" >as.yaml
    run 0 "$rollcall" solve "$1" --definitions as.yaml
}
run 0 "$rollcall" run -o loads --source model:./loads.yaml --suite dcache --no-solve --repeat 2:2
run 0 "$rollcall" solve loads
lacks contradicted
is loads 'L2 misses' 'defined|*'
sed '/L2_HITS/d' loads.yaml >misses.yaml
run 0 "$rollcall" run -o misses --source model:./misses.yaml --suite dcache --no-solve --repeat 2:2
solve_as misses '1.5 L1DM' 'L2 hits'
has "contradicted: law 'L2 hits + L2 misses <= L1 misses (a load that missed in L1 hits in L2 or misses there)' does not hold on "
is misses 'L2 hits' "contradicted|law 'L2 hits + L2 misses <= L1 misses (*)' does not hold on * points, such as * of dcache: *"
is misses 'L1 misses' 'defined|*'
run 0 "$rollcall" export misses --format papi --verbose
said "dcache: L2 hits: contradicted: law 'L2 hits + L2 misses <= L1 misses ("
run 0 "$rollcall" show misses 'L2 hits'
has "law 'L2 hits + L2 misses <= L1 misses ("
run 0 "$rollcall" export misses --format json
has "law 'L2 hits + L2 misses <= L1 misses ("
run 0 "$rollcall" report misses
grep -q "\"contradicted\",\"reason\":\"law 'L2 hits + L2 misses " misses/report.html || fail 'the page has no word of the law'

# A rate above 1 is one of a part that is more than its whole.
solve_as misses '1.5 L1DM' 'L2 misses'
is misses 'L2 misses' "contradicted|law 'L2 hits + L2 misses <= L1 misses (*"
is misses 'L2 miss rate' "contradicted|needs 'L2 misses', which is not defined"

# Fewer than none.
solve_as loads 'L1DM - 2 L2DH' 'L2 misses'
is loads 'L2 misses' "contradicted|law '0 <= L2 misses (a count is never below 0)' does not hold on * points, such as * of dcache: 0 and -*"
is loads 'L2 hits' 'defined|*'

rm -r ./*
finish

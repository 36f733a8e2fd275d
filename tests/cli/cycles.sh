#!/usr/bin/env bash
# Cycles by reference: an event that counts a cycle for each addition that waits for
# another is taken, and one that only looks like it is not; IPC and CPI follow.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"

# machine NAME LINES...: a machine with these events and instructions.
machine() {
    local name=$1
    shift
    printf '%s\n' "name: $name" 'topology: core:1 pu:1' 'clock: 2000' 'banks:' '- {name: core, counters: 6}' \
        'events:' '- {name: INS, counts: INS}' "$@" >"$name.yaml"
}

solved() { # NAME: what was solved in one line
    run 0 "$rollcall" run -q -o "$1" --source "model:./$1.yaml" --suite cycles,blas --repeat 5:5
    run 0 "$rollcall" solve "$1"
    out=$(tr -s ' \n' ' ' <<<"$out")
}

# A clock, a reference clock, work that stops while the core waits, and one that is off
# by 3 % on one point only.
machine all '- {name: CYC, counts: CYC, noise: relative 4e-3}' '- {name: REF, counts: 0.8 CYC}' \
    '- {name: BUSY, counts: CHAIN + INT_MUL}' '- {name: OFF, counts: CYC + 0.025 INT_ADD}'
solved all
has 'suite cycles: 0 of 3 metrics defined, 3 by reference'
has '1 x CYC by reference: 1 for each addition that waits for another, within 0.02 on each point; the core ran at '
has 'GHz'
lacks 'cannot be told apart'
run 0 "$rollcall" show all cycles
has "'cycles' can be counted, by reference, on"
run 0 "$rollcall" show all REF
has "REF counts 'cycles' (CHAIN), 0.8 each in suite cycles (not 1 for each"
run 0 "$rollcall" show all BUSY
out=$(tr -s ' \n' ' ' <<<"$out")
has 'does not go on while the core waits'
run 0 "$rollcall" show all IPC
out=$(tr -s ' \n' ' ' <<<"$out")
has 'it is computed from 2 other metrics'
run 0 "$rollcall" export all --format csv
has ',cycles,IPC,by reference,'
run 0 "$rollcall" export all --format json
has '"verdict": "by reference"'
run 3 "$rollcall" export all --format likwid --suite blas
said "an event is of a processor that is not in the lists of names, see --pmu"
run 0 "$rollcall" export all --format papi
has 'EVENT,RC_CYCLES,NOT_DERIVED,CYC,'
run 0 "$rollcall" report all --text
has 'by reference'
run 0 "$rollcall" export all --format csv --table metrics
one=$out
run 0 mpirun -n 3 "$rollcall" solve -q all
run 0 "$rollcall" export all --format csv --table metrics
[ "$out" = "$one" ] || fail "three ranks find something else: $out"

# LIKWID's groups have the maker's CPI.
machine zen3 '- {name: CYCLES_NOT_IN_HALT, counts: CYC, noise: relative 4e-3}'
sed -i 's/name: INS,/name: RETIRED_INSTRUCTIONS,/' zen3.yaml
solved zen3
run 0 "$rollcall" export zen3 --format likwid --suite blas
has 'PMC1 CPU_CLOCKS_UNHALTED'
has 'CPI PMC1/PMC2'

# Without the clock: why, and what the nearest one counts.
machine none '- {name: REF, counts: 0.8 CYC}' '- {name: BUSY, counts: CHAIN + INT_MUL}'
solved none
has "not on this machine: no event counts 1 for each addition that waits for another"
has "'REF' goes at another rate, 1.6 to 1.6 GHz: time, or a reference clock"
has "needs 'cycles', which is not defined"
run 3 "$rollcall" export none --format papi --suite cycles

# A file that says what cannot be.
printf 'suite: cycles\nreference: perhaps\n' >bad.yaml
run 2 "$rollcall" solve all --definitions bad.yaml
said "bad.yaml:2: reference: 'perhaps', expected"
printf '%s\n' 'name: bad' 'clock: 0' 'banks:' '- {name: core, counters: 1}' 'events:' '- {name: A}' >bad.yaml
run 2 "$rollcall" events --source model:./bad.yaml
said "bad.yaml:2: 'clock': found '0', expected"
rm -r all zen3 none ./*.yaml
finish

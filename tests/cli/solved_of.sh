#!/usr/bin/env bash
# metrics.h5 that is not of the campaign.h5 beside it, or not of the definitions of now: who
# reads it says so; and what a solve of some suites keeps of the others.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py

# err_has TEXT, err_lacks TEXT: in what the last command said.
err_has() { case $err in *"$1"*) ;; *) fail "expected '$1' in: $err" ;; esac; }
err_lacks() { case $err in *"$1"*) fail "found '$1' in: $err" ;; esac; }

# readers_say TEXT: all that read metrics.h5; '' is nothing.
readers_say() {
    for reader in 'export c --format csv' 'compare c c' 'report c --text' 'report c'; do
        # shellcheck disable=SC2086  # a command line
        run 0 "$rollcall" $reader
        [ -n "$1" ] || err_lacks 'metrics.h5 is'
        [ -z "$1" ] || err_has "$1"
        [ -z "$1" ] || [ "$(echo "$err" | sort -u | grep -c "$1")" = 1 ] || fail "not one line: $err"
        [ "$reader" != 'report c --text' ] || [ -z "$1" ] || {
            out=$(echo "$out" | tr -s ' \n' ' ')
            has "${1#?}"
        }
    done
    [ -z "$1" ] || grep -q "${1#?}" c/report.html || fail "the page does not say: $1"
    run 0 "$rollcall" status c
    has "c/metrics.h5: ${1:-solved from campaign.h5 as it is}"
}

suites() { # prints those that metrics.h5 holds
    run 0 "$rollcall" export c --format csv
    out=$(echo "$out" | tail -n +2 | cut -d, -f2 | sort -u | tr '\n' ' ')
}

# attribute FILE NAME [VALUE]: takes it out, or changes it
attribute() {
    "$python" - "$@" <<'EOF'
import sys, h5py
path, name, *value = sys.argv[1:]
with h5py.File(path, "r+") as file:
    if value:
        file.attrs[name] = value[0]
    else:
        del file.attrs[name]
EOF
    "$(dirname "$rollcall")/../tests/bench_damage" seal "$1"
}

run 0 "$rollcall" run -o c --source model:spr --suite branch,flops --repeat 2:2
readers_say ''
run 0 "$rollcall" pack c # makes the same of the same journals
readers_say ''
cp c/metrics.h5 of_two

# Other readings: a repetition more of each unit.
run 0 "$rollcall" run -o c --extend --source model:spr --suite branch,flops --repeat 3:3 --no-solve
readers_say 'metrics.h5 was made from other readings than campaign.h5 holds now'
run 0 "$rollcall" solve c
readers_say ''

# metrics.h5 of another campaign: no report can be made from both.
cp c/metrics.h5 kept
attribute c/metrics.h5 campaign_id 0123
run 0 "$rollcall" export c --format csv
err_has 'metrics.h5 belongs to another campaign than campaign.h5 beside it'
run 1 "$rollcall" report c --text
err_has 'to another campaign'
run 0 "$rollcall" status c
has 'metrics.h5 belongs to another campaign'

# Other definitions, and files of an older rollcall.
cp kept c/metrics.h5
attribute c/metrics.h5 definitions 0123456789abcdef
readers_say 'metrics.h5 was solved with other definitions'
cp kept c/metrics.h5
attribute c/metrics.h5 digest
readers_say 'it is not known whether metrics.h5 was made from the readings in campaign.h5'

# A solve of some suites keeps the others, on any number of ranks.
for ranks in 1 3; do
    run 0 mpirun -n $ranks "$rollcall" solve c
    cp c/metrics.h5 kept
    run 0 mpirun -n $ranks "$rollcall" solve c --suite flops
    lacks 'suite branch'
    suites
    [ "$out" = 'branch flops ' ] || fail "on $ranks ranks there are: $out"
    h5diff -q c/metrics.h5 kept || fail "other results on $ranks ranks"
done
# Where they have other settings, definitions or readings, all are solved and one is shown.
run 0 "$rollcall" solve c
cp c/metrics.h5 kept
run 0 "$rollcall" solve c --suite flops --plain
err_has 'all suites are solved for, those asked for are shown'
lacks 'suite branch'
suites
[ "$out" = 'branch flops ' ] || fail "of other settings there are: $out"
cp of_two c/metrics.h5
run 0 "$rollcall" solve c --suite flops
err_has 'all suites are solved for, those asked for are shown'
suites
[ "$out" = 'branch flops ' ] || fail "of other readings there are: $out"
h5diff -q c/metrics.h5 kept || fail "other results of other readings"

# Definitions that are not given again.
printf 'suite: branch\nmetrics:\n- {metric: mine, signature: T + D}\n' >own.yaml
run 0 "$rollcall" solve c --definitions own.yaml
has 'mine'
readers_say ''
run 0 "$rollcall" solve c --suite flops --definitions own.yaml
run 0 "$rollcall" export c --format csv
has ',branch,mine,'
run 0 "$rollcall" solve c
err_has "'c/metrics.h5' was made with --definitions own.yaml, which this solve was not given: dropped 'mine'; give them again to keep it"
lacks 'mine'
run 0 "$rollcall" solve c
err_lacks 'own.yaml'

rm -r c kept of_two own.yaml
finish

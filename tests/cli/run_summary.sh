#!/usr/bin/env bash
# run_summary.sh ROLLCALL - a run ends with a few lines: how many metrics are defined, which are off,
# and what comes next; 'solve' has the tables.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
export COLUMNS=80

# short: all of it fits a terminal of 24 lines with the prompt and the messages, and is no wider.
short() {
    [ "$(wc -l <<<"$out")" -le 20 ] || fail "more than 20 lines: $out"
    awk 'length > 80 { wide = 1 } END { exit wide }' <<<"$out" || fail "wider than 80: $out"
}

run 0 "$rollcall" run -o d --source model:spr --repeat 5:5
short
has ": 50 of 75 metrics defined, "
has "of its suites: flops 7 of 11, branch 9 of 10"
has "next:
  rollcall show d WORD..."
has "d/metrics.h5"
lacks " x "
run 0 "$rollcall" solve d
has "  1 x BR_INST_RETIRED:ALL_BRANCHES"

# Without the solve there is nothing to sum up.
run 0 "$rollcall" run -o none --source model:spr --suite branch --repeat 2:2 --no-solve
lacks "next:"
rm -rf d none
# A campaign may have a name, which status, report and its campaign file say.
run 2 "$rollcall" run -q -o named --name '' --source model:spr --suite branch
says "rollcall run: --name: '', expected a name of 1 to 4096 bytes"
run 0 "$rollcall" run -q -o named --name 'night shift: 1' --source model:spr --suite branch --repeat 2:2
run 0 "$rollcall" status named
has ", named night shift: 1"
run 0 "$rollcall" report named
grep -q 'night shift: 1' named/report.html || fail "the page has another name"
run 0 "$rollcall" plan -c named/campaign.yaml
rm -r named
finish

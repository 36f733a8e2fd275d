#!/usr/bin/env bash
# The commands 'pack' and 'status' as a user sees them.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

# Bad usage first.
for command in pack status; do
    run 2 "$rollcall" $command
    says "rollcall $command: expected DIR, the directory of a campaign"
    run 2 "$rollcall" $command a b
    run 1 "$rollcall" $command nowhere
    says "rollcall $command: nowhere: no campaign is here, expected a directory with journals in 'nowhere/journal'"
    [ ! -e nowhere ] || fail "$command made 'nowhere'"
    mkdir -p empty/journal
    run 1 "$rollcall" $command empty
    says "rollcall $command: empty: no campaign is here, expected journals NODE.rcj in 'empty/journal'"
    seq 1000 >empty/journal/n.rcj
    run 2 "$rollcall" $command empty
    says "rollcall $command: empty/journal/n.rcj: offset 0: not a journal, expected its header or a record"
    rm -r empty
done

run 0 ranks 2 "$rollcall" run -o c --source model:spr --suite flops,branch 'FP_ARITH*' 'BR_*'
journal=$(echo c/journal/*.rcj)
rm c/campaign.h5
run 0 "$rollcall" status c
has "10 of 10 units ok: complete"
has "model, simulated"
has "c/campaign.h5: is not there; 'rollcall pack' makes it"
has "$journal: "

run 0 "$rollcall" pack c
has "c/campaign.h5: 1 kind, 2 suites, 41 events; of 10 units 10 are ok, 0 invalid, 0 failed, 0 missing; simulated"
says ""
run 0 "$rollcall" status c
has "holds all of the journals"

# Contents count, not times of files: a copy may have any.
cp -r c copy
touch -d "1 hour ago" copy/campaign.h5
run 0 "$rollcall" status copy
has "holds all of the journals"
has ", named copy"
rm -r copy

# The same on any number of ranks.
for n in 1 2 3 5; do
    cp c/campaign.h5 alone.h5
    run 0 ranks $n "$rollcall" pack c
    if command -v h5diff >"$work/.out"; then
        run 0 h5diff alone.h5 c/campaign.h5
    fi
done

run 0 "$rollcall" status c --format csv
has "kind,suite,units,ok,invalid,failed,missing,events,places,repetitions_min,repetitions_max,mean_unit_ns"
[ "$(printf '%s\n' "$out" | wc -l)" -eq 3 ] || fail "not three lines of CSV: $out"
run 0 "$rollcall" status c --format json
printf '%s' "$out" | python3 -c '
import json, sys
s = json.load(sys.stdin)
assert s["complete"] and s["store"]["current"] and len(s["suites"]) == 2
assert sum(x["ok"] for x in s["suites"]) == 10, s
assert s["kinds"][0]["sources"][0]["simulated"] is True
assert len(s["runs"]) == 1 and s["runs"][0]["end"] and s["origins"] == []' || fail "status --format json: $out"

# Cut off: what was whole is there, the rest is missing.
cp -r c cut
touch -d '1 hour ago' cut/campaign.h5
truncate -s $(($(stat -c %s "$journal") * 19 / 20)) "cut/journal/${journal##*/}"
run 3 "$rollcall" status cut
has "a torn end"
has ": incomplete; the rest takes"
has "does not hold all of the journals"
has "did not end by itself, or is still running"
run 3 ranks 2 "$rollcall" pack cut
case $err in
"rollcall pack: cut/journal/"*" bytes are damaged, in 1 place from offset "*) ;;
*) fail "said '$err' of a torn journal" ;;
esac
has " missing; simulated"
run 3 "$rollcall" pack cut
run 3 "$rollcall" status cut --format json

# Resuming completes it, with the same readings as before.
run 0 "$rollcall" run -o cut
run 0 "$rollcall" status cut
has "10 of 10 units ok: complete"
has "run 2: "

# Another campaign's journal beside it.
run 0 "$rollcall" run -o other --source model:spr --suite branch 'BR_*'
cp "other/journal/${journal##*/}" c/journal/zz.rcj
before=$(cksum <c/campaign.h5)
for command in pack status; do
    run 1 "$rollcall" $command c
    case $err in
    *"belong to different campaigns, expected one campaign in a directory") ;;
    *) fail "$command said '$err' of two campaigns" ;;
    esac
done
[ "$before" = "$(cksum <c/campaign.h5)" ] || fail "campaign.h5 was changed"

rm -rf c cut other alone.h5
finish

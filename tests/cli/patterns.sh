#!/usr/bin/env bash
# Patterns of events in all commands: what matches nothing ends with 1 and says what is
# near; letters may be small or large; a name that no event has is the beginning of some.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1

# names PATTERN...: the events that 'events' takes in, sorted.
names() {
    run 0 "$rollcall" events --source model:spr --format csv-raw --no-trial "$@"
    out=$(tail -n +2 <<<"$out" | cut -d, -f2 | sort)
}
names 'BR_MISP_RETIRED:COND*'
globbed=$out
[ "$(wc -l <<<"$globbed")" -ge 3 ] || fail "there are: $globbed"
names 'br_misp_retired:cond*'
[ "$out" = "$globbed" ] || fail "in small letters: $out"
names br_misp_retired:cond
[ "$out" = BR_MISP_RETIRED:COND ] || fail "an event's name took in: $out"
names br_misp_retired:con
[ "$out" = "$globbed" ] || fail "a beginning took in: $out"
names br_misp_retired:con '!BR_MISP_RETIRED:COND_N'
[ "$out" = "$(grep -v COND_N <<<"$globbed")" ] || fail "less a beginning: $out"

run 0 "$rollcall" run -o d --source model:spr --suite branch --repeat 2:2 br_misp_retired:con
run 0 "$rollcall" export d --format csv-raw --table events # with the reference
[ "$(tail -n +2 <<<"$out" | cut -d, -f3 | grep -v '^INST_RETIRED:ANY$' | sort)" = "$globbed" ] ||
    fail "measured: $out"
run 0 "$rollcall" run -o d # the same campaign

while IFS='|' read -r command arguments; do
    # shellcheck disable=SC2086  # a command line
    run 1 "$rollcall" $command $arguments
    said ", did you mean 'BR_MISP_RETIRED:COND'?"
    [ "$(grep -c 'did you mean' <<<"$err")" -eq 1 ] || fail "'$command' said '$err'"
done <<'TABLE'
events|--source model:spr BR_MIPS_RETIRED:COND
plan|--source model:spr BR_MIPS_RETIRED:COND
run|-o new --source model:spr BR_MIPS_RETIRED:COND
report|d --events BR_MIPS_RETIRED:COND
noise|d --events BR_MIPS_RETIRED:COND
TABLE
[ ! -e new ] || fail "a run that was refused left: $(ls -A new)"
[ ! -e d/noise.h5 ] || fail "a study of nothing was written"
rm -r d
finish

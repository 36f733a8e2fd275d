#!/usr/bin/env bash
# Wrong command lines: one line that names the word, exit status 2, nothing on
# the standard output, nothing left behind.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

bad() {
    local expected=$1
    shift
    run 2 "$rollcall" "$@"
    says "$expected"
    [ -z "$out" ] || fail "'$*' printed '$out'"
}

bad "rollcall: unknown command 'evnets', did you mean 'events'?" evnets
bad "rollcall: unknown command '', see 'rollcall help'" ''
bad "rollcall: unknown command '-x', see 'rollcall help'" -x
bad "rollcall: unknown command 'a?b', see 'rollcall help'" $'a\nb'
bad "rollcall help: unknown command 'docter', did you mean 'doctor'?" help docter
bad "rollcall help: unexpected argument 'plan', expected: rollcall help [COMMAND]" help events plan
bad "rollcall help: --format: 'pdf', expected one of: text, man, bash, names" help --format pdf
bad "rollcall --version: unexpected argument 'x', expected: rollcall --version" --version x
bad "rollcall doctor: unexpected argument 'x', expected: rollcall doctor" doctor x
bad "rollcall events: unknown option '--sauce', did you mean '--source'?" events --sauce papi
bad "rollcall events: unknown option '-z', see 'rollcall help events'" events -z
bad "rollcall events: option '--source' needs an argument: S[:ARG], see 'rollcall help events'" events --source
bad "rollcall events: option '--no-trial' takes no argument" events --no-trial=1
bad "rollcall events: --source: 'pappi', expected a source of this build, did you mean 'papi'?" events --source pappi
run 2 "$rollcall" events --source :x
said "rollcall events: --source: ':x', expected a source of this build: auto, papi, "
bad "rollcall events: --scope: 'cpu', expected core, l2, l3, numa, package, node or device" events --scope cpu
bad "rollcall events: --verdict: 'bad', expected one of: untried, ok, not-permitted, unsupported, cannot-be-scheduled, counts-nothing" events --verdict bad
bad "rollcall events: --format: 'xml', expected one of: text, csv, json, csv-raw" events --format xml
bad "rollcall events: --qualifiers: '', expected one of: none, umasks, all" events --qualifiers ''
bad "rollcall events: --presets: 'perhaps', expected yes or no" events --presets perhaps
bad "rollcall events: --seed: '-1', expected a whole number" events --seed -1
bad "rollcall events: --events: '!', expected a pattern: GLOB, !GLOB or @FILE" events '!'
bad "rollcall plan: --repeat: '0:3', expected MIN, MIN:MAX, auto or auto:MAX, whole numbers with 1 <= MIN <= MAX <= 1000000" plan --repeat 0:3
bad "rollcall plan: --suite: 'flop', expected a suite of this build, did you mean 'flops'?" plan --suite flop

# Files: what, where, what was expected.
run 1 "$rollcall" plan -c nowhere.yaml
says "rollcall plan: cannot open 'nowhere.yaml': No such file or directory"
run 2 "$rollcall" plan -c /
says "rollcall plan: '/' is a directory, expected a file"
printf 'name: x\nsuites: [nosuch]\n' >c.yaml
run 2 "$rollcall" plan -c c.yaml
said "rollcall plan: c.yaml:2: suites[0]: 'nosuch', expected a suite of this build: flops, branch, "
printf 'sorce: [papi]\n' >c.yaml
bad "rollcall plan: c.yaml:1: unknown key 'sorce', did you mean 'source'?" plan -c c.yaml
run 1 "$rollcall" plan --write nowhere/x.yaml
case $err in
"rollcall plan: cannot create 'nowhere/x.yaml': "*) ;;
*) fail "said '$err'" ;;
esac
rm c.yaml

# Under mpirun too each line comes once.
if [ "$(ranks 3 "$rollcall" evnets 2>&1 | grep -c 'unknown command')" != 1 ]; then
    fail "three ranks did not complain once"
fi
if [ "$(ranks 3 "$rollcall" plan -c nowhere.yaml 2>&1 | grep -c 'cannot open')" != 1 ]; then
    fail "three ranks did not complain once of a missing file"
fi
finish

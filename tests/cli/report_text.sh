#!/usr/bin/env bash
# The report as text: on terminals of any width, with and without colours, piped, and
# where it cannot be written.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
unset COLUMNS NO_COLOR
export TERM=xterm

run 0 "$rollcall" run -o d --source model:spr --suite flops,dcache,instructions --repeat 2:3

# refused STATUS LINE OPTION...: report ends so, and says that.
refused() {
    local status=$1 line=$2
    shift 2
    run "$status" timeout 240 "$rollcall" report "$@"
    says "rollcall report: $line"
    [ -z "$out" ] || fail "'$*' printed: $out"
}

refused 2 'expected DIR, the directory of a campaign or of a profile' --text
refused 2 '--kind is for --text: a page of HTML has all' d --kind x
refused 2 '--suite is for --text: a page of HTML has all' d --suite flops
refused 2 '--curves is not for --text, which has no curves' d --text --curves 3
refused 2 '--events is not for --text, which has no curves' d --text --events '*'
refused 2 "--suite: expected names, found 'flops,'" d --text --suite flops,
refused 1 "suite 'branch' is not there, expected one of: flops, dcache, instructions" d --text --suite flops,branch
kind=$("$rollcall" export d --format json | sed -n 's/^ *"kind": "\(.*\)",$/\1/p')
refused 1 "kind 'x?y' is not there, expected one of '$kind'" d --text --kind $'x\ny'
refused 1 "'nosuch' is not there, expected the directory of a campaign" nosuch --text
run 1 timeout 240 "$rollcall" report d --text -o nosuch/file
case $err in
"rollcall report: cannot create 'nosuch/file"*"': No such file or directory") ;;
*) fail "where there is no directory: $err" ;;
esac
[ ! -e d/report.html ] || fail "a page of HTML after nothing but text"

# not_wider COLUMNS: of what was printed, colours and ends of lines taken off.
not_wider() {
    local wide
    wide=$(printf '%s\n' "$out" | sed -e $'s/\x1b\\[[0-9;]*m//g' -e 's/\r$//' |
        awk -v most="$1" 'length > most')
    [ -z "$wide" ] || fail "wider than $1: $wide"
}

colours() {
    case $out in
    *$'\x1b'*) [ "$1" = yes ] || fail "colours: $2" ;;
    *) [ "$1" = no ] || fail "no colours: $2" ;;
    esac
}

# Piped: as wide as COLUMNS says, plain, and names stay whole.
run 0 "$rollcall" report d --text
not_wider 80
colours no piped
[[ $(tr -s ' \n' ' ' <<<"$out") == "$kind: 21 of 31 metrics defined, 8 not on this machine, 2 not known; simulated of its suites: "* ]] ||
    fail "the answer does not come first: $out"
has '
  of its suites: flops 7 of 11, dcache 10 of 10, instructions 4 of 10
'
has '
campaign d
  in d, id '
has 'suite flops: 7 of 11 metrics defined'
has 'suite dcache: 10 of 10 metrics defined'
has '[####################]'
has '
  SIMULATED: '
has 'chosen event'
run 0 env COLUMNS=120 "$rollcall" report d --text --suite dcache
not_wider 120
lacks 'suite flops'
printf '%s\n' "$out" | awk 'length > 80 { found = 1 } END { exit !found }' || fail "narrow: $out"
run 0 env COLUMNS=30 "$rollcall" report d --text --suite flops
has 'FP_ARITH_INST_RETIRED:128B_PACKED_SINGLE'
run 0 "$rollcall" report d --text -o file
[ -z "$out" ] || fail "printed beside the file: $out"
grep -q 'suite dcache: 10 of 10 metrics defined' file || fail "no report in the file"
rm file

# Where it cannot be written.
for to in '>&-' '>/dev/full'; do
    run 1 timeout 240 bash -c "\"\$0\" report d --text $to" "$rollcall"
    case $err in
    'rollcall report: cannot write the standard output: '*) ;;
    *) fail "with $to: $err" ;;
    esac
done

# terminal COLUMNS OPTION...: what a terminal of that width gets.
terminal() {
    local columns=$1
    shift
    run 0 timeout 240 script -qec "stty cols $columns && '$rollcall' report d --text $*" /dev/null
}
if command -v script >/dev/null && script -qec true /dev/null </dev/null; then
    for columns in 20 40 80 132 200; do
        terminal $columns
        not_wider $columns
        colours yes "$columns columns"
    done
    has $'\x1b[32m      defined\x1b[0m; off by'
    run 0 env COLUMNS=200 script -qec "stty cols 60 && '$rollcall' report d --text" /dev/null
    not_wider 60
    export NO_COLOR=1
    terminal 80
    colours no NO_COLOR
    export NO_COLOR=
    terminal 80
    colours yes 'an empty NO_COLOR'
    export TERM=dumb
    terminal 80
    colours no TERM=dumb
else
    echo "no 'script' here, or no terminals: nothing was shown on one" >&2
fi

rm -r d
finish

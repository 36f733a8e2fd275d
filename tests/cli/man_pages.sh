#!/usr/bin/env bash
# The man pages are whole, and manual formatters have nothing to say against them; the
# completion completes.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"

# formatted FILE: nothing in it is wrong, as far as the formatters at hand can tell.
formatted() {
    if command -v groff >/dev/null; then
        run 0 groff -man -Tutf8 -ww -z "$1"
        [ -z "$out$err" ] || fail "groff of $1: $out$err"
    fi
    if command -v mandoc >/dev/null; then
        run 0 mandoc -T lint -W warning "$1"
        [ -z "$out$err" ] || fail "mandoc of $1: $out$err"
    fi
}

sections() {
    local name=$1 section
    shift
    for section in "$@"; do
        has "
.SH $section
"
    done
    [ "$(grep -c '^\.TH ' <<<"$out")" -eq 1 ] || fail "titles of $name"
    [ -z "$(sort <<<"$out" | grep '^\.SH ' | uniq -d)" ] || fail "sections twice in $name"
}

run 0 "$rollcall" help --format man
sections rollcall NAME SYNOPSIS DESCRIPTION COMMANDS OPTIONS 'EXIT STATUS' FILES ENVIRONMENT EXAMPLES 'SEE ALSO'
whole=$out
printf '%s\n' "$out" >page
formatted page
run 0 "$rollcall" help --format names
names=$out
for name in $names; do
    case $whole in
    *"
.BR rollcall\\-$name (1)
"*) ;;
    *) fail "rollcall(1) does not list $name" ;;
    esac
    run 0 "$rollcall" help --format man "$name"
    sections "$name" NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'
    has '\-\-help'
    printf '%s\n' "$out" >page
    formatted page
done
rm page
run 0 "$rollcall" help --format man run
sections run FILES ENVIRONMENT
has 'campaign.h5'
has 'NO_COLOR'

# completes WORDS...: what the completion offers for the last of them.
"$rollcall" help --format bash >completion
run 0 bash -n completion
completes() {
    # shellcheck disable=SC2016  # for the other shell
    run 0 bash --norc -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rollcall
        printf "%s " "${COMPREPLY[@]}"' bash "$@"
}
completes rollcall so
[ "$out" = 'solve ' ] || fail "for 'so': $out"
completes rollcall report --te
[ "$out" = '--text ' ] || fail "for 'report --te': $out"
completes rollcall help ver
[ "$out" = 'verify ' ] || fail "for 'help ver': $out"
completes rollcall export --format li
[ "$out" = 'likwid ' ] || fail "for 'export --format li': $out"
completes rollcall run --suite flops,dcache-
[ "$out" = 'flops,dcache-write ' ] || fail "for 'run --suite flops,dcache-': $out"
completes rollcall run --source so
[ "$out" = 'soft ' ] || fail "for 'run --source so': $out"
completes rollcall plan -s mo
[ "$out" = 'model ' ] || fail "for 'plan -s mo': $out"
run 0 "$rollcall" run -q --source model:spr --suite branch --no-solve -o d 'BR_MISP*'
completes "$rollcall" export d --kind model
[[ $out == 'model-spr-112c-'* ]] || fail "for 'export d --kind model': $out"
rm -r d
completes rollcall report comp
[ "$out" = 'completion ' ] || fail "for a file: $out"
rm completion
finish

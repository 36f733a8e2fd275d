#!/usr/bin/env bash
# concurrent.sh ROLLCALL [SECONDS] [SEED] - two and three commands at once in one
# directory, again and again for that long (60), some of them stopped or killed: who
# ends well has left whole files that are right, who is refused says why, nobody waits
# for ever, and nothing is left behind.  All readings are simulated.
# shellcheck disable=SC2154
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
rollcall=$(realpath "${1:?the program, such as build/bin/rollcall}")
seconds=${2:-60}
RANDOM=${3:-1}
work=$(mktemp -d "${TMPDIR:-/tmp}/rollcall-concurrent-XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/lib/campaign_lib.sh
. "$(dirname "$(realpath "$0")")/../lib/campaign_lib.sh"
cd "$work" || exit 1
failed=0 refused=0 waited=0

fail() {
    printf 'FAILED: round %s (%s): %s\n' "${round:-0}" "${mix[*]:-}" "$*" >&2
    failed=$((failed + 1))
}

"$rollcall" run -o d --source model:spr --suite "flops,branch" --repeat 2:2 >/dev/null 2>&1 ||
    { echo "no campaign to begin with" >&2; exit 1; }
cp -r d whole

declare -A command=(
    [solve]="solve d" [report]="report d" [run]="run -o d" [pack]="pack d"
    [export]="export d --format csv -o d/x.csv" [read]="report d -o r.html"
    [team]="solve d"
)
two=(solve report run)
more=(solve report run pack export read team)

# Begins command number $1 of the mix.
begin() {
    local launcher=()
    [ "${mix[$1]}" != team ] || launcher=(mpirun --oversubscribe --bind-to none -n 2)
    # shellcheck disable=SC2086  # words of a command
    env --default-signal=INT,TERM "${launcher[@]}" "$rollcall" ${command[${mix[$1]}]} \
        </dev/null >"out$1" 2>"err$1" &
    pids[$1]=$!
}

is_over() {
    ! kill -0 "$1" 2>/dev/null
}

# Whether command number $1 is no longer this script's fork, whose death would run the trap.
has_begun() {
    is_over "${pids[$1]}" || [ "$(readlink "/proc/${pids[$1]}/exe")" != "$(readlink /proc/$$/exe)" ]
}

# Ends command number $1: how, is to be right.
finish_one() {
    local ended=0
    await 300 is_over "${pids[$1]}" || { fail "${mix[$1]} hangs"; kill -KILL "${pids[$1]}"; }
    wait "${pids[$1]}" 2>/dev/null || ended=$?
    ! grep -q "waiting for another rollcall that is writing in 'd'" "err$1" || waited=$((waited + 1))
    if [ "$1" = "$victim" ] || [ $ended -eq 0 ]; then
        return
    fi
    case "${mix[$1]} $ended $(tail -n 1 "err$1")" in
    "run 1 rollcall run: another rollcall is working in 'd'"* | "pack 1 rollcall pack: another rollcall is working in 'd'"*)
        refused=$((refused + 1))
        ;;
    *) fail "${mix[$1]} ended with $ended: $(cat "err$1")" ;;
    esac
}

# In metrics.h5 the number of ranks decides where in the file something is, which
# references hold, and the last bits.
values_differ() {
    h5diff -c -d 1e-9 whole/metrics.h5 d/metrics.h5 >differs 2>&1
    [ $? -le 1 ] || echo "h5diff fails"
    sed -e '/^attribute: <REFERENCE_LIST /,/differences found$/d' -e '/^Not comparable: .* empty dataset$/d' differs
}

# check WHEN: the files are those of a campaign that nobody disturbed.
check() {
    local differs
    differs=$(same whole d) || fail "$1: campaign.h5: $differs"
    differs=$(values_differ)
    [ -z "$differs" ] || fail "$1: metrics.h5: $(head -n 5 <<<"$differs")"
}

round=0 end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
    round=$((round + 1)) mix=() pids=() victim=-1
    count=$((2 + RANDOM % 2))
    for ((i = 0; i < count; i++)); do
        if [ $((round % 2)) -eq 0 ]; then
            mix[i]=${two[RANDOM % ${#two[@]}]}
        else
            mix[i]=${more[RANDOM % ${#more[@]}]}
        fi
    done
    # As after a campaign that was only measured.
    case " ${mix[*]} " in
    *" export "*) ;;
    *) [ $((RANDOM % 2)) -eq 0 ] || rm -f d/metrics.h5 ;;
    esac
    for ((i = 0; i < count; i++)); do begin $i; done
    if [ $((round % 3)) -eq 0 ]; then
        victim=$((RANDOM % count))
        signals=(INT TERM KILL)
        signal=${signals[RANDOM % 3]}
        await 300 has_begun $victim
        sleep 0.$((RANDOM % 9))
        kill "-$signal" "${pids[victim]}" 2>/dev/null
    fi
    for ((i = 0; i < count; i++)); do finish_one $i; done
    if [ $victim -ge 0 ]; then # the next one removes what SIGKILL left
        [ "$signal" = KILL ] || [ "${mix[victim]}" = team ] || ! compgen -G "d/*.new" ||
            fail "a file is left by who was stopped by SIG$signal"
        mix+=("run after SIG$signal to ${mix[victim]}")
        "$rollcall" run -o d >out 2>err || fail "run afterwards: $(cat err)"
    elif [ ! -e d/metrics.h5 ]; then
        case " ${mix[*]} " in
        *" solve "* | *" team "* | *" run "*) fail "there is no metrics.h5" ;;
        *) "$rollcall" solve d >out 2>err || fail "solve afterwards: $(cat err)" ;;
        esac
    fi
    check "afterwards"
    left=$(compgen -G "d/*.new"; compgen -G "d/journal/.new*"; compgen -G "d/.lock-*")
    [ -z "$left" ] || fail "left behind: $left"
    [ "$failed" -lt 5 ] || break
done
echo "$round rounds in $seconds s: $waited commands waited, $refused were refused beside a run, $failed failed"
[ "$failed" -eq 0 ]

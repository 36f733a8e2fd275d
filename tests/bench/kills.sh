#!/usr/bin/env bash
# kills.sh ROLLCALL [N] [SEED] - N campaigns (100), each killed at a random instant
# with SIGKILL (one rank, all ranks, mpirun, in turn), some twice, then gone on with
# on another number of ranks and compared with one that nobody disturbed.
# shellcheck disable=SC2154
set -u
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
rollcall=$(realpath "${1:?the program, such as build/bin/rollcall}")
count=${2:-100}
RANDOM=${3:-1}
work=$(mktemp -d "${TMPDIR:-/tmp}/rollcall-kills-XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/lib/campaign_lib.sh
. "$(dirname "$(realpath "$0")")/../lib/campaign_lib.sh"
cd "$work" || exit 1

slow_machine spr.yaml 100us || exit 1
campaign=(--source model:./spr.yaml --suite "flops,branch,dcache" --repeat 2:3)

begin() {
    start mpirun --oversubscribe --bind-to none -n "$1" "$rollcall" run -o killed "${campaign[@]}"
}

milliseconds() {
    local now=${EPOCHREALTIME/[.,]/}
    echo $((now / 1000))
}

nap() {
    sleep "$(($1 / 1000)).$(printf %03d $(($1 % 1000)))"
}

# How long a run takes, to choose instants from: on 2 and 3 ranks about as long as
# half-way between 1 and 4.
for ranks in 1 4; do
    rm -rf killed
    then=$(milliseconds)
    begin "$ranks"
    reap
    [ "$ended" -eq 0 ] || { cat .job.err >&2; exit 1; }
    took[ranks]=$(($(milliseconds) - then))
done
mv killed whole
took[2]=$(((took[1] + took[4]) / 2)) took[3]=${took[2]}
read -r _ all <<<"$(count_units whole)"
echo "$all units; a run takes ${took[1]} ms on 1 rank, ${took[4]} ms on 4"

is_storing() {
    compgen -G 'killed/campaign.h5.*.new' >/dev/null || [ -z "$(members)" ]
}

has_plan() {
    [ -e killed/journal ] || [ -z "$(members)" ]
}

# Most instants are any of the run; some are of its short parts: planning, and the
# making of campaign.h5.
wait_for_instant() {
    case $(($1 % 6)) in
    4)
        await 300 has_plan
        nap $((RANDOM % 200))
        ;;
    5)
        await 300 is_storing
        nap $((RANDOM % 60))
        ;;
    *) nap $((RANDOM * 32768 % took[$2] + RANDOM % 32)) ;;
    esac
}

strike() {
    local pids pid
    mapfile -t pids < <(members rollcall)
    if [ "$1" = mpirun ] || [ ${#pids[@]} -eq 0 ]; then
        pids=("$job")
    elif [ "$1" = "one rank" ]; then
        pids=("${pids[RANDOM % ${#pids[@]}]}")
    fi
    kill -KILL "${pids[@]}" 2>/dev/null
}

# Where the kill found it, by what is in the directory.
phase_of() {
    local got=0
    [ -e killed/journal ] && got=$(units killed 2>/dev/null | wc -l)
    if [ -e killed/campaign.h5 ]; then
        echo "with campaign.h5 in place"
    elif compgen -G 'killed/campaign.h5.*.new' >/dev/null; then
        echo "making campaign.h5"
    elif [ "$got" -eq 0 ]; then
        [ -e killed/journal ] && echo "planning" || echo "starting"
    elif [ "$got" -lt "$all" ]; then
        echo "measuring"
    else
        echo "with all units measured"
    fi
}

victims=("one rank" "all ranks" "mpirun")
declare -A phases=() struck=()
equal=0 again=0 late=0 orphans=0 left=0 kills=0 launchers=0

# Open MPI 4.1's mpirun may lock itself up (in pmix_rte_finalize) when a rank is killed
# as it starts: all ranks are gone, and it waits for ever.
launcher_is_gone() {
    ! ps -o stat=,comm= -s "$job" | awk '$2 == "mpirun" && $1 !~ /^Z/ { found = 1 } END { exit !found }'
}

# Kills one run at its instant; runs that were faster than their killer do not count.
kill_one() {
    local number=$1 ranks=$2 victim=${victims[$1 % 3]} phase
    begin "$ranks"
    wait_for_instant "$number" "$ranks"
    strike "$victim"
    if ! await 60 launcher_is_gone 2>/dev/null; then
        launchers=$((launchers + 1))
        # shellcheck disable=SC2046  # numbers
        kill -KILL $(members mpirun)
    fi
    reap 2>/dev/null || orphans=$((orphans + 1))
    if [ "$ended" -eq 0 ]; then
        late=$((late + 1))
        return 1
    fi
    kills=$((kills + 1))
    phase=$(phase_of)
    phases[$phase]=$((${phases[$phase]:-0} + 1))
    struck[$victim]=$((${struck[$victim]:-0} + 1))
}

campaign_with_kills() {
    local number=$1 ranks=$((RANDOM % 4 + 1)) records distinct differs
    until kill_one "$number" "$ranks"; do
        rm -rf killed
    done
    [ $((RANDOM % 4)) -gt 0 ] || kill_one "$RANDOM" $((RANDOM % 4 + 1))
    begin $((ranks % 4 + 1))
    reap
    if [ "$ended" -ne 0 ]; then
        echo "campaign $number: ended with $ended: $(cat .job.err)"
        return 1
    fi
    read -r records distinct <<<"$(count_units killed)"
    again=$((again + records - distinct))
    [ "$distinct" -eq "$all" ] || echo "campaign $number: $distinct of $all units"
    left=$((left + $(find killed -name '*.new*' | wc -l)))
    if ! differs=$(same whole killed); then
        echo "campaign $number: $differs"
        return 1
    fi
    equal=$((equal + 1))
}

for ((i = 0; i < count; i++)); do
    campaign_with_kills "$i"
    rm -rf killed
done

for phase in "${!phases[@]}"; do
    echo "killed while $phase: ${phases[$phase]}"
done | sed 's/while with/with/'
for victim in "${victims[@]}"; do
    echo "killed $victim: ${struck[$victim]:-0}"
done
echo "$kills kills; $late runs were over before theirs and do not count"
echo "units with a second record: $again; jobs whose processes outlived it by two minutes: $orphans; files left aside: $left"
[ "$launchers" -eq 0 ] || echo "times that mpirun itself hung and was killed: $launchers"
echo "$equal of $count complete and equal"
[ "$equal" -eq "$count" ] && [ "$again" -eq 0 ] && [ "$orphans" -eq 0 ]

#!/usr/bin/env bash
# SIGINT, SIGTERM and SIGUSR1, alone and under mpirun, to mpirun and to the ranks:
# what was measured is safe, the way to go on is said, and going on completes it.
# shellcheck disable=SC2154,SC2317  # functions that others call by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"

slow_machine spr.yaml 300us || fail "no event of the machine takes time"
campaign=("$rollcall" run -o told --source model:./spr.yaml --suite "flops,branch" --repeat 2:3)
whole=("${campaign[@]}")
whole[3]=whole
run 0 ranks 4 "${whole[@]}"
read -r _ all <<<"$(count_units whole)"

damage() {
    "$build/tests/journal_units" told/journal/*.rcj | awk '$1 == "damage" { n += $2 } END { print n + 0 }'
}

# begin COMMAND...: it stands still in mid-run then.
begin() {
    catch 3 $((all / 2)) told "$@"
}

# go_on WHAT: what is there is whole, and going on completes it.
go_on() {
    local kept
    kept=$(units told | wc -l)
    [ "$(damage)" -eq 0 ] || fail "$1: $(damage) bytes of the journal are damaged"
    [ "$kept" -lt "$all" ] || fail "$1: all was measured, nothing was stopped"
    run 0 ranks 2 "$rollcall" run -o told
    same whole told || fail "$1: another campaign.h5"
    [ "$(count_units told)" = "$all $all" ] || fail "$1: records and units $(count_units told)"
    echo "$1: ended with $ended, $kept of $all units kept, none measured twice"
    rm -r told
}

# The words that name the way on, for people and in the log.
says_how() {
    local words="resume with: rollcall run -o 'told'"
    grep -q "stopped by signal $2; .*$words" .job.err || fail "$1: says $(cat .job.err)"
    grep -q "stopped by signal $2; .*$words" told/log.txt || fail "$1: not in the log"
    [ ! -e told/campaign.h5 ] || fail "$1: has a campaign.h5"
}

for signal in INT TERM USR1; do
    begin "${campaign[@]}"
    kill "-$signal" "$job"
    release
    reap || fail "alone, SIG$signal: does not end"
    [ "$ended" -eq 3 ] || fail "alone, SIG$signal: ended with $ended, expected 3"
    says_how "alone, SIG$signal" "$(kill -l $signal)"
    go_on "alone, SIG$signal"
done

# A second signal, or mpirun's haste, ends the unit at hand: its whole repetitions are kept, it is missing, and it is
# measured again.
parts() {
    "$build/tests/journal_units" told/journal/*.rcj | grep -c '^part '
}
long=("${campaign[@]:0:${#campaign[@]}-1}" 400:400)
for way in alone mpirun; do
    if [ "$way" = alone ]; then start "${long[@]}"; else start mpirun -n 2 "${long[@]}"; fi
    await 60 grep -qs " of .* units (" told/log.txt || fail "$way: does not begin: $(cat told/log.txt)"
    sleep 2
    kill -TERM "$job"
    if [ "$way" = alone ]; then
        sleep 0.7
        kill -TERM "$job"
    fi
    reap || fail "$way: does not end"
    [ "$(parts)" -ge 1 ] || fail "$way: nothing of the unit at hand is kept: $(cat .job.err)"
    run 3 "$rollcall" status told
    run 3 "$rollcall" pack told
    [ -s told/campaign.h5 ] || fail "$way: no campaign.h5"
    rm -r told
done

# The ranks: all of them, as a batch system does, and a single one.
to_ranks() {
    begin mpirun -n 3 "${campaign[@]}"
    # shellcheck disable=SC2046  # a word for each
    kill "-$1" $(members rollcall | head -n "$2")
    release
    reap || fail "$2 ranks, SIG$1: the job does not end"
    [ "$ended" -eq 3 ] || fail "$2 ranks, SIG$1: ended with $ended, expected 3"
    says_how "$2 ranks, SIG$1" "$(kill -l "$1")"
    go_on "$2 of 3 ranks, SIG$1"
}
to_ranks TERM 3
to_ranks USR1 1

# mpirun passes SIGUSR1 on, and MPICH's all of them.  SIGINT and SIGTERM Open MPI's takes as its own
# end: it tells its ranks by SIGTERM and kills those that are there some time later.
to_mpirun() {
    begin mpirun -n 3 "${campaign[@]}"
    kill "-$1" "$job"
    release
    reap || fail "mpirun, SIG$1: the job does not end"
    [ "$ended" -ne 0 ] || fail "mpirun, SIG$1: ended with 0"
    if [ "$1" = USR1 ] || [ "$mpi" = mpich ]; then
        [ "$ended" -eq 3 ] || fail "mpirun, SIG$1: ended with $ended, expected 3"
        says_how "mpirun, SIG$1" "$(kill -l "$1")"
    elif grep -q "stopping: " .job.err; then # it may kill them before they can say anything
        grep -q "what was measured is safe, 'rollcall run -o told' resumes it; mpirun kills" .job.err ||
            fail "mpirun, SIG$1: says $(cat .job.err)"
    fi
    go_on "mpirun, SIG$1"
}
to_mpirun USR1
to_mpirun INT
rm -r whole spr.yaml .job.out .job.err
finish

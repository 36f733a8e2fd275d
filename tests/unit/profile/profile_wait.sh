#!/bin/bash
# profile_wait.sh LIBRARY PROGRAMS MPIEXEC - what is recorded of how long calls of MPI wait, in
# programs that note it themselves; what is not known is missing, and nobody waits for ever.
# PROGRAMS is the folder of profile_blocks and of the programs of apps/.
# shellcheck disable=SC2016  # each rank's own shell says who it is
# shellcheck source=tests/lib/preload_lib.sh
. "$(dirname "$0")/../../lib/preload_lib.sh" || exit 1

# job RANKS STATUS ARGUMENT...: one of these; $work/shared has what mpi_wait did, $work/out what it said.
job() {
    local ranks=$1 expected=$2 status=0
    shift 2
    rm -f "$work/shared"
    "$programs/profile_blocks" make "$work/shared" 16 1000000000
    ROLLCALL_PROFILE_SHARED=$work/shared library=$library timeout 60 "${start[@]}" "$ranks" \
        sh -c 'export ROLLCALL_PROFILE_SELF="$$ ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
               exec env LD_PRELOAD="$library" "$@"' sh "$programs/mpi_wait" "$@" >"$work/out" 2>&1 || status=$?
    [[ " $expected " = *" $status "* ]] || fail "'$*' on $ranks ranks ended with $status: $(cat "$work/out")"
    "$programs/profile_blocks" waits "$work/shared" >"$work/waits" || fail "$*: rows contradict themselves"
}

# is_true WHAT: all calls are known, and what they waited, and the part of it that is noted, is what the
# program has noted, to 2 % or 20 us a call, but for one that the system may have stopped in between: $stopped us.
stopped=${RC_TEST_STOPPED_US:-4000}
is_true() {
    grep -v ' - ' "$work/out" | while read -r rank call calls us part; do
        awk -v rank="$rank" -v call="$call" -v calls="$calls" -v us="$us" -v part="$part" -v stopped="$stopped" '
            function compare(what, noted, recorded) {
                bound = noted * 0.02 > 20 * calls ? noted * 0.02 : 20 * calls
                off = recorded > noted ? recorded - noted : noted - recorded
                if (off > bound + stopped) print "rank " rank ": " call ": " what " " noted " us, recorded " recorded
            }
            $1 == rank && $2 == call {
                if ($3 != $4) print "rank " rank ": " call ": " $4 " of " $3 " calls are known"
                compare("waited", us, $5)
                if (part != "") compare("of that behind the last access", part, $7)
                found = 1
            }
            END { if (!found) print "rank " rank ": no " call }' "$work/waits"
    done >"$work/wrong"
    [ "$(sed -n 's/^- - [0-9]* //p' "$work/waits")" = 0 ] || fail "$1: messages arrived before they were sent"
    [ ! -s "$work/wrong" ]
}

# planted WHAT RANKS ARGUMENT...: where other work stopped a rank for longer, once more, and a third time.
planted() {
    local what=$1 turn
    shift
    for turn in 1 2 3; do
        job "$1" 0 "${@:2}"
        is_true "$what" && return
        echo "$what: turn $turn: $(cat "$work/wrong")"
    done
    fail "$what: $(cat "$work/wrong")"
}

for kind in receive any irecv waitall sendrecv order send isends barrier allreduce alltoall bcast scatter reduce gather scan \
    allgather reduce_scatter scatterv gatherv exscan \
    ibarrier iallreduce ibcast ireduce iscan persistent; do
    planted "$kind, 10 ms" 2 "$kind" 10000 10
done
for kind in receive waitall sendrecv barrier bcast gather scan split ibarrier ireduce isplit persistent; do
    planted "$kind of 4 ranks, 1 ms" 4 "$kind" 1000 20
done

# One-sided: MPI_Win_start waits for the post in Open MPI, and with pt2pt MPI_Win_complete.
for kind in fence post access complete; do
    planted "$kind, 5 ms" 3 "$kind" 5000 10
done
for kind in fence2 post2 complete2; do
    OMPI_MCA_osc=pt2pt planted "$kind by messages, 5 ms" 3 "$kind" 5000 10
done

# Tables are full while windows are open: what found no room is missing, and what comes later is known.
job 3 0 overfull 0 400
for call in MPI_Win_start MPI_Win_complete MPI_Win_wait; do
    awk -v call=$call '$2 == call { n++; if ($3 != 400 || $4 == 400 || $4 < 300) exit 1 } END { exit !n }' "$work/waits" ||
        fail "overfull: $call: $(cat "$work/waits")"
done

# Others have begun it long ago, which is known before it is waited for; where ranks exchange when some have
# not begun it, that is missing, and what comes later is known.
planted 'what was begun long ago' 3 overlap 0 3
job 3 0 apart 0 3
awk '$2 == "MPI_Wait" && $4 > 0' "$work/waits" | grep -q . && fail "apart: $(cat "$work/waits")"

# Nobody is late: nobody waits long for a message that is there.
job 2 0 order 20000 5
awk '$2 == "MPI_Recv" && ($7 < $5 * 0.9 || $7 > $5)' "$work/waits" | grep -q . &&
    fail "a wrong order is not all that was waited for: $(cat "$work/waits")"

# The table is full before ranks meet: what found no room is missing, and what comes later is known.
job 2 0 many 10000 10 100000
read -r calls known < <(sed -n 's/^1 MPI_Recv \([0-9]*\) \([0-9]*\) .*/\1 \2/p' "$work/waits")
[ "${calls:-0}" = 100010 ] || fail "many: $calls receives"
if [ "${known:-0}" -lt 20010 ] || [ "$known" -gt 40000 ]; then fail "many: $known receives are known"; fi

# Odd programs end as they would alone.
job 2 0 cancel 0
job 4 0 quiet 0
job 4 0 inter 0
job 2 3 abort 0
# Hydra kills the other ranks, and may say that instead.
exits=3
[ "$mpi" = open ] || exits="3 9"
job 3 "$exits" exit 0
job 1 0 barrier 0

if [ "$failed" -gt 0 ]; then
    echo "$failed failed" >&2
    exit 1
fi

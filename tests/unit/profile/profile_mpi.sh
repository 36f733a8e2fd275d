#!/bin/bash
# profile_mpi.sh LIBRARY PROGRAMS MPIEXEC - what the preloaded library records of programs whose
# calls of MPI are known, in C and Fortran: calls and bytes are exact.
# PROGRAMS is the folder of profile_blocks and of the programs of apps/; those in Fortran are
# mpi_calls_1, _2 and _3, and are left out where there is no compiler for them.
# shellcheck source=tests/lib/preload_lib.sh
. "$(dirname "$0")/../../lib/preload_lib.sh" || exit 1

# expect WHAT EXPECTED IS
expect() {
    [ "$2" = "$3" ] || fail "$1: expected '$2', is '$3'"
}

# profile RANKS BLOCKS LONG PROGRAM ARGUMENT...: $work/shared has what it did.
profile() {
    local ranks=$1 status=0
    rm -f "$work/shared"
    "$programs/profile_blocks" make "$work/shared" "$2" "$3"
    shift 3
    # shellcheck disable=SC2016  # each rank's own shell says who it is
    ROLLCALL_PROFILE_SHARED=$work/shared library=$library start "$ranks" \
        sh -c 'export ROLLCALL_PROFILE_SELF="$$ ${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}"
               exec env LD_PRELOAD="$library" "$@"' sh "$@" >"$work/out" 2>&1 || status=$?
    [ "$status" -eq 0 ] || fail "'$*' on $ranks ranks ended with $status: $(cat "$work/out")"
    return "$status"
}

blocks() {
    "$programs/profile_blocks" "$1" "$work/shared" || fail "'$1' ended with $?"
}

# sum CALL: calls and bytes of rank 0
sum() {
    blocks sums | sed -n "s/^0 $1 //p"
}

# Each rank says what it did; tests of requests differ from run to run.
known() {
    mkdir -p "$work/known"
    profile "$1" 8 1000000000 "$programs/$2" "$work/known" || return
    cat "$work/known"/[0-9]* | sort >"$work/expected"
    blocks sums | sort >"$work/recorded"
    [ "$(wc -l <"$work/expected")" -gt 90 ] || fail "$2 did no more than: $(cat "$work/expected")"
    diff "$work/expected" "$work/recorded" >"$work/diff" ||
        fail "$2 on $1 ranks: did (<), recorded (>): $(cat "$work/diff")"
    grep -v ' MPI_Test' "$work/expected" >"$work/$2.$1"
    rm -r "$work/known"
    expect "$2: the file that its calls stand in" "$2" "$(blocks rows | cut -d ' ' -f 4 | sort -u)"
    expect "$2: its rank, ranks, and that MPI began and ended" "$(ranks_of "$1")" \
        "$(blocks threads | cut -d ' ' -f 2-5 | sort)"
}

ranks_of() {
    for i in $(seq 0 $(($1 - 1))); do echo "$i $1 1 1"; done
}

# MPICH 4.0 ends a program that calls MPI_Neighbor_alltoallw() by mpi_f08 in a Cartesian topology.
leaves_out() {
    [ "$mpi$1" != mpich3 ] || sed -i '/Neighbor_alltoallw/d' "$work/mpi_calls.3"
}

known 1 mpi_calls
known 3 mpi_calls
for how in 1 2 3; do
    if [ ! -x "$programs/mpi_calls_$how" ]; then
        echo "no compiler of Fortran for MPI: mpi_calls_$how is not tried"
        continue
    fi
    known 3 "mpi_calls_$how"
    leaves_out "$how"
    diff "$work/mpi_calls.3" "$work/mpi_calls_$how.3" >"$work/diff" ||
        fail "mpi_calls_$how: C does (<), Fortran does (>): $(cat "$work/diff")"
done

# Threads have blocks of their own.
profile 1 8 1000000000 "$programs/mpi_more" threads
expect "what threads did" "$(printf '1000 2000\n%.0s' 1 2 3 4)" \
    "$(blocks rows | grep Allreduce | cut -d ' ' -f 7,8)"

# 64 places x 20 sizes, and two more: 1023 rows, and one for what finds no room.
profile 1 2 1000000000 "$programs/mpi_more" many
expect "rows" 1024 "$(blocks rows | wc -l)"
expect "calls without a row" 259 "$(sum other | cut -d ' ' -f 1)"
expect "all bytes" $((64 * ((1 << 20) - 1))) "$(blocks rows | awk '{ sum += $8 } END { print sum }')"

# Calls in rings: none, all, as many as there is room for, and those that took long.
profile 1 1 18446744073709551615 "$programs/mpi_more" again 1000
expect "no entries" "0 0" "$(blocks threads | cut -d ' ' -f 6,7)"
expect "calls" "2000 16000" "$(sum MPI_Sendrecv)"
profile 1 1 0 "$programs/mpi_more" again 1000
expect "entries of all calls" "4004 0" "$(blocks threads | cut -d ' ' -f 6,7)"
profile 1 1 0 "$programs/mpi_more" again 20000
expect "entries beyond the ring" "32768 $((42004 - 32768))" "$(blocks threads | cut -d ' ' -f 6,7)"
profile 2 2 100000000 "$programs/mpi_more" late
entries=$(blocks threads | sed -n 's/^[01] 0 2 .* \([0-9]*\) 0$/\1/p')
if [ "${entries:-0}" -lt 2 ] || [ "$entries" -ge 100 ]; then fail "entries of long calls: '$entries'"; fi

# A call that never returned, and those after it.
profile 1 1 1000000000 "$programs/mpi_more" jump
expect "behind a jump" "10 1000" "$(sum MPI_Sendrecv)"

# Polls are counted each, though not each is timed; no message is missed by them.
profile 2 2 1000000000 "$programs/mpi_more" polls
read -r tests probes <"$work/out"
expect "polls for requests" "$tests 0" "$(sum MPI_Testany)"
expect "polls for messages" "$probes 0" "$(sum MPI_Iprobe)"
[ "$tests" -gt 10000 ] || fail "polls were $tests only"
expect "messages that were received" "30 30" "$(sum MPI_Irecv)"

# After MPI_Pcontrol(0) polls are not counted either.
profile 1 1 1000000000 "$programs/mpi_more" muted
expect "polls before MPI_Pcontrol(0)" "1000 0" "$(sum MPI_Test)"

# So they are where the program works between them, in stretches of hundreds.  A poll that gave its processor
# away would take as long as others want it.
export OMPI_MCA_mpi_yield_when_idle=0
profile 2 2 1000000000 "$programs/mpi_more" stretches
read -r tests polls <"$work/out"
expect "polls in stretches for its own messages" "$tests 0" "$(sum MPI_Test)"
expect "polls in stretches for others" "$polls 0" "$(sum MPI_Testany)"
expect "messages that were received" "4000 4000" "$(sum MPI_Irecv)"
expect "those of its own that were matched" "2000 2000" "$(blocks waits | sed -n 's/^0 MPI_Send \([0-9]* [0-9]*\) .*/\1/p')"
expect "those of the other rank that were matched" "2000 2000" "$(blocks waits | sed -n 's/^1 MPI_Send \([0-9]* [0-9]*\) .*/\1/p')"

# Two are asked for by turns, at one place: of each it is seen when it has ended.
profile 2 2 1000000000 "$programs/mpi_more" turns
expect "messages behind polls by turns that were matched" "100 100" "$(blocks waits | sed -n 's/^0 MPI_Recv \([0-9]* [0-9]*\) .*/\1/p')"
unset OMPI_MCA_mpi_yield_when_idle

# Nobody says when a receive has ended that was freed under way; after it, one is cancelled.
profile 2 2 1000000000 "$programs/mpi_more" freed
expect "messages behind receives that were freed which were matched" "100 100" "$(blocks waits | sed -n 's/^0 MPI_Recv \([0-9]* [0-9]*\) .*/\1/p')"

# MPI that is loaded for a library alone.
profile 2 2 1000000000 "$programs/mpi_dlopen" "$programs/libmpi_plugin.so"
expect "a library's calls" "10 40" "$(sum MPI_Allreduce)"
expect "where they stand" libmpi_plugin.so "$(blocks rows | sed -n 's/^0 .* MPI_Allreduce \([^ ]*\) .*/\1/p')"

# No room for a second rank's block: the program runs on.
profile 2 1 1000000000 "$programs/mpi_more" again 1000
expect "blocks" 1 "$(blocks threads | wc -l)"

# No file: it runs as without the library.
profile 1 1 1000000000 env -u ROLLCALL_PROFILE_SHARED "$programs/mpi_more" again 1000
expect "what is recorded" "" "$(blocks rows)"

if [ "$failed" -gt 0 ]; then
    echo "$failed failed" >&2
    exit 1
fi

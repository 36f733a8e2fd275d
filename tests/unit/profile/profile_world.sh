#!/bin/bash
# profile_world.sh LIBRARY PROGRAMS MPIEXEC - whether ranks find out that all of them are recorded, and compare
# clocks if so; where one is not, the program runs on as without.  PROGRAMS is the folder of
# profile_blocks and of the programs of apps/.
# shellcheck disable=SC2016  # each rank's own shell says who it is
# shellcheck source=tests/lib/preload_lib.sh
. "$(dirname "$0")/../../lib/preload_lib.sh" || exit 1
export library programs work
export ROLLCALL_PROFILE_SHARED=shared # of the folder of each node

# job NODES RANKS SHELL: so many nodes with so many ranks each; SHELL is done in the folder of
# the rank's node, with $node and $rank, and $recorded is what records a program.
job() {
    local nodes=$1 ranks=$2 n
    rm -rf "$work/dir" "$work"/n[0-9]*
    mkdir "$work/dir"
    for ((n = 0; n < nodes; n++)); do
        mkdir "$work/n$n"
        "$programs/profile_blocks" make "$work/n$n/shared" 8 1000000000 "$work/dir"
    done
    export ranks
    timeout 60 "${start[@]}" $((nodes * ranks)) sh -c '
        rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
        node=$((rank / ranks))
        cd "$work/n$node" || exit 1
        export OMPI_COMM_WORLD_LOCAL_SIZE=$ranks MPI_LOCALNRANKS=$ranks
        recorded="env ROLLCALL_PROFILE_SELF=$$ LD_PRELOAD=$library"
        eval "$1"' sh "$3" >"$work/out" 2>&1 || fail "'$3' on $nodes x $ranks ended with $?: $(cat "$work/out")"
    [ -z "$(ls -A "$work/dir")" ] || [ "${4:-}" = left ] || fail "left in DIR: $(ls -A "$work/dir")"
}

# world NODE PATTERN: what its ranks found out.
world() {
    local found
    found=$("$programs/profile_blocks" world "$work/n$1/shared")
    [[ $found =~ ^$2$ ]] || fail "node $1: expected '$2', is '$found'"
}

job 1 2 'exec $recorded "$programs/mpi_more" late'
world 0 '2 2'

# One of them is not recorded: nobody waits for it.
job 1 2 '[ $rank = 0 ] || recorded=; exec $recorded "$programs/mpi_more" late'
world 0 '3 1'
job 2 1 '[ $rank = 0 ] || recorded=; exec $recorded "$programs/mpi_more" late' left
world 0 '3 1'
world 1 '0 0'
job 2 2 '[ $rank != 3 ] || recorded=; exec $recorded "$programs/mpi_more" late' left
world 0 '3 2'
world 1 '3 1'

# Nodes compare their clocks, when MPI begins and when it ends: here they have the same.
number='-?[0-9]+'
job 2 1 'exec $recorded "$programs/mpi_more" late'
world 0 '2 1 0 0 0 0'
world 1 "2 1 $number $number $number $number"
read -r _ _ low high end_low end_high < <("$programs/profile_blocks" world "$work/n1/shared")
for bounds in "$low $high" "$end_low $end_high"; do
    read -r low high <<<"$bounds"
    if [ "$low" -gt 0 ] || [ "$high" -lt 0 ] || [ $((high - low)) -gt 10000000 ]; then
        fail "the same clock is off by $low to $high ns"
    fi
done
job 3 2 'exec $recorded "$programs/mpi_more" late'
for n in 1 2; do world $n "2 2 $number $number $number $number"; done

# nodes NODE...: calls of all ranks there by the nodes of those that they are with, each rank alike: CALL NODES CALLS
nodes() {
    local n
    for n; do "$programs/profile_blocks" nodes "$work/n$n/shared"; done |
        awk '$2 ~ /Send|Recv|_Is|_Ir|Allreduce|Barrier|Start|Wait/ { sum[$1 " " $2 " " $3] += $4 }
             END { for (k in sum) { split(k, part, " "); print part[2], part[3], sum[k] } }' | sort | uniq -c |
        awk '{ print $2, $3, $4 ($1 == 4 ? "" : " of " $1 " ranks") }'
}

# 1: the same node, 2: another, 3: several, 0: not known.
job 2 2 'exec $recorded "$programs/mpi_more" nodes'
cat >"$work/expected" <<'END'
MPI_Allreduce 1 2
MPI_Allreduce 3 2
MPI_Barrier 0 1
MPI_Barrier 3 1
MPI_Irecv 0 1
MPI_Isend 2 1
MPI_Recv 2 1
MPI_Recv_init 1 1
MPI_Recv_init 2 1
MPI_Send 0 1
MPI_Send 1 1
MPI_Send_init 1 1
MPI_Send_init 2 1
MPI_Sendrecv 1 6
MPI_Sendrecv 2 4
MPI_Sendrecv 3 1
MPI_Startall 1 1
MPI_Startall 3 1
MPI_Wait 0 2
MPI_Waitall 0 2
END
nodes 0 1 >"$work/found"
diff "$work/expected" "$work/found" >"$work/diff" || fail "two nodes: expected (<), found (>): $(cat "$work/diff")"
job 1 4 'exec $recorded "$programs/mpi_more" nodes'
awk '{ sum[$1 " " ($2 ? 1 : 0)] += $3 } END { for (k in sum) print k, sum[k] }' "$work/expected" | sort >"$work/one"
nodes 0 >"$work/found"
diff "$work/one" "$work/found" >"$work/diff" || fail "one node: expected (<), found (>): $(cat "$work/diff")"
job 1 1 'exec $recorded "$programs/mpi_more" again 3'
[ "$("$programs/profile_blocks" nodes "$work/n0/shared" | grep -c 'Sendrecv 1 ')" -ge 1 ] ||
    fail "one rank: $("$programs/profile_blocks" nodes "$work/n0/shared")"
job 2 2 '[ $rank != 3 ] || recorded=; exec $recorded "$programs/mpi_more" nodes' left
[ -z "$(nodes 0 1 | awk '$2 != 0')" ] || fail "nodes are known of ranks that are not together: $(nodes 0 1)"

# C and Fortran, of all calls.
job 2 2 'mkdir -p "$work/known"; exec $recorded "$programs/mpi_calls" "$work/known"'
nodes 0 1 >"$work/expected"
[ "$(wc -l <"$work/expected")" -gt 20 ] || fail "mpi_calls did no more than $(cat "$work/expected")"
for how in 1 2 3; do
    [ -x "$programs/mpi_calls_$how" ] || continue
    export how
    job 2 2 'exec $recorded "$programs/mpi_calls_$how" "$work/known"'
    nodes 0 1 >"$work/found"
    diff <(grep -v MPI_Test "$work/expected") <(grep -v MPI_Test "$work/found") >"$work/diff" ||
        fail "mpi_calls_$how: nodes in C (<), in Fortran (>): $(cat "$work/diff")"
done

# DIR is not the same for all nodes, or cannot be written: they are not together.
job 2 1 '[ $rank = 0 ] || recorded=; mkdir other; exec $recorded "$programs/mpi_more" late' left

# A clock that is 1234 s ahead.
if unshare -T --fork --monotonic 1234 true 2>/dev/null; then
    job 2 1 'ahead=; [ $rank = 0 ] || ahead="unshare -T --fork --monotonic 1234"
             exec $ahead $recorded "$programs/mpi_more" late'
    world 0 '2 1 0 0 0 0'
    read -r _ _ low high end_low end_high < <("$programs/profile_blocks" world "$work/n1/shared")
    for bounds in "$low $high" "$end_low $end_high"; do
        read -r low high <<<"$bounds"
        if [ "$low" -gt -1234000000000 ] || [ "$high" -lt -1234000000000 ]; then
            fail "a clock that is 1234 s ahead is off by $low to $high ns"
        fi
    done
fi

if [ "$failed" -gt 0 ]; then
    echo "$failed failed" >&2
    exit 1
fi

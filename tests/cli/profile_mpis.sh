#!/usr/bin/env bash
# profile_mpis.sh ROLLCALL - the same program of Open MPI and of MPICH, profiled by one rollcall: its calls, their
# bytes and of how many the waiting is known are equal, and so is what it ends with; what was planted to be waited
# for is found in both.
# shellcheck disable=SC2154,SC2317  # what run() prints, and what it is given
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
own=$build/tests other=$build/tests/other
if [ ! -x "$other/mpi_calls" ]; then
    echo "left out: there are no programs of the other MPI, which take mpicc.mpich (or mpicc.openmpi) when rollcall is built"
    exit 77
fi

# start FOLDER RANKS COMMAND...: by the launcher of the MPI of the programs there
start() {
    local of=openmpi
    ! ldd "$1/mpi_calls" | grep -q libmpich || of=mpich
    if [ "$of" = openmpi ]; then
        mpiexec.openmpi --oversubscribe --bind-to none -n "${@:2}"
    else
        mpiexec.mpich -n "${@:2}"
    fi
}

# calls DIR: a line for each rank and function: calls, bytes, and of how many the waiting is known; how often a
# program asks whether something has come is not equal.
calls() {
    "$rollcall" profile "$1" --format csv |
        awk -F, '$6 == "call" && $8 !~ /^MPI_Test/ {
                     calls[$3 " " $8] += $10; bytes[$3 " " $8] += $16; known[$3 " " $8] += $17 }
                 END { for (k in calls) print k, calls[k], bytes[k], known[k] }' | sort
}

# same WHAT PROGRAM: the profiles of both MPIs have the same calls of it.
same() {
    local way
    for way in own other; do
        mkdir known
        run 0 start "${!way}" 3 "$rollcall" profile -o $way.prof -- "${!way}/$2" known
        rm -r known
        run 0 "$rollcall" profile $way.prof
        out=$(tr -s ' \n' ' ' <"$work/.out") # a line may end anywhere
        has 'on 1 node, 3 ranks'
        calls $way.prof >$way.calls
        run 0 "$rollcall" status $way.prof
        has 'launches: 1'
        rm -r $way.prof
    done
    [ "$(wc -l <own.calls)" -gt 270 ] || fail "$1: no more than these calls: $(cat own.calls)"
    diff own.calls other.calls >.diff || fail "$1: the MPI of rollcall (<), the other one (>): $(cat .diff)"
    rm own.calls other.calls .diff
}

same C mpi_calls
for how in 1 2; do
    if [ -x "$own/mpi_calls_$how" ] && [ -x "$other/mpi_calls_$how" ]; then
        same "Fortran, $how" mpi_calls_$how
    fi
done

# waits WHAT KIND: the waiting that the ranks have noted themselves is in the profile of each MPI, to 2 % and 4 ms;
# where other work stops a rank in between, once more.
waits() {
    local way wrong
    for way in own other; do
        for _ in 1 2 3; do
            run 0 start "${!way}" 2 "$rollcall" profile -o prof -- "${!way}/mpi_wait" "$2" 20000 10
            grep -v ' - ' "$work/.out" >noted
            "$rollcall" profile prof --format csv >prof.csv
            rm -r prof
            wrong=$(awk -F, 'NR == FNR { split($0, f, " "); if (f[2]) noted[f[1] " " f[2]] = f[4]; next }
                             $6 == "call" { calls[$3 " " $8] += $10; known[$3 " " $8] += $17; us[$3 " " $8] += $18 / 1000 }
                             END { for (k in noted) {
                                       off = us[k] - noted[k]
                                       if (off < 0) off = -off
                                       if (!calls[k] || known[k] != calls[k] || off > noted[k] * 0.02 + 4000)
                                           print k ": " known[k] " of " calls[k] " known, waited " us[k] " us, expected " noted[k] } }' \
                noted prof.csv)
            rm noted prof.csv
            [ -n "$wrong" ] || break
        done
        [ -z "$wrong" ] || fail "$1, programs of $way: $wrong"
    done
}

waits 'late senders' receive
waits 'a barrier' barrier
waits 'a collective that does not block' iallreduce

# Inside of a shell, the program is found and its status is the script's.
for way in own other; do
    mkdir known
    # shellcheck disable=SC2016  # the script's own words
    run 7 start "${!way}" 2 "$rollcall" profile -o prof -- sh -c '"$@"; exit 7' sh "${!way}/mpi_calls" known
    [ "$(calls prof | grep -c 'MPI_Send ')" = 2 ] || fail "programs of $way, started by a shell: $(calls prof | head)"
    rm -r known prof
done

# A library of the program brings MPI with it, which nobody else sees.
for way in own other; do
    plugin=${!way}/libmpi_plugin.so
    run 0 start "${!way}" 2 "$rollcall" profile -o prof -- "$own/mpi_dlopen" "$plugin"
    [ "$(calls prof | grep -c 'MPI_Allreduce 10 40 10$')" = 2 ] || fail "a library of $way: $(calls prof)"
    rm -r prof
done

finish

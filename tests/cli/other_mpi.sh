#!/usr/bin/env bash
# other_mpi.sh ROLLCALL - a launcher of another MPI than the one that rollcall was built with: its ranks, each of which
# MPI takes for alone, write nothing and say so in one line; doctor names the MPI, and such a launcher on the PATH.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"

# one_line WHAT: 'err' has one line of rollcall's, and it says what is wrong and what to do.
one_line() {
    [ "$(grep -c '^rollcall' <<<"$err")" -eq 1 ] || fail "$1: said '$err', expected one line"
    grep -q -E "^rollcall [a-z]+: .* started [0-9]+ ranks, but each of them is alone for (Open MPI|[A-Z].*) [0-9.]+, which rollcall was built with; start it by " <<<"$err" ||
        fail "$1: said '$err'"
}

# By what Hydra and Open MPI's mpirun say to their ranks, without them.
for rank in 0 3; do
    if [ "$mpi" = openmpi ]; then
        settings=("PMI_RANK=$rank" PMI_SIZE=4 "MPI_LOCALRANKID=$rank" MPI_LOCALNRANKS=4)
    else
        settings=("OMPI_COMM_WORLD_RANK=$rank" OMPI_COMM_WORLD_SIZE=4)
    fi
    for command in "run -o d --source model:spr" "solve d" "noise -o d" "doctor"; do
        # shellcheck disable=SC2086  # a word for each
        run 2 env "${settings[@]}" "$rollcall" $command
        if [ "$rank" -eq 0 ]; then one_line "$command"; else says ""; fi
        [ -z "$out" ] || fail "$command: printed '$out'"
        [ ! -e d ] || fail "$command: wrote a directory"
    done
    # Commands without MPI work all the same.
    run 0 env "${settings[@]}" "$rollcall" --version
done
# A team of one is one.
settings=(PMI_RANK=0 PMI_SIZE=1 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1)
[ "$mpi" = openmpi ] || settings=(OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1)
run 0 env "${settings[@]}" "$rollcall" run -o d --source model:spr --suite branch --no-solve
rm -r d

# By the other's launcher itself.
other=mpirun.mpich
[ "$mpi" = openmpi ] || other=mpirun.openmpi
if command -v "$other" >.out; then
    for command in "run -o d --source model:spr" "noise -o d" "doctor"; do
        # shellcheck disable=SC2086  # a word for each
        run 2 timeout 100 "$other" -n 3 "$rollcall" $command
        one_line "$other: $command"
        [ ! -e d ] || fail "$other: $command: wrote a directory"
    done
else
    echo "not checked: $other, which is not installed"
fi

# doctor names the MPI in words; and launchers of the PATH that are another's.
run 0 "$rollcall" doctor
grep -q -E '^  ok +mpi +[A-Z][A-Za-z0-9() ]+ [0-9]+\.[0-9.]*[0-9a-z]*, alone: ' <<<"$out" || fail "no MPI by its name in: $out"
lacks "on the PATH is"
mkdir bin
if [ "$mpi" = openmpi ]; then says='HYDRA build details:' owner=MPICH; else says='mpirun (Open MPI) 4.1.4' owner='Open MPI'; fi
printf '#!/bin/sh\necho "%s"\n' "$says" >bin/mpirun
chmod +x bin/mpirun
run 0 env "PATH=$work/bin:$PATH" "$rollcall" doctor
grep -q "^! warning  mpirun  *mpirun on the PATH is $owner's, for whose ranks .* is not made" <<<"$out" || fail "no warning in: $out"
has "> start it by "
lacks "mpiexec on the PATH"
# Launchers that say nothing, or never end, are no other's.
printf '#!/bin/sh\nexit 1\n' >bin/mpirun
run 0 env "PATH=$work/bin:$PATH" "$rollcall" doctor
lacks "on the PATH is"
rm -r bin
finish

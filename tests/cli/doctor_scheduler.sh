#!/usr/bin/env bash
# doctor_scheduler.sh ROLLCALL - commands of a batch system are not a batch system: doctor asks it, for
# some seconds at most; and mpirun's word on root comes before mpirun says it.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

mkdir bin
for name in sbatch squeue scancel; do
    printf '#!/bin/sh\nexit 0\n' >bin/$name
done
PATH=$PWD/bin:$PATH
export PATH

# sinfo LINE...: what it does.
sinfo() {
    printf '#!/bin/sh\n' >bin/sinfo
    printf '%s\n' "$@" >>bin/sinfo
    chmod +x bin/*
    begun=$SECONDS
    status=0
    out=$("$rollcall" doctor 2>"$work/.err") || status=$?
    out=$(grep -A 1 ' scheduler ' <<<"$out")
}

sinfo 'echo "slurm_load_partitions: Unable to contact slurm controller" >&2' 'exit 1'
[[ $out == '! warning  scheduler      Slurm does not answer: sinfo ended with 1: slurm_load_partitions: Unable to contact slurm controller'* ]] ||
    fail "nobody answers: $out"
has "> ask who runs it; 'rollcall submit --scheduler local' runs jobs on this machine without it"
sinfo 'sleep 100'
[[ $out == '! warning  scheduler      Slurm does not answer: '* ]] || fail "no answer: $out"
[ $((SECONDS - begun)) -lt 90 ] || fail "it waited for $((SECONDS - begun)) s"
sinfo 'echo'
[[ $out == '! warning  scheduler      Slurm answers, and '* ]] || fail "nothing to run on: $out"
sinfo 'kill -SEGV $$'
[[ $out == '! warning  scheduler      Slurm does not answer: '* ]] || fail "it crashes: $out"
sinfo '[ "$*" = "-h -o %P %a %D %T" ] || exit 1' 'echo "debug* up 2 idle"'
[[ $out == "  ok       scheduler      Slurm answers: sinfo has 'debug* up 2 idle'"* ]] || fail "it answers: $out"

# As root Open MPI's mpirun starts nothing unless both variables are set.
asked() {
    out=$(env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_ALLOW_RUN_AS_ROOT_CONFIRM "$@" "$rollcall" doctor 2>"$work/.err") || true
}
asked
if [ "$(id -u)" = 0 ] && [[ $out == *'Open MPI '* ]]; then
    has "mpirun         Open MPI's mpirun starts nothing as root unless it is told to"
    has "> export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    asked OMPI_ALLOW_RUN_AS_ROOT=1
    has "starts nothing as root"
fi
asked OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
lacks "starts nothing as root"
rm -r bin
finish

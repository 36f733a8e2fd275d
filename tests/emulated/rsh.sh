#!/bin/sh
# rsh.sh MACHINE COMMAND... - runs a command on the other machine, for mpirun: with its
# output and its exit status.
job=/exchange/for.$1.$$
shift
{
    echo ". /exchange/environment"
    echo "$*"
} >"$job.new"
mv "$job.new" "$job.sh"
until [ -e "$job.status" ]; do sleep 0.2; done
cat "$job.out"
exit "$(cat "$job.status")"

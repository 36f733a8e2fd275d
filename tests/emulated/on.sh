#!/bin/sh
# on.sh HOST COMMAND... - runs a shell command on the other emulated machine, as ssh would:
# for mpirun's plm_rsh_agent.
host=$1
shift
printf '%s </dev/null\n' "$*" | nc "$host" 2200

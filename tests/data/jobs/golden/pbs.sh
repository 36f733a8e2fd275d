#!/bin/bash
#PBS -N campaign-run
#PBS -j oe
#PBS -k oed
#PBS -o jobs/run.log
#PBS -l select=2:ncpus=4:mpiprocs=4
#PBS -l place=scatter:excl
#PBS -l walltime=02:00:00
#PBS -r y
#PBS -m n
#PBS -q workq
#PBS -A proj
#PBS -W depend=afterany:17

# Written by rollcall VERSION for OpenPBS, PBS Pro, see qsub(1B). It may be read, changed and
# submitted by hand, in the campaign's directory: qsub jobs/run.sh
# Who runs this, and where.
job=${PBS_JOBID:-by-hand}
index=${PBS_ARRAY_INDEX:-${RC_INDEX:-}}
nodes=$(sort -u "${PBS_NODEFILE:-/dev/null}" | tr '\n' ' ')

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        mpirun --hostfile "$PBS_NODEFILE" -n 8 \
        "$@"
}

# again: this job is to run once more.
again() {
    if [ -n "$after" ]; then
        next=$(cd "$dir" && qsub -W depend=afterany:"$after" jobs/run.sh)
    else
        next=$(cd "$dir" && qsub jobs/run.sh)
    fi
}

trap 'stop warned' USR1
    watch_clock 7080 $$ & clock=$!

#!/bin/bash
#$ -S /bin/bash
#$ -N campaign-run
#$ -cwd
#$ -j y
#$ -o jobs/run.log
#$ -pe mpi 8
#$ -l h_rt=7200
#$ -notify
#$ -r y
#$ -m n
#$ -q workq
#$ -P proj
#$ -hold_jid 17

# Written by rollcall VERSION for Grid Engine, see qsub(1). It may be read, changed and
# submitted by hand, in the campaign's directory: qsub -terse jobs/run.sh
# Who runs this, and where.
job=${JOB_ID:-by-hand}
index=${RC_INDEX:-}
if [ "${SGE_TASK_ID:-undefined}" != undefined ]; then index=$((SGE_TASK_ID - 1)); fi
nodes=$(cut -d' ' -f1 "${PE_HOSTFILE:-/dev/null}" | tr '\n' ' ')

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        mpirun -n 8 \
        "$@"
}

# again: this job is to run once more.
again() {
    if [ -n "$after" ]; then
        next=$(cd "$dir" && qsub -terse -hold_jid "$after" jobs/run.sh)
    else
        next=$(cd "$dir" && qsub -terse jobs/run.sh) ||
            { [ "${NQUEUES:-1}" = 1 ] && leave=99; }
    fi
}

trap 'stop warned' USR1
    watch_clock 7080 $$ & clock=$!

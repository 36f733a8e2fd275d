#!/bin/bash
#BSUB -J campaign-run
#BSUB -o jobs/run.log
#BSUB -W 120
#BSUB -wa USR1
#BSUB -wt 2
#BSUB -r
#BSUB -Q 85
#BSUB -q workq
#BSUB -P proj
#BSUB -w "ended(17)"
#BSUB -n 8
#BSUB -R "span[ptile=4]"
#BSUB -x

# Written by rollcall VERSION for LSF, see bsub(1). It may be read, changed and
# submitted by hand, in the campaign's directory: bsub <jobs/run.sh
# Who runs this, and where.
job=${LSB_JOBID:-by-hand}
index=${RC_INDEX:-}
if [ "${LSB_JOBINDEX:-0}" -gt 0 ]; then
    job="${job}[$LSB_JOBINDEX]"
    index=$((LSB_JOBINDEX - 1))
fi
nodes=${LSB_MCPU_HOSTS:-}

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        mpirun -n 8 \
        "$@"
}

# again: this job is to run once more.
again() {
    if [ -n "$after" ]; then
        next=$(cd "$dir" && bsub -w 'ended('"$after"')' <jobs/run.sh) &&
            next=${next#*<} && next=${next%%>*}
    else
        leave=85
    fi
}

trap 'stop warned' USR1 USR2

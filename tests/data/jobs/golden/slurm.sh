#!/bin/bash
#SBATCH --job-name=campaign-run
#SBATCH --output=jobs/run.log
#SBATCH --open-mode=append
#SBATCH --nodes=2
#SBATCH --exclusive
#SBATCH --time=02:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --partition=workq
#SBATCH --account=proj
#SBATCH --dependency=afterany:17

# Written by rollcall VERSION for Slurm, see sbatch(1). It may be read, changed and
# submitted by hand, in the campaign's directory: sbatch --parsable jobs/run.sh
# Who runs this, and where.
job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-${SLURM_JOB_ID:-by-hand}}
index=${SLURM_ARRAY_TASK_ID:-${RC_INDEX:-}}
restarts=${SLURM_RESTART_COUNT:-0}
# A job that this one submits would take them for its own.
unset SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT
nodes=${SLURM_JOB_NODELIST:-}
ranks=4
case $(srun --mpi=list 2>&1) in
*pmix*) launcher=(srun --mpi=pmix --wait=60 --ntasks-per-node="$ranks") ;;
*) launcher=(mpirun --map-by "ppr:$ranks:node") ;;
esac
case ${launcher[0]}$(scontrol show config 2>/dev/null) in
srun*TaskPlugin*task/affinity* | srun*TaskPlugin*task/cgroup*) launcher+=(--cpu-bind=none) ;;
esac

# lost: Slurm will start this job again, as after the loss of a node (and not
# cancelled), on as many nodes as before; so that it need not wait for those,
# one that wants fewer takes its place.
lost() {
    local starts down fewer
    starts=$(scontrol --oneliner show job "$SLURM_JOB_ID" 2>/dev/null |
        sed -n 's/.* Restarts=\([0-9]*\).*/\1/p')
    [ "${starts:-0}" -gt "$restarts" ] || return 1
    down=$(sinfo --noheader --Node --nodes="$SLURM_JOB_NODELIST" --states=down,fail --format=%n | sort -u | wc -l)
    fewer=$((${SLURM_JOB_NUM_NODES:-1} - down))
    if [ "$down" -gt 0 ] && [ "$fewer" -gt 0 ] &&
        next=$(cd "$dir" && sbatch --parsable --nodes="$fewer" jobs/run.sh); then
        next=${next%%;*}
        scancel "$SLURM_JOB_ID"
    fi
    return 0
}

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        "${launcher[@]}" \
        "$@"
}

# again: this job is to run once more.
again() {
    if [ -n "$after" ]; then
        next=$(cd "$dir" && sbatch --parsable --dependency=afterany:"$after" jobs/run.sh) && next=${next%%;*}
    elif [ -n "$fresh" ]; then
        next=$(cd "$dir" && sbatch --parsable jobs/run.sh) && next=${next%%;*}
    else
        trap '' TERM # it comes at once
        scontrol requeue "$SLURM_JOB_ID"
    fi
}

trap 'stop warned' USR1

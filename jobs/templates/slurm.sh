# Slurm: sbatch(1), srun(1), squeue(1), scancel(1), scontrol(1).
# shellcheck shell=bash disable=SC2034,SC2154,SC2317 # variables and functions of other texts
# [header]
#SBATCH --job-name={{name}}
#SBATCH --output={{log}}
#SBATCH --open-mode=append
#SBATCH --nodes={{nodes}}
#SBATCH --exclusive
#SBATCH --time={{hms}}
#SBATCH --signal=B:USR1@{{warn_seconds}}
#SBATCH --requeue
#SBATCH --partition={{queue}}
#SBATCH --account={{account}}
#SBATCH --qos={{qos}}
#SBATCH --constraint={{constraint}}
#SBATCH --reservation={{reservation}}
#SBATCH --mem={{memory}}
#SBATCH --gres={{gres}}
#SBATCH --exclude={{exclude}}
#SBATCH --dependency=afterany:{{after_job}}
# [setup]
job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_}${SLURM_ARRAY_TASK_ID:-${SLURM_JOB_ID:-by-hand}}
index=${SLURM_ARRAY_TASK_ID:-${RC_INDEX:-}}
restarts=${SLURM_RESTART_COUNT:-0}
# A job that this one submits would take them for its own.
unset SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID SLURM_RESTART_COUNT
nodes=${SLURM_JOB_NODELIST:-}
ranks=${ranks:-$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)}
config=$(scontrol show config 2>/dev/null) plugin=''
case $set_mpi:$(srun --mpi=list 2>&1):$config in
openmpi:*pmix*) plugin=pmix ;;
mpich:*'= cray_shasta'*) plugin=cray_shasta ;; # MpiDefault
intel:*) plugin=${I_MPI_PMI_LIBRARY:+pmi2} ;;
mpich:*pmi2*) plugin=pmi2 ;;
esac
if [ -n "$plugin" ]; then
    launcher=(srun --mpi="$plugin" --wait=60 --ntasks-per-node="$ranks")
else
    by_mpi '' --map-by "ppr:$ranks:node"
    [ "$set_mpi" = openmpi ] || launcher+=(-n $((ranks * ${SLURM_JOB_NUM_NODES:-1})))
fi
case ${launcher[0]}$config in
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
    if [ "$down" -gt 0 ] && [ "$fewer" -gt 0 ] && next=$(submit); then
        scancel "$SLURM_JOB_ID"
    fi
    return 0
}
# [launch]
"${launcher[@]}" ${set_launch_options:+"$set_launch_options"}
# [again]
if [ -n "$after$fresh" ]; then
    next=$(submit)
else
    trap '' TERM # it comes at once
    scontrol requeue "$SLURM_JOB_ID"
fi
# [submit]
command=(sbatch --parsable)
if [ -n "$fewer" ]; then command+=(--nodes="$fewer"); fi
if [ -n "$after" ]; then command+=(--dependency=afterany:"${after// /:}"); fi
if [ -n "$index" ]; then
    command+=(--output=jobs/"$part-$index".log "--export=ALL,RC_INDEX=$index")
elif [ -n "$shares" ]; then
    command+=(--array=0-$((shares - 1)))
fi
said=$("${command[@]}" "$script") && echo "${said%%;*}" # of several clusters "12;cluster"
# [query]
squeue --noheader --states=all --array --jobs="$1" --format='%i|%T|%r'
# [cancel]
scancel "$1"

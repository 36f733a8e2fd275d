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
name=campaign-run
part=run
script=jobs/run.sh
log=jobs/run.log
dir=/DIR
work=/DIR
cwd=/CWD
rollcall=/ROLLCALL
round=r1
tries_most=10
solves=yes
queue=workq
account=proj
after_job=17
nodes=2
nodes_most=2
ranks=4
ranks_total=8
campaign_shares=''
shares=''
seconds=7200
minutes=120
hms=02:00:00
warn_seconds=120
warn_minutes=2
soft_seconds=7080
soft_hms=01:58:00
clock_seconds=7080
set_launch_options=''
set_mpi=openmpi
run_options=(-c /DIR/jobs/campaign.yaml)
modules=(gcc/12 openmpi)
signals=(USR1)

# submit: this script, or its element 'index', to run after the jobs 'after'; prints its number.
submit() (
    cd "$dir" || exit
    command=(qsub)
    if [ -n "$after" ]; then command+=(-W depend=afterany:"${after// /:}"); fi
    if [ -n "$index" ]; then
        command+=(-o jobs/"$part-$index".log -v RC_INDEX="$index")
    elif [ -n "$shares" ]; then
        command+=(-J 0-$((shares - 1)))
    fi
    "${command[@]}" "$script"
)

# Who runs this, and where.
job=${PBS_JOBID:-by-hand}
index=${PBS_ARRAY_INDEX:-${RC_INDEX:-}}
nodes=$(sort -u "${PBS_NODEFILE:-/dev/null}" | tr '\n' ' ')
by_mpi "${PBS_NODEFILE:-}" --hostfile "${PBS_NODEFILE:-}"

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        "${launcher[@]}" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"} \
        "$@"
}

# again: this job is to run once more.
again() {
    next=$(submit)
}


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
clock_seconds=''
set_launch_options=''
set_mpi=openmpi
run_options=(-c /DIR/jobs/campaign.yaml)
modules=(gcc/12 openmpi)
signals=(USR1 USR2)

# submit: this script, or its element 'index', to run after the jobs 'after'; prints its number.
submit() (
    cd "$dir" || exit
    command=(bsub)
    wait=''
    for id in $after; do wait="${wait:+$wait && }ended($id)"; done
    if [ -n "$wait" ]; then command+=(-w "$wait"); fi
    if [ -n "$shares" ]; then command+=(-J "${name}[1-$shares]"); fi
    said=$("${command[@]}" <"$script") &&
        case $said in
        *'Job <'*'> is submitted'*) said=${said#*Job <} && echo "${said%%>*}" ;;
        *) echo "$said" ;;
        esac
)

# Who runs this, and where.
job=${LSB_JOBID:-by-hand}
index=${RC_INDEX:-}
if [ "${LSB_JOBINDEX:-0}" -gt 0 ]; then # elements have numbers from 1 on
    job="${job}[$LSB_JOBINDEX]"
    index=$((LSB_JOBINDEX - 1))
fi
nodes=${LSB_MCPU_HOSTS:-}
by_mpi ''

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        "${launcher[@]}" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"} \
        "$@"
}

# again: this job is to run once more.
again() {
    if [ -n "$after" ]; then
        next=$(submit)
    else
        leave=85 # a job that ends so is queued again, under its number (-Q)
    fi
}


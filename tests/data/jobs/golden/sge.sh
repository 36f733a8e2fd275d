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
set_pe=mpi
run_options=(-c /DIR/jobs/campaign.yaml)
modules=(gcc/12 openmpi)
signals=(USR1)

# submit: this script, or its element 'index', to run after the jobs 'after'; prints its number.
submit() (
    cd "$dir" || exit
    command=(qsub -terse)
    if [ -n "$after" ]; then command+=(-hold_jid "${after// /,}"); fi
    if [ -n "$index" ]; then # elements have numbers from 1 on
        command+=(-o jobs/"$part-$((index + 1))".log -v RC_INDEX="$index")
    elif [ -n "$shares" ]; then
        command+=(-t "1-$shares")
    fi
    said=$("${command[@]}" "$script") && echo "${said%%.*}" # of an array "12.1-3:1"
)

# Who runs this, and where.
job=${JOB_ID:-by-hand}
index=${RC_INDEX:-}
if [ "${SGE_TASK_ID:-undefined}" != undefined ]; then index=$((SGE_TASK_ID - 1)); fi
nodes=$(cut -d' ' -f1 "${PE_HOSTFILE:-/dev/null}" | tr '\n' ' ')
by_mpi ''

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        "${launcher[@]}" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"} \
        "$@"
}

# again: this job is to run once more.
again() {
    # Where its host may not submit, a job asks for its restart by the status 99: but not in
    # several queues or on several hosts, where it would wait for ever (8.1.9: "host cleanup
    # has not finished").
    next=$(submit) || { [ -z "$after" ] && [ "${NQUEUES:-1}" = 1 ] && leave=99; }
}


#!/bin/bash
# flux: --job-name=campaign-run
# flux: --output=jobs/run.log
# flux: -N 2
# flux: -n 8
# flux: --exclusive
# flux: -t 7200s
# flux: --signal=USR1@120s
# flux: -q workq
# flux: --setattr=bank=proj
# flux: --dependency=afterany:17

# Written by rollcall VERSION for Flux, see flux-batch(1). It may be read, changed and
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
signals=(USR1)

# submit: this script, or its element 'index', to run after the jobs 'after'; prints its number.
submit() (
    cd "$dir" || exit
    command=(flux batch)
    for id in $after; do command+=(--dependency=afterany:"$id"); done
    if [ -n "$index" ]; then command+=(--env=RC_INDEX="$index" --output=jobs/"$part-$index".out); fi
    "${command[@]}" "$script"
)

# Who runs this, and where.
job=$(flux getattr jobid 2>/dev/null || echo by-hand)
index=${RC_INDEX:-}
exec >>"$dir/jobs/$part${index:+-$index}.log" 2>&1
nodes=$(flux getattr hostlist 2>/dev/null)

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        flux run -N "$nodes_most" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"} \
        "$@"
}

# again: this job is to run once more.
again() {
    # The job's own Flux ends with it.
    flux() { command flux --parent "$@"; }
    next=$(submit)
}


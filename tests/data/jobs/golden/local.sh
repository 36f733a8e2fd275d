#!/bin/bash

# Written by rollcall VERSION for this machine, see bash(1). It may be read, changed and
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
queue=''
account=''
after_job=''
nodes=1
nodes_most=1
ranks=4
ranks_total=4
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
    (
        trap '' HUP
        exec env --unset=RC_AFTER --unset=RC_INDEX ${after:+RC_AFTER="$after"} ${index:+RC_INDEX="$index"} \
            setsid bash "$script" </dev/null >/dev/null 2>&1
    ) &
    ticks=$(sed -n 's/.*) [^ZX] //p' /proc/$!/stat | cut -d' ' -f19)
    echo "$!.${ticks:?process $! has ended at once}"
)

# Who runs this, and where.
index=${RC_INDEX:-}
exec >>"$dir/jobs/$part${index:+-$index}.log" 2>&1 </dev/null
job=$$.$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)
nodes=$(hostname)
ranks=${ranks:-$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)}
before=${RC_AFTER:-}
while [ -n "$before" ] && [ "$(sed 's/.*) //' "/proc/${before%%.*}/stat" 2>/dev/null | cut -d' ' -f20)" = "${before#*.}" ]; do
    sleep 1
done
by_mpi ''

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        "${launcher[@]}" -n "$ranks" ${set_launch_options:+"$set_launch_options"} \
        "$@"
}

# again: this job is to run once more.
again() {
    ending
    note "again $job"
    exec bash "$dir/$script"
}


#!/bin/bash

# Written by rollcall VERSION for this machine, see bash(1). It may be read, changed and
# submitted by hand, in the campaign's directory: env --unset=RC_AFTER --unset=RC_INDEX bash jobs/run.sh
# Who runs this, and where.
index=${RC_INDEX:-}
exec >>"$dir/jobs/$part${index:+-$index}.log" 2>&1 </dev/null
job=$$.$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)
nodes=$(hostname)
ranks=4
before=${RC_AFTER:-}
while [ -n "$before" ] && [ "$(sed 's/.*) //' "/proc/${before%%.*}/stat" 2>/dev/null | cut -d' ' -f20)" = "${before#*.}" ]; do
    sleep 1
done

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        mpirun -n "$ranks" \
        "$@"
}

# again: this job is to run once more.
again() {
    ending
    note "again $job"
    exec bash "$dir/$script"
}

trap 'stop warned' USR1
    watch_clock 7080 $$ & clock=$!

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
# submitted by hand, in the campaign's directory: flux batch jobs/run.sh
# Who runs this, and where.
job=$(flux getattr jobid 2>/dev/null || echo by-hand)
index=${RC_INDEX:-}
exec >>"$dir/jobs/$part${index:+-$index}.log" 2>&1
nodes=$(flux getattr hostlist 2>/dev/null)

# launch COMMAND...: by ranks on all nodes, in place of this shell.
launch() {
    exec \
        flux run -N 2 -n 8 \
        "$@"
}

# again: this job is to run once more.
again() {
    # The job's own Flux ends with it.
    flux() { command flux --parent "$@"; }
    if [ -n "$after" ]; then
        next=$(cd "$dir" && flux batch --dependency=afterany:"$after" jobs/run.sh)
    else
        next=$(cd "$dir" && flux batch jobs/run.sh)
    fi
}

trap 'stop warned' USR1

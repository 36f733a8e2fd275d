# Flux: flux-batch(1), flux-run(1), flux-jobs(1), flux-cancel(1).
# shellcheck shell=bash disable=SC2034,SC2154,SC2218 # variables of other texts; flux() is of them
# [header]
# flux: --job-name={{name}}
# flux: --output={{log}}
# flux: -N {{nodes}}
# flux: -n {{ranks_total}}
# flux: --exclusive
# flux: -t {{seconds}}s
# flux: --signal=USR1@{{warn_seconds}}s
# flux: -q {{queue}}
# flux: --setattr=bank={{account}}
# flux: --requires={{requires}}
# flux: --dependency=afterany:{{after_job}}
# [setup]
job=$(flux getattr jobid 2>/dev/null || echo by-hand)
index=${RC_INDEX:-}
exec >>"$dir/jobs/$part${index:+-$index}.log" 2>&1
nodes=$(flux getattr hostlist 2>/dev/null)
# [launch]
flux run -N "$nodes_most" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"}
# [again]
# The job's own Flux ends with it.
flux() { command flux --parent "$@"; }
next=$(submit)
# [submit]
command=(flux batch)
for id in $after; do command+=(--dependency=afterany:"$id"); done
if [ -n "$index" ]; then command+=(--env=RC_INDEX="$index" --output=jobs/"$part-$index".out); fi
"${command[@]}" "$script"
# [query]
flux jobs -no '{state}|{status}|{exception.type}' "$1"
# [cancel]
flux cancel "$1"

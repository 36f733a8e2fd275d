# OpenPBS and PBS Professional: qsub(1B), qstat(1B), qdel(1B).
# shellcheck shell=bash disable=SC2034,SC2154 # variables of other texts
# [header]
#PBS -N {{name}}
#PBS -j oe
#PBS -k oed
#PBS -o {{log}}
#PBS -l select={{nodes}}:ncpus={{ranks}}:mpiprocs={{ranks}}
#PBS -l place=scatter:excl
#PBS -l walltime={{hms}}
#PBS -r y
#PBS -m n
#PBS -q {{queue}}
#PBS -A {{account}}
#PBS -l {{resource}}
#PBS -W depend=afterany:{{after_job}}
# [setup]
job=${PBS_JOBID:-by-hand}
index=${PBS_ARRAY_INDEX:-${RC_INDEX:-}}
nodes=$(sort -u "${PBS_NODEFILE:-/dev/null}" | tr '\n' ' ')
by_mpi "${PBS_NODEFILE:-}" --hostfile "${PBS_NODEFILE:-}"
# [launch]
"${launcher[@]}" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"}
# [again]
next=$(submit)
# [submit]
command=(qsub)
if [ -n "$after" ]; then command+=(-W depend=afterany:"${after// /:}"); fi
if [ -n "$index" ]; then
    command+=(-o jobs/"$part-$index".log -v RC_INDEX="$index")
elif [ -n "$shares" ]; then
    command+=(-J 0-$((shares - 1)))
fi
"${command[@]}" "$script"
# [query]
qstat -x -f -t -F json "$1"
# [cancel]
qdel "$1"

# Grid Engine (Son of, Univa, Altair): qsub(1), qstat(1), qdel(1).
# shellcheck shell=bash disable=SC2034,SC2154 # variables of other texts
# [header]
#$ -S /bin/bash
#$ -N {{name}}
#$ -cwd
#$ -j y
#$ -o {{log}}
#$ -pe {{pe}} {{ranks_total}}
#$ -l h_rt={{seconds}}
#$ -notify
#$ -r y
#$ -m n
#$ -q {{queue}}
#$ -P {{account}}
#$ -l {{resource}}
#$ -hold_jid {{after_job}}
# [setup]
job=${JOB_ID:-by-hand}
index=${RC_INDEX:-}
if [ "${SGE_TASK_ID:-undefined}" != undefined ]; then index=$((SGE_TASK_ID - 1)); fi
nodes=$(cut -d' ' -f1 "${PE_HOSTFILE:-/dev/null}" | tr '\n' ' ')
by_mpi ''
# [launch]
"${launcher[@]}" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"}
# [again]
# Where its host may not submit, a job asks for its restart by the status 99: but not in
# several queues or on several hosts, where it would wait for ever (8.1.9: "host cleanup
# has not finished").
next=$(submit) || { [ -z "$after" ] && [ "${NQUEUES:-1}" = 1 ] && leave=99; }
# [submit]
command=(qsub -terse)
if [ -n "$after" ]; then command+=(-hold_jid "${after// /,}"); fi
if [ -n "$index" ]; then # elements have numbers from 1 on
    command+=(-o jobs/"$part-$((index + 1))".log -v RC_INDEX="$index")
elif [ -n "$shares" ]; then
    command+=(-t "1-$shares")
fi
said=$("${command[@]}" "$script") && echo "${said%%.*}" # of an array "12.1-3:1"
# [query]
qstat -g d -u '*'
# [cancel]
qdel "$1"

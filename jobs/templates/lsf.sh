# IBM Spectrum LSF: bsub(1), bjobs(1), bkill(1).
# shellcheck shell=bash disable=SC2034,SC2154 # variables of other texts
# [header]
#BSUB -J {{name}}
#BSUB -o {{log}}
#BSUB -W {{minutes}}
#BSUB -wa USR1
#BSUB -wt {{warn_minutes}}
#BSUB -r
#BSUB -Q 85
#BSUB -q {{queue}}
#BSUB -P {{account}}
#BSUB -w "ended({{after_job}})"
#BSUB -n {{ranks_total}}
#BSUB -R "span[ptile={{ranks}}]"
#BSUB -x
# [setup]
job=${LSB_JOBID:-by-hand}
index=${RC_INDEX:-}
if [ "${LSB_JOBINDEX:-0}" -gt 0 ]; then # elements have numbers from 1 on
    job="${job}[$LSB_JOBINDEX]"
    index=$((LSB_JOBINDEX - 1))
fi
nodes=${LSB_MCPU_HOSTS:-}
by_mpi ''
# [launch]
"${launcher[@]}" -n "$ranks_total" ${set_launch_options:+"$set_launch_options"}
# [again]
if [ -n "$after" ]; then
    next=$(submit)
else
    leave=85 # a job that ends so is queued again, under its number (-Q)
fi
# [submit]
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
# [query]
bjobs -noheader -o "jobid jobindex stat exit_code exit_reason delimiter='|'" "$1"
# [cancel]
bkill "$1"

# IBM's machines with LSF and CSM: jobs get whole nodes, jsrun(1) starts ranks on them.
# All other sections are those of lsf.sh.
# shellcheck shell=bash disable=SC2154 # variables of other texts
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
#BSUB -nnodes {{nodes}}
# [launch]
jsrun -n "$nodes_most" -r 1 -a "$ranks" -c ALL_CPUS -b none -d packed ${set_launch_options:+"$set_launch_options"}

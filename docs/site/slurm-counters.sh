#!/bin/sh
# slurm-counters.sh - for slurmd's Prolog and Epilog: counters outside the cores for jobs
# that asked for the feature 'counters' and have their nodes alone (which
# slurm-counters.lua sees to).  Others keep the site's level.
#   Prolog=/etc/slurm/slurm-counters.sh     Epilog=/etc/slurm/slurm-counters.sh
level=2 # of everybody else
case "${SLURM_SCRIPT_CONTEXT:-}:,${SLURM_JOB_CONSTRAINTS:-}," in
prolog_slurmd:*[,\&]counters[,\&]*) level=0 ;;
esac
echo "$level" >/proc/sys/kernel/perf_event_paranoid # slurmd gives no PATH

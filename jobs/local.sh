#!/bin/sh
# local.sh - rollcall on this machine: installs what is missing, builds, looks
# at the machine, runs the default campaign on all of its cores, solves it, says how
# many metrics are defined and makes the report.  Needs no arguments and asks nothing.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/jobs/setup.sh"

build=${RC_BUILD:-$top/build}
results=${RC_RESULTS:-$top/results}
rc_setup build option
rc_build "$build" -DBUILD_TESTING=OFF
rc_mpi_env

rollcall=$build/bin/rollcall
mpirun=$(rc_mpi_program mpirun "$rc_mpi")
rc_say "checking this machine: $rollcall doctor"
"$rollcall" doctor || rc_say "doctor found problems, see above"

# Without a number mpirun starts a rank for each core.
rc_say "running the default campaign: $mpirun $rollcall run -o $results"
outcome=0
"$mpirun" "$rollcall" run -o "$results" || outcome=$?
if [ "$outcome" -ne 0 ] && [ "$outcome" -ne 3 ]; then
    exit "$outcome"
fi
"$mpirun" "$rollcall" noise -o "$results" --time 5s >/dev/null 2>&1 || true
"$rollcall" status "$results" || true
"$rollcall" report "$results" >/dev/null || [ $? -eq 3 ] || rc_say "no report, see above"
if [ -e "$results/report.html" ]; then
    rc_say "the report: file://$(cd "$results" && pwd)/report.html"
fi
rc_say "next: $rollcall report $results --text; $rollcall solve $results; $rollcall export $results --format papi; $rollcall help"
noise=$(COLUMNS=1000 "$rollcall" noise "$results" 2>/dev/null | sed -n '/ lost [0-9.e+-]* %:/{p;q;}' || true)
[ -z "$noise" ] || rc_say "noise of this machine in 5 s, in % of the time: $noise"
exit "$outcome"

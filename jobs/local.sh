#!/bin/sh
# local.sh - rollcall on this machine: installs what is missing, builds, looks
# at the machine and lists its events.  Needs no arguments and asks nothing.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/jobs/setup.sh"

build=${RC_BUILD:-$top/build}
rc_setup build option
rc_build "$build" -DBUILD_TESTING=OFF
rc_mpi_env

rollcall=$build/bin/rollcall
rc_say "checking this machine: $rollcall doctor"
"$rollcall" doctor || rc_say "doctor found problems, see above"
rc_say "listing the events that count here: $rollcall events --verdict ok '!soft::category_*' '!soft::isa_*'"
"$rollcall" events --verdict ok '!soft::category_*' '!soft::isa_*'
rc_say "next: $rollcall help"

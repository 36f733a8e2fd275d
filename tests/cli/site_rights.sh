#!/usr/bin/env bash
# doctor's findings on rights, with the files that it reads replaced: in a user and a mount
# namespace, which take no rights and leave nothing.  No counter is touched.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

# Under a sanitizer: what libraries leak that doctor opens is told by who called them,
# and that takes the slow way up the stack.
if [ -n "${ASAN_OPTIONS:-}" ]; then
    export ASAN_OPTIONS="${ASAN_OPTIONS/unwind_on_malloc=1/unwind_on_malloc=0}"
fi

level=/proc/sys/kernel/perf_event_paranoid
devices=/sys/bus/event_source/devices
if ! unshare --user --map-root-user --mount true 2>/dev/null ||
    [ ! -e $level ] || [ ! -d $devices ]; then
    echo "no user namespaces, or no perf events"
    exit 77
fi
rollcall=$(cd "$OLDPWD" && cd "$(dirname "$rollcall")" && pwd)/$(basename "$rollcall")

# doctor STATUS LEVEL: as nobody in particular, on a machine with two units outside the
# cores and the watchdog on.
doctor() {
    # shellcheck disable=SC2016  # the commands are for the inner shell
    run "$1" unshare --user --map-root-user --mount sh -c '
        echo "$1" >level && mount --bind level '$level' &&
        mkdir -p units/uncore_imc_0 units/uncore_cha_0 &&
        echo 0 | tee units/uncore_imc_0/cpumask >units/uncore_cha_0/cpumask &&
        mount --bind units '$devices' || exit 9
        echo 1 >watchdog; mount --bind watchdog /proc/sys/kernel/nmi_watchdog
        exec "$2" doctor' sh "$2" "$rollcall"
}

# Capabilities in a namespace of one's own are none for counters, and are not called so.
doctor 1 4
has "perf_event_paranoid 4: no events at all without CAP_PERFMON"
has "or setcap cap_perfmon+ep on the program"
doctor 1 3
has "sysctl kernel.perf_event_paranoid=2: PAPI 7 stops at 3, CAP_PERFMON or not"
lacks "or setcap"
doctor 0 2
has "rights         perf_event_paranoid 2: core events of one's own processes"
lacks "this process holds"
has "! warning  uncore         2 units outside the cores, but no permission to read them"
has "sysctl kernel.perf_event_paranoid=0, CAP_PERFMON, or PAPI's pcp"
[ ! -e /proc/sys/kernel/nmi_watchdog ] ||
    has "! warning  nmi_watchdog   on: the kernel keeps one hardware counter of each core"
doctor 0 1
has "no permission to read them"
doctor 0 0
has "ok       uncore         2 units outside the cores can be read"
doctor 0 -1
has "perf_event_paranoid -1"
has "ok       uncore"

# prolog CONTEXT FEATURES LEVEL: what Slurm's example leaves of level 2, with slurmd's
# bare environment.
tree=$(cd "$OLDPWD" && cd "$(dirname "$0")/../.." && pwd)
prolog() {
    # shellcheck disable=SC2016
    run 0 unshare --user --map-root-user --mount sh -c '
        echo 2 >level && mount --bind level '$level' && sh=$(command -v sh) &&
        env -i SLURM_SCRIPT_CONTEXT="$1" SLURM_JOB_CONSTRAINTS="$2" "$sh" "$3" &&
        cat level' sh "$1" "$2" "$tree/docs/site/slurm-counters.sh"
    [ "$out" = "$3" ] || fail "'$1' with '$2' leaves level $out, expected $3"
}
prolog prolog_slurmd '' 2
prolog prolog_slurmd nocounters 2
prolog prolog_slurmd counters 0
prolog prolog_slurmd 'ib&counters' 0
prolog prolog_slurmd 'counters,ib' 0
prolog epilog_slurmd counters 2

# The filter that goes with it: FEATURES, the job's 'shared' (0: exclusive), allowed.
if command -v lua5.3 >/dev/null; then
    cat >filter.lua <<'END'
slurm = {SUCCESS = 0, ERROR = -1, log_user = function() end}
dofile(arg[1])
local jobs = {{nil, 65534, 0}, {"counters", 65534, -1}, {"counters", 1, -1},
              {"counters", 0, 0}, {"ib&counters", 2, -1}, {"nocounters", 1, 0}}
for _, job in ipairs(jobs) do
   local said = slurm_job_submit({features = job[1], shared = job[2]}, {}, 0)
   local changed = slurm_job_modify({features = job[1]}, {shared = job[2]}, {}, 0)
   assert(said == job[3], "submit of " .. tostring(job[1]) .. " gave " .. said)
   assert(changed == job[3], "modify to " .. tostring(job[1]) .. " gave " .. changed)
end
END
    run 0 lua5.3 filter.lua "$tree/docs/site/slurm-counters.lua"
    rm filter.lua
else
    echo "not checked: slurm-counters.lua, for want of lua5.3"
fi
rm -rf level watchdog units
finish

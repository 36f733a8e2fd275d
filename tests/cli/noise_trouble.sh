#!/usr/bin/env bash
# noise_trouble.sh ROLLCALL - 'noise -o' whose ranks, launcher or disk are lost, which lacks rights,
# has one core, or a CPU quota: what is wrong is said, and passes that were complete are kept.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"

if ! "$rollcall" noise -o d --time 100ms >.out 2>.err; then
    grep -q 'detours cannot be measured' .err || fail "said $(cat .err)"
    echo "SKIP: $(cat .err)"
    exit 77
fi
run 0 "$rollcall" noise d
has '! whether cores are stopped at the same time is not known: one core was'
journal=$(basename d/journal/*.noise.rcj)
rm -r d

# until_there FILE: up to 20 s, until it holds more than a journal's header.
until_there() {
    for _ in $(seq 200); do
        [ "$(stat -c %s "$1" 2>.stat || echo 0)" -gt 64 ] && return
        sleep 0.1
    done
    fail "$1 does not grow: $(cat .job.err)"
}

# kept WHAT: what was complete is judged, and the next measurement goes on.
kept() {
    run 0 "$rollcall" noise d --format csv
    local rows
    rows=$(wc -l <.out)
    [ "$rows" -ge 3 ] || fail "$1: nothing is there: $out"
    run 0 "$rollcall" noise -o d --time 100ms --format csv
    [ "$(wc -l <.out)" = $((rows + 1)) ] || fail "$1: $rows rows, then $(wc -l <.out)"
    rm -r d
}

# One of two ranks is killed, then their launcher, then that gets ^C.
for victim in rank launcher interrupt; do
    start mpirun -n 2 "$rollcall" noise -o d --time 100ms --rounds 200
    until_there "d/journal/$journal"
    read -r -a team <<<"$(members rollcall | tr '\n' ' ')"
    [ ${#team[@]} = 2 ] || fail "not two ranks: ${team[*]}"
    case $victim in
    rank) kill -KILL "${team[1]}" ;;
    launcher) kill -KILL "$job" ;;
    interrupt) kill -INT "$job" ;;
    esac
    reap 2>.stat || fail "$victim: $(cat .stat)"
    for _ in $(seq 100); do # ranks may outlive their launcher by a moment
        kill -0 "${team[@]}" 2>.stat || break
        sleep 0.1
    done
    # Hydra's mpiexec ends with 0 after ^C, whatever its ranks end with.
    # shellcheck disable=SC2154  # 'mpi' is mpi_lib.sh's
    [ "$ended" != 0 ] || { [ "$mpi" = mpich ] && [ $victim = interrupt ]; } || fail "$victim: ended with 0"
    [ $victim != interrupt ] || grep -q 'passes that were complete are kept' .job.err ||
        fail "$victim: said $(cat .job.err)"
    kept "$victim"
done

# Disks, which only root may make, and rights, which only root can give up.
full_disks() {
    mkdir disk
    mount -t tmpfs -o size=4m none disk || return 1
    run 0 "$rollcall" run -o disk/d --source model:spr --suite branch --events 'BR*' --repeat 2:2 --no-solve
    run 0 "$rollcall" noise -o disk/d --time 100ms
    cp disk/d/noise.h5 whole.h5
    head -c 9m /dev/zero 2>.stat >disk/fill
    run 1 "$rollcall" noise disk/d
    has 'where the scatter of'
    has 'slowdown_1e4'
    said 'disk/d/noise.h5'
    [ "$(wc -l <.err)" = 1 ] || fail "a full disk: said $err"
    cmp -s whole.h5 disk/d/noise.h5 || fail "a full disk: noise.h5 is not as it was"
    run 1 "$rollcall" noise -o disk/d --time 100ms
    said "cannot write in directory 'disk/d': No space left on device"
    truncate -s -48K disk/fill
    run 1 "$rollcall" noise -o disk/d --time 100ms --rounds 100
    said "disk/d/journal/$journal"
    said 'no space is left on the device'
    rm disk/fill
    run 0 "$rollcall" noise -o disk/d --time 100ms
    run 0 "$rollcall" status disk/d
    has 'disk/d/noise.h5: made from campaign.h5 and the detours as they are'
    umount disk
    rmdir disk
    rm whole.h5
}

as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

without_rights() {
    mkdir -m 777 open
    chmod 755 .
    # shellcheck disable=SC2016  # the inner shell's
    as_nobody sh -c 'ulimit -l 0; "$1" noise -o open/d --time 100ms' - "$rollcall" >.out 2>.err ||
        fail "as nobody: $(cat .err)"
    grep -q 'who made detours is not fully known: ' .out || fail "as nobody: $(cat .out)"
    # the address sanitizer makes locking a function that does nothing
    [ -n "${ASAN_OPTIONS-}" ] || grep -q 'memory was not locked: ' .out || fail "as nobody: $(cat .out)"
    rm -r open
    # tracefs is there, and not for everybody: then, where all may read it, perf is not
    for words in 'mode=700/no permission to read /sys/kernel/tracing' 'mode=755/no permission to '; do
        # shellcheck disable=SC2016  # the inner shell's
        unshare -m sh -c 'mount -t tracefs -o "$2" tracefs /sys/kernel/tracing && mkdir -m 777 open &&
            exec setpriv --reuid=65534 --regid=65534 --clear-groups "$1" noise -o open/d --time 100ms' \
            - "$rollcall" "${words%%/*}" >.out 2>.err || fail "no permission to trace: $(cat .err)"
        grep -qF "who made detours is not fully known: ${words#*/}" .out || fail "no permission to trace: $(cat .out)"
        rm -r open
    done
}

# In a control group of its own: half of a core.
under_a_quota() {
    local group
    for group in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
        [ -e "$group/cgroup.procs" ] || continue # no control groups, but a folder of them
        mkdir "$group/rollcall-test.$$" 2>.stat || continue
        group=$group/rollcall-test.$$
        if echo '50000 100000' 2>.stat >"$group/cpu.max" ||
            { echo 100000 >"$group/cpu.cfs_period_us" && echo 50000 >"$group/cpu.cfs_quota_us"; } 2>.stat; then
            # shellcheck disable=SC2016  # the inner shell's
            run 0 sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" noise -o d --time 1s' - "$group" "$rollcall"
            rmdir "$group"
            has "a control group's quota stops them once in each period"
            has "cpu.max '50000 100000', looks like a period of 100 ms"
            awk '$2 ~ /^[0-9]+$/ && $3 > 25 { found = 1 } END { exit !found }' .out || fail "less than half of the time: $out"
            run 0 "$rollcall" noise d --format json
            has '"quota": "50000 100000"'
            rm -r d
            return 0
        fi
        rmdir "$group"
    done
    echo "not shown, since control groups cannot be made here: a CPU quota"
}

if [ "$(id -u)" -ne 0 ]; then
    echo "not shown, for want of root: full disks, no rights, a CPU quota"
else
    full_disks || echo "not shown: full disks, which cannot be mounted here"
    if unshare -m mount -t tracefs tracefs /sys/kernel/tracing 2>.stat; then
        without_rights
    else
        echo "not shown: $(cat .stat)"
    fi
    under_a_quota
fi
rm -rf -- * .job.out .job.err .stat .wait
finish

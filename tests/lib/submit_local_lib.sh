# submit_local_lib.sh - sourced by scripts that submit campaigns on this machine, without a
# batch system: how they end, and what they leave.
# shellcheck shell=bash disable=SC2034,SC2154,SC2317  # used by the scripts; the libraries' variables; functions called by name
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$here/campaign_lib.sh"
unset RC_INDEX RC_AFTER
flops=(--source model:spr --suite flops 'FP_ARITH*' --repeat 2:2)

# Processes that work in the test's directory: the jobs', and none else.
working() {
    local entry where
    for entry in /proc/[0-9]*; do
        where=$(readlink "$entry/cwd" 2>/dev/null) || continue
        case $where in
        "$work"*) [[ $entry = "/proc/$$" || $entry = "/proc/$BASHPID" ]] || echo "${entry#/proc/}" ;;
        esac
    done
}
clear_up() {
    local pid
    for pid in $(working); do
        kill -KILL "$pid" 2>/dev/null
    done
    ! mountpoint -q "$work/disk" || umount "$work/disk"
    rm -rf "$work"
}
trap clear_up EXIT

submit() {
    "$rollcall" submit --scheduler local --ranks-per-node 2 "$@"
}

# all_over DIR: no job of it is there any longer.
all_over() {
    local id state
    while read -r id; do
        state=$(sed 's/.*) //' "/proc/${id%%.*}/stat" 2>/dev/null)
        case $state in
        '' | [ZX]*) ;;
        *) return 1 ;;
        esac
    done < <(awk '$1 == "job" { print $7 }' "$1/jobs/jobs.txt")
}

# ends DIR: its jobs end, and nothing of them remains.
ends() {
    await 400 all_over "$1" || fail "$what: the jobs do not end: $(cat "$1"/jobs/*.record "$1"/jobs/*.log)"
    await 60 nobody || fail "$what: processes remain: $(ps -o pid,args -p "$(working | paste -sd,)")"
}
nobody() {
    [ -z "$(working)" ]
}

# record DIR JOB TEXT: the last line of the job's record is that.
record() {
    local last
    last=$(tail -n 1 -- "$1/jobs/$2.record")
    [[ $last = *" $3" ]] || fail "$what: the record of $2 ends with '$last', expected '$3': $(tail -n 20 -- "$1/jobs/$2.log")"
}

# whole DIR: it is done, and has the result and the report of the campaign 'alone'.
whole() {
    record "$1" run "ended 0"
    [ -s "$1/report.html" ] || fail "$what: no report: $(tail "$1/jobs/run.log")"
    rm -rf plain
    mv -- "$1" plain
    same plain alone || fail "$what: another result"
}

#!/usr/bin/env bash
# tests/lib/slurm_lib.sh itself: the Slurm that it starts runs jobs over two nodes that are
# two hosts, loses one and gets it back, and leaves nothing behind, killed or not.
# shellcheck disable=SC2154,SC2317  # the libraries' variables; functions called by name
tests=$(cd "$(dirname "$0")/.." && pwd)

# Traces that a Slurm of ours could leave on this machine; other tests leave theirs meanwhile.
traces() {
    ip -o link | grep -oE ' (rc0|n1|n2)[:@]'
    grep -E ' (/tmp|/mnt|/dev/shm|/etc/hosts|/tmp/slurm[^ ]*) ' /proc/mounts
    ls -d /tmp/slurm /tmp/hosts /var/spool/slurm* /var/lib/slurm* 2>/dev/null
}

# The processes that were started with this in their environment.
marked() {
    local file
    for file in /proc/[0-9]*/environ; do
        if tr '\0' '\n' <"$file" | grep -qx "RC_SLURM_TEST=$mark"; then
            file=${file%/environ}
            echo "${file#/proc/}"
        fi
    done 2>/dev/null
}

nothing_left() {
    local tries=0 left
    until left=$(marked) && [ -z "$left" ]; do
        if [ $((tries += 1)) -gt 600 ]; then
            fail "$1: processes are left: $(ps -o pid=,args= -p "${left//$'\n'/,}")"
            return
        fi
        sleep 0.1
    done
    [ "$(traces)" = "$before" ] || fail "$1: left: $(diff <(echo "$before") <(traces))"
}

# Part 1, outside: runs part 2 to its end, and kills it.
outside() {
    local signal status
    # shellcheck source=tests/lib/cli_lib.sh
    . "$tests/lib/cli_lib.sh"
    mark=$$
    export RC_SLURM_TEST=$mark
    before=$(traces)
    unset RC_SLURM_TEST
    RC_SLURM_TEST=$mark bash "$tests/cli/slurm_lib.sh" "$rollcall" work
    status=$?
    [ "$status" -ne 77 ] || exit 77
    [ "$status" -eq 0 ] || fail "the Slurm's part ended with $status"
    nothing_left "ended by itself"
    for signal in TERM KILL; do
        : >"$work/said"
        RC_SLURM_TEST=$mark bash "$tests/cli/slurm_lib.sh" "$rollcall" hold >"$work/said" 2>&1 &
        for _ in {1..1200}; do
            if grep -q '^ready$' "$work/said"; then break; fi
            sleep 0.1
        done
        grep -q '^ready$' "$work/said" || fail "does not start: $(cat "$work/said")"
        [ -n "$(marked)" ] || fail "its processes are not found"
        kill "-$signal" "$!"
        wait "$!" 2>/dev/null
        nothing_left "killed by $signal"
    done
    rm "$work/said"
    finish
}

case ${2:-} in
work | hold) ;;
*) outside "$@" ;;
esac

# shellcheck source=tests/lib/slurm_lib.sh
. "$tests/lib/slurm_lib.sh"
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
trap 'slurm_stop; rm -rf "$work"' EXIT
slurm_start || exit 1
if [ "$2" = hold ]; then
    sbatch --parsable -N 2 -n 4 --wrap 'srun sleep 1000' -o /dev/null
    srun -N 2 true
    echo ready
    sleep 1000 &
    wait
fi

# Two hosts: names, processes, /tmp and /dev/shm of their own, one file system.
cat >look <<'EOS'
#!/bin/sh
touch "/tmp/of_$(hostname)" "/dev/shm/of_$(hostname)" "at_$(hostname)"
sleep 1
echo "$(hostname) sees" /tmp/of_* /dev/shm/of_*
EOS
chmod +x look
run 0 sbatch --parsable -N 2 --ntasks-per-node=1 -o said --wrap 'srun ./look'
job=$out
slurm_wait "$job" 120 || fail "the job does not end"
[ "$(slurm_state "$job")" = COMPLETED ] || fail "the job is $(slurm_state "$job")"
for node in n1 n2; do
    grep -qx "$node sees /tmp/of_$node /dev/shm/of_$node" said || fail "said $(cat said)"
    [ -e "at_$node" ] || fail "$node does not see the working directory"
done
[ ! -e /tmp/of_n1 ] || fail "n1 shares /tmp with its controller"

# Refusals by a site's limits, in Slurm's words.
refused() {
    local words=$1
    shift
    run 1 sbatch --wrap true -o /dev/null "$@"
    case $err in
    *"$words"*) ;;
    *) fail "'$*': said '$err', expected '$words'" ;;
    esac
}
refused "Requested time limit is invalid" --time 11
refused "Invalid account or account/partition combination" --account other
run 0 sbatch --parsable --wrap true -o /dev/null --account staff
slurm_wait "$out" 120 || fail "the job of a known account does not end"
refused "invalid partition specified: nowhere" -p nowhere
refused "Node count specification invalid" -p first -N 2

# A node is lost, by power cut, and given back.
run 0 sbatch --parsable -w n2 --no-requeue -o /dev/null --wrap 'sleep 600'
job=$out
slurm_until 120 slurm_is "$job" RUNNING || fail "does not run"
slurm_node n2 cut
slurm_wait "$job" 120 || fail "the job does not end without its node"
[ "$(slurm_state "$job")" = NODE_FAIL ] || fail "the job is $(slurm_state "$job")"
slurm_node n2 boot || fail "n2 does not start again"
{ slurm_node n1 down && slurm_node n1 resume; } || fail "n1 cannot be taken out and given back"
run 0 srun -N 2 true

rm -f said look at_n1 at_n2
slurm_stop
left=$(find "$slurm_shared" -mindepth 1 -maxdepth 1 ! -path "$work")
[ -z "$left" ] || fail "left in $slurm_shared: $left"
left=$(pgrep -l 'slurm|munge|unshare|sleep')
[ -z "$left" ] || fail "processes are left: $left"
finish

# slurm_lib.sh - sourced first by scripts that need a batch system: a real Slurm of
# two nodes, n1 and n2, on this host.
#
# The script that sources it starts again in namespaces of its own (processes,
# mounts, network, host name 'head'), as root.  Whatever it starts ends with it, also
# when it is killed, nothing of it is seen outside, any number of them run side by
# side, and a Slurm that is a service of this host is not noticed.  Where that cannot
# be done, the script says why and ends with 77.
#
# /tmp is new and empty then, and TMPDIR is its subdirectory /tmp/slurm: the "file
# system" that head and both nodes see (besides all outside /tmp and /dev/shm, and what
# of /tmp the script, its arguments and the working directory are in).  The rest of
# /tmp, /dev/shm, processes and host name are each node's own: nodes have only TCP
# between them.
#
#   slurm_start             starts it and waits until both nodes are idle; 1 and the
#                           end of the logs if that fails
#   slurm_stop              ends it, and removes what it left in /tmp
#   slurm_wait ID SECONDS   waits until no part of the job is in the queue any more,
#                           also not to start again; 1 if it still is
#   slurm_state ID          prints the job's state, a line for each element of an array
#   slurm_is ID STATE       whether this is its state
#   slurm_until SECONDS COMMAND...  tries it until it succeeds; 1 if it never did
#   slurm_node NODE down    the administrator takes it out of service, what runs there
#                           is ended
#   slurm_node NODE resume  and gives it back; waits until it is idle
#   slurm_node NODE cut     power cut: nothing is heard of it from now on; Slurm takes
#                           it as down when it has not answered for some seconds
#   slurm_node NODE boot    starts it again after a cut; waits until it is idle
#
# Partitions: both (n1 and n2, the default), first (n1), second (n2): at most 10
# minutes.  Each node claims 4 CPUs, however many there are.  Jobs over a limit are refused, and any account but 'staff'
# (or none).
# shellcheck shell=bash disable=SC2317  # the scripts that source it use all of it
set -u

slurm_skip() {
    echo "skipped: $*"
    exit 77
}

slurm_spaces=(unshare --net --mount --pid --uts --ipc --fork --kill-child --mount-proc)
if [ -z "${RC_SLURM_INSIDE:-}" ]; then
    [ "$(id -u)" -eq 0 ] || slurm_skip "a Slurm of one's own needs root"
    for command in unshare setpriv pgrep ip munged slurmctld slurmd sbatch; do
        command -v "$command" >/dev/null || slurm_skip "there is no program '$command'"
    done
    "${slurm_spaces[@]}" ip link add rc0 type bridge 2>/dev/null ||
        slurm_skip "no namespaces with a network bridge can be made here"
    setpriv --pdeathsig KILL "${slurm_spaces[@]}" env --default-signal=INT RC_SLURM_INSIDE=1 \
        bash "$0" "$@" <&0 &
    slurm_inside=$!
    # Signals from outside reach the first process of a process namespace only if it
    # handles them; this one passes them on.
    trap 'kill -TERM $(pgrep -P "$slurm_inside")' INT TERM HUP
    while :; do
        wait "$slurm_inside"
        slurm_status=$?
        kill -0 "$slurm_inside" 2>/dev/null || exit "$slurm_status"
    done
fi
unset RC_SLURM_INSIDE
# The nodes claim more cores than there are: ranks that wait must let others run (a
# campaign of a second takes half a minute otherwise).
export OMPI_MCA_mpi_yield_when_idle=1
trap 'exit 130' INT
trap 'exit 143' TERM HUP

slurm_shared=/tmp/slurm
slurm_dir=$slurm_shared/.slurm
declare -A slurm_pid=() # of munged, slurmctld and what holds each node
export SLURM_CONF=$slurm_dir/slurm.conf TMPDIR=$slurm_shared

# slurm_new_tmp PATH...: a new /tmp with, of the old one, what the paths are in.
slurm_new_tmp() {
    local path
    mount -t tmpfs none /mnt || return 1
    for path; do
        path=$(realpath -m -- "$path")
        case $path in
        /tmp/*) path=${path#/tmp/} path=${path%%/*} ;;
        *) continue ;;
        esac
        if [ -d "/tmp/$path" ] && ! [ -e "/mnt/$path" ]; then
            mkdir "/mnt/$path" && mount --rbind "/tmp/$path" "/mnt/$path" || return 1
        fi
    done
    chmod 1777 /mnt && mount --rbind /mnt /tmp && umount -l /mnt
}

slurm_enter() {
    local here=$PWD
    slurm_kept=("$slurm_shared" "$0" "$here" "$@")
    hostname head && ip link set lo up && ip link add rc0 type bridge &&
        ip addr add 10.77.0.3/24 dev rc0 && ip link set rc0 up || return 1
    slurm_new_tmp "${slurm_kept[@]}" && mkdir "$slurm_shared" && chmod 1777 "$slurm_shared" &&
        cd "$here" || return 1
    printf '%s\n' '127.0.0.1 localhost' '10.77.0.1 n1' '10.77.0.2 n2' '10.77.0.3 head' >/tmp/hosts
    mount --bind /tmp/hosts /etc/hosts
}
slurm_enter "$@" || {
    echo "cannot set up the namespaces for a Slurm" >&2
    exit 1
}

# slurm_until SECONDS COMMAND...: tries it until it succeeds.
slurm_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# The times are those of a hasty site: what takes minutes elsewhere takes seconds; but a
# job may exceed its limit by a minute, since a busy machine is slow to end one.
# cred_expire is also how long a job waits that is to start again; less than 5 is not taken.
slurm_config() {
    cat <<EOS
ClusterName=rollcall
SlurmctldHost=head(10.77.0.3)
SlurmUser=root
SlurmctldPort=6817
SlurmdPort=6818
SrunPortRange=61000-62000
StateSaveLocation=$slurm_dir/state
SlurmdSpoolDir=$slurm_dir/spool.%n
SlurmctldPidFile=$slurm_dir/slurmctld.pid
SlurmdPidFile=$slurm_dir/%n.pid
SlurmctldLogFile=$slurm_dir/slurmctld.log
SlurmdLogFile=$slurm_dir/%n.log
AuthType=auth/munge
AuthInfo=socket=$slurm_dir/munge/socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=10
SlurmctldTimeout=5
MessageTimeout=10
TCPTimeout=3
KillWait=2
OverTimeLimit=1
ReturnToService=1
EnforcePartLimits=ALL
NodeName=n1 NodeAddr=10.77.0.1 CPUs=4 State=UNKNOWN
NodeName=n2 NodeAddr=10.77.0.2 CPUs=4 State=UNKNOWN
PartitionName=DEFAULT MaxTime=10 DefaultTime=5 State=UP
PartitionName=both Nodes=n1,n2 Default=YES
PartitionName=first Nodes=n1
PartitionName=second Nodes=n2
JobSubmitPlugins=lua
EOS
}

# Without a data base Slurm knows no accounts; this is a site that knows one.
slurm_accounts() {
    cat <<'EOS'
function slurm_job_submit(job, partitions, user)
    if job.account ~= nil and job.account ~= "staff" then
        return slurm.ESLURM_INVALID_ACCOUNT
    end
    return slurm.SUCCESS
end
function slurm_job_modify(change, job, partitions, user)
    return slurm.SUCCESS
end
return slurm.SUCCESS
EOS
}

# The first process of a node: what is in it ends with this one.
slurm_node_main() {
    hostname "$1" && slurm_new_tmp "${@:3}" && mount -t tmpfs none /dev/shm && ip link set lo up &&
        slurm_until 60 ip link show eth0 && ip addr add "$2/24" dev eth0 &&
        ip link set eth0 up || exit 1
    slurmd -D &
    wait "$!"
}

# slurm_boot NODE: a machine with a cable to the others.
slurm_boot() {
    local node=$1 inside
    mkdir -p "$slurm_dir/spool.$node"
    "${slurm_spaces[@]}" bash "$slurm_dir/node" "$node" "10.77.0.${node#n}" "${slurm_kept[@]}" \
        </dev/null >>"$slurm_dir/$node.log" 2>&1 &
    slurm_pid[$node]=$!
    slurm_until 60 pgrep -P "${slurm_pid[$node]}" && inside=$(pgrep -P "${slurm_pid[$node]}") &&
        ip link add "$node" type veth peer name eth0 netns "$inside" &&
        ip link set "$node" master rc0 up
}

# slurm_kill NAME: what it started, and waits until it is gone.
slurm_kill() {
    local inside
    inside=$(pgrep -P "${slurm_pid[$1]}")
    kill -KILL "${slurm_pid[$1]}" 2>/dev/null
    wait "${slurm_pid[$1]}" 2>/dev/null
    [ -z "$inside" ] || slurm_until 60 eval "! kill -0 $inside"
    unset "slurm_pid[$1]"
}

slurm_idle() {
    [ "$(sinfo -h -N -p both -o '%T' -n "$1" | sort -u)" = idle ]
}

slurm_fail() {
    echo "Slurm: $*" >&2
    tail -n 30 "$slurm_dir"/*.log >&2
    slurm_stop
    return 1
}

slurm_start() {
    local munge=$slurm_dir/munge node
    mkdir -p "$munge" "$slurm_dir/state" && slurm_config >"$SLURM_CONF" &&
        slurm_accounts >"$slurm_dir/job_submit.lua" &&
        head -c 128 /dev/urandom >"$munge/key" && chmod 600 "$munge/key" || return 1
    # shellcheck disable=SC2016  # the script's own arguments
    printf '%s\nslurm_node_main "$@"\n' \
        "$(declare -f slurm_new_tmp slurm_until slurm_node_main)" >"$slurm_dir/node"
    munged --foreground --key-file="$munge/key" --socket="$munge/socket" --pid-file="$munge/pid" \
        --seed-file="$munge/seed" --log-file="$slurm_dir/munge.log" </dev/null >/dev/null 2>&1 &
    slurm_pid[munged]=$!
    slurm_until 60 test -S "$munge/socket" || slurm_fail "munged does not start" || return 1
    slurmctld -D </dev/null >/dev/null 2>>"$slurm_dir/slurmctld.log" &
    slurm_pid[slurmctld]=$!
    slurm_boot n1 && slurm_boot n2 || slurm_fail "a node does not start" || return 1
    for node in n1 n2; do
        slurm_until 120 slurm_idle "$node" || slurm_fail "$node does not get idle" || return 1
    done
}

slurm_stop() {
    local name
    for name in n1 n2 slurmctld munged; do
        [ -z "${slurm_pid[$name]:-}" ] || slurm_kill "$name"
    done
    rm -rf "$slurm_dir"
}

slurm_node() {
    case $2 in
    down) scontrol update nodename="$1" state=down reason=test ;;
    resume) scontrol update nodename="$1" state=resume && slurm_until 120 slurm_idle "$1" ;;
    cut) ip link del "$1" && slurm_kill "$1" ;;
    boot) slurm_boot "$1" && slurm_until 120 slurm_idle "$1" ;;
    *) echo "slurm_node: '$2' is none of: down, resume, cut, boot" >&2 && return 1 ;;
    esac
}

slurm_state() {
    scontrol -o show job "$1" | sed 's/.* JobState=\([A-Z_]*\) .*/\1/'
}

slurm_is() {
    [ "$(slurm_state "$1")" = "$2" ]
}

slurm_gone() {
    [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]
}

slurm_wait() {
    slurm_until "$2" slurm_gone "$1"
}

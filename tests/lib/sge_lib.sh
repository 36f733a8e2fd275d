# sge_lib.sh - sourced by test scripts (bash): a real Grid Engine of two hosts, nodea
# and nodeb, on this machine, by the programs of Debian's packages.
#
#   sge_start      Brings it up; qsub, qstat and the others are on the PATH then.  77,
#                  and a line that says why, where it cannot be; 1 where it fails.
#                  It must be called by the script itself, not in a subshell.
#   sge_stop       Takes it down with all of its jobs; harmless where nothing was
#                  started.  For the script's EXIT trap.
#   sge_wait JOB SECONDS  Until the job, with all its tasks, is no longer known; 1 when
#                  that takes longer, or it waits in an error state.
#   sge_ends JOB   What the accounting has: a line "TASK STATUS FAILED" for each time
#                  that a task of the job ended, TASK is '-' where there are no tasks.
#   sge_dir        Holds the root, the spool and the commands of this Grid Engine.
#   SGE_SLOTS, SGE_NOTIFY  Set before the start: slots on each host (4), seconds from
#                  a notification to the end of a job (5).
#
# The queue is all.q, the parallel environments are mpi (fills one host, then the
# other) and smp (one host).  The queue's shell is csh: a script without -S fails
# here as it would at the sites where it does.  Jobs run as root, read no profile, and
# get no environment but PATH, HOME and what is for Open MPI, OpenBLAS and the sanitizers.
#
# The hosts are network and UTS namespaces in one PID namespace, whose first process
# dies with the script: no daemon, job, mount or interface outlives it, even when it
# is killed.  They share all files with the machine, /etc/hosts excepted.  The commands
# on the PATH enter nodea; in a job they do nothing but call the package's own.
# shellcheck shell=bash
sge_dir=
sge_holder=
sge_inside=
sge_bin=/usr/lib/gridengine

sge_why_not() {
    local program
    for program in qsub sge_qmaster sge_execd spoolinit; do
        [ -x "$sge_bin/$program" ] || {
            echo "no Grid Engine here: $sge_bin/$program is missing"
            return
        }
    done
    for program in ip unshare nsenter setpriv; do
        command -v "$program" >/dev/null || {
            echo "the program '$program' is missing"
            return
        }
    done
    unshare --mount --net --uts --pid --fork --mount-proc ip link add va type veth peer name vb 2>/dev/null ||
        echo "namespaces cannot be made here: that needs root"
}

# The files that spoolinit and the installation script of the packages would make.
sge_files() {
    local common=$SGE_ROOT/$SGE_CELL/common arch
    arch=$(/usr/share/gridengine/util/arch)
    mkdir -p "$common" "$SGE_ROOT/bin" "$SGE_ROOT/lib" "$SGE_ROOT/utilbin" \
        "$sge_dir/spool/qmaster/job_scripts" "$sge_dir/spool/execd" || return 1
    ln -s "$sge_bin" "$SGE_ROOT/bin/$arch"
    ln -s "$sge_bin" "$SGE_ROOT/lib/$arch"
    ln -s "$sge_bin" "$SGE_ROOT/utilbin/$arch"
    ln -s /usr/share/gridengine/util "$SGE_ROOT/util"
    echo nodea >"$common/act_qmaster"
    printf '127.0.0.1 localhost\n10.78.0.1 nodea\n10.78.0.2 nodeb\n' >"$sge_dir/hosts"
    cat >"$common/bootstrap" <<EOS
admin_user              none
default_domain          none
ignore_fqdn             true
spooling_method         classic
spooling_lib            libspoolc
spooling_params         $common;$sge_dir/spool/qmaster
binary_path             $SGE_ROOT/bin
qmaster_spool_dir       $sge_dir/spool/qmaster
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
EOS
    sed -e "s|^\(execd_spool_dir\) .*|\1 $sge_dir/spool/execd|" \
        -e 's/^\(min_[ug]id\) .*/\1 0/' -e 's/^\(load_report_time\) .*/\1 00:00:02/' \
        -e 's|^\(mailer\) .*|\1 /bin/true|' -e 's/^\(administrator_mail\) .*/\1 none/' \
        -e 's/^\(login_shells\) .*/\1 none/' \
        -e 's/^\(reporting_params\) .*/\1 accounting=true reporting=false flush_time=00:00:01 accounting_flush_time=00:00:00 joblog=false sharelog=00:00:00/' \
        /usr/share/gridengine/default-configuration >"$sge_dir/configuration"
}

sge_spool() {
    local resources=/usr/share/gridengine/util/resources
    "$sge_bin/spoolinit" classic libspoolc "$SGE_ROOT/$SGE_CELL/common;$sge_dir/spool/qmaster" init &&
        "$sge_bin/spooldefaults" configuration "$sge_dir/configuration" &&
        "$sge_bin/spooldefaults" complexes $resources/centry &&
        "$sge_bin/spooldefaults" usersets $resources/usersets &&
        "$sge_bin/spooldefaults" managers root
}

# Commands of the first process of the namespaces, as nodea; the other host is a child.
sge_first_process() {
    cat <<'EOS'
dir=$1 bin=$2
mount --bind "$dir/hosts" /etc/hosts && hostname nodea || exit 1
unshare --net --uts sh -c 'hostname nodeb; exec sleep infinity' &
other=$!
until [ "$(nsenter -t $other -u hostname)" = nodeb ]; do sleep 0.1; done
ip link add va type veth peer name vb netns $other
ip addr add 10.78.0.1/24 dev va && ip link set va up && ip link set lo up || exit 1
nsenter -t $other -n sh -c 'ip addr add 10.78.0.2/24 dev vb; ip link set vb up; ip link set lo up'
echo $other >"$dir/other"
export SGE_ND=1
"$bin/sge_qmaster" >"$dir/qmaster.log" 2>&1 &
until [ -e "$dir/hosts_known" ]; do sleep 0.1; done
"$bin/sge_execd" >"$dir/nodea.log" 2>&1 &
nsenter -t $other -n -u "$bin/sge_execd" >"$dir/nodeb.log" 2>&1 &
while :; do sleep 3600; done
EOS
}

# A command NAME that enters nodea unless it is called in there.
sge_command() {
    cat >"$sge_dir/bin/$1" <<EOS
#!/bin/sh
if [ "\$(readlink /proc/self/ns/pid)" = '$sge_inside' ]; then exec $sge_bin/$1 "\$@"; fi
exec nsenter -t $sge_holder -m -n -u --pid=/proc/$sge_holder/ns/pid_for_children --wd=. -- \\
    $sge_bin/$1 "\$@"
EOS
    chmod +x "$sge_dir/bin/$1"
}

# sge_until SECONDS COMMAND...: until it succeeds.
sge_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] && kill -0 "$sge_holder" 2>/dev/null || return 1
        sleep 0.2
    done
}

# Replaces lines of what qconf shows: sge_edit FILE NAME VALUE...
sge_edit() {
    local file=$1
    shift
    while [ $# -gt 0 ]; do
        sed -i "s|^\($1\) .*|\1 $2|" "$file"
        shift 2
    done
}

# Hosts, environments, a queue, a scheduler that does not wait.
sge_configure() {
    local pes=/usr/share/gridengine/util/resources/pe conf=$sge_dir/conf
    qconf -ah nodeb && qconf -as nodea && qconf -as nodeb || return 1
    printf 'group_name @allhosts\nhostlist nodea nodeb\n' >"$conf"
    qconf -Ahgrp "$conf" && qconf -Ap $pes/mpi && qconf -Ap $pes/smp || return 1
    qconf -ssconf >"$conf"
    sge_edit "$conf" schedule_interval 0:0:1 flush_submit_sec 1 flush_finish_sec 1 \
        job_load_adjustments NONE load_adjustment_decay_time 0:0:0
    qconf -Msconf "$conf" && qconf -sq >"$conf" || return 1
    sge_edit "$conf" qname all.q hostlist @allhosts pe_list 'mpi smp' \
        slots "${SGE_SLOTS:-4}" load_thresholds NONE rerun FALSE \
        notify "0:0:${SGE_NOTIFY:-5}" shell /bin/csh tmpdir "$sge_dir/tmp"
    qconf -Aq "$conf"
}

# Both hosts have reported, and no state stands against them.
sge_takes_jobs() {
    [ "$(qstat -f -q all.q | awk '/^all.q@/ && $5 ~ /^lx-/ && NF == 5' | wc -l)" -eq 2 ]
}

sge_failed() {
    echo "sge_start: $1" >&2
    tail -n 20 "$sge_dir"/*.log "$sge_dir/spool/qmaster/messages" >&2 2>/dev/null
    sge_stop
    return 1
}

# The namespaces with the daemons, without most of this environment.
sge_spawn() {
    local name pass=()
    for name in $(compgen -e | grep -E '^(SGE_|OMPI_|OPENBLAS_|ASAN_|LSAN_|UBSAN_)'); do
        pass+=("$name=${!name}")
    done
    sge_first_process >"$sge_dir/first"
    env -i PATH="$PATH" HOME="$HOME" "${pass[@]}" setpriv --pdeathsig KILL \
        unshare --mount --net --uts --pid --fork --kill-child --mount-proc \
        sh "$sge_dir/first" "$sge_dir" "$sge_bin" >"$sge_dir/first.log" 2>&1 </dev/null &
    sge_holder=$!
    sge_until 120 test -s "$sge_dir/other" || return 1
    sge_inside=$(nsenter -t "$sge_holder" -m --pid="/proc/$sge_holder/ns/pid_for_children" \
        readlink /proc/self/ns/pid)
}

sge_start() {
    local why name
    why=$(sge_why_not)
    if [ -n "$why" ]; then
        echo "skipped: $why"
        return 77
    fi
    sge_dir=$(mktemp -d) || return 1
    mkdir "$sge_dir/bin" "$sge_dir/tmp"
    export SGE_ROOT=$sge_dir/root SGE_CELL=default SGE_QMASTER_PORT=6444 SGE_EXECD_PORT=6445
    if ! sge_files || ! sge_spool >"$sge_dir/spool.log" 2>&1; then
        sge_failed "no spool"
    elif ! sge_spawn; then
        sge_failed "no namespaces"
    else
        for name in qsub qstat qdel qacct qconf qhost qmod qalter qhold qrls qselect qrsh qresub qping; do
            sge_command $name
        done
        export PATH=$sge_dir/bin:$PATH
        if ! sge_until 120 qconf -sh; then
            sge_failed "qmaster does not answer"
        elif ! sge_configure >"$sge_dir/configure.log" 2>&1; then
            sge_failed "qconf refuses something"
        else
            : >"$sge_dir/hosts_known"
            sge_until 200 sge_takes_jobs || sge_failed "the queue takes no jobs"
        fi
    fi
}

# unshare ends when the first process has, and that when all others have.
sge_stop() {
    local first
    [ -n "$sge_dir" ] || return 0
    if [ -n "$sge_holder" ]; then
        first=$(pgrep -P "$sge_holder")
        kill -KILL "${first:-$sge_holder}" 2>/dev/null
        wait "$sge_holder" 2>/dev/null
    fi
    export PATH=${PATH#"$sge_dir/bin:"}
    rm -rf "$sge_dir"
    sge_dir='' sge_holder=''
    unset SGE_ROOT SGE_CELL SGE_QMASTER_PORT SGE_EXECD_PORT
}

sge_gone() {
    ! qstat -j "$1"
}

sge_wait() {
    local end=$((SECONDS + $2))
    until sge_gone "$1" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        ! qstat | grep -q -E "^ *$1 .* Eqw " || return 1
        sleep 0.5
    done
}

sge_ends() {
    sge_until 60 qacct -j "$1" || return 1
    qacct -j "$1" | awk '
        $1 == "taskid" { task = $2 == "undefined" ? "-" : $2 }
        $1 == "failed" { failed = $2 }
        $1 == "exit_status" { print task, $2, failed }'
}

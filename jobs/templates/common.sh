# The functions that the steps of all jobs use.
# shellcheck shell=bash disable=SC2034,SC2154,SC2317 # variables of other texts; what traps call
# [common]

# The functions of the steps below.
if [ -n "$index" ]; then work=$work/shares/$index; fi
record=$dir/jobs/$part${index:+-$index}.record
stopped='' signalled='' child='' next='' leave='' fresh='' try=0
if [ -n "$shares" ] && [ -z "$index" ]; then
    echo "rollcall: $script is for the $shares elements of an array, expected a number in RC_INDEX" >&2
    exit 2
fi

# note WORD...: writes a line that tells 'rollcall submit --status' the state of this job.
note() {
    printf '%s %s %s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$round" "$job" "$*" >>"$record"
}

say() {
    printf 'rollcall job %s: %s\n' "$job" "$*" >&2
}

# later SIGNAL PROCESS SECONDS: sends the signal after so many seconds; TERM stops it.
later() {
    local sleeper=''
    trap 'kill "$sleeper" 2>/dev/null; exit 0' TERM
    sleep "$3" &
    sleeper=$!
    wait "$sleeper" && kill "-$1" "$2" 2>/dev/null
}
clock='' helpers=()
ending() {
    if [ -n "$clock" ]; then kill "$clock" 2>/dev/null; fi
    if [ ${#helpers[@]} -gt 0 ]; then kill "${helpers[@]}" 2>/dev/null; fi
    clock='' helpers=()
}
trap ending EXIT

# press: asks the running child to end, and ends it while there is time if it does not: a
# launcher that is still starting may hang at the signal.
patience=${warn_seconds:-120}
press() {
    kill -USR1 "$child" 2>/dev/null
    later TERM "$child" $((patience / 2)) &
    helpers+=($!)
    later KILL "$child" $((patience * 3 / 4)) &
    helpers+=($!)
}

# is_cancelled: 'rollcall submit --cancel' has ended this round of jobs, or a later one.  It
# says so here before it tells the batch system, which may know another job by then.
is_cancelled() {
    local last=''
    if [ -f "$dir/jobs/cancelled" ]; then read -r last <"$dir/jobs/cancelled"; fi
    case $last in '' | *[!0-9]* | ???????????*) return 1 ;; esac
    [ "$last" -ge "${round#r}" ]
}

# heed_cancel: where the job was cancelled after its warning, it ends as a cancelled one.
heed_cancel() {
    case $stopped in cancelled | lost) return ;; esac
    if is_cancelled; then
        stopped=cancelled
        note "cancelled"
    fi
}

# stop WHY: passes the warning before the time limit, or the end on demand, to the child.
stop() {
    signalled=1
    if [ -z "$stopped" ]; then
        stopped=$1
        if [ "$1" = cancelled ] && lost; then stopped=lost; fi
        note "$stopped"
    fi
    heed_cancel
    if [ -n "$child" ]; then press; fi
}
declare -F lost >/dev/null || lost() { false; }
trap 'stop cancelled' TERM INT HUP USR2
trap 'stop warned' "${signals[@]}"

# step COMMAND...: runs it to its end, while signals may come, and returns its status.
step() {
    local status=143
    [ -z "$stopped" ] || return "$status"
    "$@" &
    child=$!
    if [ -n "$stopped" ]; then press; fi
    signalled=1
    while [ -n "$signalled" ]; do
        signalled=''
        wait "$child"
        status=$?
    done
    child=''
    if [ -n "$stopped" ]; then ending; fi
    return "$status"
}

end() {
    note "ended $1"
    exit "$1"
}

tries() {
    grep -c "^[^ ]* $round [^ ]* begun" "$record" 2>/dev/null || true
}

# begin: writes that this try begins, and starts the script's own clock where no warning
# comes before the time limit.
begin() {
    cd "$cwd" || end 1
    if is_cancelled; then
        note "cancelled"
        say "cancelled; without the file $dir/jobs/cancelled it runs"
        end 3
    fi
    note "begun"
    try=$(tries)
    say "try $try of $tries_most, on ${nodes:-the nodes it has}"
    if [ -n "$clock_seconds" ]; then
        later USR1 $$ "$clock_seconds" &
        clock=$!
    fi
}

# brief COMMAND...: runs a command of some seconds to its end, also when a warning comes,
# which some systems send to all processes of a job.
brief() {
    (trap '' USR1 USR2 && exec "$@")
}

# missing: prints how many units are not measured yet; nothing where there is no campaign.
missing() {
    brief "$rollcall" status --missing "$work" 2>/dev/null || true
}

# go_on STATUS WHY: has this job run once more, where that makes sense; ends it.
go_on() {
    if [ "$stopped" = lost ]; then
        note "again ${next:-$job}"
        say "a node was lost: it goes on in job ${next:-$job}"
        exit "$1"
    fi
    heed_cancel
    if [ "$stopped" = cancelled ]; then
        say "cancelled; 'rollcall submit' goes on with what is missing"
    elif [ "$try" -ge "$tries_most" ]; then
        say "$2; that was try $try of $tries_most: given up"
    elif again; then
        note "again ${next:-$job}"
        say "$2; it goes on in job ${next:-$job}"
        exit "${leave:-$1}"
    else
        say "$2; and it could not be submitted again"
    fi
    end "$1"
}

# idle_before COUNT: whether as many tries before this one have measured nothing.
idle_before() {
    [ "$(grep "^[^ ]* $round [^ ]* \(begun\|idle\)\$" "$record" | tail -n $((2 * $1)) | grep -c ' idle$')" -eq "$1" ]
}

# conclude CAMPAIGN: makes its metric tables and its report; sets 'status' where one fails.
conclude() {
    local code solved reported
    step launch "$rollcall" solve "$1"
    solved=$?
    [ -z "$stopped" ] || go_on 3 "stopped while solving"
    brief "$rollcall" report "$1"
    reported=$?
    for code in "$solved" "$reported"; do
        case $code in 0 | 3) ;; *) status=$code ;; esac
    done
}

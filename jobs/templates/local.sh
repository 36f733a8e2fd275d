# No batch system: jobs are processes of this machine, in the background.  The number of
# a job is PID.TICKS: when a process began, in the kernel's ticks, makes it one of a kind.
# shellcheck shell=bash disable=SC2034,SC2093,SC2154 # variables of other texts; exec ends them
# [header]
# [setup]
index=${RC_INDEX:-}
exec >>"$dir/jobs/$part${index:+-$index}.log" 2>&1 </dev/null
job=$$.$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f20)
nodes=$(hostname)
ranks=${ranks:-$(lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)}
before=${RC_AFTER:-}
while [ -n "$before" ] && [ "$(sed 's/.*) //' "/proc/${before%%.*}/stat" 2>/dev/null | cut -d' ' -f20)" = "${before#*.}" ]; do
    sleep 1
done
by_mpi ''
# [launch]
"${launcher[@]}" -n "$ranks" ${set_launch_options:+"$set_launch_options"}
# [again]
ending
note "again $job"
exec bash "$dir/$script"
# [submit]
(
    trap '' HUP
    exec env --unset=RC_AFTER --unset=RC_INDEX ${after:+RC_AFTER="$after"} ${index:+RC_INDEX="$index"} \
        setsid bash "$script" </dev/null >/dev/null 2>&1
) &
ticks=$(sed -n 's/.*) [^ZX] //p' /proc/$!/stat | cut -d' ' -f19)
echo "$!.${ticks:?process $! has ended at once}"
# [query]
[[ $1 =~ ^[1-9][0-9]*\.[1-9][0-9]*$ ]] || exit 0
if [ "$(sed -n 's/.*) [^ZX] //p' "/proc/${1%.*}/stat" 2>/dev/null | cut -d' ' -f19)" = "${1#*.}" ]; then
    echo running
fi
# [cancel]
[[ $1 =~ ^[1-9][0-9]*\.[1-9][0-9]*$ ]] || exit 0
if [ "$(sed -n 's/.*) [^ZX] //p' "/proc/${1%.*}/stat" 2>/dev/null | cut -d' ' -f19)" != "${1#*.}" ]; then
    exit 0 # it has ended
fi
# Numbers in a directory may be a stranger's, who has found another process of the user's:
# one of a job's words is its script.  The script passes the signal on to what it started.
if ! grep -qzE '(^|/)jobs/[^/]*\.sh$' "/proc/${1%.*}/cmdline"; then
    echo "process ${1%.*} is no job of rollcall's" >&2
    exit 1
fi
kill "${1%.*}" || [ ! -e "/proc/${1%.*}" ]

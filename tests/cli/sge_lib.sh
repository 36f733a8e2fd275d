#!/usr/bin/env bash
# sge_lib.sh ROLLCALL - the Grid Engine that other tests submit to: it runs jobs on its two
# hosts and under mpirun, says how they ended, and leaves nothing behind.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
# shellcheck source=tests/lib/sge_lib.sh
. "$here/lib/sge_lib.sh"
trap 'sge_stop; rm -rf "$work"' EXIT

path=$PATH
mounts=$(wc -l </proc/self/mounts)
hosts=$(cat /etc/hosts)
sge_stop || fail "stopping what was not started"
sge_start || exit $?
was=$sge_dir holder=$sge_holder

cat >ends.sh <<'EOS'
#!/bin/bash
#$ -S /bin/bash
#$ -cwd -j y -o ends.log
hostname
exit 7
EOS
run 0 qsub -terse ends.sh
sge_wait "$out" 300 || fail "job $out did not end"
[ "$(sge_ends "$out")" = "- 7 0" ] || fail "expected status 7, found '$(sge_ends "$out")'"
grep -q '^node[ab]$' ends.log || fail "ran on '$(cat ends.log)'"

# Both hosts, found by mpirun itself.
cat >both.sh <<'EOS'
#!/bin/bash
#$ -S /bin/bash
#$ -cwd -j y -o both.log -pe mpi 6
mpirun hostname
EOS
run 0 qsub -terse both.sh
sge_wait "$out" 300 || fail "job $out did not end"
[ "$(sort both.log | uniq -c | sort -n | tr -s ' \n' ' ' | sed 's/node[ab]/N/g')" = " 2 N 4 N " ] ||
    fail "expected four ranks on one host and two on the other, found: $(cat both.log)"

# Each element of an array, and what waits for all of them.
# shellcheck disable=SC2016  # the job's shell is to see it
run 0 qsub -terse -S /bin/sh -t 1-3 -N parts -o /dev/null -j y -b y exit '$SGE_TASK_ID'
array=${out%%.*}
run 0 qsub -terse -S /bin/sh -hold_jid "$array" -o /dev/null -j y -b y true
sge_wait "$out" 300 || fail "job $out did not end"
[ "$(sge_ends "$array" | sort)" = "1 1 0
2 2 0
3 3 0" ] || fail "the array ended with: $(sge_ends "$array")"

# Neither a job in an error state nor one that takes longer is waited for.
run 0 qsub -terse -S /bin/sh -o "$work/none/such" -j y -b y true
! sge_wait "$out" 60 || fail "an error state is no end"
run 0 qsub -terse -S /bin/sh -o /dev/null -j y -b y sleep 600
! sge_wait "$out" 2 || fail "job $out runs for ten minutes"

sge_stop
[ ! -e "$was" ] || fail "$was is still there"
! kill -0 "$holder" 2>/dev/null || fail "process $holder is still there"
[ "$(wc -l </proc/self/mounts)" = "$mounts" ] || fail "mounts are left: $(cat /proc/self/mounts)"
[ "$(cat /etc/hosts)" = "$hosts" ] || fail "/etc/hosts was changed"
[ "$PATH" = "$path" ] || fail "the PATH is now $PATH"
run 1 pgrep -f "$was"

# A script that is killed.
cat >killed.sh <<EOS
. '$here/lib/sge_lib.sh'
sge_start && echo "\$sge_dir" && qsub -b y sleep 600 >&2 && kill -KILL \$\$
EOS
run 137 bash killed.sh
for _ in $(seq 600); do
    pgrep -f "$out" >/dev/null || break
    sleep 0.1
done
was=$out
[ -d "$was/spool" ] || fail "expected the directory of a Grid Engine, found '$was'"
run 1 pgrep -f "$was"
rm -rf "$was"

rm -f ends.sh ends.log both.sh both.log killed.sh
finish

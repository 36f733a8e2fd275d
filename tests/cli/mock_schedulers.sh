#!/usr/bin/env bash
# mock_schedulers.sh ROLLCALL - the mock commands of OpenPBS, LSF and Flux refuse what the
# real ones refuse and run what those run; where each rule is from: tests/mock/*.py.
# shellcheck disable=SC2016,SC1003,SC2119,SC2317  # scripts for others to expand; run() calls submit()
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
# shellcheck source=tests/lib/mock_lib.sh
. "$here/lib/mock_lib.sh"

for file in "$mocks"/*.py; do
    run 0 env PYTHONPYCACHEPREFIX="$work/cache" python3 -m py_compile "$file"
done
rm -rf cache

# script LINE...: the script 's'.
script() {
    printf '%s\n' "$@" >s
}

# refuses STATUS TEXT LINE...: the command that 'submit' stands for says TEXT to a script
# that begins with these lines, and there is no job.
refuses() {
    local status=$1 text=$2
    shift 2
    script '#!/bin/bash' "$@" 'true'
    run "$status" submit
    case $err in
    *"$text"*) ;;
    *) fail "no '$text' for '$*': $err" ;;
    esac
    [ -z "$(ls mock/jobs 2>/dev/null)" ] || fail "submitted: $*"
}

# after EXPRESSION EXPECTED: when all is over, the expression over the jobs is this.
after() {
    mock_wait || fail "not over: $(mock_jobs '[(j["key"], j["state"]) for j in jobs]')"
    local found
    found=$(mock_jobs "$1")
    [ "$found" = "$2" ] || fail "$1 is $found, expected $2"
}
sent='[s[1:] for s in jobs[-1]["sent"]]'
catching=('trap "echo USR1" USR1' 'trap "echo TERM; exit 9" TERM' 'trap "echo HUP; exit 8" HUP'
    'trap "echo USR2" USR2' 'for i in {1..4000}; do sleep 0.05; done')

# OpenPBS
mock_use pbs
submit() { qsub "$@" s; }
refuses 1 'qsub: directive error: -N a b ' '#PBS -N a b'
refuses 1 'qsub: directive error: -A x # why ' '#PBS -A x # why'
refuses 1 "qsub: invalid option -- 'Q'" '#PBS -Q x'
script '#!/bin/bash' '#PBS -N "a' # it ends the line with a null byte
qsub s 2>&1 | tr -d '\0' | grep -q '^qsub: unmatched $' || fail "an open quote is taken"
refuses 2 'qsub: illegal -N value' '#PBS -N "a b"'
refuses 2 'qsub: illegal -N value' '#PBS -N a$b'
refuses 2 'qsub: illegal -N value' "#PBS -N $(printf 'a%.0s' {1..231})"
refuses 2 'qsub: illegal -J value' '#PBS -J 1-1'
refuses 2 'qsub: illegal -j value' '#PBS -j yes'
refuses 2 'qsub: illegal -m value' '#PBS -m x'
refuses 1 'qsub: illegal -r value' '#PBS -r yes'
refuses 1 'cannot submit non-rerunable Array Job' '#PBS -r n' '#PBS -J 0-3'
refuses 2 'qsub: illegal -W value' '#PBS -W depend=afterany'
refuses 2 'qsub: illegal -W value' '#PBS -W depend'
refuses 154 'Undefined attribute' '#PBS -W colour=red'
refuses 170 'qsub: Unknown queue' '#PBS -q nowhere'
refuses 2 'illegally formed destination' '#PBS -q "a b"'
refuses 166 'Resource_List.select' '#PBS -l select=2:ncpus=many'
refuses 187 'Unknown resource' '#PBS -l select=2:cores=4'
refuses 166 'Resource_List.walltime' '#PBS -l walltime=1h'
refuses 2 'illegal -l value' '#PBS -l walltime'
script '#!/bin/bash' 'true' '#PBS -q nowhere'
run 0 qsub -N 'x+y.z' s # a directive after the first command is none
run 2 qsub s -N x
run 1 qsub missing
says 'qsub: script file:: No such file or directory'

script '#!/bin/bash' '#PBS -N "nodes" -j oe \' '-o "$HOME"' '  #PBS -l select=2:mpiprocs=2,walltime=5:00' \
    'pwd; wc -l <$PBS_NODEFILE; echo $PBS_JOBID $PBS_QUEUE $OTHER; cd "$PBS_O_WORKDIR" && pwd'
export OTHER=gone
run 0 qsub -v A=1 s
[ "$out" = 2.mock ] || fail "answered '$out'"
after 'jobs[-1]["status"]' 0
[ "$(tr '\n' ' ' <'$HOME')" = "$HOME 4 2.mock workq $work " ] || fail "ran as $(cat '$HOME')"
run 35 qstat 2
says 'qstat: 2.mock Job has finished, use -x or -H to obtain historical job information'
run 153 env RC_MOCK_HISTORY=0 qstat -x 2
run 153 qstat -x 99.mock
says 'qstat: Unknown Job Id 99.mock'
run 1 qstat name
says 'qstat: illegally formed job identifier: name'

script '#!/bin/bash' '#PBS -J 1-5:2' '#PBS -N array' 'exit $((PBS_ARRAY_INDEX == 3))'
run 0 qsub s
[ "$out" = '3[].mock' ] || fail "answered '$out'"
script '#!/bin/bash' 'true'
run 0 qsub -W "depend=afterok:3[].mock" s
run 0 qsub -W "depend=afterany:3[].mock" s
after '[(j["index"], j["result"]) for j in jobs if j["name"] == "array"] + [j["result"] for j in jobs[-2:]]' \
    "[(1, 'ok'), (3, 'failed'), (5, 'ok'), 'dependency', 'ok']"
run 0 qstat -f -x -F json '3[].mock'
has '"job_state":"F"'
[ -e array.o3.1 ] || fail "no array.o3.1: $(ls)"

script '#!/bin/bash' '#PBS -l walltime=00:00:10' '#PBS -o limit -e limit.err' "${catching[@]}"
export RC_MOCK_SECOND=0.3 # a busy machine needs a while until the traps stand
run 0 qsub s
after "jobs[-1]['result'], jobs[-1]['status'], $sent" "('timeout', 9, [['SIGTERM', 'all']])"
[ "$(cat limit)" = TERM ] || fail "limit: $(cat limit)"
grep -q '=>> PBS: job killed: walltime .* exceeded limit 10' limit.err || fail "limit.err: $(cat limit.err)"
export RC_MOCK_SECOND=0.01
script '#!/bin/bash' 'sleep 60'
run 0 qsub s
id=$out
run 0 qsub -h s
held=$out
run 0 qstat -f -x -F json "$held"
has '"job_state":"H"'
run 159 qrerun "$held"
says "qrerun: Unauthorized Request  $held"
run 0 qdel "$id" "$held"
after '[(j["result"], j["status"]) for j in jobs[-2:]]' "[('cancelled', -15), ('cancelled', None)]"
run 0 qstat -x -f "$id"
has 'Exit_status = 271'
run 35 qdel "$id"
mock_stop

# LSF
mock_use lsf jsm
submit() { bsub "$@" <s; }
refuses 255 'nowhere: No such queue. Job not submitted.' '#BSUB -q nowhere'
refuses 255 'Bad job name. Job not submitted.' '#BSUB -J "a[0-3]"'
refuses 255 'Bad job name. Job not submitted.' '#BSUB -J "a[b"'
refuses 255 'Bad argument for option -n. Job not submitted.' '#BSUB -n x'
refuses 255 'The number of processors must be a positive integer. Job not submitted.' '#BSUB -n 0'
refuses 255 'Too many processors requested. Job not submitted.' '#BSUB -n 12' '#BSUB -R span[ptile=4]'
refuses 255 '1h: Bad RUNLIMIT specification. Job not submitted.' '#BSUB -W 1h'
refuses 255 'duplicate section. Job not submitted.' '#BSUB -R "span[ptile=4] span[ptile=2]"'
refuses 255 'Bad time specification' '#BSUB -W 5' '#BSUB -wa USR1' '#BSUB -wt 30s'
refuses 255 'Illegal signal value' '#BSUB -W 5' '#BSUB -wa NONE' '#BSUB -wt 1'
refuses 255 '99: No matching job found. Job not submitted.' '#BSUB -w "ended(99)"'
refuses 255 'Dependency condition syntax error' '#BSUB -w "ended("'
refuses 255 'illegal option' '#BSUB --nodes 2'
printf '#BSUB -J x\n' >s
run 255 submit
says 'No command is specified in the script file. Job not submitted.'

script '#!/bin/bash' '#BSUB -q "nowhere normal"' '#BSUB this is a comment' '# BSUB -J "two words" # and this' '#BSUB -n4 -R "span[ptile=2]"' \
    '#BSUB -o out.%J.%I' 'echo "$LSB_JOBNAME/$LSB_DJOB_NUMPROC/$LSB_MCPU_HOSTS/$OTHER"; wc -l <$LSB_DJOB_HOSTFILE' \
    '#BSUB -P "my project"' 'jsrun -n 2 -r 1 -a 2 -c 1 -b rs -d packed sh -c "echo rank \$OMPI_COMM_WORLD_RANK"' \
    'jsrun -b core true; echo $?'
export OTHER=kept
run 0 submit
[ "$out" = 'Job <1> is submitted to queue <normal>.' ] || fail "answered '$out'"
after 'jobs[-1]["status"], jobs[-1]["project"]' "(0, 'my project')"
host=$(hostname)
for line in 'Sender: LSF System' "two words/4/$host 4/kept" 'rank 3' 'The output (if any) follows:'; do
    grep -qF "$line" out.1.0 || fail "no '$line' in $(cat out.1.0)"
done
[ "$(tail -n 1 out.1.0)" = 1 ] || fail "jsrun took -b core: $(cat out.1.0)"

script '#!/bin/bash' '#BSUB -J "many[1-3]"' 'exit $((LSB_JOBINDEX == 3 ? 7 : 0))'
run 0 submit
script '#!/bin/bash' 'true'
run 0 submit -w 'ended(2) && exit(2[3])'
after '[j["result"] for j in jobs[-4:]]' "['ok', 'ok', 'failed', 'ok']"
run 0 bjobs -noheader -o "jobid jobindex stat exit_code delimiter=':'" 2
[ "$out" = $'2:1:DONE:-\n2:2:DONE:-\n2:3:EXIT:7' ] || fail "bjobs: $out"
run 255 bjobs -noheader -o 'stat' 99
says 'Job <99> is not found'

# Again after status 3, twice; the same number.
script '#!/bin/bash' '#BSUB -Q "3 4"' 'echo x >>runs; [ "$(wc -l <runs)" -ge 3 ] || exit 3'
run 0 submit
after 'jobs[-1]["runs"], jobs[-1]["result"]' "(3, 'ok')"

script '#!/bin/bash' '#BSUB -W 0:02' '#BSUB -wt 1 -wa USR1' '#BSUB -oo limit' "${catching[@]}"
export RC_MOCK_SECOND=0.04 # 2.4 s until the traps must stand
run 0 submit
after "jobs[-1]['result'], ${sent}[:3]" \
    "('timeout', [['SIGUSR1', 'all'], ['SIGUSR2', 'all'], ['SIGINT', 'all']])"
export RC_MOCK_SECOND=0.01
script '#!/bin/bash' 'exec sleep 60'
run 0 submit
run 0 submit -H
run 0 bjobs -noheader -o stat 7
[ "$out" = PSUSP ] || fail "held: $out"
run 0 bkill 6 7
[ "$out" = $'Job <6> is being terminated\nJob <7> is being terminated' ] || fail "bkill: $out"
mock_stop

# With -r a lost node does not end the job; brequeue neither: the same number again.
script '#!/bin/bash' '#BSUB -r -J again' 'exec sleep 60'
run 0 submit
running() {
    local left=1200
    while [ "$(mock_jobs 'jobs[-1]["state"], jobs[-1]["runs"]')" != "('running', $1)" ]; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || fail "not running for the time $1" || return
        sleep 0.1
    done
}
running 1
mock_lose 1
running 2
run 0 brequeue 1
[ "$out" = 'Job <1> is being requeued' ] || fail "brequeue: $out"
running 3
run 0 bkill 1
after 'jobs[-1]["result"], jobs[-1]["runs"]' "('cancelled', 3)"
mock_stop

# Flux
mock_use flux
submit() { flux batch "$@" s; }
refuses 1 'flux-batch: ERROR: Number of slots to allocate must be specified' ''
refuses 1 "s: line 4: orphan 'flux:' detected: directives disabled after line 2" '# flux: -N1' 'x' '# flux: -n1'
refuses 1 "s: line 3: sentinel changed from '# flux:' to '#flux:'" '# flux: -N1' '#flux: -n1'
refuses 1 's: line 2: Unknown directive:  N1' '# flux: N1'
refuses 1 's: line 2:  --job-name="x: No closing quotation' '# flux: --job-name="x'
refuses 2 'flux-batch: ERROR: argument parsing failed at s line 2' '# flux: --colour=red'
refuses 1 'invalid Flux standard duration' '# flux: -N1 -t 1:00'
refuses 1 "signal 'NONE' is invalid" '# flux: -N1 --signal=NONE@30'
refuses 1 'dependency scheme "ended" not supported' '# flux: -N1 --dependency=ended:f1'
refuses 1 'not found' '# flux: -N1 --dependency=afterany:f1'

script '#!/bin/bash' '# flux: -N2 -n4 --job-name="two words" # why' '# flux: --output=out.{{id}}' '# flux: # -N9' \
    'flux getattr jobid; echo "${FLUX_JOB_ID-unset}"' \
    'flux run -N2 -n4 sh -c "echo rank \$OMPI_COMM_WORLD_RANK"; flux run -n many true; echo $?'
run 0 submit
id=$out
after 'jobs[-1]["status"]' 0
[ "$(head -n 2 "out.$id")" = "$id"$'\nunset' ] || fail "ran as $(cat "out.$id")"
grep -q 'rank 3' "out.$id" || fail "no ranks: $(cat "out.$id")"
run 0 flux jobs -no '{id.f58}|{name}|{status}|{returncode}' "$id"
[ "$out" = "$id|two words|COMPLETED|0" ] || fail "flux jobs: $out"
run 0 flux jobs -no '{status}' f1
says 'JobID f1 unknown'
[ -z "$out" ] || fail "flux jobs f1: $out"

script '#!/bin/bash' '# flux: -n1 -t 10s --signal=SIGUSR1@5s --output=limit' "${catching[@]}"
export RC_MOCK_SECOND=0.5
run 0 submit
id=$out
script '#!/bin/bash' 'true'
run 0 flux batch -n1 --dependency=afterok:"$id" s
run 0 flux batch -n1 --dependency=afterany:"$id" s
after '[j["result"] for j in jobs[-3:]]' "['timeout', 'dependency', 'ok']"
export RC_MOCK_SECOND=0.01
[ "$(tr '\n' ' ' <limit)" = 'USR1 HUP ' ] || fail "limit: $(cat limit)"
script '#!/bin/bash' 'sleep 60'
run 0 flux batch -n1 s
run 0 flux cancel "$out"
after '[j["result"] for j in jobs[-1:]]' "['cancelled']"

# A script goes on in another job.
script '#!/bin/bash' '# flux: -N1 --job-name=next --output=none' 'echo x >>next' \
    '[ "$(wc -l <next)" -ge 3 ] || flux --parent batch --dependency=afterany:"$(flux getattr jobid)" s'
run 0 submit
after '[j["result"] for j in jobs if j["name"] == "next"]' "['ok', 'ok', 'ok']"

# Processes that a test leaves running end with it.
run 0 flux batch -n1 s
runner=$(mock_jobs 'jobs[-1]["runner"]')
mock_stop
! tr '\0' ' ' <"/proc/$runner/cmdline" 2>/dev/null | grep -q batch.py || fail "a runner is left"

rm -f s runs next limit limit.err out.* flux-*.out './$HOME' ./*.o[0-9]* ./*.e[0-9]*
trap 'rm -rf "$work"' EXIT
finish

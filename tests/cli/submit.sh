#!/usr/bin/env bash
# submit.sh ROLLCALL - campaigns submitted on this machine, without a batch system: wrong
# words, names of all sorts, cancelling, shares and parts, files of
# strangers; and the scripts for all batch systems.  All readings are simulated.
# shellcheck disable=SC2154,SC2016,SC2317,SC1003  # others' variables; words for others to expand; run() calls functions
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/submit_local_lib.sh
. "$tests/lib/submit_local_lib.sh"

said() {
    case $err in
    *"$1"*) ;;
    *) fail "$what: said '$err', expected '$1'" ;;
    esac
    [ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ] || fail "$what: more than a line: $err"
}

# Wrong words: one line, and nothing appears.
printf 'x=1\n[run]\n' >bad.template
printf '[setup]\n[header]\n# {{nam e}}\n' >worse.template
printf '[run]\n\necho "{{dir}}"\n' >older.template
touch file
before=$(ls)
while IFS='|' read -r status options line; do
    what="submit $options"
    eval "set -- $options"
    run "$status" "$rollcall" submit "$@"
    said "$line"
    [ -z "$out" ] || fail "$what: printed '$out'"
    [ "$(ls)" = "$before" ] || fail "$what: left $(ls)"
done <<'END'
2||rollcall submit: expected -o DIR: a new directory, or that of a campaign to resume
2|-o ''|expected -o DIR: a new directory, or that of a campaign to resume
2|-o|option '-o' needs an argument: DIR
2|-o new --scheduler cron|--scheduler: 'cron', expected one of: auto, flux, slurm, jsrun, lsf, sge, pbs, local
2|-o new --scheduler local --nodes 2|--nodes 2, expected 1: there is only this machine
2|-o new --scheduler pbs --nodes 2-4|--nodes '2-4': OpenPBS, PBS Pro takes one number of nodes
2|-o new --scheduler slurm --nodes 0|--nodes '0', expected 1 to 1000000, or MIN-MAX of them
2|-o new --scheduler slurm --nodes 4-2|--nodes '4-2', expected 1 to 1000000, or MIN-MAX of them
2|-o new --scheduler slurm --nodes 2-|--nodes '2-', expected
2|-o new --scheduler slurm --nodes -2|--nodes '-2', expected
2|-o new --scheduler slurm --nodes 2x|--nodes '2x', expected
2|-o new --scheduler slurm --nodes 1000001|--nodes '1000001', expected
2|-o new --ranks-per-node 0|--ranks-per-node '0', expected 1 to 100000, or cores
2|-o new --ranks-per-node all|--ranks-per-node 'all', expected 1 to 100000, or cores
2|-o new --time 90|--time '90', expected 90m, 1h30m, 01:30:00, 2-00:00:00 or auto
2|-o new --time ''|--time '', expected
2|-o new --time 0s|--time '0s', expected
2|-o new --time 1:2:|--time '1:2:', expected
2|-o new --time 500d|--time '500d', expected
2|-o new --time -1h|--time '-1h', expected
2|-o new --warn soon|--warn 'soon', expected a duration
2|-o new --warn 0s|--warn '0s', expected a duration
2|-o new --scheduler local --time 5s --warn 5s -- --source model:spr|--time is 5 s, expected more than the 5 s of --warn
2|-o new --scheduler local --set mpi=lam -- --source model:spr|--set mpi: found 'lam', expected one of: openmpi, mpich, intel
2|-o new --tries 0|--tries '0', expected 1 to 1000
2|-o new --tries 1001|--tries '1001', expected 1 to 1000
2|-o new --array 1|--array '1', expected 2 to 10000
2|-o new --array 10001|--array '10001', expected 2 to 10000
2|-o new --array 3 -- --replicate node|--array with --replicate node: elements run on nodes that only the scheduler knows
2|-o new --after '1;rm -rf x'|--after '1;rm -rf x', expected the id of a job
2|-o new --after -1|--after '-1', expected the id of a job
2|-o new --set x|--set 'x', expected KEY=VALUE
2|-o new --set =x|--set '=x', expected KEY=VALUE
2|-o new --set $'a\nb=c'|--set 'a?b=c', expected KEY=VALUE
2|-o new --set env.A-B=c|--set 'env.A-B=c', expected KEY=VALUE
2|-o new --set env.=c|--set 'env.=c', expected KEY=VALUE
2|-o new --set 'env.A;touch made=c'|--set 'env.A;touch made=c', expected KEY=VALUE
2|-o new --scheduler local --set qos=long|--set 'qos=long': the texts for this machine have no {{qos}}; they have
2|-o new --scheduler slurm --time 5m --set name=/etc|--set 'name=/etc': {{name}} follows from other options
2|-o new --scheduler local --set source=none|'none', expected a source of this build
2|-o new --scheduler slurm --time 5m --queue ''|Slurm cannot take the queue '': it is empty
2|-o new --scheduler slurm --time 5m --queue -x|Slurm cannot take the queue '-x': it begins with a dash and would be an option
2|-o new --scheduler slurm --time 5m --account $'a\n#SBATCH x'|Slurm cannot take the account 'a?#SBATCH x': it has a character that cannot be printed
2|-o new --modules ''|--modules: expected names, found ''
1|-o new --template nowhere|cannot open 'nowhere': No such file or directory
2|-o new --template .|'.' is a directory, expected a file
2|-o new --template bad.template|bad.template:1: found 'x=1', expected a section in brackets
2|-o new --scheduler local --template worse.template|worse.template's header, line 1: '{{nam e}}' is not a placeholder
2|-o new --scheduler local --template older.template|older.template's run, line 2: {{dir}} in shell, expected variables: "$dir", or "$set_dir" of --set
2|-o new -- noise --time soon|the options of noise: --time: 'soon', expected a duration
2|-o new noise -- --time 0s|the options of noise: --time: '0s', expected a duration
2|-o new -- noise --rounds 0|the options of noise: --rounds: '0', expected a whole number from 1 to 1000
2|-o new -- noise --time 300d --rounds 5|the options of noise: more than a job can take, 400 days
2|-o new --scheduler slurm -- noise --time 300d|noise measures for longer than a job can take, 400 days
2|-o new -- noise --time 1s DIR|the options of noise: 'DIR', expected an option
2|-o new -- noise --time 1s -o other|the options of noise: -o and --shares after '--'
2|-o new -- noise --time 1s --bogus|the options of noise: unknown option '--bogus'
2|-o new -- profile --bogus -- ./app|the options of profile: unknown option '--bogus'
2|-o new -- profile ./app|the options of profile: no program, expected -- profile [OPTION]... -- PROGRAM
2|-o new -- profile --rate 5|the options of profile: no program
2|-o new -- profile -o other -- ./app|the options of profile: -o and --shares after '--'
2|-o new --array 3 -- profile -- ./app|'profile' is one job: expected no --array
2|-o new --scheduler slurm -- profile -- ./app|how long the program runs is not known: expected --time
2|-o new --array 3 -- noise --time 1s|'noise' is one job: expected no --array
2|-o new --scheduler slurm --queue a --queue b -- noise --time 1s|'noise' is one job: expected no --array, one --queue
2|-o new --set source=model:spr -- noise --time 1s|'noise' is one job
2|-o new -- -o other|-o and --shares after '--': expected -o DIR and --array K before it
2|-o new -- --shares 3|-o and --shares after '--'
2|-o new -- --source nope|--source: 'nope', expected a source of this build
2|-o new -- --bogus|the options of run: unknown option '--bogus'
1|-o new -- -c nowhere.yaml|cannot open 'nowhere.yaml': No such file or directory
2|--scheduler local -o file -- --source model:spr|/file' is a file, expected a directory
2|--scheduler local -o file/new -- --source model:spr|/file' is a file, expected a directory
1|--status new|no jobs were submitted for 'new'
1|--cancel new|no jobs were submitted for 'new'
1|--watch new|no jobs were submitted for 'new'
2|--status ''|--status '', expected the directory of a campaign
2|--status new --watch new|--watch DIR stands alone
2|--cancel new -o new|--cancel DIR stands alone
2|--status new --format xml|--format: 'xml', expected one of: text, csv, json, csv-raw
END
what="a name that is too long"
run 2 submit -o "$(printf 'x%.0s' {1..5000})" -- --source model:spr
said "the directory's name is too long"

# Without a batch system and with none of the options everything is on this machine; a
# dry run writes nothing, also where there is something already.
what="a dry run"
run 0 submit -o new --dry-run -- "${flops[@]}"
has "#!/bin/bash"
[ ! -e new ] || fail "$what: wrote $(find new)"

# The scripts of all batch systems.
mkdir scripts
scripts_of() {
    local name=$1
    shift
    "$rollcall" submit --dry-run "$@" -- "${flops[@]}" >"scripts/$name.all" 2>.err ||
        fail "dry run of $name: $(cat .err)"
    awk -v name="scripts/$name" '/^#!\/bin\/bash$/ { n++ } n { print >(name "." n ".sh") }' "scripts/$name.all"
    rm "scripts/$name.all" .err
}
count=0
for system in $("$rollcall" submit --list | awk '{ print $1 }'); do
    odd="it's a \"dir\" \$x"
    nodes=3
    case $system in
    flux | jsrun | lsf | sge | pbs) odd=plain ;;
    local) nodes=1 ;;
    esac
    options=(--scheduler "$system" -o "$odd" --time 2h)
    scripts_of "$system-plain" "${options[@]}"
    scripts_of "$system-all" "${options[@]}" --queue a --nodes "$nodes" --ranks-per-node 4 --account b \
        --queue c --warn 10m --tries 3 --after 12 --modules gcc,mpi --array 7 \
        --set "env.X=it's \$(x)"$'\n' --set launch_options="-x 'y"
    "$rollcall" submit --dry-run "${options[@]}" --nodes "$nodes" -- noise --time 2s --work "it's \$(touch made)" >.noise 2>.err ||
        fail "dry run of $system-noise: $(cat .err)"
    sed 1d .noise >"scripts/$system-noise.sh"
    grep -qxF "noise_options=(--time 2s --work 'it'\''s \$(touch made)')" "scripts/$system-noise.sh" ||
        fail "$system: no options of noise"
    "$rollcall" submit --dry-run "${options[@]}" --nodes "$nodes" -- profile --rate 5 -- ./app "it's \$(touch made)" >.profile 2>.err ||
        fail "dry run of $system-profile: $(cat .err)"
    sed 1d .profile >"scripts/$system-profile.sh"
    grep -qxF "profile_options=(--rate 5 -- ./app 'it'\''s \$(touch made)')" "scripts/$system-profile.sh" ||
        fail "$system: no program to profile"
    rm .err .noise .profile
    count=$((count + 1))
done
[ "$(find scripts -name '*.sh' | wc -l)" -eq $((count * 8)) ] || fail "scripts: $(ls scripts)"
what="scripts"
for script in scripts/*.sh; do
    run 0 bash -n "$script"
done
# Names and values stand in single quotes, whatever they are: of that it warns.
run 0 shellcheck -e SC2016,SC1078,SC1079,SC2089,SC2090 scripts/*.sh
[ -z "$out" ] || fail "shellcheck: $out"
rm -r scripts

# The environment reaches a job byte for byte; one section of a template is changed.
what="hostile values"
cat >env.template <<'EOT'
# prints what it has
[run]
begin
printf '%s\0' "${A-}" "${B-}" "${C-}" "${D-}" "${E-}" "${F-}" "${G-unset}" >"$dir/env"
end 0
EOT
values=("it's \"\$HOME\" \`touch made\` \$(touch made)" $'two\nlines\n#SBATCH -x\n' '-n' $'\xff\xfe\xc3\xa9' '!!' ' ;&|<>*?[a]{1,2}~#\' '')
sets=()
for i in 0 1 2 3 4 5 6; do
    letter=ABCDEFG
    sets+=(--set "env.${letter:i:1}=${values[i]}")
done
# Names of the script's own variables change none of them.
sets+=(--set env.dir=/nowhere --set env.work=/nowhere --set env.name=x)
run 0 submit -o hostile --template env.template "${sets[@]}" -- "${flops[@]}"
ends hostile
printf '%s\0' "${values[@]}" | cmp - hostile/env || fail "$what: $(tr '\0' '|' <hostile/env)"
record hostile run "ended 0"
[ ! -e made ] || fail "$what: a command was run"

# The same template as a site's own.
what="a site's template"
mkdir -p site/jobs
cp env.template site/jobs/local.template
run 0 env ROLLCALL_DATA="$work/site" "$rollcall" submit --scheduler local -o site/d --set env.A=1 -- --source model:spr
ends site/d
[ "$(tr '\0' '|' <site/d/env)" = "1||||||unset|" ] || fail "$what: $(tail site/d/jobs/run.log)"
rm -r hostile site ./*.template file

# The noise of this machine: measured, judged, and complete by its record.
what="noise"
if "$rollcall" noise -o probe --time 10ms >/dev/null 2>&1; then
    rm -r probe
    run 0 submit -o d noise -- --time 1s
    has "noise "
    ends d
    record d noise "ended 0"
    grep -q "^$(hostname) " d/jobs/noise.log || fail "$what: no node in $(cat d/jobs/noise.log)"
    run 0 "$rollcall" submit --status d
    has "measured: 'rollcall noise DIR' says what was found"
    run 0 "$rollcall" submit --status d --format json
    python3 -c 'import json, sys; s = json.load(sys.stdin); assert s["complete"] and not s["parts"], s' <"$work/.out" ||
        fail "$what: told: $out"
    run 0 "$rollcall" noise d
    has "$(hostname)"
    [ ! -e d/jobs/campaign.yaml ] || fail "$what: a campaign file was written"
    rm -r d
else
    echo "not shown: noise, which cannot be measured on this machine"
fi

# A profile of any program, in passes: recorded, and with its page.
what="profile"
run 0 submit -o d -- profile -e perf::PAGE-FAULTS -e perf::CONTEXT-SWITCHES --passes 2 -- /bin/sleep 0.2
has "profile "
ends d
record d profile "ended 0"
run 0 "$rollcall" status d
run 0 "$rollcall" submit --status d
has "recorded: 'rollcall profile DIR' says where the time went"
grep -q "^/bin/sleep 0.2: " d/jobs/profile.log || fail "$what: no tables in $(cat d/jobs/profile.log)"
[ -s d/report.html ] || fail "$what: no page"
[ "$(grep -c . d/launches.txt)" -ge 2 ] || fail "$what: launches: $(cat d/launches.txt)"
rm -r d
if command -v mpiexec.hydra >/dev/null; then
    run 0 submit -o d --set mpi=mpich -- profile -- /bin/sh -c 'echo "one of $MPI_LOCALNRANKS"; sleep 0.2'
    ends d
    record d profile "ended 0"
    [ "$(grep -c '^one of 2$' d/jobs/profile.log)" -eq 2 ] || fail "$what: not by Hydra: $(cat d/jobs/profile.log)"
    [ "$(grep -c . d/launches.txt)" -eq 2 ] || fail "$what: launches: $(cat d/launches.txt)"
    rm -r d
fi
run 0 submit -o d -- profile -- /bin/sh -c 'exit 7'
ends d
record d profile "ended 7"
run 1 "$rollcall" submit --status d
rm -r d

# From submit to the report; names of all sorts.
run 0 "$rollcall" run -o alone "${flops[@]}"
names=($'it\'s "a" $HOME `touch made` $(touch made);&* #{{dir}}\n\xc3\xa9' -rf)
for name in "${names[@]}"; do
    what="directory '$name'"
    mkdir -- "$work/$name"
    cd -- "$work/$name" || exit 1
    mkdir -p "./$name.prog/bin"
    copy_rollcall "./$name.prog/bin/roll'call \$x"
    ln -s "$build/share" "./$name.prog/share"
    run 0 "./$name.prog/bin/roll'call \$x" submit --scheduler local --ranks-per-node 2 -o "./$name" -- "${flops[@]}"
    cd "$work" || exit 1
    ends "./$name/$name"
    whole "./$name/$name"
    rm -rf "./$name" plain
    [ ! -e made ] || fail "$what: a command was run"
done

# Told to end in the middle, refused while it runs, gone on with; none measured twice.
slow_machine spr.yaml 2ms || fail "no event of the machine takes time"
slow=(--source model:./spr.yaml --suite "flops,branch" --repeat 2:2)
run 0 ranks 4 "$rollcall" run -o slow "${slow[@]}"
read -r _ all <<<"$(count_units slow)"
some() {
    [ "$(units "$1" 2>/dev/null | wc -l)" -ge 3 ]
}
# in_mid_run DIR: its ranks are stopped there until they are released.
in_mid_run() {
    local pid
    await 300 some "$1" || fail "$what: nothing is measured: $(cat "$1/jobs/run.log")"
    caught=
    for pid in $(working); do
        if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = rollcall ]; then caught="$caught $pid"; fi
    done
    # shellcheck disable=SC2086  # a word for each
    kill -STOP $caught || fail "$what: all was measured before it was stopped"
}
once() {
    [ "$(count_units "$1")" = "$all $all" ] || fail "$what: records and units $(count_units "$1") of $all"
    same slow "$1" || fail "$what: another result"
}
what="cancelling"
run 0 submit -o d -- "${slow[@]}"
in_mid_run d
run 1 submit -o d
said "of this campaign is running: 'rollcall submit --cancel DIR' ends it"
run 3 "$rollcall" submit --status d
has running
has missing
run 3 "$rollcall" status d
has running
run 3 "$rollcall" submit --status d --format json
python3 -m json.tool <"$work/.out" >/dev/null || fail "--status: not JSON: $out"
run 3 "$rollcall" submit --status d --format csv
python3 -c 'import csv, sys; r = list(csv.DictReader(sys.stdin)); assert [x["state"] for x in r] == ["running"], r' <"$work/.out" ||
    fail "--status: no CSV: $out"
start "$rollcall" submit --watch d
await 300 grep -q ' running: begun' .job.out || fail "--watch says $(cat .job.out)"
kill -INT "$job"
reap
grep -q '^no longer watching; the jobs continue$' .job.err || fail "--watch, interrupted: $(cat .job.err)"
[ "$ended" -eq 3 ] || fail "--watch, interrupted, ends with $ended"
all_over d && fail "$what: the end of --watch ended the job"
run 0 "$rollcall" submit --cancel d
has "cancelled run "
release
ends d
record d run "ended 3"
run 3 "$rollcall" submit --status d
has cancelled
run 0 "$rollcall" submit --cancel d
has "no job waits or runs"
kept=$(units d | wc -l)
[[ $kept -ge 3 && $kept -lt $all ]] || fail "$what: $kept of $all units were measured"
what="a script of a cancelled round"
run 3 env -C d bash jobs/run.sh
[ "$(tail -n 2 d/jobs/run.record | cut -d' ' -f4- | paste -sd,)" = "cancelled,ended 3" ] || fail "$what: $(cat d/jobs/run.record)"
grep -q "cancelled; without the file $work/d/jobs/cancelled it runs" d/jobs/run.log || fail "$what: $(tail d/jobs/run.log)"
[ "$(units d | wc -l)" -eq "$kept" ] || fail "$what: something was measured"
eval "$(sed -n '/^is_cancelled() {$/,/^}$/p' d/jobs/run.sh)"
while IFS='|' read -r expected words; do
    printf '%b' "$words" >d/jobs/cancelled
    # shellcheck disable=SC2034  # the script's
    dir=$work/d round=r7
    is_cancelled
    [ $? -eq "$expected" ] || fail "$what: in round 7 with '$words'"
done <<'END'
0|7\n
0|7
0|12\n
1|6\n
1|
1|-9\n
1|9 9\n
1|9;touch made\n
1|a[$(touch made)]\n
1|99999999999999999999\n
END
rm d/jobs/cancelled
is_cancelled && fail "$what: though nothing says so"
mkfifo d/jobs/cancelled
is_cancelled && fail "$what: by a pipe"
rm d/jobs/cancelled
touch precious
ln -s ../../precious d/jobs/cancelled
run 0 "$rollcall" submit --cancel d
[[ ! -s precious && $(cat d/jobs/cancelled) = 1 ]] || fail "$what: what it leads to was written"
rm precious d/jobs/cancelled
mkdir d/jobs/cancelled
run 2 "$rollcall" submit --cancel d
has "no job waits or runs"
said "'d/jobs/cancelled' is a directory, expected a file; a job that is resubmitting itself just now continues"
rmdir d/jobs/cancelled
[ ! -e made ] || fail "$what: a command was run"
run 0 submit -o d
run 0 "$rollcall" submit --watch d
has "complete"
ends d
once d
[ -s d/report.html ] || fail "$what: no report"
run 0 "$rollcall" submit --status d
has "$all of $all units ok: complete"
rm -r d .job.out .job.err

# Ten at once: one is submitted, the others say why they are not.  The lock is one of the
# open file: flock(1) has another.
what="ten at once"
pids=()
for i in {0..9}; do
    submit -o d -- "${slow[@]}" >"$i.out" 2>"$i.err" </dev/null &
    pids+=($!)
done
submitted=0
for i in {0..9}; do
    wait "${pids[i]}"
    status=$?
    out=$(cat "$i.out") err=$(cat "$i.err")
    case $status:$out:$err in
    "0:run "*:) submitted=$((submitted + 1)) id=${out#run } ;;
    "1::rollcall submit: another rollcall is working in '$work/d/jobs'"*) ;;
    "1::rollcall submit: job "*" of this campaign is running: 'rollcall submit --cancel DIR' ends it") ;;
    "1::rollcall submit: another submission for '$work/d' came in between: "*) ;;
    *) fail "$what: status $status, printed '$out', said '$err'" ;;
    esac
    said ""
done
[ "$submitted" -eq 1 ] || fail "$what: $submitted were submitted"
[ "$(sed -n 's/^job //p' d/jobs/jobs.txt)" = "run run 0 0 0 $id " ] || fail "$what: the list is $(cat d/jobs/jobs.txt)"
run 0 "$rollcall" submit --cancel d
ends d
rm {0..9}.out {0..9}.err
what="another one at work"
cp -r d/jobs before
python3 -c '
import fcntl, os, struct, sys
lock = os.open("d/jobs/.lock", os.O_RDWR)
fcntl.fcntl(lock, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))  # F_OFD_SETLK
os.write(lock, b"rollcall lock\nhost there\nprocess 7\nsince now\n")
os.set_inheritable(lock, True)
os.execvp(sys.argv[1], sys.argv[1:])' bash -c '"$@" 2>said; echo $? >status' - \
    "$rollcall" submit --scheduler local -o d -- "${slow[@]}" >.out </dev/null
err=$(cat said)
said "rollcall submit: another rollcall is working in '$work/d/jobs': process 7 on there, since now"
[ "$(cat status)" -eq 1 ] || fail "$what: ended with $(cat status)"
: >d/jobs/.lock
diff -r before d/jobs || fail "$what: something was changed"
rm -r d before said status .out

# Shares, and parts.
what="shares"
run 0 submit -o d --array 3 -- "${flops[@]}"
ends d
for job in deal run-0 run-1 run-2 finish; do
    record d "$job" "ended 0"
done
same alone d || fail "$what: another result"
[ -s d/report.html ] || fail "$what: no report"
run 0 "$rollcall" submit --status d
has "complete"
rm -r d
what="parts"
run 0 submit -o d --queue a --set source=model:spr --queue b --set source=model:zen3 -- --source model:spr \
    --source model:zen3 --suite branch --repeat 2:2
ends d
for job in run0 run1 finish; do
    record d "$job" "ended 0"
done
run 0 h5ls d/campaign.h5/kinds
[ "$(wc -l <"$work/.out")" -eq 2 ] || fail "$what: not two kinds: $out"
[ -s d/report.html ] || fail "$what: no report"
rm -r d

# The program goes away under a job: it ends, and says so.
what="no program"
mkdir -p prog/bin
copy_rollcall prog/bin/rollcall
ln -s "$build/share" prog/share
run 0 prog/bin/rollcall submit --scheduler local --ranks-per-node 2 -o d -- "${slow[@]}"
in_mid_run d
rm prog/bin/rollcall
release
ends d
grep -q ' ended [1-9]' d/jobs/run.record || fail "$what: $(cat d/jobs/run.record)"
for verb in --status --watch; do
    run 1 "$rollcall" submit "$verb" d # though all is measured
    has failed
    has "$all of $all units ok: complete"
    read -r _ _ id event <<<"$(tail -n 1 d/jobs/run.record)"
    said "rollcall submit: job run $id has failed ($event): see 'd/jobs/run.log'"
done
run 0 submit -o d # it goes on with what failed
ends d
run 0 "$rollcall" submit --status d
has " done "
rm -r d prog

# In an array the log of the first element that failed is named, else of one of which
# nothing more was heard.
what="an array that has failed"
mkdir -p d/jobs
printf '%s\n' 'rollcall jobs 1' 'scheduler local' 'round 1' 'parts 1' 'shares 3' 'job run run 0 0 3 1.1 ' >d/jobs/jobs.txt
touch d/jobs/run-{1,2}.log
while IFS='|' read -r zero one two line; do
    for i in "0:$zero" "1:$one" "2:$two"; do
        printf '2026-11-21T16:00:00Z r1 1.1 %s\n' begun "${i#*:}" >"d/jobs/run-${i%%:*}.record"
    done
    run 1 "$rollcall" submit --status d
    said "rollcall submit: job run 1.1 has failed ($line"
done <<'END'
ended 0|ended 1|ended 3|2 done, 1 failed): see 'd/jobs/run-1.log'
warned|ended 1|ended 1|3 failed): see 'd/jobs/run-1.log'
ended 0|ended 3|warned|2 done, 1 failed): see 'd/jobs/run-2.log'
ended 9|cancelled|ended 1|3 failed): see 'd/jobs'
END
printf '2026-11-21T16:00:00Z r1 1.1 %s\n' begun cancelled 'ended 3' | tee d/jobs/run-{0,1,2}.record >/dev/null
run 3 "$rollcall" submit --status d
rm -r d

# Files of strangers: no command is run, one line says what is wrong.
what="a stranger's list"
run 0 submit -o d -- "${flops[@]}"
ends d
cp -r d/jobs good
list=$(cat d/jobs/jobs.txt)
for line in 'job run run 0 0 0 -rf' 'job run run 0 0 0 $(touch made)' 'job ../x run 0 0 0 1' \
    'job run run 99999 0 0 1' 'job run run 0 0 10000 1' 'job run run 0 0 0' 'scheduler ../x' $'\e[31m' 'round 0'; do
    printf '%s\n%s\n' "$list" "$line" >d/jobs/jobs.txt
    for verb in --status --cancel --watch; do
        run 2 "$rollcall" submit "$verb" d
        said "d/jobs/jobs.txt:7: not a line of a list of jobs"
    done
    run 2 submit -o d
    said "d/jobs/jobs.txt:7: not a line of a list of jobs"
done
for id in 1.1 "$$.1" 1 0 -1 99999999999999999999.99999999999999999999 4294967297.1 '1;x.1'; do
    what="the id $id"
    sed "s/^\(job run run 0 0 0\) .*/\1 $id /" good/jobs.txt >d/jobs/jobs.txt
    printf '2026-11-21T16:00:00Z r1 %s begun\n' "$id" >d/jobs/run.record
    "$rollcall" submit --cancel d >.out 2>.err </dev/null
    status=$?
    [[ $status -eq 0 || $status -eq 2 ]] || fail "$what: ended with $status: $(cat .err)"
done
what="the id of another process"
sleep 3000 &
sleeper=$!
id=$sleeper.$(sed 's/.*) //' "/proc/$sleeper/stat" | cut -d' ' -f20)
sed "s/^\(job run run 0 0 0\) .*/\1 $id /" good/jobs.txt >d/jobs/jobs.txt
rm d/jobs/run.record
run 1 "$rollcall" submit --cancel d
said "process $sleeper is no job of rollcall's"
kill "$sleeper" || fail "$what: it was ended"
wait "$sleeper" 2>/dev/null
what="a stranger's record"
cp good/jobs.txt d/jobs/jobs.txt
{
    head -c 100000 /dev/urandom
    printf '\n$(touch made) r1 `touch made` again ;touch made\n'
    printf 'T r1 1.1 again $(touch made)\nT r1 1.1 \e[31m\n'
} >d/jobs/run.record
run 0 "$rollcall" submit --status d
lacks $'\e'
run 0 "$rollcall" submit --status d --format json
python3 -m json.tool <"$work/.out" >/dev/null || fail "$what: not JSON: $out"
run 0 "$rollcall" submit --cancel d
for sort in directory fifo; do
    what="a $sort for a record"
    rm -rf d/jobs/run.record
    if [ $sort = fifo ]; then mkfifo d/jobs/run.record; else mkdir d/jobs/run.record; fi
    run 2 timeout 240 "$rollcall" submit --status d
    said "d/jobs/run.record"
done
[ ! -e made ] || fail "a command of a stranger was run"
rm -r d good .out .err

# Disks, which only root may make, and other users, which only root can be.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
if [ "$(id -u)" -ne 0 ]; then
    echo "not shown, for want of root: full disks, files of other users"
else
    what="another user's directory"
    chmod 755 "$work"
    run 1 as_nobody "$rollcall" submit --scheduler local -o "$work/new" -- "${flops[@]}"
    said "cannot make directory '$work/new': Permission denied"
    run 1 as_nobody "$rollcall" submit --scheduler local -o "$work/alone"
    said "Permission denied"
    [ ! -e alone/jobs ] || fail "$what: wrote $(ls alone/jobs)"
    mkdir -p hidden/jobs
    chmod 700 hidden
    run 1 as_nobody "$rollcall" submit --scheduler local --status "$work/hidden"
    said "cannot read '$work/hidden/jobs/jobs.txt': Permission denied"
    rm -r hidden
fi
if [ "$(id -u)" -eq 0 ] && mkdir disk && mount -t tmpfs -o size=64k none disk 2>/dev/null; then
    what="a full disk"
    dd if=/dev/zero of=disk/filler bs=1k 2>/dev/null
    run 1 submit -o disk/d -- "${flops[@]}"
    said "No space left on device"
    [ -z "$out" ] || fail "$what: submitted $out"
    what="a disk that fills up"
    rm disk/filler
    run 0 submit -o disk/d -- "${flops[@]}"
    await 300 all_over disk/d || fail "$what: the job does not end"
    run 1 "$rollcall" submit --status disk/d
    lacks complete
    said "has failed (ended 1): see 'disk/d/jobs/run.log'"
    mount -o remount,size=20m disk
    run 0 submit -o disk/d
    await 300 all_over disk/d || fail "$what: the job does not end"
    run 0 "$rollcall" submit --status disk/d
    has complete
    [ -s disk/d/report.html ] || fail "$what: no report"
    nobody || fail "$what: processes remain: $(working)"
    umount disk
fi
rm -rf disk alone slow spr.yaml
nobody || fail "processes remain: $(ps -o pid,args -p "$(working | paste -sd,)")"
finish

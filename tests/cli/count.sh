#!/usr/bin/env bash
# count.sh ROLLCALL - metrics over one command: exact where it is stepped, summed over children, threads and
# ranks; the command ends, prints and hears signals as it does alone; what cannot be counted is said.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
few_variables
build=$(cd "$(dirname "$rollcall")/.." && pwd)
app=$build/tests/count_app
mkdir c
"$build/tests/profile_metrics" c/metrics.h5 steps || fail 'no metrics'
count=("$rollcall" count c)
soft=$("$rollcall" events --source soft 'soft::instructions' 2>&1) || soft=

# Wrong words: nothing is started.
run 2 "$rollcall" count
said 'no campaign: expected DIR --metrics NAMES -- COMMAND'
run 2 "${count[@]}" -m faults
said 'no command'
run 2 "${count[@]}" -m faults touch here
said "no -- before 'touch'"
run 2 "${count[@]}" -- touch here
said 'no metrics: expected DIR --metrics NAMES'
run 1 "$rollcall" count nowhere -m faults -- touch here
said 'nowhere'
run 1 "${count[@]}" -m fault -- touch here
said "no metric 'fault' in 'c', did you mean 'faults'?"
run 1 "${count[@]}" -m 'page errors' -- touch here
said "no metric 'page errors' in 'c': 'rollcall show c page errors' looks for its words"
run 1 "${count[@]}" -m wrong -- touch here
said "metric 'wrong' is rejected in 'c'"
run 1 "${count[@]}" -m faults,absent -- touch here
said "metric 'absent' is not on this machine"
for expect in faults 'faults=' 'faults=x' '=1' 'faults=1~' 'faults=1~-1' 'faults=1~2x' 'faults=1~1%x'; do
    run 2 "${count[@]}" --expect "$expect" -- touch here
    said "--expect: found '$expect', expected NAME=VALUE or NAME=VALUE~TOLERANCE"
done
run 1 "${count[@]}" -m 'of my own' -- touch here
said "metric 'of my own' cannot be"
run 2 "${count[@]}" -m faults -- mpirun -n 2 touch here
said "'mpirun' starts the ranks, so it comes before rollcall, expected: mpirun [its options] rollcall count DIR"
run 127 "${count[@]}" -m faults -- ./nowhere
said "there is no program './nowhere'"
run 127 "${count[@]}" -m faults -- ''
said "no program '' on the PATH"
run 127 "${count[@]}" -m faults -- no-such-program
said "no program 'no-such-program' on the PATH"
echo text >text
run 126 "${count[@]}" -m faults -- ./text
said "cannot run './text'"
rm text

# By counters that children inherit: faults are the kernel's own events, and count everywhere.
run 0 "${count[@]}" -m faults,nearly --format json -o r.json -- "$build/tests/profile_app" touch 200
[ -z "$out$err" ] || fail "said '$out' and '$err'"
python3 -c '"""200 pages are touched, and some more at the start."""
import json
d = json.load(open("r.json"))
rows = {r["metric"]: r for r in d["metrics"]}
assert d["exit"] == 0 and d["command"][1:] == ["touch", "200"] and d["campaign"] == "c", d
assert all(r["low"] <= r["value"] <= r["high"] for r in rows.values() if r["low"] is not None), rows
assert 200 <= rows["faults"]["value"] < 600 and rows["faults"]["how"] == "counted", rows
assert rows["faults"]["low"] == 0.75 * rows["faults"]["value"], rows
assert rows["nearly"]["verdict"] == "approximate", rows
assert abs(rows["nearly"]["value"] - 3 * rows["faults"]["value"]) < 1, rows' || fail 'not the faults'
rm r.json
run 0 "${count[@]}" -m faults --expect 'faults=300~299' -- "$build/tests/profile_app" touch 100
said 'as expected'
run 1 "${count[@]}" --expect 'FAULTS=1e6~1%' -- "$build/tests/profile_app" touch 100
said 'not as expected: -99'
run 5 "${count[@]}" --expect 'faults=1e6' -- "$build/tests/profile_app" exit 5
run 0 "${count[@]}" -m faults --format csv -o - -- "$build/tests/profile_app" touch 1
[[ $out == rank,metric,value,*$'\n'0,faults,*,counted,defined,* ]] || fail "not CSV: $out"
run 1 "${count[@]}" -m faults -o no/such/file -- "$build/tests/profile_app" touch 1
said 'no/such/file'
run 0 ranks 2 "${count[@]}" --expect 'faults=800~500' --format csv -- "$build/tests/profile_app" touch 200
[ "$(grep -c '^[01],faults,' <<<"$err") $(grep -c '^all,faults,.*,as expected,' <<<"$err")" = '2 1' ] ||
    fail "not of two ranks: $err"
run 1 ranks 2 "$rollcall" count c --expect 'faults=3' -- "$build/tests/profile_app" touch 200
# A rank that a signal ended is named by the rank that prints.
# shellcheck disable=SC2016  # the shell of the rank expands it
run 0 ranks 2 bash -c '"$@" || true' - "${count[@]}" -m faults -- \
    bash -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] || kill -9 $$'
said "signal 9 (Killed) ended the program of rank 1: the counts are of what ran until then; "

if [ -z "$soft" ]; then
    rm -r c
    echo "no source 'soft' here" >&2
    finish
fi

# Stepped, to the last count: the operations of a multiplication, and the instructions of a program.
run 0 "${count[@]}" --expect 'DP operations=3456~0' --expect 'dp by definition=3456~0' -- "$app" dgemm 12
said 'no counter is used: each instruction is stepped'
said 'stepped, its definition'
said 'exact: each instruction of 1 process, 1 thread was stepped'
run 1 "${count[@]}" --expect 'instructions=2018~0.5' -- "$build/tests/count_exact"
said 'not as expected: -1, 0.0496 %'
run 1 "${count[@]}" --expect 'DP operations=127~0' --format csv -o - -- "$app" dgemm 4
has ',127,not as expected,1,,'
run 0 "${count[@]}" --expect 'DP operations=126~5' -- "$app" dgemm 4
said 'as expected: +2, 1.59 %'
run 1 "${count[@]}" --expect 'DP operations=0~5' -- "$app" dgemm 4
said 'not as expected: +128'$'\n'
run 0 ranks 2 "${count[@]}" --source soft --expect 'instructions=4034~0' -- "$build/tests/count_exact"
run 0 "${count[@]}" --source soft -m misses --format csv -o - -- "$build/tests/count_exact"
[[ $out == *',misses,'*'(simulated)'* ]] || fail "not simulated: $out"
# A rounded coefficient beside its interval: the value lies within its bounds all the same.
run 0 "${count[@]}" --source soft -m instructions --format csv -o - -- "$build/tests/count_exact"
[[ $out == *',instructions,2017,2017,2018.6'* ]] || fail "bounds without the value: $out"
run 1 "${count[@]}" --source counters -m 'DP operations' -- touch here
said "metric 'DP operations' cannot be counted here: no counter of threads has the name"

# Children, threads, another program, and signals between: nothing is lost and nothing counted twice.
run 0 "${count[@]}" --expect 'DP operations=640~0' -- "$app" threads 2 4 fork 4 dgemm 4 exec "$app" trap dgemm 4 \
    print yes
said '2 processes, 4 threads was stepped'
[ "$out" = yes ] || fail "printed '$out'"
run 0 "${count[@]}" -m 'DP operations' --format csv -o r.csv -- "$app" timer 4
[ $(($(tail -n 1 r.csv | cut -d, -f3) % 128)) = 0 ] || fail "not whole: $(cat r.csv)"
rm r.csv

# As it does alone: streams, files, limits, status and signals.
for fd in $(seq 3 20); do # the first that is free is the first that rollcall gets
    "$app" open "$fd" && break
done
echo one two | "${count[@]}" -m 'DP operations' -o r -- "$app" cat open "$fd" print 'a line' >cat.out 2>.err
[ "$? $(cat cat.out)" = '0 one two
a line' ] || fail "read and printed '$(cat cat.out)'"
rm cat.out
run 7 "${count[@]}" --expect 'DP operations=1' -- "$app" exit 7
run 143 "${count[@]}" -m 'DP operations' -- "$app" dgemm 4 raise 15
said ' 128 '
said 'exact: each instruction of 1 process, 1 thread was stepped, in '
said 'signal 15 (Terminated) ended the program: the counts are of what ran until then; '
run 137 "${count[@]}" --source soft -m 'DP operations' --format csv -o - -- "$app" raise 9
has 'outcome,difference,signal,suite'
has ',defined,0,,,,9,'
run 139 "${count[@]}" -m faults -- "$app" raise 11
said 'signal 11 (Segmentation fault) ended the program: the counts are of what ran until then; '
run 137 "${count[@]}" -m faults --format json -o - -- "$app" raise 9
has '"signal": 9'
"${count[@]}" -m 'DP operations' -o r -- "$app" flood 2>.err | head -n 1 >cat.out
[ "${PIPESTATUS[0]}" = 141 ] || fail "a closed pipe: ${PIPESTATUS[0]}"
rm -f r cat.out
run 0 "${count[@]}" -m 'DP operations' -- "$app" shut dgemm 4
said ' 128 '
run 0 "${count[@]}" -m 'DP operations' -- "$app" orphan dgemm 4
said '1 process was not counted to the end: processes were left running when the program ended'
run 0 timeout 120 "${count[@]}" -m 'DP operations' -- "$app" traced dgemm 4
said ' 128 '
said '1 process was not counted to the end: it is traced by its own parent'

# A signal that is sent to rollcall is the program's.
"${count[@]}" -m 'DP operations' -- "$app" hear dgemm 4 exit 4 >.out 2>.err &
pid=$!
for _ in $(seq 1200); do
    grep -q ready .out && break
    sleep 0.05
done
kill -INT "$pid"
status=0
wait "$pid" || status=$?
[ "$status $(grep -c '^heard 2$' .out) $(grep -c ' 128 ' .err)" = '4 1 1' ] ||
    fail "SIGINT: $status, $(cat .out .err)"

# With the privileges of another user's program: it runs, and is not counted unless root steps.
if [ "$(id -u)" = 0 ] && [ "$(stat -f -c %T .)" != nfs ]; then
    cp "$app" owned
    chown 12345 owned
    chmod 4755 owned
    run 3 "${count[@]}" --expect 'DP operations=128~0' -- ./owned dgemm 4 exit 3
    said 'as expected'
    run 1 "${count[@]}" --expect faults=1 -- ./owned print yes
    said "nothing was counted: './owned' runs with the privileges of another user"
    [ "$out" = yes ] || fail "printed '$out'"
    if command -v setpriv >/dev/null && chmod 755 . && setpriv --reuid 54321 --clear-groups test -x "$rollcall"; then
        run 0 setpriv --reuid 54321 --clear-groups "${count[@]}" -m 'DP operations' -- ./owned dgemm 4 print yes
        said "nothing was counted: './owned' runs with the privileges of another user"
        [ "$out" = yes ] || fail "printed '$out'"
        run 0 setpriv --reuid 54321 --clear-groups "${count[@]}" -m 'DP operations' -- "$app" dgemm 4 exec ./owned \
            dgemm 4 print yes
        said ' 128 '
        said '1 process was not counted to the end: a program runs with the privileges of another user'
    fi
    rm owned
fi
rm -r c
finish

#!/usr/bin/env bash
# profile.sh ROLLCALL - a program that is recorded ends, prints and reads as it does alone; what it did is
# in the journal, whoever is killed; and what cannot be done is said before it starts.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
app=$build/tests/profile_app
profile=("$rollcall" profile -o d)

# all_ended: each launch in the dump has its end, so that no sampler is yet to be started.
all_ended() {
    [ "$(awk '$1 == "launch" { print $2 }' .dump | sort -u | wc -l)" = "$(grep -c '^end ' .dump)" ]
}

# dump [DIR]: the records of all journals, a line each, in .dump, after the last sampler has ended.
dump() {
    local dir=${1:-d}
    for _ in $(seq 400); do
        "$build/tests/profile_dump" "$dir"/journal/*.rcj >.dump 2>.stat && all_ended && break
        sleep 0.05
    done
    for _ in $(seq 400); do
        [ -n "$(samplers "$dir")" ] || break
        sleep 0.05
    done
    [ -z "$(samplers "$dir")" ] || fail "the sampler has not ended"
    "$build/tests/profile_dump" "$dir"/journal/*.rcj >.dump || fail "the journal of $dir cannot be read"
}

# line PATTERN [COUNT]: so many lines of the dump match, 1 by default.
line() {
    local found
    found=$(grep -cE "$1" .dump)
    [ "$found" = "${2:-1}" ] || fail "$found lines '$1', expected ${2:-1}: $(grep -vE '^(reading|event|span)' .dump | tail -n 30)"
}

# visits N: so many of outer are shown, of one process.
visits() {
    "$rollcall" profile d --format json >.json || fail 'no JSON of the profile'
    python3 - "$1" .json <<'PY' || fail "shown otherwise, expected $1 visits: $(head -c 2000 .json)"
import json, sys
d = json.load(open(sys.argv[2]))
assert sum(int(r["visits"]) for r in d["regions"] if r["region"] == "outer") == int(sys.argv[1])
assert d["ranks"] == 1
PY
}

# Wrong words, and words in the wrong order: nothing is started, nothing is made.
run 2 "$rollcall" profile
said 'expected -o DIR -- PROGRAM'
run 2 "${profile[@]}"
said 'no program'
run 2 "${profile[@]}" "$app"
said "no -- before '$app'"
run 2 "${profile[@]}" -- mpirun -n 2 "$app"
said "'mpirun' starts the ranks, so it comes before rollcall, expected: mpirun [its options] rollcall profile"
for rate in 0 101 x -1; do
    run 2 "${profile[@]}" --rate "$rate" -- true
    said "--rate: found '$rate', expected 0.01 to 100"
done
run 2 "${profile[@]}" --every 0 -- true
said '--every: found '
for budget in 0 x 101% 1%% -1 1x; do
    run 2 "${profile[@]}" --budget "$budget" -- true
    said "--budget: found '$budget', expected 0.01% to 100%"
done
run 2 "${profile[@]}" --source model -- true
said "--source: found 'model', expected sysfs"
run 2 "${profile[@]}" --region r -- true
said '--region does not go with this'
run 127 "${profile[@]}" -- no-such-program
says "rollcall profile: no program 'no-such-program' on the PATH"
run 127 "${profile[@]}" -- ./no/such
says "rollcall profile: there is no program './no/such'"
run 126 "${profile[@]}" -- "$work"
said 'cannot run '
touch file
run 126 "${profile[@]}" -- ./file
said "cannot run './file': Permission denied"
[ ! -e d ] || fail 'a directory was made for nothing'
run 2 "$rollcall" profile -o file -- true
said "'file' is a file, expected a directory"
run 1 "${profile[@]}" -e no-such-event -- "$app" print started
said "-e 'no-such-event': neither an event of the node"
lacks started
rm -r d file
mkdir d
touch d/campaign.yaml
run 2 "${profile[@]}" -- "$app" print started
said 'is the directory of a campaign'
lacks started
rm d/campaign.yaml
echo 'something else' >d/launches.txt
run 2 "${profile[@]}" -- true
said "launches.txt: expected 'rollcall profile 1 '"
ln -sf /dev/null d/launches.txt
run 2 "${profile[@]}" -- true
said 'launches.txt'
rm -r d

# A reader who comes at once gets all of it: the sampler, which ends a moment later, is waited for.
waited=
for turn in 1 2 3 4 5; do # if other work keeps the sampler from ending in half a second, once more
    run 0 "$rollcall" profile -o "soon$turn" -- "$app" regions 3
    run 0 "$rollcall" profile "soon$turn"
    case $out in *'has not ended'*) ;; *) waited=yes && break ;; esac
done
[ -n "$waited" ] || fail "'profile DIR' does not wait for the sampler: $out"
rm -r soon*

# A program's status, output and input are its own.
for status in 0 1 77 255; do
    run "$status" "${profile[@]}" -- "$app" print words exit $status
    [ "$out$err" = words ] || fail "printed '$out$err'"
done
dump
line '^launch [0-3] ' 4
line '^end ' 4
run 143 "${profile[@]}" -- sh -c "'$app' regions 1 raise 15"
run 137 timeout 10 "${profile[@]}" -- "$app" raise 9
head -c 300000 /dev/urandom >in
"${profile[@]}" -- "$app" cat <in >copy || fail 'cat failed'
cmp in copy || fail 'what went through the program has changed'
rm -r d in copy

# A pipe ends with the program, though the sampler may live longer; no file of ours is open in the program, and
# variables of its own are as they were.
[ "$(timeout 5 "${profile[@]}" -- echo through | cat)" = through ] || fail 'a pipe did not end'
open_files=$("${profile[@]}" -- sh -c 'ls /proc/self/fd | wc -l' </dev/null)
[ "$open_files" = "$(sh -c 'ls /proc/self/fd | wc -l' </dev/null)" ] || fail "$open_files files are open"
limits=$(ulimit -s 4096 -n 200 && "${profile[@]}" -- sh -c 'ulimit -s; ulimit -n')
[ "$limits" = $'4096\n200' ] || fail "limits became $limits"
rm -r d

# Its work is recorded: regions, their counts, those of threads, of a child, of a new program.
run 5 "${profile[@]}" -e perf::PAGE-FAULTS -- "$app" regions 1000 touch 500 threads 40 child exec regions 7 exit 5
dump
line "^launch 0 .* counter perf::PAGE-FAULTS(:u)? '$app'"
line '^place ' 43
line '^place .* child 1 ' 1
line '^close .* killed 0 lost 0 lost_paths 0 repaired 0 ' 43
line '^span ' $((1000 * 4 + 2 + 40 * 10 * 4 + 5 * 4 + 7 * 4))
line "name .* 'touch'"
line '^path 0 [0-9]+ parent 0 .* visits 1 ns [0-9]+ count 500$'
line '^path .* visits 10 ' 80
line '^event sysfs:::stat:cpu_user scope 5 state 0 $'
grep -q '^reading ' .dump || fail 'no series'
rm -r d

# The cost of its processes is in series of their own, whatever others do on the node meanwhile.
while :; do /bin/true; done & # page faults, 100 for each
others=$!
head -c 300000 /dev/zero >in
run 0 sh -c '"$@" <in' sh "${profile[@]}" -e sysfs:::vmstat:pgfault -- "$app" sleep 250 touch 5000 cat sleep 250
kill "$others"
dump
run 0 "$rollcall" profile d --format json
python3 - .out <<'END' || fail 'what the program took is not what it took'
import json, sys
total = {s["event"]: s.get("total") for s in json.load(open(sys.argv[1]))["series"]}
assert 5000 < total["program:::page_faults"] < 15000 < total["sysfs:::vmstat:pgfault"], total
assert 300000 <= total["program:::read_bytes"], total # and what it takes to begin
assert 300000 <= total["program:::written_bytes"] < 310000, total
assert 0.001 < total["program:::cpu_ns"] < 0.3, total
END
run 0 "${profile[@]}" -e '!program:::*' -- "$app" sleep 150
rm -r d in

# Programs that leave by other doors.
run 0 "${profile[@]}" -- "$app" regions 10 shut regions 10
run 9 "${profile[@]}" -- "$app" regions 10 _exit 9
run 0 "${profile[@]}" -- "$app" daemon sleep 700 regions 3
dump
line '^span ' $((20 * 4 + 10 * 4 + 2 + 3 * 4))
run 0 "${profile[@]}" -- "$app" threads 1000
dump
rows=$(grep -E '^path .* visits 10 ' .dump | cut -d ' ' -f 2,3 | sort -u | wc -l) # some twice: the last one holds
[ "$rows" = 2002 ] || fail "$rows call paths have 10 visits, expected 2002"
[ "$(grep -cE '^path .* visits 3 ' .dump)" = 2 ] || fail 'what the daemon did is not there'
rm -r d

# Ranks find each other, and each is there with its number.
ranks 8 "${profile[@]}" -- "$app" regions 100 sleep 300 || fail '8 ranks failed'
dump
line '^launch '
line '^end '
line '^place ' 8
for rank in 0 1 2 3 4 5 6 7; do
    line "^place .* rank $rank "
done
line '^path .* visits 100 ' 16

run 0 "$rollcall" status d --format csv
[ "$(sed -n '2s/^0,[^,]*,[^,]*,ended,8,0,[0-9]*,.*profile_app regions 100 sleep 300.*$/yes/p' .out)" = yes ] ||
    fail "status says $out"
run 0 "$rollcall" profile d
has "8 ranks with 8 threads"

# Two at once on a node, and more of them one after the other in one directory.
"${profile[@]}" -- "$app" regions 30 sleep 400 &
run 0 "$rollcall" profile -o e -- "$app" regions 20 sleep 400
wait $! || fail 'the other one failed'
dump
line '^launch [01] ' 2
line '^path .* visits 30 ' 2
dump e
line '^path .* visits 20 ' 2
rm -r d e

# A sampler that is killed ends the record, which is said, and the program goes on.
"${profile[@]}" -- "$app" regions 50 sleep 2000 regions 50 sleep 300 exit 4 &
job=$!
for _ in $(seq 400); do
    "$build/tests/profile_dump" d/journal/*.rcj >.dump 2>.stat
    [ "$(grep -c '^path .* visits 50 ' .dump)" = 2 ] && break
    sleep 0.05
done
kill -KILL "$(samplers d)"
wait $job
[ $? = 4 ] || fail 'sampler killed: the program ended otherwise'
"$build/tests/profile_dump" d/journal/*.rcj >.dump
line '^path .* visits 50 ' 2
line '^end ' 0
visits 50
run 0 "$rollcall" profile d
has 'its sampler has not ended by itself: what came later is not'
run 3 "$rollcall" status d
has 'not ended'
rm -r d

# Killed at any instant of its beginning, work or end: the program ends as it should, and no sum is above the
# truth.  The address sanitizer makes an end by itself of SIGSEGV.
segv=${ASAN_OPTIONS:+KILL}
for instant in 0 02 04 06 08 10 12 14 16 18 20 22 24 26 28 30; do
    "${profile[@]}" -- "$app" regions 50 sleep 150 regions 50 exit 4 &
    job=$!
    sleep "0.$instant"
    samplers d | xargs -r kill "-$([ $((10#$instant % 4)) = 0 ] && echo KILL || echo "${segv:-SEGV}")" 2>.stat
    wait $job
    ended=$?
    [ $ended = 4 ] || fail "killed after 0.$instant s: the program ended with $ended"
    "$rollcall" profile d --format json >.json 2>.stat
    python3 - .json <<'PY' || fail "killed after 0.$instant s: more than there was: $(head -c 2000 .json)"
import json, sys
try:
    d = json.load(open(sys.argv[1]))
except ValueError:
    sys.exit(0)
assert sum(int(r["visits"]) for r in d["regions"] if r["region"] == "outer") <= 100
PY
    rm -rf d
done

# A rank that is killed: what it did until then is there, and that it was.
"${profile[@]}" -- "$app" regions 50 print counted sleep 20000 >.said 2>.stat &
job=$!
for _ in $(seq 400); do
    [ ! -s .said ] || break
    sleep 0.05
done
kill -KILL $job
wait $job 2>.stat
dump
line '^path .* visits 50 ' 2
line '^close .* killed 1 '
rm -r d

# Regions that begin all the time: within a moment few are measured, all are counted, and the
# time of those that are stands for the others.
run 0 "${profile[@]}" -- "$app" regions 30000000
dump
"$rollcall" profile d --format json >.json || fail 'no JSON of a profile within a budget'
python3 - .json <<'PY' || fail "not within a budget: $(head -c 3000 .json)"
import json, sys
d = json.load(open(sys.argv[1]))
outer = next(r for r in d["regions"] if r["region"] == "outer")
rates = {(r["what"], r["name"]) for r in d["rates"]}
assert d["budget_ppm"] == 10000, d["budget_ppm"]
assert ("instances", "outer > inner") in rates and ("instances on the axis", "outer") in rates, rates
assert float(outer["visits"]) == 3e7 and float(outer["measured"]) < 2e7, outer
assert 0.2 * d["time_s"] < float(outer["inclusive_s"]) < 1.3 * d["time_s"], (outer, d["time_s"])
assert d["cost"]["own_s"] > 0, d["cost"]
PY
rm -r d .json

# Where the program leaves a processor free the sampler is there; else it takes its time from the program: it comes
# each 200 ms, and less is read.  Where the program goes itself does not matter: its threads may be elsewhere, and MPI_Init
# goes from one processor to the next to look at them.
if [ "$(nproc)" -gt 1 ]; then
    for where in all 0 itself; do
        on=() itself=()
        case $where in
        0) on=(taskset -c 0) ;;
        itself) itself=(taskset -c 0) ;;
        esac
        run 0 "${on[@]}" "${profile[@]}" -- "${itself[@]}" "$build/tests/profile_duty" work 3800
        dump
        read -r "read_$where" "comes_$where" < <("$rollcall" profile d --format json | python3 -c 'import json, sys
d = json.load(sys.stdin)
readings = {s["event"]: s["readings"] for s in d["series"]}
print(sum(readings.values()), round(1000 * d["time_s"] / readings["program:::cpu_ns"]))')
        rm -r d
    done
    [ "$((${read_all:-0} > 0 && ${read_all:-0} < ${read_0:-0}))" = 1 ] ||
        fail "readings on all processors: '$read_all', where one is free: '$read_0'"
    [ "${comes_all:-0}" -gt 180 ] || fail "the sampler without a processor of its own came each '$comes_all' ms"
    [ "${comes_itself:-0}" -gt 180 ] || fail "the sampler of a program that binds itself came each '$comes_itself' ms"
fi

# The next launch removes what an earlier one left in memory.
left=$(find /dev/shm -name "rollcall-$(id -u)-*" 2>.stat)
for file in $left; do
    sleep 1 # of others that are at work
    [ ! -e "$file" ] || pgrep -x rollcall-sample >.stat || fail "$file is left over"
done

# Programs into which nothing can be preloaded are run, and it is said.
cat >static.c <<'END'
int main(void) { return 6; }
END
if cc -static -o static static.c 2>.stat; then
    run 6 "${profile[@]}" -- ./static
    said "it is linked statically, so only series are recorded"
    dump
    line '^place ' 0
    run 0 "$rollcall" profile d
    has 'no process had the preloaded library in it'
    rm -r d
fi
rm -f static static.c

# A launch loads few libraries and needs nothing of rollcall-main, which all else is handed to.
# The program that becomes either needs none.
! ldd "$rollcall-launch" | grep -E 'mpi|hdf5|blas|scalapack|papi|pcp|pfm' || fail 'libraries that no launch needs'
ldd "$rollcall" >libraries
grep -q 'lib[a-z]*san' libraries || ! grep -v -E 'libc\.so|linux-vdso|ld-linux' libraries || fail 'libraries that nobody needs'
rm libraries
mkdir -p other/bin other/lib
cp "$rollcall" other/bin/rollcall
cp "$rollcall-launch" other/bin/rollcall-launch
cp "$build/lib/librollcall-profile.so" other/lib/
for events in perf::PAGE-FAULTS 'sysfs:::stat:*' '!sysfs:::net:*'; do
    run 0 other/bin/rollcall profile -o d -e "$events" --rate 20 --stacks off -- "$app" regions 3
done
dump
line '^place ' 3
# Launches that need more libraries, and wrong ones, go to rollcall-main.
main_is_missing() {
    for words in "$@"; do
        # shellcheck disable=SC2086  # words
        run 1 other/bin/rollcall $words
        says "rollcall: cannot run '$work/other/bin/rollcall-main': No such file or directory"
    done
}
main_is_missing 'profile -o e --passes 1 -- true' 'profile -o e --metrics c -- true' 'profile -o e --hierarchy mpi -- true' \
    'profile -o e -s nvml -- true' 'profile -o e -e NONE -- true' 'profile -h -o e -- true' 'profile --rote 3 -o e -- true'
cp "$rollcall-main" other/bin/rollcall-main
rm -r d other/bin/rollcall-launch
run 0 other/bin/rollcall profile -o d --rate 20 --stacks off -- "$app" regions 3 # rollcall-main can, too
dump
line '^place ' 1
rm other/bin/rollcall-main
main_is_missing --version help 'profile d' 'profile -o e' 'profile -o e true' 'profile -o e --stacks dwarf -- true'
rm -r d other

# A library of another version would record nothing: it is said before anything is started.
mkdir -p other/bin other/lib
copy_rollcall other/bin/rollcall
library=$build/lib/librollcall-profile.so
for version in 2 1000 none; do
    python3 - "$library" other/lib/librollcall-profile.so $version <<'PY' || fail 'no library of another version'
import sys
mark = b"rollcall-profile's version:\0"
bytes = open(sys.argv[1], "rb").read()
at = bytes.index(mark) + len(mark)
text = b"" if sys.argv[3] == "none" else bytes[:at] + int(sys.argv[3]).to_bytes(4, sys.byteorder) + bytes[at + 4:]
open(sys.argv[2], "wb").write(text)
PY
    [ $version != none ] || version=0
    run 1 other/bin/rollcall profile -o d -- "$app" print started
    said "belongs to another version of rollcall and would record nothing: found version $version of what both share, expected"
    [ ! -e d ] || fail 'a directory was made for nothing'
done
cp "$library" other/lib/
run 0 other/bin/rollcall profile -o d -- "$app" regions 3
dump
line '^place '
rm -r d other

# A program that forbids itself system calls ends as it does alone, and what it did before and then is there.
for way in prctl seccomp strict; do
    ends='exit' visits=7
    [ $way != strict ] || ends=end visits=3
    for events in '' '-e perf::PAGE-FAULTS'; do
        # shellcheck disable=SC2086  # words
        run 20 "${profile[@]}" $events -- "$app" regions 3 filter $way regions 4 $ends 20
        dump
        line "^path .* visits $visits " 2
        line '^close .* killed 0 '
        run 0 "$rollcall" profile d
        has '1 process set a filter of system calls'
        rm -r d
    done
done

# Limits within which nothing, or not all, can be recorded: the program runs, one line says it, and no launch of nothing
# stays.  Messages go through a pipe: files have a limit, too.
limits=("-n 20" "-f 1" "-f 64")
[ -n "${ASAN_OPTIONS:-}" ] || limits+=("-d 1000" "-d 10000") # with which no sanitizer begins
for limit in "${limits[@]}"; do
    # shellcheck disable=SC2016  # the shell's own variables
    bash -c 'ulimit $1 && shift && { "$@"; echo "ended $?"; } 2>&1 | cat' sh "$limit" \
        "${profile[@]}" -- "$app" regions 3 print started exit 4 >.said
    { grep -qx started .said && grep -qx 'ended 4' .said; } || fail "ulimit $limit: $(cat .said)"
    if [ "$(grep -c ': the program runs, and nothing is recorded$' .said)" = 0 ]; then # root may raise limits
        dump
        line '^path .* visits 3 ' 2
    else
        run 1 "$rollcall" status d
    fi
    rm -rf d
done

# Disks and rights.
if [ "$(id -u)" = 0 ] && command -v unshare >.stat && unshare -m true 2>.stat; then
    # a directory that gets full, and has room again once its sampler has ended; a small and a full /dev/shm
    export -f samplers
    # shellcheck disable=SC2016
    work=$work unshare -m bash -c '
        mkdir full && mount -t tmpfs -o size=64k none full || exit 77
        "$0" profile -o full -- "$1" regions 10000 sleep 300 regions 10000 exit 3
        [ $? = 3 ] || exit 1
        for _ in $(seq 400); do
            [ -n "$(samplers full)" ] || break
            sleep 0.05
        done
        head -c 1000000 /dev/zero >full/zeros 2>full/none
        "$0" status full >.before
        for at in full full/new; do
            "$0" profile -o $at --strict -- "$1" print started exit 4 >.said 2>&1
            [ $? = 1 ] && ! grep -q started .said && grep -q "left on" .said || exit 2
            "$0" profile -o $at -- "$1" print started exit 4 >.said 2>&1
            [ $? = 4 ] && grep -q started .said && [ "$(grep -c " left on.*: the program runs, and nothing is recorded$" .said)" = 1 ] ||
                exit 3
        done
        "$0" status full | diff .before - >.said || exit 4
        rm full/zeros && mount -o remount,size=4m full
        "$0" profile -o full -- "$1" regions 1 exit 4 2>.said
        [ $? = 4 ] && [ ! -s .said ] || exit 5
        "$0" profile full 2>.said | grep -q "^outer  *1 " || exit 6' "$rollcall" "$app"
    status=$?
    [ $status = 0 ] || [ $status = 77 ] || fail "a full disk: $status, $(cat .said)"
    rmdir full
    for size in 64k 1m 3m; do
        # shellcheck disable=SC2016
        unshare -m bash -c '
            mount -t tmpfs -o size='$size' none /dev/shm || exit 77
            "$0" profile -o d -- "$1" regions 100 threads 10 exit 3 2>.said' "$rollcall" "$app"
        status=$?
        [ $status = 3 ] || [ $status = 77 ] || fail "/dev/shm of $size: ended with $status"
        if [ -e d ] && [ $size != 64k ]; then
            dump
            line '^end no_block (1|10|11|8|9) '
            # No thread found room: then the library was there.
            run 0 "$rollcall" profile d
            has 'found no room: nothing of them is here'
            lacks 'no process had the preloaded library'
        fi
        rm -rf d
    done
    chmod 755 . && mkdir -m 755 e && chmod 755 "$work"
    if runuser -u nobody -- test -x "$rollcall" 2>.stat; then
        run 1 runuser -u nobody -- "$rollcall" profile -o e --strict -- "$app" print started
        said "cannot write into 'e'"
        lacks started
        run 0 runuser -u nobody -- "$rollcall" profile -o e -- "$app" print started
        says "rollcall profile: cannot write into 'e': Permission denied: the program runs, and nothing is recorded"
        has started
    fi
    rmdir e
fi
rm -f .dump .said .stat .before .json
finish

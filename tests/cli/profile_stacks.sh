#!/usr/bin/env bash
# profile_stacks.sh ROLLCALL - the functions in which a program spends its time are found by samples of its
# stacks: of threads, children and new programs; what cannot be sampled is said, and the program never minds.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py
build=$(cd "$(dirname "$rollcall")/.." && pwd)
duty=$build/tests/profile_duty
profile=("$rollcall" profile -o d --budget 100%)

# settled: waits until each launch of d has ended.
settled() {
    for _ in $(seq 400); do
        "$build/tests/profile_dump" d/journal/*.rcj >.dump 2>.stat
        [ "$(awk '$1 == "launch" { print $2 }' .dump | sort -u | wc -l)" = "$(grep -c '^end ' .dump)" ] && return
        sleep 0.05
    done
    fail 'the sampler has not ended'
}

# shares CHECK...: python expressions of inclusive shares, each of which has to be true; 'near(name, share)'
# allows for four standard deviations and what switching threads on and off costs; n: all samples.
shares() {
    settled
    "$rollcall" profile d --format json >.json || fail 'profile d failed'
    python3 - "$@" >.said <<'END' || fail "$(cat .said)"
import json, sys
d = json.load(open('.json'))
n = d['stacks']['samples']
of = {f['function']: f for f in d['functions']}
def share(name): return of[name]['inclusive'] / n if name in of else 0
def near(name, p): return abs(share(name) - p) < 4 * (p * (1 - p) / n) ** 0.5 + 0.01
for check in sys.argv[1:]:
    if not eval(check):
        sys.exit(print(check, n, {k: (f['samples'], f['inclusive'], f['truncated']) for k, f in of.items()}) or 1)
END
}

# stolen_ns: what the host of a virtual machine has taken from it so far.
stolen_ns() {
    awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f\n", $9 / hz * 1e9 }' /proc/stat
}

# told TEXT: the standard output has it, on however many lines.
told() {
    [[ $(tr -s ' \n' ' ' <<<"$out") == *"$1"* ]] || fail "no '$1' in: $out"
}

# shows PATTERN: a line of the standard output matches.
shows() {
    grep -qE -- "$1" <<<"$out" || fail "no '$1' in: $out"
}

for hz in 0 1001 x -1 97.5 97:8 dwarf:0 dwarf: dwarfs dwarf97 dwarf:off dwarf:97: dwarf:97:0 dwarf:97:64 dwarf::8 dwarf:9:8:7; do
    run 2 "${profile[@]}" --stacks "$hz" -- "$duty" exit 0
    said "--stacks: found '$hz', expected 1 to 1000, off, dwarf, dwarf:1 to dwarf:1000, or dwarf:HZ:1 to dwarf:HZ:63"
done
run 2 "$rollcall" profile d --stacks off
said '--stacks does not go with this'
[ ! -e d ] || fail 'a directory was made for nothing'

# Tables that were not asked for, or took no time, are missing without an error.
run 3 "${profile[@]}" --stacks off -- "$duty" work 120 exit 3
settled
run 0 "$rollcall" profile d
lacks 'by samples of stacks'
run 0 "$rollcall" export d --format folded --stacks
says 'rollcall export: left out: no samples of stacks are in this launch'
run 2 "$rollcall" export d --format chrome --stacks
said '--stacks is for --format folded'
rm -r d

# Where the kernel refuses, the program runs, all else is recorded, and one line says so.
if [ "$(id -u)" = 0 ] && [ -w /proc/sys/kernel/perf_event_paranoid ] && chmod 755 . "$work" &&
    runuser -u nobody -- test -x "$rollcall" 2>.stat && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
    mkdir -m 777 e
    run 4 runuser -u nobody -- "$rollcall" profile -o e -- "$duty" exit 4
    said 'stacks cannot be sampled: perf_event_open'
    rm -r e
fi
run 5 "${profile[@]}" -- "$duty" work 60 exit 5
settled
if grep -q "why 'stacks cannot be sampled" .dump; then
    echo "skipped: $(grep -o "stacks cannot be sampled[^']*" .dump)"
    exit 77
fi
rm -r d
names=$("$rollcall" profile --help >.stat && ldd "$rollcall-main" | grep -c libdw)

# Shares are those that the functions have, of one thread and of several, which are sampled alike; a stack
# goes back to main() or the thread's function.  Time that the host takes meanwhile is in no thread's processor time,
# by which the program works, but samples stand for it.
stolen=$(stolen_ns)
run 6 "${profile[@]}" --stacks 397 -- "$duty" work 4800 threads 3 1600 exit 6
stolen=$(($(stolen_ns) - stolen))
if [ "$names" = 0 ]; then
    shares 'n > 300' 'd["stacks"]["unread_files"] > 0'
    rm -r d
    echo 'skipped: built without libdw, functions have no names'
    exit 77
fi
shares 'n > 700' 'near("duty_heavy", 0.7)' 'near("duty_light", 0.2)' 'near("duty_work", 1)' 'near("main", 0.5)' \
    'near("thread_main", 0.5)' 'share("(start)") > 0.95' 'd["stacks"]["truncated"] < 0.05 * n' \
    "-0.15 * 9.6e9 < n * d['stacks']['period_ns'] - 9.6e9 < 0.15 * 9.6e9 + $stolen"
run 0 "$rollcall" profile d
shows '[0-9.]+ s of it'
echo "of 9.6 s: $(sed -nE 's/.* ([0-9.]+ s) of it.*/\1/p' <<<"$out"), while the host took $stolen ns"
shows '^duty_heavy \(profile_duty\) +[67]'
# The command, which is never cut, begins the first line.
columns=$(sed 1d .out | wc -L)
[ "$columns" -le 80 ] || fail "lines of $columns columns: $out"
has "of a thread's processor time"
run 0 "$rollcall" export d --format folded --stacks
shows ';pid [0-9]+;\(start\);main;duty_work;duty_heavy [0-9]+$'
shows ';pid [0-9]+;\(start\);thread_main;duty_work;duty_light [0-9]+$'
run 0 "$rollcall" pack d
"$rollcall" profile d --format csv >.csv || fail 'profile d --format csv failed'
"$python" - >.said <<'END' || fail "profile.h5: $(cat .said)"
import csv, h5py, json
f, d = h5py.File('d/profile.h5'), json.load(open('.json'))
stacks, samples = f['stacks'], f['samples']
names = [x.decode() for x in stacks['function'][:]]
n = d['stacks']['samples']
table = f['functions']
assert len(table['function']) == len(d['functions']), 'functions'
for i, one in enumerate(d['functions']):
    assert table['function'][i].decode() == one['function'] and abs(100 * table['low'][i] - one['low_%']) < 0.051 and \
        abs(100 * table['high'][i] - one['high_%']) < 0.051, one
table, rows = f['libraries'], [r for r in csv.DictReader(open('.csv')) if r['sort'] == 'library']
assert len(d['libraries']) == len(rows) == len(table['library']) > 0, 'libraries'
for i, (row, one) in enumerate(zip(rows, d['libraries'])):
    assert one['library'] == row['name'] == table['library'][i].decode(), (row, one)
    assert one['samples'] == int(row['count']) == table['samples'][i], (row, one)
    assert int(float(row['ns'])) == int(table['ns'][i]) > 0, (row, table['ns'][i])
    for cell, column, name in ('mean', 'share', 'share_%'), ('min', 'low', 'low_%'), ('max', 'high', 'high_%'):
        assert abs(float(row[cell]) - one[name]) < 0.06 > abs(100 * table[column][i] - one[name]), (row, one)
rows = [r for r in csv.DictReader(open('.csv')) if r['sort'] == 'function']
assert len(rows) == len(d['functions']), 'rows of functions'
for row, one in zip(rows, d['functions']):
    assert row['name'] == one['function'] and abs(float(row['min']) - one['low_%']) < 0.051 and \
        abs(float(row['max']) - one['high_%']) < 0.051 and int(row['count']) == one['samples'], row
assert samples['samples'][:].sum() == n == stacks['self'][:].sum(), 'samples'
for name in ('duty_heavy', 'duty_light'):
    assert sum(s for s, x in zip(stacks['inclusive'][:], names) if x == name) == \
        next(x['inclusive'] for x in d['functions'] if x['function'] == name), name
assert all(-1 <= p < i for i, p in enumerate(stacks['parent'][:])), 'parents'
assert len(set(samples['tid'][:])) == 4 and set(samples['rank'][:]) == {-1}, 'threads'
END
rm -r d

# A function without a frame pointer has its caller all the same, on processors where that can be told.
if [ "$(uname -m)" = x86_64 ]; then
    run 0 "${profile[@]}" --stacks 397 -- "$duty" loop 300
    shares 'n > 50' 'share("duty_leaf") > 0.9' 'share("main") > 0.98 * share("duty_leaf")'
    rm -r d
fi

# A program without frame pointers has whole stacks where they are unwound, if deeper than the kernel can see.
# Threads are long, since the sampler finds them up to 0.16 s after their begin, and later beside other work.
if [ "$(uname -m)" = x86_64 ]; then
    run 0 "${profile[@]}" --stacks dwarf:397 -- "${duty}_bare" work 1600 threads 2 1000 deep 20 400
    shares 'n > 300' 'share("(start)") > 0.95' 'd["stacks"]["truncated"] < 0.05 * n' 'near("duty_deep", 0.1)' \
        'near("thread_main", 0.5)' 'near("duty_work", 0.9)' 'near("duty_heavy", 0.7 * 0.9)'
    run 0 "$rollcall" export d --format folded --stacks
    shows ';pid [0-9]+;\(start\);main;duty_work;duty_heavy [0-9]+$'
    shows ';pid [0-9]+;\(start\);thread_main;duty_work;duty_light [0-9]+$'
    rm -r d
    # frames larger than what is copied: the reason and the size that does are said
    run 0 "${profile[@]}" --stacks dwarf:397:8 -- "${duty}_bare" large 600
    shares 'n > 100' 'd["stacks"]["too_short"] > 0.9 * n' 'd["stacks"]["truncated"] > 0.9 * n'
    run 0 "$rollcall" profile d
    told 'the 8 KiB of stack that were copied are too short: --stacks dwarf copies 32.'
    rm -r d
    run 0 "${profile[@]}" --stacks dwarf:397 -- "${duty}_bare" large 600
    shares 'n > 100' 'd["stacks"]["truncated"] < 0.05 * n' 'd["stacks"]["too_short"] == 0' 'share("duty_large") > 0.9'
    rm -r d
    # a stripped one has functions all the same, by where they begin
    strip -o bare "${duty}_bare"
    run 0 "${profile[@]}" --stacks dwarf:397 -- ./bare work 600
    shares 'n > 100' 'len([f for f in of if f.startswith("bare+0x")]) >= 4' 'share("(start)") > 0.95' \
        'd["stacks"]["unnamed"] > 0.9 * n' 'max(f["samples"] for f in of.values()) < 0.8 * n'
    rm -r d bare
fi

# MPI is one library, what it does inside of a call is the call's, and nothing is rollcall's; a program without
# regions has its libraries first.
if [ "$(uname -m)" = x86_64 ]; then
    OMPI_MCA_mpi_yield_when_idle=0 ranks 2 "$rollcall" profile -o d --budget 100% --stacks 397 -- \
        "$build/tests/mpi_wait" barrier 700000 3 >.said
    mpi='[x for x in d["libraries"] if x["library"] == "MPI"][0]'
    shares 'n > 60' "${mpi}['share_%'] > 10" "${mpi}['low_%'] < ${mpi}['share_%'] < ${mpi}['high_%']" \
        "share('MPI_Barrier') > 0.7 * ${mpi}['share_%'] / 100" 'not [f for f in of.values() if "librollcall" in f["file"]]'
    run 0 "$rollcall" profile d
    told 'Processor time by library: '
    lacks '(outside of regions)'
    rm -r d
fi

# Names that are not in a program are found in the file that a debug package or debuginfod's cache has of them.
if [ "$(uname -m)" = x86_64 ] && id=$(readelf -n "$duty" | awk '/Build ID/ { print $3 }') && [ -n "$id" ]; then
    mkdir -p cache/"$id"
    objcopy --only-keep-debug "$duty" cache/"$id"/debuginfo
    strip -o bare "$duty"
    run 0 "${profile[@]}" --stacks 397 -- ./bare work 600
    shares 'n > 100' 'd["stacks"]["unnamed"] > 0.9 * n'
    DEBUGINFOD_CACHE_PATH=$PWD/cache shares 'd["stacks"]["unnamed"] < 0.1 * n' 'near("duty_heavy", 0.7)'
    rm -r d bare cache
fi

# Samples are as many as the budget allows, and it is said that they are fewer; what is known of them is the
# same: each stands for its time, but for the one that has not come yet, which is half of all at most.
run 0 "$rollcall" profile -o d --budget 0.1% --stacks 1000 -- "$duty" work 900
each='[r["each"] for r in d["rates"] if r["what"] == "samples of stacks"][0]'
changes=${each/each/changes}
shares 'n < 450' "$each >= 2" "0.8e9 < n * d['stacks']['period_ns'] + 1e6 * min($each * $changes, 450)"
rm -r d

# Threads that get little of a processor have their samples, too.
run 0 "${profile[@]}" -- "$duty" threads 60 120
settled
[ "$(awk '$1 == "samples" { print $4 }' .dump | sort -u | wc -l)" -ge 60 ] || fail 'threads without samples'
rm -r d

# A function within itself counts once; what is deeper than the kernel looks is truncated and said to be.
run 0 "${profile[@]}" --stacks 397 -- "$duty" deep 20 400 deep 500 400
shares 'near("duty_deep", 1)' 'abs(d["stacks"]["truncated"] / n - 0.5) < 0.1' 'd["stacks"]["too_short"] > 0.4 * n'
run 0 "$rollcall" profile d
told 'the 4 KiB of stack that were copied are too short: --stacks dwarf copies 32.'
rm -r d

# A child, and a program that takes the place of another.
run 0 "${profile[@]}" --stacks 397 -- "$duty" child 600 work 300 exec sleep 20 work 300
shares 'n > 300' 'near("duty_heavy", 0.7)' 'share("main") > 0.97'
[ "$(grep '^task ' .dump | awk '{ print $4 }' | sort -u | wc -l)" = 2 ] || fail "tasks: $(grep '^task ' .dump)"
rm -r d

# A few samples have no shares, but what brings more.
run 0 "${profile[@]}" --stacks 10 -- "$duty" work 600
shares '0 < n < 30' 'd["stacks"]["effective"] < 30' '"are too few to say" in d["stacks"]["too_few"]' \
    'all(f["low_%"] <= f["self_%"] <= f["high_%"] for f in d["functions"])' \
    'all(f["high_%"] - f["low_%"] > 20 for f in d["functions"])'
run 0 "$rollcall" profile d
told 'are too few to say where it went (30 are the least): --stacks RATE takes more'
lacks 'inclusive_%'
rm -r d
run 0 "$rollcall" profile -o d --budget 0.05% --stacks 100 -- "$duty" work 2000
settled
run 0 "$rollcall" profile d
told 'the budget left fewer than were asked for, and --budget 5% has room for more'
rm -r d

# Samples are not cut where the budget is not spent: two processes have half of 1 % at least.
ranks 2 "$rollcall" profile -o d -- "$duty" work 900
settled
"$rollcall" profile d --format json >.json || fail 'profile d failed'
python3 - <<'END' || fail 'too few samples of 2 processes'
import json
rate = [r for r in json.load(open('.json'))['rates'] if r['what'] == 'samples of stacks']
assert not rate or 2 * rate[0]['cost_%'] / rate[0]['each'] * 2 > 0.8 * 0.2, rate
END
rm -r d

# All of 20 processes may wait for the one that is sampled: together they have three quarters of the budget of 1 %.
ranks 20 "$rollcall" profile -o d -- sleep 0.8
settled
"$rollcall" profile d --format json >.json || fail 'profile d failed'
python3 - <<'END' || fail 'too many samples of 20 processes'
import json
rate = [r for r in json.load(open('.json'))['rates'] if r['what'] == 'samples of stacks']
assert rate and (rate[0]['each'] >= 64 or rate[0]['cost_%'] / rate[0]['each'] < 1.15 * 0.75 / 20), rate
END
rm -r d

# A file that is another one by now gives no names, and that is said.
cp "$duty" ./other
run 0 "${profile[@]}" --stacks 397 -- ./other work 300
settled
cp "$build/tests/profile_app" ./other
run 0 "$rollcall" profile d
told 'it is another file now'
shows '^\[other\] '
rm -r d other .csv .json .dump .said .stat
finish

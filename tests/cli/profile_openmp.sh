#!/usr/bin/env bash
# profile_openmp.sh ROLLCALL - teams of OpenMP whose threads come late by known times, made by
# GCC and, where it has OpenMP, by clang: what each does, and how long it waits for the others.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"

# waits DIR: times are those that apps/openmp.c plants, at 50 ms.
waits() {
    "$rollcall" profile "$1" --format csv >.csv || fail "$1: there are no tables"
    python3 - <<'END' || fail "$1: other teams: $(cat .csv)"
import collections, csv, sys

def expect(what, ok):
    if not ok:
        sys.exit(what)

visits, ms, lead = (collections.Counter() for _ in range(3))
for row in csv.DictReader(open('.csv')):
    if row['sort'] == 'region':
        name = row['name']
        visits[name] += int(row['count'])
        ms[name] += int(row['ns']) / 1e6
        if row['pid'] == row['tid']:
            lead[name] += int(row['ns']) / 1e6
places = {n.split(' ', 2)[2] for n in ms if n.startswith('omp parallel ')}
for kind in 'omp parallel ', 'omp wait ':
    found = sorted(visits[kind + p] for p in places)
    expect(f'{kind}: {found}', found == [2, 2, 2, 4, 4, 4, 12])
late = max(places, key=lambda p: visits['omp parallel ' + p])
did, waited = ms['omp parallel ' + late], ms['omp wait ' + late]
expect(f'{did} ms done', did >= 800)
expect(f'{waited} ms waited', waited >= 600)
whole = 4 * (lead['omp parallel ' + late] + lead['omp wait ' + late])
expect(f'{did} ms done and {waited} ms waited of {whole}', 0.7 * whole <= did + waited <= 1.05 * whole)
expect(f"{visits['omp barrier']} barriers, {ms['omp barrier']} ms",
       visits['omp barrier'] == 6 and ms['omp barrier'] >= 200)
expect(f"{visits['omp critical']} critical sections, {ms['omp critical']} ms",
       visits['omp critical'] == 4 and ms['omp critical'] >= 200)
END
    # Three threads of the team wait for 8 times 50 ms, and two or more while others are in smaller teams.
    "$rollcall" profile "$1" --hierarchy time --format json | python3 -c 'import json, sys
node = {n["node"]: n["value"] for n in json.load(sys.stdin)["trees"]}
if not 1.15 <= node["IDLE_THREADS"] <= 2.5:
    sys.exit("idle threads: %g s" % node["IDLE_THREADS"])
parts = node["EXECUTION"] + node["OVERHEAD"] + node["IDLE_THREADS"]
if abs(parts - node["TIME"]) > 1e-9 * node["TIME"]:
    sys.exit("the parts of TIME are %g of %g s" % (parts, node["TIME"]))' || fail "$1: other idle threads"
}

for cc in gcc clang; do
    if ! $cc -O1 -fopenmp -o app "$tests/programs/openmp.c" 2>.err; then
        [ $cc = clang ] || fail "no OpenMP in gcc: $(cat .err)"
        echo "$cc has no OpenMP here: not tried"
        continue
    fi
    run 0 ./app 0
    alone=$out
    run 0 "$rollcall" profile -o $cc -- ./app 50
    [ "$out" = "$alone" ] || fail "$cc: printed '$out', alone '$alone'"
    waits $cc
    run 0 "$rollcall" profile -o $cc -e perf::TASK-CLOCK -- ./app 1
    [ "$out" = "$alone" ] || fail "$cc: printed '$out', alone '$alone'"
    rm -r app $cc .csv
done

# Two threads begin the same team for the first time at the same instant: both are recorded.
python3 - >first.c <<'END'
print('#include <omp.h>\n#include <stdio.h>\nint main(void)\n{\n    long n = 0;')
print('    omp_set_max_active_levels(2);')
for _ in range(100):
    print("""#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp parallel num_threads(1)
#pragma omp atomic
        n++;
    }""")
print('    printf("%ld\\n", n);\n    return 0;\n}')
END
gcc -O1 -fopenmp -o first first.c || fail 'first.c'
run 0 env OMP_WAIT_POLICY=active "$rollcall" profile -o first.d -- ./first
[ "$out" = 200 ] || fail "printed '$out'"
run 0 "$rollcall" profile first.d --format csv
python3 - .out <<'END' || fail 'teams that two threads begin at once'
import collections, csv, sys
visits = collections.Counter()
for row in csv.DictReader(open(sys.argv[1])):
    if row['sort'] == 'region' and row['name'].startswith('omp parallel '):
        visits[row['name']] += int(row['count'])
if collections.Counter(visits.values()) != {2: 200}:
    sys.exit(f'{collections.Counter(visits.values())} instead of 200 places with 2 each')
END
rm -r first first.c first.d

# A team of one thread waits for nobody: what would keep it is counted, and has no time to speak of.
cat >one.c <<'END'
#include <stdio.h>
int main(void)
{
    long n = 0;
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 10000; i++) {
#pragma omp critical
        n++;
#pragma omp barrier
    }
    printf("%ld\n", n);
    return 0;
}
END
gcc -O1 -fopenmp -o one one.c || fail 'one.c'
run 0 "$rollcall" profile -o one.d -- ./one
[ "$out" = 10000 ] || fail "printed '$out'"
run 0 "$rollcall" profile one.d --format csv
[ "$(awk -F, '/"?region/ && /omp (critical|barrier)/ { print $0 }' .out | grep -c ',10000,')" = 2 ] ||
    fail "of a team of one: $(grep omp .out)"
lacks 'omp wait'
rm -r one one.c one.d

# Teams are named by the function around them, by samples of stacks or without; where its file is another one, by the place in it.
# is PATTERN: the file .out has it.
is() {
    grep -qE "$1" .out || fail "$cc: no '$1' in: $(grep omp .out)"
}
cat >around.c <<'END'
#include <stdio.h>
#include <unistd.h>
static long n;
__attribute__((noinline)) static void solve(int threads)
{
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    n++;
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    n++;
}
int main(void)
{
    solve(2);
    usleep(300000);
    printf("%ld\n", n);
    return 0;
}
END
for cc in gcc 'gcc -no-pie -fno-pie' clang 'clang -no-pie -fno-pie'; do
    # shellcheck disable=SC2086  # a compiler and its options
    $cc -O1 -fopenmp -o around around.c 2>.err || {
        [ "${cc%% *}" = clang ] || fail "$cc: $(cat .err)"
        continue
    }
    ends=' \[omp [01]\]'
    [ "${cc%% *}" = gcc ] || ends='\+0x[0-9a-f]+'
    run 0 "$rollcall" profile -o around.d --stacks off -- ./around
    [ "$out" = 4 ] || fail "$cc: printed '$out'"
    for format in csv json; do
        run 0 "$rollcall" profile around.d --format $format
        [ "$(grep -oE "omp parallel solve$ends" .out | sort -u | wc -l)" = 2 ] ||
            fail "$cc: $format: $(grep -o 'omp [a-z]* [^,"]*' .out | sort -u)"
        lacks 'omp parallel around'
    done
    run 0 "$rollcall" export around.d --format folded
    is "omp parallel solve$ends"
    run 0 "$rollcall" profile around.d
    is '^(parallel )?solve( \[omp|\+0x)' # in a narrow column
    run 0 "$rollcall" pack around.d
    run 0 h5dump -d /paths/path around.d/profile.h5
    is "omp parallel solve$ends"
    touch -d '+1 hour' around # another one, as far as can be told
    run 0 "$rollcall" profile around.d --format csv
    is 'omp parallel around\+0x[0-9a-f]+'
    lacks 'omp parallel solve'
    rm -r around around.d
done
rm around.c
finish

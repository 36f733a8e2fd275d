#!/usr/bin/env bash
# model_planted.sh ROLLCALL - planted programs (simulated): they say what they take, in formats that other tools read,
# and those of published programs have the published numbers.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
app=$build/tests/model_app programs=$tests/planted/programs

# Wrong words, and wrong lines.
for words in "" "no-such-file csv p=2" "$programs/lu.app xml p=2" "$programs/lu.app csv n=2" \
    "$programs/lu.app csv p=0" "$programs/lu.app csv p=2,x" "$programs/lu.app csv p="; do
    # shellcheck disable=SC2086  # words
    run 2 "$app" $words
    said "model_app: found '"
done
for line in 'kernel' 'kernel a size' 'kernel a cost=1' 'machine mhz=3' 'noise' 'loop a calls=1'; do
    printf 'noise 0\n%s\n' "$line" >wrong.app
    run 1 "$app" wrong.app csv p=2
    said 'wrong.app: line 2: '
done
rm wrong.app

# Both formats have the same readings, which only the seed changes.
for format in jsonl csv; do
    "$app" "$programs/lu.app" $format seed=3 repeat=5 p=2,4,8 >"$format" || fail "no $format"
    "$app" "$programs/lu.app" $format seed=3 repeat=5 p=2,4,8 | cmp - "$format" || fail "$format: not the same again"
    "$app" "$programs/lu.app" $format seed=4 repeat=5 p=2,4,8 | cmp -s - "$format" && fail "$format: another seed gave the same"
done
"$app" "$programs/homme.app" csv repeat=0 p=2 n=4 + p=4 n=2 >empty || fail 'no empty table'
[ ! -s empty ] || fail "no repetitions: $(cat empty)"

python3 - "$app" "$programs" <<'PY' || fail 'not what is published'
import csv, json, math, subprocess, sys
app, programs = sys.argv[1:]

with open('jsonl') as lines, open('csv') as table:
    rows = list(csv.DictReader(table))
    objects = [json.loads(line) for line in lines]
assert len(rows) == len(objects) > 5 * 3 * 5
for row, of in zip(rows, objects):
    assert (float(row['p']), row['kernel'], row['metric'], float(row['value'])) == \
        (of['params']['p'], of['callpath'], of['metric'], of['value']), (row, of)
times = [float(r['value']) for r in rows if r['metric'] == 'time' and r['kernel'] == 'blts' and r['p'] == '2']
mean = sum(times) / 5
assert 0.001 < math.sqrt(sum((t - mean) ** 2 for t in times) / 4) / mean < 0.03, times


def truth(name, *words):
    out = subprocess.run([app, f'{programs}/{name}.app', 'truth', *words], check=True, text=True, stdout=subprocess.PIPE)
    return [line.split() for line in out.stdout.splitlines()]


def communication(name, p, *words):
    """Its share of the time; parts without instructions communicate."""
    return sum(float(row[4]) for row in truth(name, f'p={p}', *words) if float(row[6]) == 0)


for name, law in (('lu', lambda p: 6.52e7 * p + 5.92e9), ('sp', lambda p: 3.05e8 * p + 3.15e9)):
    for p in (2, 4, 8, 9, 16, 1024):
        sent = sum(float(row[8]) for row in truth(name, f'p={p}'))
        assert abs(sent / law(p) - 1) < 1e-12, (name, p, sent)
for name, p in (('sp', 20), ('mg', 20), ('cg', 50)):
    assert communication(name, p / 1.1) < 0.5 < communication(name, p * 1.1), (name, communication(name, p))
assert communication('ft', 127) < 0.5 and communication('ep', 1024) < 0.01
assert 0.15 < communication('bt', 36) < 0.25, communication('bt', 36)
seconds = {p: sum(float(row[2]) for row in truth('lu', f'p={p}')) for p in (8, 32, 64, 84, 128, 1024)}
assert seconds[8] > seconds[32] > seconds[64] > seconds[84] < seconds[128] < seconds[1024] < 1.3 * seconds[84], seconds
for p in (96, 1536, 100000):
    given = {row[0]: float(row[8]) for row in truth('homme', f'p={p}', 'n=32')}
    assert given['parameters'] == 24576 and given['norms'] == 160 * p, given
PY
rm jsonl csv empty

# The same as a profile: times, calls and bytes of a program without noise are those of the truth.
sed 's/^noise.*/noise 0/' "$programs/homme.app" >quiet.app
mkdir prof
for words in 'quiet.app' 'no-such-file prof p=2' 'quiet.app prof n=2' 'quiet.app prof p' 'quiet.app prof p=0'; do
    # shellcheck disable=SC2086  # words
    run 2 "$build/tests/profile_planted" $words
done
run 0 "$build/tests/profile_planted" quiet.app prof p=48 n=32
"$app" quiet.app truth p=48 n=32 >.truth
run 0 "$rollcall" profile prof --format csv
cp .out prof.csv
python3 - <<'PY' || fail 'the profile of a planted program is not what it takes'
import csv
with open('prof.csv') as table:
    rows = list(csv.DictReader(table))
for line in open('.truth'):
    part, _, mean_s, most_s, _, _, _, calls, sent = line.split()
    of = [row for row in rows if row['path'] == part]
    ns = [int(row['ns']) for row in of if row['sort'] == 'region']
    assert len(ns) == 48 and abs(sum(ns) / 48e9 / float(mean_s) - 1) < 1e-3 and abs(max(ns) / 1e9 / float(most_s) - 1) < 1e-3, line
    of = [row for row in of if row['sort'] == 'call']
    assert sum(int(row['count']) for row in of) == int(calls) and sum(int(row['bytes']) for row in of) == round(float(sent)), line
PY
run 0 "$rollcall" profile prof
has 'planted (simulated)'
has 'p=48, n=32'
rm -r quiet.app prof prof.csv .truth

# A random program says which of its kernels stop scaling, and they do.
for seed in 1 2 3 4 5 6 7 8; do
    "$app" random $seed >random.app
    "$app" random $seed | cmp - random.app || fail "random program $seed: not the same again"
    "$app" random.app truth p=100000 n=128 >.truth || fail "random program $seed cannot be read"
    # shellcheck disable=SC2094  # it is read only
    awk '$1 ~ /_stops$/ && $6 < -0.05 || $1 ~ /_scales$/ && $6 > -0.3 { exit 1 }' .truth ||
        fail "random program $seed: $(cat .truth)"
done
rm random.app .truth
finish

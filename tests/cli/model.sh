#!/usr/bin/env bash
# The command 'model': laws of planted readings, what they say of points that were not measured, and bad input.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1 COLUMNS=200

# planted FILE PARAMETERS KERNEL=FORMULA...: readings of the formulas of p and n, in Extra-P's text, at each
# point "P,N" of $points, $repeats of them with noise of $noise.
planted() {
    python3 - "$@" <<'PYTHON'
import math, os, random, sys
random.seed(1)
path, names, *kernels = sys.argv[1:]
names = names.split(',')
points = [[float(x) for x in word.split(',')] for word in os.environ['points'].split()]
with open(path, 'w') as out:
    for name in names:
        out.write(f'PARAMETER {name}\n')
    out.write('\nPOINTS ' + ' '.join('( ' + ' '.join(f'{x:g}' for x in p) + ' )' for p in points) + '\n')
    out.write('\nMETRIC time\n')
    for kernel in kernels:
        name, formula = kernel.split('=', 1)
        out.write(f'\nREGION {name}\n')
        for p in points:
            value = eval(formula, {'log2': math.log2, **dict(zip(names, p))})
            out.write('DATA ' + ' '.join(f'{value * (1 + float(os.environ["noise"]) * random.gauss(0, 1)):.9g}'
                                         for _ in range(int(os.environ['repeats']))) + '\n')
PYTHON
}

# Bad usage first: one line each.
run 2 "$rollcall" model
says "rollcall model: expected -o DIR to make a model, or the directory of one"
run 2 "$rollcall" model -o m
says "rollcall model: expected directories of profiles, or --import and files of other tools"
run 2 "$rollcall" model -o m --predict p=4 x
says "rollcall model: --predict is for a model that is there, not with -o"
run 2 "$rollcall" model a b
says "rollcall model: 'b': expected one model, or -o DIR before the sources of a new one"
run 2 "$rollcall" model a --validate
says "rollcall model: --validate: expected what was measured after the model"
run 2 "$rollcall" model -o m --threshold 5 x
says "rollcall model: --threshold: '5', expected a share from 0 to 1"
run 2 "$rollcall" model -o m --method magic x
said "rollcall model: --method 'magic': expected one of rollcall"
run 1 "$rollcall" model none
said "none/model.h5"
mkdir other
echo text >other/file
run 1 "$rollcall" model -o other --import x
said "'other' holds something else, expected the directory of a model, or one that is not there"

# Bad input: a line each, and nothing is left behind.
run 1 "$rollcall" model -o m --import none.txt
said "none.txt"
[ ! -e m ] || fail "a directory is left behind"
export repeats=3 noise=0
points="2 4 8 16 32" planted good.txt p work=10/p
for bad in nan -1 1e999 0x; do
    sed "0,/^DATA [^ ]*/s//DATA $bad/" good.txt >bad.txt
    run 2 "$rollcall" model -o m --import bad.txt
    said "bad.txt"
    [ ! -e m ] || fail "a directory is left behind by '$bad'"
done
points=4 planted one.txt p work=10/p
run 0 "$rollcall" model -o m --import one.txt
has "All readings are of one point: nothing is known of how the program scales."
run 0 "$rollcall" model m --predict p=64
rm -r m
points="2 4 8 16 32" planted zero.txt p work=10/p nothing=0*p
run 0 "$rollcall" model -o m --import zero.txt
run 0 "$rollcall" model m --predict p=64 --format csv
rm -r m
points="2 4 8 16 32" planted huge.txt p work=1e15/p
run 0 "$rollcall" model -o m --import huge.txt
run 0 "$rollcall" model m --format json
has '"stops_scaling": null'
rm -r m

# A program that scales but for two kernels: 'gather' is what stops it, although it is small where it was measured.
noise=0.01
export noise
points=$(for p in 2 4 8 16 32; do for n in 64 96 128 192 256; do echo "$p,$n"; done; done)
points=$points planted app.txt p,n "work=1e-5*n**3/p" "gather=0.002*p*n" "reduce=0.1*log2(p)" "start=0.3" "small=1e-9*n"
points="64,256 64,512 128,256" planted more.txt p,n "work=1e-5*n**3/p" "gather=0.002*p*n" "reduce=0.1*log2(p)" "start=0.3" \
    "small=1e-9*n"
run 0 "$rollcall" model -o m --import app.txt
has "gather stops the program from scaling with p:"
has "m/model.h5"
lacks "small "
run 0 "$rollcall" model m
has "gather stops the program from scaling with p:"
run 0 "$rollcall" model m --format json
printf '%s\n' "$out" >m.json
run 0 python3 -c '
import json
model = json.load(open("m.json"))
assert model["stops_scaling"] == "gather", model["stops_scaling"]
assert {row["kernel"] for row in model["laws"]} == {"work", "gather", "reduce", "start", "(the rest)"}'

# The breakdown adds up, and each truth lies in its interval or nearly so.
run 2 "$rollcall" model m --predict q=4
says "rollcall model: --predict: no parameter 'q', expected p, n"
run 2 "$rollcall" model m --predict p=4
says "rollcall model: --predict: expected a value of 'n', too"
run 2 "$rollcall" model m --predict p=4,n=0
says "rollcall model: --predict: 'n=0', expected a number above 0 as in n=64"
run 2 "$rollcall" model m --predict p=4,p=5,n=3
says "rollcall model: --predict: 'p' is given twice"
run 0 "$rollcall" model m --predict p=512 --set n=256
has "time at p=512, n=256: "
has "gather takes "
run 0 "$rollcall" model m --predict p=512,n=256 --format csv
printf '%s\n' "$out" >p.csv
run 0 python3 -c '
import csv
rows = {row["kernel"]: row for row in csv.DictReader(open("p.csv"))}
truth = {"work": 1e-5*256**3/512, "gather": 0.002*512*256, "reduce": 0.9, "start": 0.3}
parts = sum(float(row["predicted"]) for name, row in rows.items() if name != "(all)")
assert abs(parts / float(rows["(all)"]["predicted"]) - 1) < 1e-9
for name, value in truth.items():
    assert float(rows[name]["low"]) > 0 or name == "work", rows[name]
    assert abs(float(rows[name]["predicted"]) / value - 1) < 0.3, (name, value, rows[name])
assert abs(float(rows["(all)"]["predicted"]) / sum(truth.values()) - 1) < 0.05, rows["(all)"]'

# Held against other points, and against what is another program's.
run 0 "$rollcall" model m --validate more.txt
has "The model holds: the whole is off by at most "
run 0 "$rollcall" model m --validate more.txt --format csv
run 1 "$rollcall" model m --validate more.txt --accuracy 0.0001
has "Some of it is off"
run 2 "$rollcall" model m --validate good.txt --format csv
said "expected"
points="64,256" planted stranger.txt p,n "stranger=p"
run 2 "$rollcall" model m --validate stranger.txt
said "no kernel of the model is among those of 'stranger'"

# Call paths whose times hold those of the paths inside keep their own.
points="2 4 8 16 32" planted nested.txt p "main=11+10/p" "main->io=1" "main->solve=9+10/p" "main->solve->halo=5+9/p"
run 0 "$rollcall" model -o nested --import nested.txt --threshold 0
run 0 "$rollcall" model nested --predict p=1024 --format csv
printf '%s\n' "$out" >nested.csv
run 0 python3 -c '
import csv
rows = {row["kernel"]: float(row["predicted"]) for row in csv.DictReader(open("nested.csv"))}
assert abs(rows["(all)"] / (11 + 10 / 1024) - 1) < 0.05, rows'

# The same on any number of ranks; a model is replaced only by a whole one.
run 0 "$rollcall" model -o one --import app.txt --format csv
printf '%s\n' "$out" >one.csv
run 0 ranks 3 "$rollcall" model -o three --import app.txt --format csv
printf '%s\n' "$out" >three.csv
cmp one.csv three.csv || fail "three ranks find other laws than one"
run 0 "$rollcall" model -o one --import good.txt
run 2 "$rollcall" model -o one --import bad.txt
run 0 "$rollcall" model one
has "good.txt"

# A disk that is full: what was there stays as it was.
if (ulimit -f 8 && "$rollcall" model -o one --import app.txt >/dev/null 2>.err); then fail "no failure on a full disk"; fi
run 0 "$rollcall" model one
has "good.txt"
run 0 ls one
[ "$out" = model.h5 ] || fail "left behind: $out"
rm .err

# Runs are suggested that narrow the target, within the time that is given.
run 2 "$rollcall" model m --suggest soon
says "rollcall model: --suggest: 'soon', expected a duration such as 250ms, 30s, 5m, 1h30m or 2d"
run 0 "$rollcall" model m --suggest 100s --predict p=512,n=256 --format csv
printf '%s\n' "$out" >s.csv
run 0 python3 -c '
import csv
rows = list(csv.DictReader(open("s.csv")))
assert rows and sum(float(row["seconds"]) for row in rows) <= 100, rows
known = [float(row["known_to"]) for row in rows]
assert known == sorted(known, reverse=True), known'
run 0 "$rollcall" model m --suggest 1ms
has "No run within the budget"

# Profiles: each launch is a reading; calls and bytes are exact on more ranks than were measured.
for p in 1 2 3 4; do
    run 0 ranks "$p" "$rollcall" profile -q -o "P$p" --set n=9600 -- "$build/tests/apps/root" 9600
    run 0 ranks "$p" "$rollcall" profile -q -o "P$p" --set n=9600 -- "$build/tests/apps/root" 9600
done
run 0 "$rollcall" model -o profiled P1 P2 P3 P4
has "From 4 points of p, n; 2 readings each"
run 0 "$rollcall" model profiled --predict p=64 --format csv
printf '%s\n' "$out" >p.csv
run 0 python3 -c '
import csv
rows = {(row["metric"], row["kernel"]): row for row in csv.DictReader(open("p.csv"))}
calls = float(rows["calls", "root;gather;MPI_Gather"]["predicted"])
assert abs(calls - 640) < 1e-6, calls
moved = float(rows["bytes", "root;gather;MPI_Gather"]["predicted"])
assert abs(moved - 8 * 10 * 9600) < 1e-3, moved
assert float(rows["time", "(all)"]["predicted"]) > 0'
run 0 "$rollcall" model profiled --validate P2 --accuracy 1
has "The model holds"
run 2 "$rollcall" model -o mixed P1 app.txt
says "rollcall model: 'app.txt' is not a profile, as others are: expected one or the other"
run 0 ranks 1 "$rollcall" profile -q -o Q --set n=9600 -- "$build/tests/apps/summa" 64
run 2 "$rollcall" model -o mixed P1 Q
says "rollcall model: 'P1' is of the program 'root' and 'Q' of 'summa', expected profiles of one program"
run 0 ranks 2 "$rollcall" profile -q -o P5 --set m=1 -- "$build/tests/apps/root" 9600
run 0 "$rollcall" model -o mixed P1 P2 P3 P5
said "left out: launch 0 of 'P5': it has 2 parameters, not 'n' and others of the first launch"

# Without regions functions are kernels, by samples of stacks; a launch without any is left out.
cat >loop.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) double cubic(long n)
{
    volatile double s = 0;
    for (long i = 0; i < n * n * n; i++)
        s = s + 1;
    return s;
}
int main(int argc, char **argv)
{
    return argc > 1 && cubic(atol(argv[1])) < 0;
}
END
cc -O1 -o loop loop.c
for n in 400 500 600 700; do
    run 0 "$rollcall" profile -q -o "L$n" --set n=$n -- ./loop $n
done
run 0 "$rollcall" profile -q -o L300 --stacks off --set n=300 -- ./loop 300
run 0 "$rollcall" model -o loops L*
said "left out: launch 0 of 'L300': no stack of it was sampled, as those of others are"
has "From 4 points of p, n; 1 reading each"
has "cubic"
lacks "(program)"
has "fewer than 5 values of a parameter"

# A signal ends it, and leaves nothing behind.
mkfifo slow
"$rollcall" model -o signalled --import slow >/dev/null 2>&1 &
pid=$!
sleep 1
kill -INT "$pid" 2>/dev/null || kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
[ ! -e signalled/model.h5 ] || fail "a signal leaves a model behind"
rm -rf ./*
finish

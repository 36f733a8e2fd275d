#!/usr/bin/env bash
# model_exact.sh ROLLCALL - profiles of programs of known work on 2 to 16 ranks become models, which predict calls and
# bytes of each place in the program on 64 ranks: those of the programs' laws, to the last one.  (model_apps_64.sh runs
# them there.)
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/apps_lib.sh
. "$tests/lib/apps_lib.sh"

# predicts TARGET RANKS PROGRAM ARGUMENT...: of the model of 'prof' these are the laws at the target.
predicts() {
    run 0 "$rollcall" model -o m prof --threshold 0
    lacks 'left out'
    run 0 "$rollcall" model m --predict "$1" --format csv
    cp .out predicted.csv
    python3 "$tests/cli/model_apps_check.py" predicted.csv "${@:2}" || fail "'$3 ${*:4}': predicted otherwise at $1"
    rm -r m prof predicted.csv
}

# Missing and wrong predictions are told.
cat >predicted.csv <<'CSV'
kernel,metric,predicted
cg;halo;MPI_Sendrecv,calls,24
cg;halo;MPI_Sendrecv,bytes,4609
CSV
python3 "$tests/cli/model_apps_check.py" predicted.csv 3 cg 6 4 2>wrong && fail 'wrong predictions are taken for right'
[ "$(grep -c ' predicted, expected ' wrong)" = 3 ] || fail "not all wrong predictions are told: $(cat wrong)"
rm predicted.csv wrong

for p in 2 4 8 16; do
    profiled prof "$p" heat3d 32 10 12 3 "$p" 1 1
done
predicts p=64 64 heat3d 32 10 12 3 64 1 1

# The same by the numbers of ranks along each side of the box.
for sides in '2 1 1' '1 2 1' '1 1 2' '4 1 1' '1 4 1' '1 1 4' '2 2 1' '2 1 2' '1 2 2' '2 2 2' '4 2 1' '2 4 2' '3 2 2' \
    '4 4 1' '4 1 4' '1 4 4'; do
    read -r px py pz <<<"$sides"
    options=(--stacks off --set "px=$px,py=$py,pz=$pz")
    profiled prof $((px * py * pz)) heat3d 12 14 15 3 "$px" "$py" "$pz"
done
options=(--stacks off)
predicts p=64,px=4,py=4,pz=4 64 heat3d 12 14 15 3 4 4 4

for p in 2 4 8 16; do
    profiled prof "$p" cg 16 20
done
predicts p=64 64 cg 16 20

for p in 1 4 9 16; do
    profiled prof "$p" summa 48
done
predicts p=64 64 summa 48

for p in 2 4 8 16; do
    profiled prof "$p" sample_sort 20000
done
predicts p=64 64 sample_sort 20000

for p in 2 4 8 16; do
    profiled prof "$p" root 6400 4 3
done
predicts p=64 64 root 6400 4 3
finish

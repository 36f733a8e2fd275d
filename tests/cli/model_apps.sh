#!/usr/bin/env bash
# model_apps.sh ROLLCALL - programs of known work: the calls of MPI and the bytes of each place in the program that a
# profile has are those of the program's laws, to the last one, on 1 to 16 ranks and with both MPIs; a wrong result
# ends with 1.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/apps_lib.sh
. "$tests/lib/apps_lib.sh"

# Wrong words end before anything is computed.
for words in 'heat3d 0' 'heat3d 8 8 8 x' 'cg -1' 'cg 8x' 'summa 1e3' 'root 1000001' 'sample_sort ' \
    'planted_law n' 'planted_law solve:' 'planted_law solve:1/0' 'planted_law solve:-1' 'planted_law solve:q' \
    'planted_law =3' 'planted_law solve:(2' 'planted_law solve:root(2)' 'planted_law solve:allreduce:'; do
    IFS=' ' read -r program word <<<"$words"
    # shellcheck disable=SC2086  # words
    run 2 "$apps/$program" ${word:-''}
    said "found '"
done
for words in '3 heat3d 8 8 8 1 2 2 1' '5 heat3d 4 4 4 1 5 1 1' '3 cg 2' '2 summa 8' '3 root 1000'; do
    # shellcheck disable=SC2086  # words
    run 2 ranks "${words%% *}" "$apps/"${words#* }
    said 'expected '
done

for program in heat3d cg summa sample_sort root 'planted_law sum:allreduce:3'; do
    # shellcheck disable=SC2086  # words
    run 1 ranks 4 env LD_PRELOAD="$apps/libapp_wrong.so" "$apps/"$program
    has "${program%% *}: the result is wrong"
done

held 1 heat3d 6 5 4 3 1 1 1
held 3 heat3d 7 8 9 4 1 3 1
held 8 heat3d 9 8 7 5 2 2 2
held 16 heat3d 12 9 10 5 4 2 2
held 1 cg 5 10
held 3 cg 8 20
held 16 cg 18 30
# Another law is not held.
profiled held.prof 3 cg 6 4
"$rollcall" profile held.prof --format csv >held.csv
for words in '3 cg 6 5' '3 cg 7 4' '4 cg 6 4' '3 heat3d 6 6 6 4 3 1 1'; do
    # shellcheck disable=SC2086  # words
    python3 "$tests/cli/model_apps_check.py" held.csv $words 2>wrong && fail "the profile has the laws of '$words'"
    grep -q 'expected' wrong || fail "it is not said that the laws are not those of '$words'"
done
rm -r held.prof held.csv wrong
held 1 summa 7
held 4 summa 33
held 16 summa 50
held 1 sample_sort 1000
held 3 sample_sort 5000
held 16 sample_sort 20011
held 1 root 100 3 2
held 5 root 1000 4 3
held 16 root 16000 5 4
held 1 planted_law
held 7 planted_law n=12 'solve:1e4*n^2/p' 'sum:allreduce:n*log2(p)' 'root:1e5*(1-min(rank,1))'

if [ -x "$other/heat3d" ] && [ "$mpi" = openmpi ]; then
    apps=$other start=(mpiexec.mpich -n)
    held 2 heat3d 7 8 9 4 2 1 1
    held 2 cg 8 20
    held 4 summa 33
    held 2 sample_sort 5000
    held 2 root 1000 4 3
    held 2 planted_law n=12 'solve:1e4*n^2/p' 'sum:allreduce:n*log2(p)'
fi
finish

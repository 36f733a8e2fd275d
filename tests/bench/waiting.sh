#!/usr/bin/env bash
# waiting.sh BUILD [TAKES [MOST]] - how long a solve takes with more ranks than CPUs: on 2, 4 and
# 8 ranks that have two CPUs, in turns, as the user has it and with all ranks at work
# (ROLLCALL_ALL_RANKS): medians of the whole command, of what it says itself, and of its
# processor time, and their ratios to 2 ranks.  With MOST it is a test: not with all at work, and
# it fails where 4 ranks take more than MOST times as long as 2.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
takes=${2:-5}
most=${3:-}
sizes="2 4"
[ -n "$most" ] || sizes="2 4 8"
unset OMPI_MCA_mpi_yield_when_idle ROLLCALL_ALL_RANKS
launcher=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
cpus=$(taskset -cp $$ | python3 -c '
import sys
cpus = []
for part in sys.stdin.read().split(": ")[1].split(","):
    ends = [int(end) for end in part.split("-")]
    cpus += range(ends[0], ends[-1] + 1)
print(",".join(map(str, cpus[:2])))')
case $cpus in
*,*) ;;
*)
    echo "one CPU only: two are needed"
    exit 77
    ;;
esac
new_dir ""

once() { # NAME RANKS
    taskset -c "$cpus" bash -c 'TIMEFORMAT="%R %U %S"; time "$@"' - "$launcher" -n "$2" \
        "$build/bin/rollcall" solve "$dir/campaign" >/dev/null 2>"$dir/err" || {
        cat "$dir/err" >&2
        exit 1
    }
    awk '/^solved in/ { solved = $3; for (i = 5; i < NF; i++) if ($i == "choosing") chosen = $(i + 1) }
        END { print $1, solved, chosen, $2 + $3 }' "$dir/err" >>"$dir/$1.$2"
}

median() { # NAME RANKS COLUMN
    awk -v c="$3" '{ print $c }' "$dir/$1.$2" | sort -g |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

row() { # NAME RANKS WORDS
    local c
    printf '%s\t%s' "$2" "$3"
    for c in 1 2 3 4; do printf '\t%.3g' "$(median "$1" "$2" $c)"; done
    for c in 1 2 4; do
        awk -v a="$(median "$1" "$2" $c)" -v b="$(median usual 2 $c)" 'BEGIN { printf "\t%.2f", a / b }'
    done
    echo
}

"$build/bin/rollcall" run -q -o "$dir/campaign" --source model:spr --repeat 2:3 --no-solve >/dev/null
for _ in $(seq "$takes"); do
    for n in $sizes; do once usual "$n"; done
    [ -n "$most" ] || ROLLCALL_ALL_RANKS=1 once every 4
done
"$launcher" --version 2>&1 | awk '/OpenRTE|Open MPI|Version/ && !n++ { $1 = $1; print }'
{
    printf 'ranks\twho_works\twhole_s\tsolve_s\tchoose_s\tcpu_s\twhole/2\tsolve/2\tcpu/2\n'
    for n in $sizes; do row usual "$n" as_many_as_CPUs; done
    [ -n "$most" ] || row every 4 all
} | column -t -s "$(printf '\t')"
[ -z "$most" ] || awk -v a="$(median usual 4 2)" -v b="$(median usual 2 2)" -v most="$most" 'BEGIN {
    if (a > most * b) { print "4 ranks on 2 CPUs took " a / b " times as long as 2, expected at most " most; exit 1 } }'

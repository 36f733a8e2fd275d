#!/usr/bin/env bash
# answers.sh BINDIR [BEFORE]: what people ask, how many commands it takes with the README alone, how long they run and how
# many lines they print, with rollcall of BINDIR and of BEFORE, the program of an earlier commit.  The answers are in
# docs/bench.md.  Machines are simulated but for 'count' and the kernel, which are stepped.
set -euo pipefail
bin=$(cd "${1:?is where rollcall is built}" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# campaigns PROGRAM: results of one machine and other of another.
campaigns() {
    rm -rf results other
    "$1" run -o results --source model:spr >.out 2>&1
    "$1" run -o other --source model:zen3 >.out 2>&1
}

# ask WHEN PROGRAM QUESTION [COMMAND]...: a row; a command is a line of a shell, in which rollcall is the program.
ask() {
    local when=$1 program=$2 question=$3 command began lines=0 took status=0
    shift 3
    began=$(date +%s%N)
    for command in "$@"; do
        PATH=$(dirname "$program"):$PATH sh -c "$command" >.out 2>.err || status=$?
        lines=$((lines + $(cat .out .err | wc -l)))
    done
    took=$((($(date +%s%N) - began) / 1000000))
    printf '%-30s %-6s %8d %5d.%d %6d %5d\n' "$question" "$when" $# $((took / 1000)) $((took / 100 % 10)) $lines "$status"
}

printf '%-30s %-6s %8s %7s %6s %5s\n' question '' commands seconds lines ends
if [ $# -gt 1 ]; then
    old=$(cd "$(dirname "$2")" && pwd)/rollcall
    campaigns "$old"
    ask before "$old" 'DP FLOPs?' 'rollcall kernels' 'rollcall report results --text --suite flops' \
        'rollcall export results --format papi --suite flops'
    ask before "$old" 'can I trust event X?' 'rollcall export results --format csv --table events | grep BR_MISP_RETIRED:COND,' \
        'rollcall export results --format csv --table representations | grep BR_MISP_RETIRED:COND,' \
        'rollcall report results --text --suite branch'
    ask before "$old" 'what counts together?' 'rollcall plan --source model:spr --format csv'
    ask before "$old" 'which places differ?' 'rollcall noise results'
    ask before "$old" 'two machines?' 'rollcall compare results other'
    ask before "$old" 'new, left, how long?' 'rollcall status results'
fi
new=$bin/rollcall
campaigns "$new"
ask after "$new" 'DP FLOPs?' 'rollcall show results dp flops'
ask after "$new" 'can I trust event X?' 'rollcall show results BR_MISP_RETIRED:COND'
cc -O1 -static -ffp-contract=off -o app "$top/tests/programs/count_app.c"
"$new" run -o steps --source soft --suite flops --repeat 2:2 >.out 2>&1
ask after "$new" 'does my program count?' "rollcall count steps --expect 'DP operations=16000' -- ./app dgemm 20"
cp "$top/docs/examples/own_kernel.c" .
ask after "$new" 'what does my kernel do?' "cc -O2 -ffp-contract=off -fPIC -shared -I $top/kernels -o mine.so own_kernel.c" \
    'rollcall verify --kernel ./mine.so --suite own-mine'
ask after "$new" 'what counts together?' 'rollcall events --source model:spr --with INST_RETIRED:ANY,BR_MISP_RETIRED'
ask after "$new" 'which places differ?' 'rollcall noise results'
ask after "$new" 'two machines?' 'rollcall compare results other'
ask after "$new" 'new, left, how long?' 'rollcall status results'

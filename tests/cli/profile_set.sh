#!/usr/bin/env bash
# profile_set.sh ROLLCALL - parameters of launches: --set is refused where it is wrong or ranks differ, and else is
# in all that says what a profile is of.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
app=$build/tests/profile_app
profile=("$rollcall" profile -o d)

# ended COUNT: so many launches are there, and their samplers have ended.
ended() {
    for _ in $(seq 400); do
        "$rollcall" status d --format json >.json 2>.stat &&
            python3 -c 'import json, sys; d = json.load(open(".json"))["launches"]
sys.exit(len(d) != int(sys.argv[1]) or any(n["sampler"] != "ended" for n in d))' "$1" && return
        sleep 0.05
    done
    fail "there are no $1 launches that have ended: $(cat .json)"
}

# Wrong items: nothing is started, nothing is made.
while IFS='|' read -r set why; do
    run 2 "${profile[@]}" --set "$set" -- "$app" print started
    said "$why"
    lacks started
done <<'END'
|--set: found nothing, expected NAME=VALUE
n|--set: found 'n', expected NAME=NUMBER or NAME=FORMULA
n=0|--set n=0: expected a number above 0
n=-4|--set n=-4: expected a number above 0
n=1 2|--set: a blank in 'n=1 2', expected none
p=4|p is the number of processes, which 'profile' finds itself
n=1,,m=2|--set: found '', expected NAME=NUMBER
n=1,n=2|--set: 'n' is given twice
a=1,b=2,c=3,d=4|--set: 'd' is one too many, expected at most 3 beside p
py=p/px|--set py=p/px: column 3: found 'px', expected p or a parameter that is given before
m=p-1|--set m=p-1: it is 0 with p = 1, expected a number above 0
END
run 2 "${profile[@]}" --set n=1 --set n=2 -- "$app" print started
said "--set: 'n' is given twice"
run 2 "${profile[@]}" --set "n=$(printf '1+%.0s' $(seq 128))p" -- "$app" print started
said '--set: more than 255 bytes in all'
[ ! -e d ] || fail 'a directory was made for nothing'
run 2 "$rollcall" profile d --set n=1
said '--set does not go with this'

# Ranks that differ: the program is not started by the one that comes later, and so ends.  Under Hydra, the other
# rank waits for it for ever.
if [ "$mpi" = openmpi ]; then
    run 2 mpirun -n 1 "${profile[@]}" --set n=1,m=64 -- "$build/tests/mpi_wait" barrier 1000 2 : \
        -n 1 "${profile[@]}" --set n=1,m=65 -- "$build/tests/mpi_wait" barrier 1000 2
    said 'and another rank of this launch has m=6'
fi
rm -rf d

# A program without MPI, one with it, and one without --set, in one directory.
run 0 "${profile[@]}" --set n=64 --set k=1e-3,half=n/2 -- "$app" regions 3
run 0 mpirun -n 2 "${profile[@]}" --set n=128,px=2,py=p/px -- "$build/tests/mpi_wait" barrier 1000 2
run 0 "${profile[@]}" -- "$app" regions 3
ended 3
run 0 "$rollcall" profile d --launch 0
has 'Parameters: p=1, n=64, k=0.001, half=n/2=32.'
run 0 "$rollcall" profile d --launch 1
has 'Parameters: p=2, n=128, px=2, py=p/px=1.'
run 0 "$rollcall" profile d
lacks 'Parameters'
run 0 "$rollcall" profile d --launch 1 --format json
python3 -c 'import json, sys; d = json.load(sys.stdin)
assert d["parameters"] == {"p": 2, "n": 128, "px": 2, "py": 1}, d["parameters"]
assert d["formulas"] == {"py": "p/px"}, d["formulas"]' <<<"$out" || fail 'not the parameters as JSON'
run 0 "$rollcall" profile d --launch 0 --format csv
[ "$(grep ',parameter,' <<<"$out" | cut -d, -f1,6,8,19 | tr '\n' ' ')" = \
    '0,parameter,p,1 0,parameter,n,64 0,parameter,k,0.001 0,parameter,half,32 ' ] ||
    fail "not the parameters as CSV: $(grep ',parameter,' <<<"$out")"
run 0 "$rollcall" status d
has 'p=2, n=128, px=2, py=p/px=1'
run 0 "$rollcall" export d --launch 1 --format chrome
has '"parameters":"p=2, n=128, px=2, py=p/px=1"'
run 0 "$rollcall" export d --launch 1 --format csv
has ',parameter,'
run 0 "$rollcall" pack d
for column in 'launch: 0 0 0 0 1 1 1 1 2' 'value: 1 64 0.001 32 2 128 2 1 1' \
    'name: p n k half p n px py p' 'formula: n/2 p/px'; do
    is=$(h5dump -y -d "/parameters/${column%%:*}" d/profile.h5 | sed '1,/DATA {/d; /}/,$d; s/\\000//g' | tr -d '",' | xargs)
    [ "$is" = "${column#*: }" ] || fail "profile.h5: not '$column': $is"
done
grep -q -- ' --set n=128,px=2,py=p/px ' d/launches.txt || fail "launches.txt: $(cat d/launches.txt)"

# The page.
run 0 "$rollcall" profile -o r --set n=4,k=p*n -- "$app" regions 3
run 0 "$rollcall" report r
sed -n 's/.*id="profile-data">\([^<]*\)<.*/\1/p' r/report.html | base64 -d | gzip -d | grep -q '"k": *"p\*n"' ||
    fail 'the page does not have the parameters'

# Passes are of the same parameters: the second n takes its first pass.
run 0 "$rollcall" profile -o e -e perf::PAGE-FAULTS -e perf::CONTEXT-SWITCHES --passes 2 --set n=1 -- "$app" regions 3
said 'pass 0 of 0 to 1'
run 0 "$rollcall" profile -o e -e perf::PAGE-FAULTS -e perf::CONTEXT-SWITCHES --passes 2 --set n=2 -- "$app" regions 3
said 'pass 0 of 0 to 1'
rm -r d e r .json .stat
finish

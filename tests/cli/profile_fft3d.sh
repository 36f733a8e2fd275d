#!/usr/bin/env bash
# profile_fft3d.sh ROLLCALL - 'profile fft3d' with a stub of the program: phases by MPI_Pcontrol,
# expected against measured, and what is wrong is told.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1

# The stub stands where the program would: beside a rollcall of our own.
build=$(cd "$(dirname "$rollcall")/.." && pwd)
mkdir -p site/bin site/lib
copy_rollcall site/bin/rollcall
cp "$build"/lib/librollcall-*.so site/lib/
cp "$build/tests/fft3d_stub" site/bin/rollcall-fft3d || exit 1
rollcall=$work/site/bin/rollcall

# Usage.
for line in "2|-n 0|--size: found '0', expected a whole number from 1 to 65536" \
    "2|-n 8x|--size: found '8x'" "2|-n 99999999999999999999|--size: found" "2|-n -4|--size: found '-4'" \
    "2|-n 8 --ranks 0|--ranks: found '0', expected a whole number from 1 to 4096" \
    "2|-n 8 --stepped 65|--stepped: found '65', expected a whole number from 0 to 64"; do
    IFS='|' read -r status words expected <<<"$line"
    # shellcheck disable=SC2086  # words
    run "$status" "$rollcall" profile fft3d $words
    said "$expected"
done
run 2 "$rollcall" profile DIR --ranks 2
said "--ranks goes with the built-in fft3d"
[ ! -e fft3d-profile ] || fail "a directory was made"

# One table, with a verdict in each row; what was stepped fits where soft can step.
run 0 "$rollcall" profile -o d fft3d -n 24 --ranks 2
case $out in
'fft3d: all '*' checks are as expected.'*'Expected and measured, of all ranks and runs'*) ;;
*) fail "the verdict is not first: ${out:0:300}" ;;
esac
has '% of the time was spent in MPI calls'
has 'without MPI_Init, which'
said 'a grid of 24 x 24 x 24 runs on 2 ranks'
said 'is stepped'
said "kept in $work/d: 'rollcall profile $work/d' shows it again"
[ -z "$(awk 'length($0) > 82' <<<"$out")" ] || fail "lines are wider than a page: $(awk 'length($0) > 82' <<<"$out" | head -n 3)"
# ours PHASE WHAT SOURCE: the row's numbers and verdict.
ours() {
    "$rollcall" profile d --format json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["fft3d"]:
    if [row["phase"], row["what"], row["source"]] == sys.argv[1:4]:
        print(row["expected"], row["measured"], row["verdict"])' "$@"
}
[ "$(ours steps/s1cf runs regions)" = "6 6 exact" ] || fail "runs: $(ours steps/s1cf runs regions)"
[ "$(ours steps/s1cf "bytes handed to MPI" PMPI)" = "0 0 exact" ] || fail "s1cf sends"
sent=$((24 * 24 * 24 * 16 * 2 * 3))
[ "$(ours steps/a2a-row "bytes handed to MPI" PMPI)" = "$sent $sent exact" ] ||
    fail "sent: $(ours steps/a2a-row "bytes handed to MPI" PMPI)"
[ "$(ours "(all others)" "bytes but in all-to-alls" PMPI)" = "0 0 exact" ] || fail "others send"
if [ -s d/fft3d-stepped.txt ]; then
    case $(ours steps/s1cf operations soft) in "0 0 exact") ;; *) fail "operations: $out" ;; esac
    for what in "bytes loaded" "bytes stored"; do
        case $(ours steps/s1cf "$what" soft) in "128000 "*" within "*) ;; *) fail "$what: $(ours steps/s1cf "$what" soft)" ;; esac
    done
    case $(ours steps/s1cf "read for each written" "soft, simulated") in
    "2 2.0"*" within 5 %") ;;
    *) fail "reads: $(ours steps/s1cf "read for each written" "soft, simulated")" ;;
    esac
    [ "$(grep -c . d/fft3d-stepped.txt)" -eq 3 ] || fail "stepped: $(cat d/fft3d-stepped.txt)"
else
    echo "not shown: phases stepped, which soft cannot do here"
fi

# Phases by MPI_Pcontrol(), and arguments that do not name one.
run 0 "$rollcall" profile -o p -- "$build/tests/mpi_pcontrol"
run 0 "$rollcall" profile p --format json
regions=$(python3 -c 'import json, sys
print(*sorted((r["region"], r["visits"]) for r in json.load(sys.stdin)["regions"] if r["visits"] is not None))' <.out)
[ "$regions" = "('edge', 1) ('forward', 5) ('steps/a2a-row', 5) ('steps/s1cf', 5)" ] || fail "regions: $regions"
has "1 ends of regions did not match"

# A wrong number of the program is off, and the exit status says so.
for lie in runs sent flops; do
    steps=0
    [ "$lie" != flops ] || steps=8
    rm -rf l
    if [ "$lie" = flops ] && [ ! -s d/fft3d-stepped.txt ]; then continue; fi
    run 1 env STUB_LIE="$lie" "$rollcall" profile -o l fft3d -n 8 --ranks 1 --stepped "$steps"
    case $out in
    'fft3d: '*' of '*' checks are off:'*'  steps/'*': expected '*', measured '*'Expected and measured'*) ;;
    *) fail "$lie: the rows that are off are not said first: ${out:0:300}" ;;
    esac
    said "of fft3d are off"
done
run 1 env STUB_LIE=dies "$rollcall" profile -o l2 fft3d -n 8 --ranks 1
said "rollcall-fft3d ended with 9"

# Under a launcher each rank becomes the program; the table is there afterwards.
run 2 mpirun -n 1 "$rollcall" profile fft3d -n 8
said "expected -o DIR under a launcher"
run 0 mpirun -n 2 "$rollcall" profile -o m fft3d -n 8
sleep 1
run 0 "$rollcall" profile m
[[ $(tr -s ' \n' '  ' <<<"$out") == *'fft3d: all '*' checks are as expected. '*'(all others)'* ]] || fail "no table: $out"

# Expectations of strangers: one line each, and never more than that.
for text in '' '{' '[]' '{}' '{"ranks": 1}' '{"ranks": -1, "repeat": 1, "passes": [{"phases": [{}]}]}' \
    '{"ranks": "x", "repeat": 1, "passes": [{"phases": [1]}]}' '{"ranks": 1, "ranks": 2}' \
    '{"ranks": 1, "repeat": 1e999, "passes": [{"phases": [{}]}]}'; do
    printf '%s' "$text" >m/fft3d.json
    run 2 "$rollcall" profile m
    said "fft3d.json"
done
for text in '{"ranks": 1, "repeat": 1, "passes": [{"phases": [{}, 1, {"name": "*", "ranks": 3}, {"name": "\u0001%s", "ranks": [1, {}]}]}]}' \
    '{"ranks": 1e300, "repeat": 1e300, "passes": [{"phases": [{"name": "steps/s1cf", "runs": 1e300, "ranks": [{"flops_planned": 1e308}]}]}]}'; do
    printf '%s' "$text" >m/fft3d.json
    cp m/fft3d.json m/fft3d-stepped.json
    printf 'x\n\t\n*\t1\nsteps/s1cf\t1\t2\t3\t4\t5\t6\t7\t8\n?%%s\t1\t2\t3\t4\t5\t6\t7\tnan\n' >m/fft3d-stepped.txt
    run 0 "$rollcall" profile m
done
# Counters of a node's memory, planted: what they count in the phases, beside what is expected of them.
mkdir traffic
run 0 "$build/tests/profile_sample" traffic 1 4 0 'pcp:::nest.PM_MBA0_READ_BYTES.value'
seen() {
    printf '{"ranks": 4, "repeat": 1, "passes": [{"name": "forward", "phases": [{"name": "solve", "runs": 3,
        "seconds": {"max": 9}, "exact": true, "ranks": [{"calls": 0, "flops_planned": 0, "flops_nominal": 0, "load_bytes": 0,
        "store_bytes": 0, "lines_read": %s, "lines_written": 0, "sent_bytes": 96, "mpi_bytes": 96}]}]}]}' "$1" >traffic/fft3d.json
    "$rollcall" profile traffic --format json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["fft3d"]:
    if row["source"] == "pcp":
        print(row["phase"], row["what"], row["measured"] > 1000, row["verdict"])
    assert row["what"] != "bytes written to memory", row'
}
[ "$(seen 1)" = 'solve bytes read from memory True more' ] || fail "traffic: $(seen 1)"
[ "$(seen 1000000)" = 'solve bytes read from memory True less' ] || fail "traffic: $(seen 1000000)"
lines=$("$rollcall" profile traffic --format json | python3 -c '
import json, sys
print([r["measured"] for r in json.load(sys.stdin)["fft3d"] if r["source"] == "pcp"][0] / 64)')
[ "$(seen "$lines")" = 'solve bytes read from memory True within 25 %' ] || fail "traffic: $(seen "$lines")"
rm -r traffic

rm -r d l l2 m p site
finish

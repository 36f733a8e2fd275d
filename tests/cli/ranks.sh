#!/usr/bin/env bash
# The same campaign on 1, 2, 3, 5 and 8 ranks, on two nodes, over TCP, killed and
# gone on with: campaign.h5 says the same each time, values and labels.
# shellcheck disable=SC2154,SC2317  # functions that others call by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"

suites=flops,branch,dcache
short=(--suite "$suites" --repeat 2:8)
equal=0

# equals DIR WHAT: to the campaign on one rank.
equals() {
    local differs
    if differs=$(same one "$1"); then
        equal=$((equal + 1))
    else
        fail "$2: $differs"
    fi
}

run 0 "$rollcall" run -o one --source model:spr "${short[@]}"
case $out in
one/campaign.h5*one/metrics.h5) ;;
*) fail "printed '$out', expected the names of the files and tables between" ;;
esac
read -r records all <<<"$(count_units one)"
[[ $records -eq $all && $all -gt 100 ]] || fail "$records records of $all units"

# A comparison that finds no difference must be able to find one.
run 0 "$rollcall" run -o other --source model:spr "${short[@]}" --seed 2
same one other >/dev/null && fail "another seed makes no difference"
rm -r other

for n in 2 3 5 8; do
    run 0 ranks "$n" "$rollcall" run -o many --source model:spr "${short[@]}"
    equals many "$n ranks"
    rm -r many
done

two_nodes() {
    mpirun -n 2 env SLURMD_NODENAME=n1 "$@" : \
        -n 1 env SLURMD_NODENAME=n2 "$@"
}
run 0 two_nodes "$rollcall" run -o nodes --source model:spr "${short[@]}"
equals nodes "two nodes"
[ "$(cd nodes/journal && echo *)" = "n1.rcj n2.rcj" ] || fail "a journal for each node"
[ "$(count_units nodes)" = "$all $all" ] || fail "two nodes: $(count_units nodes)"
rm -r nodes

if [ "$mpi" = openmpi ]; then # MPICH 4.0.2 hangs in MPI_Finalize over TCP, in one of two runs
    run 0 env OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_osc=pt2pt mpirun -n 3 "$rollcall" run -o tcp \
        --source model:spr "${short[@]}"
    equals tcp "3 ranks over TCP"
    rm -r tcp
fi
rm -r one

# A part of it on 3 ranks, of which one is killed; the rest on 2.
slow_machine spr.yaml 300us || fail "no event of the machine takes time"
campaign=(--source model:./spr.yaml --suite "$suites" --repeat 2:3)
run 0 "$rollcall" run -o one "${campaign[@]}"
catch $((all / 3)) $((all * 3 / 4)) killed \
    mpirun -n 3 "$rollcall" run -o killed "${campaign[@]}"
kill -KILL "$(members rollcall | tail -1)"
release
reap || fail "the job does not end when a rank is killed"
[ "$ended" -ne 0 ] || fail "a job with a killed rank ended well"
read -r kept _ <<<"$(count_units killed)"
[ "$kept" -lt "$all" ] || fail "all was done before the kill"
run 0 ranks 2 "$rollcall" run -o killed
equals killed "killed on 3 ranks with $kept units, gone on with on 2"
[ "$(count_units killed)" = "$all $all" ] ||
    fail "records and units: $(count_units killed), expected $all of each"
rm -r one killed spr.yaml

echo "$equal of 7 campaigns equal to the one on one rank"
rm -f .job.out .job.err
finish

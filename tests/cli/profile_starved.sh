#!/usr/bin/env bash
# profile_starved.sh ROLLCALL - two ranks beside busy processes on the same core: the answer says first how much of the
# time they ran and for how much they waited for a processor, and which waits in MPI that explains.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
spin=$(cd "$(dirname "$rollcall")/.." && pwd)/tests/mpi_spin
command -v taskset >/dev/null || { echo 'left out: no taskset' >&2 && exit 77; }
core=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')

busy=()
for _ in 1 2 3; do
    taskset -c "$core" bash -c 'while :; do :; done' &
    busy+=($!)
done
trap 'kill "${busy[@]}" 2>.stat; rm -rf "$work"' EXIT
run 0 taskset -c "$core" mpirun -n 2 "$rollcall" profile -o d -- "$spin" 40 10
kill "${busy[@]}"
wait "${busy[@]}" 2>.stat

run 0 "$rollcall" profile d
text=$(tr -s ' \n' '  ' <<<"$out")
# Where threads may run is read once, and in MPI_Init hwloc goes from one processor to the next: it may be both.
case $text in
*'2 ranks with 2 threads. Ranks ran '*' % of the time ('*' and waited '*' % for a processor: the node had '*' runnable tasks, and the program '[12]' processor'*) ;;
*) fail "the first lines do not say that ranks were starved: ${text:0:400}" ;;
esac
case $text in
*' of that while another rank waited for a processor'*'starved_s'*) ;;
*) fail "waits are not marked: ${text:0:2000}" ;;
esac
run 0 "$rollcall" profile d --hierarchy time --format json
python3 -c '
import json, sys
p = json.load(sys.stdin)
of = p["running"]
# five at least on one core
assert of["ran_s"] / of["seen_s"] < 0.5, of
assert of["waited_s"] / of["seen_s"] > 0.4, of
assert 0.9 < (of["ran_s"] + of["waited_s"]) / of["seen_s"] < 1.01, of
assert len(of["ranks"]) == 2 and all(r["waited_s"] > 0 for r in of["ranks"]), of
assert abs(sum(r["waited_s"] for r in of["ranks"]) - of["waited_s"]) < 1e-9
node = [n for n in p["trees"] if n["node"] == "NOT_RUNNING"][0]
assert abs(node["value"] - of["waited_s"]) < 1e-9, node
assert 0 < of["mpi_starved_s"] <= p["mpi_s"], p["mpi_s"]' <<<"$out" || fail 'what ranks ran is not as it should be'
rm -rf -- * .stat
finish

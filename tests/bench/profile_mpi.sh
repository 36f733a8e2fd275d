#!/usr/bin/env bash
# profile_mpi.sh BUILD [CALLS [ROUNDS]] - what it costs that calls of MPI are recorded: CALLS
# (300000) times MPI_Sendrecv of a rank to itself, 8 bytes, without and with the library, in
# turns; the fastest 500th counts.  Prints ns a call, and by how much the program grew.  Beside
# them EZTrace where it can be installed; then the same of rank 0 of two, with barriers of both
# between, where calls are matched to find out waiting; then MPI_Testany, again and again; then four calls
# at a time in a program that has left nothing else in the caches: the median of each run, and of these the least.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
calls=${2:-300000} rounds=${3:-10}
new_dir ""
library=$build/lib/librollcall-profile.so
cd "$dir"
command -v eztrace >/dev/null || (rc_setup bench) >&2 || true

# once PROGRAM...: "NS KIB"
ranks=1 mode=again
once() {
    mpirun -n "$ranks" "$@" "$build/tests/mpi_more" "$mode" "$calls" | sed -n 's/ ns a call, / /; s/ KiB more//p'
}

recorded() {
    rm -f shared
    "$build/tests/profile_blocks" make shared 2 18446744073709551615
    once env ROLLCALL_PROFILE_SHARED="$dir/shared" LD_PRELOAD="$library"
}

eztraced() {
    rm -rf traces
    once eztrace -t openmpi -o traces 2>/dev/null
    find traces -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }' >>bytes
}

for _ in $(seq "$rounds"); do
    once env >>plain.txt
    recorded >>recorded.txt
    if command -v eztrace >/dev/null; then eztraced >>eztrace.txt || true; fi
done
ranks=2 mode=matched
for _ in $(seq "$rounds"); do
    once env >>plain2.txt
    recorded >>matched.txt
done
ranks=1 mode=polling
for _ in $(seq "$rounds"); do
    once env >>plain_polls.txt
    recorded >>polls.txt
done
mode=cold calls=4000
for _ in $(seq "$rounds"); do
    once env >>plain_cold.txt
    recorded >>cold.txt
done
# The fastest of all rounds: what else runs here makes all ways slower.
best() { sort -n "$1" | head -n 1; }
read -r plain grown < <(best plain.txt)
echo "not recorded: $plain ns a call, $grown KiB more"
for way in recorded eztrace; do
    [ -s "$way.txt" ] || continue
    read -r ns grown < <(best "$way.txt")
    echo "$way: $ns ns a call, $(echo "$ns $plain" | awk '{ printf "%.1f", $1 - $2 }') more, $grown KiB more"
done
[ ! -s bytes ] || echo "eztrace wrote $(best bytes) bytes"
read -r plain grown < <(best plain2.txt)
echo "two ranks, not recorded: $plain ns a call, $grown KiB more"
read -r ns grown < <(best matched.txt)
echo "two ranks, matched: $ns ns a call, $(echo "$ns $plain" | awk '{ printf "%.1f", $1 - $2 }') more, $grown KiB more"
read -r plain _ < <(best plain_polls.txt)
read -r ns _ < <(best polls.txt)
echo "polls: $plain ns a call, recorded $(echo "$ns $plain" | awk '{ printf "%.1f", $1 - $2 }') more"
read -r plain _ < <(best plain_cold.txt)
read -r ns _ < <(best cold.txt)
echo "nothing in the caches: $plain ns a call, recorded $(echo "$ns $plain" | awk '{ printf "%.1f", $1 - $2 }') more"

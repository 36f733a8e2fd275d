#!/usr/bin/env bash
# rollcall-fft3d as a user runs it: wrong options and files have one line each, JSON is JSON and
# adds up, tuning keeps what the planner found, and a rank that is killed leaves nobody behind.
# shellcheck disable=SC2154,SC2317  # cli_lib.sh sets them, and await calls both()
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
fft=$(dirname "$rollcall")/rollcall-fft3d
[ -x "$fft" ] || exit 77
quick=(--effort estimate --repeat 2)

# bad SAID OPTION...: wrong usage.
bad() {
    local text=$1
    shift
    run 2 "$fft" "$@"
    says "rollcall-fft3d: $text"
    lacks forward
}

bad "--grid 0: expected N or AxBxC, whole numbers from 1 on" --grid 0
bad "--grid -4: expected N or AxBxC, whole numbers from 1 on" --grid=-4
bad "--grid 4x0x4: expected N or AxBxC, whole numbers from 1 on" --grid 4x0x4
bad "--grid 4x4: expected N or AxBxC, whole numbers from 1 on" --grid 4x4
bad "--grid 4x4x4x4: expected N or AxBxC, whole numbers from 1 on" --grid 4x4x4x4
bad "--grid 99999999999999999999999: expected N or AxBxC, whole numbers from 1 on" \
    --grid 99999999999999999999999
bad "a grid of 3000000000x3000000000x3000000000: expected numbers from 1 to 2147483647" \
    --grid 3000000000
bad "a grid of 2000000000x2000000000x2000000000 has more bytes than there are addresses" \
    --grid 2000000000
bad "--kind r2r: expected one of c2c, r2c" --kind r2r
bad "--path fast: expected one of auto, node, slab, pencil, w, steps" --path fast
bad "--procs 2x2: expected a grid of 1 rank" --procs 2x2
bad "--path steps: expected --order transposed" --path steps --order natural
bad "--block 0: expected COLUMNS, whole numbers from 1 on" --block 0
bad "--repeat: expected an argument" --repeat
bad "unknown option '--girth': see --help" --girth
bad "'64' is not an option: see --help" 64
run 1 "$fft" --grid 100000 "${quick[@]}"
said "rollcall-fft3d: a grid of 100000x100000x100000 needs "
echo "no wisdom" >wisdom
bad "this is not what a planner of double precision has found" --wisdom wisdom
run 1 "$fft" --grid 4 "${quick[@]}" --json nowhere/file
said "rollcall-fft3d: "
rm wisdom

run 0 "$fft" --help
has "--node-size"
run 0 ranks 3 "$fft" --grid 2 --check "${quick[@]}"
has "check: passed"
has "node/planes"

# Work of all ranks: that of the transform, whatever the path.
for path in node slab pencil w steps; do
    run 0 ranks 3 "$fft" --grid 12x20x30 --path "$path" --check "${quick[@]}" --json "$path.json"
    python3 - "$path.json" <<'PY' || fail "$path.json"
import json, math, sys
a = json.load(open(sys.argv[1]))
n = 12 * 20 * 30
assert a["ranks"] == 3 and a["repeat"] == 2 and a["check"]["error"] <= a["check"]["limit"]
assert [p["name"] for p in a["passes"]] == ["forward", "backward"]
for p in a["passes"]:
    flops = {f["name"]: sum(r["flops_nominal"] for r in f["ranks"]) for f in p["phases"]}
    scaled = a["path"] == "steps" and p["name"] == "backward" # each number, by a constant
    assert flops.pop("steps/scale", 0) == (2 * n if scaled else 0), flops
    total = sum(flops.values())
    assert abs(total / (5 * n * math.log2(n)) - 1) < 1e-12, total
    for f in p["phases"]:
        assert len(f["ranks"]) == 3 and f["runs"] >= 1
        s = f["seconds"]
        assert 0 <= s["min"] <= s["median"] <= s["max"]
PY
    rm "$path.json"
done

run 0 ranks 2 "$fft" --grid 8 --tune --seconds 20 --wisdom kept --repeat 1
has "best: --path "
[ -s kept ] || fail "no wisdom was kept"
run 0 ranks 2 "$fft" --grid 8 --wisdom kept --repeat 1 --check
# The same bits on every run: of plans that are the same, kept or not measured at all.
bits=$(grep -o 'bits .*' .out) || fail "no bits"
run 0 ranks 2 "$fft" --grid 8 --wisdom kept --repeat 1 --check
has "$bits"
rm -f kept
for path in node slab pencil w steps; do
    run 0 ranks 3 "$fft" --grid 9x10x11 --path "$path" "${quick[@]}" --check
    bits=$(grep -o 'bits .*' .out) || fail "$path: no bits"
    run 0 ranks 3 "$fft" --grid 9x10x11 --path "$path" "${quick[@]}" --check
    has "$bits"
done

# Pencils whose rows are nodes: within a node no message, whatever has how much; the same numbers.
for grid in 9x10x11 1 2x3x1 16; do
    for kind in c2c r2c; do
        run 0 ranks 4 "$fft" --grid "$grid" --kind "$kind" --path pencil --node-size 2 "${quick[@]}" --check --json nodes.json
        python3 - nodes.json <<'PY' || fail "pencil on nodes: $grid $kind"
import json, sys
a = json.load(open(sys.argv[1]))
assert a["procs"] == [2, 2] and a["nodes"] == 2 and a["check"]["error"] <= a["check"]["limit"], a["check"]
for p in a["passes"]:
    names = {f["name"] for f in p["phases"]}
    assert "pencil/share-row" in names and "pencil/a2a-row" not in names, names
    for f in p["phases"]:
        sent = sum(r["sent_bytes"] for r in f["ranks"])
        assert (sent > 0) <= (f["name"] == "pencil/a2a-column"), (f["name"], sent)
PY
    done
    rm nodes.json
    run 0 ranks 4 "$fft" --grid "$grid" --path pencil --procs 1x4 --order transposed "${quick[@]}" --check
    has "pencil/share-row"
    lacks "pencil/a2a"
done

# A shared memory that is too small: its own /dev/shm, which only the superuser can mount.  MPICH itself wants more.
if [ "$mpi" = openmpi ] && unshare -m mount -t tmpfs -o size=3m tmpfs /dev/shm 2>/dev/null; then
    run 0 unshare -m sh -c "mount -t tmpfs -o size=3m tmpfs /dev/shm && OMPI_MCA_btl=self,tcp exec mpirun \
        -n 2 $fft --grid 64 --check ${quick[*]}"
    said "rollcall-fft3d: ranks cannot share 4.3 MiB: /dev/shm has "
    said ": path slab instead"
    has "check: passed"
fi

# A rank that is killed ends the others.
both() {
    [ "$(members rollcall-fft3d | wc -l)" -eq 2 ]
}
start mpirun -n 2 "$fft" --grid 64 --effort estimate --repeat 100000
await 60 both || fail "no two ranks: $(cat .job.err)"
sleep 1
kill -KILL "$(members rollcall-fft3d | tail -n 1)"
reap || fail "the others go on"
[ "$ended" -ne 0 ] || fail "a killed rank is no failure"
rm .job.out .job.err
finish

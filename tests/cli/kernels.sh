#!/usr/bin/env bash
# The suites as the program shows and verifies them.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

run 0 "$rollcall" kernels
for suite in flops branch dcache dcache-write icache instructions gpu-flops blas memory; do
    has "$suite: "
done
has "cannot run here: device kernels are not"
has " points, 1 ideal, footprint core"

run 0 "$rollcall" kernels --suite branch
has "  goto                           2         2         1         1         0"

# As wide as a terminal of 80 columns, or as COLUMNS says; all ideals are there.
narrow() {
    awk -v most="$1" 'length > most { print; bad = 1 } END { exit bad }' <<<"$out" || fail "wider than $1"
}
unset COLUMNS
for of in "kernels" "kernels --suite flops" "kernels --suite gpu-flops" "plan --source model:spr --all"; do
    # shellcheck disable=SC2086
    run 0 "$rollcall" $of
    narrow 80
done
run 0 "$rollcall" kernels --suite flops
[ "$(grep -c '^  point ' <<<"$out")" -eq 4 ] || fail "16 ideals in other parts: $out"
[ "$(grep -c '^  dp-512-fma-48 ' <<<"$out")" -eq 4 ] || fail "a point that is not in each part"
run 0 env COLUMNS=200 "$rollcall" kernels --suite flops
narrow 200
[ "$(grep -c '^  point ' <<<"$out")" -eq 1 ] || fail "all ideals fit: $out"

run 0 "$rollcall" kernels --suite flops,dcache --source model:spr --format json
printf '%s' "$out" >kernels.json
python3 - <<'PY' || fail "kernels --format json"
import json
counts = json.load(open("kernels.json"))["counts"]
points = {(c["suite"], c["point"]) for c in counts}
assert sum(s == "flops" for s, _ in points) == 48
basis = {c["ideal"] for c in counts if c["suite"] == "flops" and c["basis"] == "yes"}
assert len(basis) == 16
body = [c["count"] for c in counts if c["point"] == "dp-scalar-96" and c["ideal"] == "D_SCAL"]
assert body == [96]
lines = [c for c in counts if c["point"] == "dp-scalar-96" and c["ideal"] == "L1IH"]
assert lines[0]["count"] is None and 1 <= lines[0]["low"] < lines[0]["high"] < 20, lines
assert all(c["low"] == c["count"] == c["high"] for c in counts if c["count"] is not None)
PY
rm kernels.json
run 2 "$rollcall" kernels --suite flops,flop
says "rollcall kernels: --suite: 'flop', expected a suite of this build, did you mean 'flops'?"

run 2 "$rollcall" verify --source papi
says "rollcall verify: source 'papi' declares no exact events, expected soft"
if ! "$rollcall" verify --suite branch >verify.txt 2>&1; then
    grep -q "soft" verify.txt && grep -q -e "no source 'soft'" -e "cannot be used here" verify.txt &&
        { rm verify.txt; echo "no soft source here"; finish; }
    fail "verify --suite branch: $(cat verify.txt)"
fi
grep -q "branch .* 0 off" verify.txt || fail "verify: $(cat verify.txt)"
rm verify.txt
run 0 "$rollcall" verify --suite instructions --format json
printf '%s' "$out" >verify.json
python3 - <<'PY' || fail "verify --format json"
import json
top = json.load(open("verify.json"))
assert top["source"] == "soft" and len(top["counts"]) > 500
assert all(c["outcome"] in ("exact", "within bound") for c in top["counts"])
assert all(c["expected"] == c["found"] == c["low"] == c["high"] for c in top["counts"] if c["outcome"] == "exact")
assert sum(c["outcome"] == "exact" for c in top["counts"]) > 500
lines = [c for c in top["counts"] if c["ideal"] == "L1IH" and c["expected"] is None]
assert lines and all(c["low"] <= c["found"] <= c["high"] for c in lines)
PY
rm verify.json
finish

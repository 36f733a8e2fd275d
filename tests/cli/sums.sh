#!/usr/bin/env bash
# Sums with positive whole coefficients come before those of fewer events.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1 COLUMNS=400

# Eight widths, or seven events with a quarter of all operations and minus signs.
cat >widths.yaml <<'YAML'
name: widths
topology: core:1 pu:1
banks:
- {name: core, counters: 4}
events:
- {name: SCALAR, counts: S_SCAL}
- {name: SCALAR_FMA, counts: SF_SCAL}
- {name: P128, counts: S_128}
- {name: P128_FMA, counts: SF_128}
- {name: P256, counts: S_256}
- {name: P256_FMA, counts: SF_256}
- {name: P512, counts: S_512}
- {name: P512_FMA, counts: SF_512}
- {name: OPERATIONS, counts: S_SCAL + 4 S_128 + 8 S_256 + 16 S_512 + 2 SF_SCAL + 8 SF_128 + 16 SF_256 + 32 SF_512}
- {name: ALL, counts: INS}
YAML
run 0 "$rollcall" run -o widths --source model:./widths.yaml --suite flops,instructions --repeat 2:2 --no-solve -q
run 0 "$rollcall" solve widths --suite flops
out=$(sed -n '/^  SP instructions /,/defined/p' <<<"$out" | tr -s ' \n' ' ')
for term in '1 x SCALAR ' '2 x SCALAR_FMA ' '1 x P128 ' '2 x P128_FMA ' '1 x P256 ' '2 x P256_FMA ' '1 x P512 ' '2 x P512_FMA '; do
    has "$term"
done
lacks OPERATIONS
lacks '-'

# One event is still taken before any sum, whatever its coefficient.
sed -i 's/S_SCAL}/S_SCAL}\n- {name: HALF, counts: 0.5 S_SCAL + 0.5 S_128 + 0.5 S_256 + 0.5 S_512 + SF_SCAL + SF_128 + SF_256 + SF_512}/;' widths.yaml
run 0 "$rollcall" run -o half --source model:./widths.yaml --suite flops,instructions --repeat 2:2 --no-solve -q
run 0 "$rollcall" solve half --suite flops
out=$(sed -n '/^  SP instructions /,/defined/p' <<<"$out" | tr -s ' \n' ' ')
has '2 x HALF'
lacks SCALAR
rm -r widths half widths.yaml
finish

#!/usr/bin/env bash
# Counts of all instructions and of cycles, made free of noise, give false metrics by
# the published method alone.  Tried on all suites of a campaign none of them is left,
# and every true one is.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py
check=$tests/cli/published_check.py
spr=$build/share/rollcall/machines/spr.yaml

# machine quiet: spr, the two events without noise.
# machine poor: the same without an event that counts floating point, caches or memory.
# machine bare: the two events and nothing else.
machine() {
    awk -v which="$1" '
        function put() {
            if (event && (which == "quiet" || two || which == "poor" && !taken))
                printf "%s", event
            event = ""
        }
        /^- name:/ && body {
            put()
            two = /"(INST_RETIRED:ANY|CPU_CLK_UNHALTED:THREAD)"$/
            taken = 0
        }
        /^events:/ { body = 1; print; next }
        !body { print; next }
        two && /^  noise:/ { next }
        /^  counts:.*(SF?_|DF?_|L[123]D|MEM_)/ { taken = 1 }
        { event = event $0 "\n" }
        END { put() }' "$spr" >"$1.yaml"
    run 0 "$rollcall" run -o "$1" --source "model:./$1.yaml" --no-solve --repeat 3:8
}

# finds DIR [SUITE]: solved, it has combinations for the metrics on stdin, and for no others.
finds() {
    sort >expected
    "$python" "$check" found "$1/metrics.h5" ${2:+"$2"} | sort >seen
    diff expected seen >differs || fail "$1: <: not found, >: found: $(grep '^[<>]' differs)"
    rm expected seen differs
}

# believes DIR METRIC...: solved, it has combinations for these, which are false.
believes() {
    local metrics=$1/metrics.h5
    shift
    "$python" "$check" found "$metrics" >seen
    for metric in "$@"; do
        grep -qxF "$metric" seen || fail "$metrics: no $metric: $(cat seen)"
    done
    rm seen
}

true_of_branches='branch: branches
branch: conditional not taken
branch: conditional retired
branch: conditional taken
branch: correctly predicted
branch: mispredicted
branch: unconditional'

# Events of stores are not those of stores that hit: kernels store to lines that are in L1 and
# to others.
true_of_memory='dcache-write: L1 writes
dcache: L1 reads
instructions: loads
instructions: loads and stores
instructions: stores'

machine quiet
run 0 timeout 240 "$rollcall" solve quiet
finds quiet <<EOF
$true_of_branches
$true_of_memory
blas: DP operations in BLAS
blas: FP operations in BLAS
blas: SP operations in BLAS
blas: instructions
dcache: L1 hits
dcache: L1 misses
dcache: L2 hits
dcache: L2 misses
dcache: L3 hits
dcache: L3 misses
flops: DP instructions
flops: DP operations
flops: FP operations
flops: SP instructions
flops: SP operations
memory: memory bytes
memory: memory bytes read
memory: memory bytes written
memory: memory transactions
memory: memory transactions read
memory: memory transactions written
EOF
# These are what a channel counts, an eighth of all, and nothing else.
for way in 'read RD' 'written WR'; do
    run 0 "$python" "$check" terms quiet/metrics.h5 memory "memory bytes ${way% *}"
    printf '%s\n' "$out" | grep -qE "^51[12]\.[0-9]+ x UNC_M[0-7]_CAS_COUNT:${way#* }\$" ||
        fail "bytes ${way% *} are not 512 for each transaction of a channel: $out"
    ! printf '%s\n' "$out" | tail -n +2 | grep -qv ' x UNC_M[0-7]_CAS_COUNT:' ||
        fail "bytes ${way% *} are made of more than what channels count: $out"
done
cp quiet/metrics.h5 alone
run 0 timeout 240 mpirun -n 3 "$rollcall" solve quiet
run 0 "$python" "$check" same alone quiet/metrics.h5
run 0 timeout 240 "$rollcall" solve --plain quiet
believes quiet 'branch: conditional executed' 'dcache-write: L3 write-backs' \
    'blas: SP operations in BLAS' 'memory: memory bytes written'

# Instructions are 1.8 % off the floating-point ideals, by what the loops count
# besides: where that passes, the published method takes them for one.
printf 'suite: flops\nresidual: 2e-2\n' >loose.yaml
run 0 timeout 240 "$rollcall" solve --plain --definitions loose.yaml quiet
believes quiet 'flops: FP instructions' 'flops: FMA instructions'
run 0 "$python" "$check" terms quiet/metrics.h5 flops 'SP FMA instructions'
for term in 0.065 '1.428 x FP_ARITH_INST_RETIRED:SCALAR_SINGLE' '-1.000 x INST_RETIRED:ANY' \
    '0.628 x FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE'; do
    has "$term"
done
run 0 timeout 240 "$rollcall" solve --definitions loose.yaml --suite flops quiet
finds quiet flops <<EOF
flops: DP instructions
flops: DP operations
flops: FP operations
flops: SP instructions
flops: SP operations
EOF

machine poor
run 0 timeout 240 "$rollcall" solve poor
finds poor <<EOF
$true_of_branches
$true_of_memory
blas: instructions
EOF
run 0 timeout 240 "$rollcall" solve --plain poor
believes poor 'branch: conditional executed' 'blas: FP operations in BLAS' \
    'dcache-write: L3 write-backs'

machine bare
run 0 timeout 240 "$rollcall" solve bare
finds bare <<EOF
blas: instructions
EOF
run 0 timeout 240 "$rollcall" solve --plain bare
believes bare 'branch: mispredicted' 'dcache: L1 reads' 'dcache-write: L3 write-backs'

# One suite beside the caches is enough against cycles as misses.
for other in flops branch instructions; do
    run 0 "$rollcall" run -o two --source model:./bare.yaml --repeat 3:8 --suite "dcache,$other"
    finds two dcache </dev/null
    rm -r two
done
rm -r quiet* poor* bare* alone loose.yaml
finish

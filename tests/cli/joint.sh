#!/usr/bin/env bash
# All suites are solved at once: events that mix what they count make up metrics, one
# event comes before a sum of several, the same question has one answer, and all of it
# is the same bytes on any number of ranks.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py

solved() {
    run 0 timeout 240 "$rollcall" solve "$@"
    out=$(echo "$out" | tr -s ' \n' ' ')
}

# terms DIR METRIC: "COEFFICIENT EVENT" of each, by event, where it is defined.
terms() {
    run 0 "$rollcall" export "$1" --format csv --table metrics
    terms=$(echo "$out" | "$python" -c '
import csv, sys
for row in sorted(csv.DictReader(sys.stdin), key=lambda row: row["event"]):
    if row["metric"] == sys.argv[1] and row["verdict"] == "defined":
        held = row["rounded_holds"] == "yes"
        print(row["rounded" if held else "coefficient"], row["event"])' "$2" | paste -sd ' ')
}

# Events of several families each; what they count besides cancels.
cat >mixed.yaml <<'YAML'
name: mixed
topology: core:1 pu:1
banks:
- {name: core, counters: 4}
events:
- {name: A, counts: 1 CR + 4 T}
- {name: B, counts: T + INS}
- {name: C, counts: INS}
- {name: D, counts: D_SCAL + 2 D_128 + 4 D_256 + 8 D_512 + 2 DF_SCAL + 4 DF_128 + 8 DF_256 + 16 DF_512 + 0.37 LOADS}
- {name: E, counts: 0.02 LOADS + INS}
- {name: F, counts: 1000 CR}
- {name: G, counts: 0.13 STORES}
YAML
suites=flops,branch,instructions,blas
run 0 "$rollcall" run -o mixed --source model:./mixed.yaml --suite $suites --no-solve --repeat 2:2
solved mixed
has 'DP operations in BLAS'
has 'as in flops'
terms mixed 'conditional taken'
[ "$terms" = '1 B -1 C' ] || fail "taken: $terms"
terms mixed 'conditional not taken'
[ "$terms" = '-0.25 A 0.00125 F' ] || fail "not taken: $terms"
terms mixed 'conditional retired'
[ "$terms" = '0.001 F' ] || fail "one event before any sum: $terms"
terms mixed 'DP operations'
[ "$terms" = '18.5 C 1 D -18.5 E' ] || fail "DP operations: $terms"
terms mixed 'DP operations in BLAS'
[ "$terms" = '18.5 C 1 D -18.5 E' ] || fail "DP operations in BLAS: $terms"
terms mixed stores
case $terms in 7.69230769230769*' G') ;; *) fail "stores: $terms" ;; esac
terms mixed 'loads and stores'
[ -n "$terms" ] || fail 'loads and stores are not defined'
# Nothing that counts SP operations is there, and nothing is made up.
terms mixed 'SP operations'
[ -z "$terms" ] || fail "SP operations: $terms"

# 1, -4 and +4, of which one suite alone rounds the first away.
sed -i '/name: F/d' mixed.yaml
run 0 "$rollcall" run -o cancel --source model:./mixed.yaml --suite $suites --no-solve --repeat 2:2
solved cancel
# Errors of rounding count as 'exact', and nothing is printed for missing terms.
case $out in *[0-9]e-1[0-9]\ *) fail "rounding noise in: $out" ;; esac
has 'conditional retired exact 1 x A'
run 0 "$rollcall" show cancel mispredicted
lacks definition
terms cancel 'conditional retired'
[ "$terms" = '1 A -4 B 4 C' ] || fail "a coefficient of 1 is rounded: $terms"
# The published method is as it was, one suite after the other.
solved --plain cancel
lacks 'as in flops'

# The same bytes, alone and on ranks.
for n in '' 1 2 3 5; do
    if [ -z "$n" ]; then
        run 0 timeout 240 "$rollcall" solve mixed
    else
        run 0 timeout 240 mpirun -n "$n" "$rollcall" solve mixed
    fi
    echo "$out" >table
    for format in json csv; do
        run 0 "$rollcall" export mixed --format $format
        echo "$out" >>table
    done
    cat mixed/metrics.h5 >>table
    [ -n "$n" ] || cp table alone
    cmp -s table alone || fail "other bytes on $n ranks than alone"
done

# ANY alone is the metric, whatever else adds up to it on these kernels.
run 0 "$rollcall" run -o zen3 --source model:zen3 --suite flops,branch --no-solve --repeat 2:3
solved zen3
terms zen3 'FP operations'
[ "$terms" = '1 RETIRED_SSE_AVX_FLOPS:ANY' ] || fail "FP operations: $terms"
# Where only 'flops' and 'branch' were run, multiplications are still not all instructions.
run 0 "$rollcall" run -o few --source soft --suite flops,branch --no-solve --repeat 2:2
solved few
terms few 'SP instructions'
case $terms in *fp_sp_mul*) fail "SP instructions: $terms" ;; esac
run 0 "$rollcall" export zen3 --format papi
has 'PAPI_FP_OPS,NOT_DERIVED,RETIRED_SSE_AVX_FLOPS:ANY'

# Loads of all sizes, stores of all sizes, and branches that are not lines of code: kernels
# tell them apart, so that none is taken for the metric.  The constant of each reading differs from suite to suite,
# which casts no doubt on a metric.
run 0 "$rollcall" run -o sizes --source soft --suite branch,dcache,dcache-write,icache,instructions,blas \
    --no-solve --repeat 2:2
solved sizes
has 'L1 reads exact 1 x soft::loads defined: '
lacks load_accesses
lacks store_accesses
lacks sim_branch_predicted
for metric in 'L1 reads' 'L1 write hits' 'integer additions' loads stores instructions; do
    terms sizes "$metric"
    [ -n "$terms" ] || fail "'$metric' is not defined"
done
# Stores that hit are not all stores.
terms sizes 'L1 write hits'
case $terms in '1 soft::sim_l1d_store_hit'*) ;; *) fail "L1 write hits: $terms" ;; esac
terms sizes 'L1 write misses'
case $terms in *' 1 soft::sim_l1d_store_miss'*) ;; *) fail "L1 write misses: $terms" ;; esac
# Logical instructions are proportional to lines entered in icache; elsewhere they are fewer
# than the lines that hit.
terms sizes 'L1I reads'
case $terms in *category_logical*) fail "L1I reads: $terms" ;; esac

rm -r mixed cancel zen3 few sizes mixed.yaml table alone
finish

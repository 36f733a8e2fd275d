#!/usr/bin/env bash
# cachegrind.sh BUILD: what the cache suites expect, held against the caches that valgrind's
# cachegrind simulates, which share nothing with rollcall's.  Each point runs n and 2n iterations; the difference, by n,
# is printed beside what is expected: loads and stores that miss in
# L1, lines missed in the last cache, lines of code that miss.  Ends with 1 where any is off by
# more than 1 % of what is expected, or of 1 where that is less.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
command -v valgrind >/dev/null || {
    echo "$0: valgrind is not installed (Debian: valgrind)" >&2
    exit 1
}
bench=$build/tests/bench/cachegrind
new_dir ""
"$bench" list >"$dir/points"

count() { # SUITE POINT TIMES: into a file of that name
    valgrind --tool=cachegrind --cache-sim=yes --D1=4096,8,64 --I1=4096,8,64 --LL=65536,16,64 \
        --cachegrind-out-file="$dir/$1 $2 $3" "$bench" run "$@" 2>"$dir/$1 $2 $3.log" ||
        cat "$dir/$1 $2 $3.log" >&2
}
export -f count
export bench dir
awk '{ print $1, $2, 1; print $1, $2, 2 }' "$dir/points" |
    xargs -P "$(nproc)" -L 1 bash -c 'count "$@"' _

# Columns of the summary: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.
counted() { # SUITE POINT TIMES
    awk '$1 == "summary:" { print $6, $9, $4 + $7 + $10, $3 }' "$dir/$1 $2 $3"
}
while read -r suite point n expected; do
    echo "$suite $point $n $expected $(counted "$suite" "$point" 1) $(counted "$suite" "$point" 2)"
done <"$dir/points" | awk '
    BEGIN {
        split("L1 loads,L1 stores,last cache,code", name, ",")
        printf "%-13s %-28s %8s", "suite", "point", "n"
        for (i = 1; i <= 4; i++) printf "  %-17s", name[i]
        print "\n" sprintf("%51s", "") "  expected    found  (of each)"
    }
    {
        printf "%-13s %-28s %8d", $1, $2, $3
        for (i = 1; i <= 4; i++) {
            expected = $(3 + i)
            found = ($(11 + i) - $(7 + i)) / $3
            bound = 0.01 * (expected > 1 ? expected : 1)
            is_off = NF != 15 || !(found - expected <= bound && expected - found <= bound)
            off += is_off
            count++
            printf "  %8.4f %8.4f%s", expected, found, is_off ? "!" : " "
        }
        print ""
    }
    END {
        printf "%d points, %d numbers, %d off by more than 1 %%\n", NR, count, off
        exit off > 0 || NR == 0
    }'

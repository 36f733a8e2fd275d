#!/usr/bin/env bash
# overhead.sh BUILD [RANKS] - a default campaign of this machine (--source auto, all suites):
# how much of the ranks' time was not spent in kernels and counters, in all and by suite.
#   outside_units  share of the measuring phase that a rank was in no unit
#   outside        share of the units' time that is not in sources and kernels
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
ranks=${2:-$(nproc)}
new_dir ""

start=${EPOCHREALTIME/[.,]/}
status=0
mpirun -n "$ranks" "$build/bin/rollcall" run -o "$dir/x" >"$dir/out" 2>"$dir/err" || status=$?
end=${EPOCHREALTIME/[.,]/}
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { cat "$dir/err" >&2; exit 1; }

echo "$(nproc) processors, $ranks ranks; $(((end - start) / 1000000)) s from start to campaign.h5"
grep -oE '(auto|source).*|measured .*|queue: .*' "$dir/x/log.txt"
"$build/tests/bench_units" "$dir/x" | awk '
    { key = $1 "\t" $2; if (!(key in units)) order[++keys] = key
      units[key]++; wall[key] += $5; kernel[key] += $6; all += $5; inside += $6 }
    END {
        print "suite\tsource\tunits\tseconds\toutside_%"
        for (i = 1; i <= keys; i++) {
            key = order[i]
            printf "%s\t%d\t%.2f\t%.1f\n", key, units[key], wall[key] / 1e9, 100 * (1 - kernel[key] / wall[key])
        }
        printf "all\t-\t-\t%.2f\t%.1f\n", all / 1e9, 100 * (1 - inside / all)
    }' | column -t -s "$(printf '\t')"

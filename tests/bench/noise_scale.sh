#!/usr/bin/env bash
# noise_scale.sh BUILD [RUNS [EVENTS [DIR [FILES [RANKS]]]]] - the noise study of a campaign
# of 427,736 events x 16 places (8 nodes of 2 cores) x 10 repetitions x 48 points on 1, 2 and
# 4 ranks, against reading its 'values' and 'status' once from the same file: seconds,
# processor seconds, peak memory of a rank.  The readings are made up (see solve_store.c):
# "half" of the events count nothing and a quarter scatters, or "all" count and half of them
# scatter.  26 GB of counts.
# Goals: at most twice the time of reading, at most 1024 MiB a rank.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
runs=${2:-3}
events=${3:-427736}
ranks=${6:-1 2 4}
new_dir "${4:-}"
export OPENBLAS_NUM_THREADS=1

cpu() {
    awk '{ s += $2 } END { print s }' "$dir/peak"
}

once() { # FILES RANKS
    local files=$1 n=$2 read read_cpu began took mib
    measured "$n" "$build/tests/bench_solve_store" read "$dir/$files/campaign.h5"
    read=$(cat "$dir/out")
    read_cpu=$(cpu)
    began=$(date +%s.%N)
    measured "$n" "$build/bin/rollcall" noise "$dir/$files"
    took=$(echo "$(date +%s.%N) $began" | awk '{ print $1 - $2 }')
    mib=$(awk '$1 > m { m = $1 } END { print m }' "$dir/peak")
    grep -v "$dir" "$dir/out" >"$dir/$files.$n.txt" || true # not where results lie
    echo "$read $took $read_cpu $(cpu) $mib"
}

# Medians of all columns over the rows of "once", and of the ratios.
medians() {
    awk '
    function median(column,    i, j, t) {
        for (i = 1; i <= NR; i++) v[i] = row[i, column]
        for (i = 2; i <= NR; i++)
            for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        return (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2
    }
    { for (i = 1; i <= NF; i++) row[NR, i] = $i
      row[NR, 6] = $2 / $1; row[NR, 7] = $4 / $3 }
    END { printf "%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\n", median(1), median(2), median(6), median(3),
              median(4), median(7), median(5) }'
}

echo "$(nproc) processors; $events events, medians of $runs runs that take turns; seconds"
printf 'events\tranks\tread_once\tnoise\tnoise/read\tread_cpu\tnoise_cpu\tcpu/cpu\tMiB_most\n' >"$dir/table"
for files in ${5:-half all}; do
    mkdir "$dir/$files"
    mpirun -n 2 "$build/tests/bench_solve_store" write "$files" "$events" "$dir/$files/campaign.h5" 8 2
    for _ in $(seq "$runs"); do
        for n in $ranks; do
            once "$files" "$n" >>"$dir/$files.$n"
        done
    done
    for n in $ranks; do
        printf '%s\t%s\t' "$files" "$n" >>"$dir/table"
        medians <"$dir/$files.$n" >>"$dir/table"
        cmp -s "$dir/$files.${ranks%% *}.txt" "$dir/$files.$n.txt" && differ="" || differ=" not"
        echo "$files, $n ranks: the tables are$differ those of ${ranks%% *}" >>"$dir/notes"
    done
    echo "$files: campaign.h5 $(stat -c %s "$dir/$files/campaign.h5") bytes" >>"$dir/notes"
    rm -r "${dir:?}/$files"
done
column -t -s "$(printf '\t')" "$dir/table"
cat "$dir/notes"

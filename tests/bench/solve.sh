#!/usr/bin/env bash
# solve.sh BUILD [RUNS [EVENTS [DIR]]] - solving a campaign of 427,000 events x 48 points x 10
# repetitions on 1, 2 and 4 ranks, against reading its 'values' and 'status' once from the
# same file: the time of each stage, processor time, peak memory of a rank, size of files.
# The readings are made up (see solve_store.c): "half" of the events count nothing, or "all"
# count, and are solved with a noise threshold that none is above.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
runs=${2:-3}
events=${3:-427000}
new_dir "${4:-}"
export OPENBLAS_NUM_THREADS=1

# The numbers of a stderr line "solved in 8 s: labels 0.3 s, reading 4 s, ...", and what the
# stages leave of the whole.
stages() {
    sed -n 's/^solved in \([0-9.e+-]*\) s: /whole \1 s, /p' "$dir/err" |
        awk -v RS=', ' '{ all = $2 - all; if (NR > 1) { sum += $2; printf "%s ", $2 } else whole = $2 }
            END { printf "%.3g %s\n", whole - sum, whole }'
}

once() { # FILES RANKS OPTION...
    local files=$1 n=$2 read read_cpu mib
    shift 2
    measured "$n" "$build/tests/bench_solve_store" read "$dir/$files/campaign.h5"
    read=$(cat "$dir/out")
    read_cpu=$(awk '{ s += $2 } END { print s }' "$dir/peak")
    measured "$n" "$build/bin/rollcall" solve "$@" "$dir/$files"
    mib=$(awk '$1 > m { m = $1 } END { print m }' "$dir/peak")
    cp "$dir/out" "$dir/$files.$n.txt"
    echo "$n $read $(stages) $read_cpu $(awk '{ s += $2 } END { print s }' "$dir/peak") $mib"
}

# Rows of "once" for one number of ranks: medians of all columns and of the ratios.
medians() {
    awk '
    function median(column,    i, j, t, n) {
        n = NR
        for (i = 1; i <= n; i++) v[i] = row[i, column]
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
    }
    { for (i = 1; i <= NF; i++) row[NR, i] = $i
      row[NR, NF + 1] = $13 / $2; row[NR, NF + 2] = $15 / $14; last = NF }
    END {
        printf "%d\t%.2f", $1, median(2)
        for (i = 3; i <= 13; i++) printf "\t%.2f", median(i)
        printf "\t%.2f\t%.2f\t%d\n", median(last + 1), median(last + 2), median(last) }'
}

compare() { # FILES OPTION...
    local files=$1 n
    shift
    "$build/tests/bench_solve_store" write "$files" "$events" "$dir/$files/campaign.h5"
    for _ in $(seq "$runs"); do
        for n in 1 2 4; do
            once "$files" "$n" "$@" >>"$dir/$files.$n"
            cp "$dir/$files/metrics.h5" "$dir/$files/metrics.$n.h5"
        done
    done
    for n in 1 2 4; do
        printf '%s\t' "$files" >>"$dir/table"
        medians <"$dir/$files.$n" >>"$dir/table"
        differ=""
        cmp -s "$dir/$files.1.txt" "$dir/$files.$n.txt" || differ=" not"
        echo "$files, $n ranks: the tables are$differ those of 1 rank" >>"$dir/notes"
        h5diff -q "$dir/$files/metrics.1.h5" "$dir/$files/metrics.$n.h5" && differ="" || differ=" not"
        echo "$files, $n ranks: metrics.h5 is$differ that of 1 rank, by h5diff" >>"$dir/notes"
    done
    echo "$files: campaign.h5 $(stat -c %s "$dir/$files/campaign.h5") bytes, metrics.h5 $(stat -c %s "$dir/$files/metrics.h5")" >>"$dir/notes"
    rm -r "${dir:?}/$files"
}

echo "$(nproc) processors; $events events, medians of $runs runs that take turns; seconds"
printf 'events\tranks\tread_once\tlabels\treading\tnoise\trepresent\tcross\tjoin\tchoose\tfit\twrite\tother\twhole\twhole/read\tcpu/cpu\tMiB_most\n' >"$dir/table"
mkdir "$dir/half" "$dir/all"
compare half
compare all --noise 0.1
column -t -s "$(printf '\t')" "$dir/table"
cat "$dir/notes"

#!/usr/bin/env bash
# balance.sh BUILD [RANKS...] - units of very different length (38 ms to 4.8 s, simulated:
# readings sleep) on 2, 4 and 8 ranks: time that the ranks spent in units over the time that
# they were there, from the first unit's beginning to the end of the last one anywhere; how
# far the longest unit bounds that; and what the queue cost each unit.  With 'tcp' in front
# of the ranks, over a transport where draws need the help of the rank that holds the counter.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
shift
[ $# -gt 0 ] || set -- 2 4 8 tcp 8
new_dir ""

row() {
    rm -rf "$dir/x"
    mpirun -n "$2" "$build/bin/rollcall" run -o "$dir/x" --suite flops --repeat "${REPEAT:-2:5}" \
        --source "model:$top/tests/data/machines/uneven.yaml" >"$dir/out" 2>"$dir/err" ||
        { cat "$dir/err" >&2; exit 1; }
    sed -n -e 's/.*measured \([0-9]*\) of .* \([0-9.]*\) % of their time in units.*/\1 \2/p' \
        -e 's/.*drawn in \([0-9.]*\) s, \([0-9]*\) waited for; \([0-9.]*\) us .*, \([0-9.]*\) us.*/\1 \2 \3 \4/p' \
        "$dir/x/log.txt" | tr '\n' ' ' | awk -v t="$1" -v r="$2" \
        '{ printf "%s %d %d %.1f %.1f %d %.1f %.1f\n", t, r, $1, $3, $2, $4, $5, $6 }'
}

echo "$(nproc) processors"
transport=shared
{
    echo "transport ranks units seconds in_units_% draws_waited_for ask_us take_us"
    for ranks; do
        if [ "$ranks" = tcp ]; then
            transport=tcp
            export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_osc=pt2pt
            continue
        fi
        row "$transport" "$ranks"
    done
} | column -t

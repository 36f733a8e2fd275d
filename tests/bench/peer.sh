#!/usr/bin/env bash
# peer.sh BUILD [PART...] - events per hour of 'rollcall run' against the way of the nearest
# peer, PAPI's Counter Analysis Toolkit: one event in each run, one run after another, the
# list of events split over the ranks beforehand.  Parts: events, counters, node (default:
# events counters).  RANKS, TIME and COUNTS in the environment change what is run.
#
# Simulated machines, whose readings take TIME each (a sleep), the same in both ways: the
# kernels, points, repetitions and readings of an event are the same too.  The peer's way is
# modelled with the same program, given a campaign file with group_size 1 and no reference:
#   fair      one process a rank with a list of its own, measuring one event at a time;
#             what it takes to start it and to write campaign.h5 is in "seconds", not in
#             "measuring", which is that of the slowest rank
#   process   one process for each event, as the peer does: of the first 8 events, one
#             after another on one rank, "seconds" scaled to all events and ranks
# Not modelled: the peer's own kernels and output, and that it repeats, binds, checks and
# resumes nothing.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
shift
new_dir ""
rollcall=$build/bin/rollcall
ranks=${RANKS:-2}
sampled=8
cd "$dir"
printf 'group_size: 1\nreference: none\n' >peer.yaml


# with_time NAME TIME: a machine that rollcall comes with, all of its readings that long.
with_time() {
    sed -e '1,/^events:/b' -e "s/^- {/- {time: $2, /" -e "s/^- name: .*/&\n  time: $2/" \
        "$build/share/rollcall/machines/$1.yaml" >"$1.yaml"
}

# pick MACHINE N: N of the core events that count, evenly spread, into 'list'.
pick() {
    "$rollcall" events --source "model:./$1" --scope core --format json 2>/dev/null |
        python3 -c 'import json, sys
for kind in json.load(sys.stdin)["kinds"]:
    for event in kind["events"]:
        if event["verdict"] == "ok":
            print(event["event"])' >all
    awk -v all="$(wc -l <all)" -v n="$2" 'int(NR * n / all) > int((NR - 1) * n / all)' all >list
    [ "$(wc -l <list)" -eq "$2" ] || {
        echo "$1 has $(wc -l <list) events, expected $2" >&2
        return 1
    }
}

# campaign DIR LIST OPTION...: on the machine at hand, under 'launch' if that is set.
campaign() {
    local out=$1 list=$2
    shift 2
    "${launch[@]}" "$rollcall" run -o "$out" --source "model:./$machine" \
        --suite "flops,branch" --repeat 5:5 "$@" "@$list" >"$out.out" 2>"$out.err" ||
        { cat "$out.err" >&2; return 1; }
}

# measuring DIR...: seconds of the slowest one's measuring phase, from their logs.
measuring() {
    local logs=("${@/%//log.txt}")
    sed -n 's/.*queue: [0-9]* units drawn in \([0-9.]*\) s.*/\1/p' "${logs[@]}" | sort -rn | head -1
}

ours() {
    launch=(mpirun -n "$ranks")
    campaign ours list
    measuring ours
}

fair() {
    local pids=() dirs=() rank
    for ((rank = 0; rank < ranks; rank++)); do
        awk -v n="$ranks" -v r="$rank" 'NR % n == r' list >"list.$rank"
        launch=(taskset -c $((rank % $(nproc))))
        campaign "fair.$rank" "list.$rank" -c peer.yaml &
        pids+=($!)
        dirs+=("fair.$rank")
    done
    wait "${pids[@]}"
    measuring "${dirs[@]}"
}

process() {
    local i
    launch=(taskset -c 0)
    for ((i = 1; i <= sampled; i++)); do
        sed -n "${i}p" list >one
        campaign "process.$i" one -c peer.yaml
    done
    echo 0
}

# took WAY: its seconds in all and measuring; cleans up.
took() {
    local start end inner
    start=${EPOCHREALTIME/[.,]/}
    inner=$("$1")
    end=${EPOCHREALTIME/[.,]/}
    rm -rf ours* fair* process*
    echo "$((end - start)) $inner"
}

# row WHAT MACHINE EVENTS
row() {
    local own peer each
    machine=$2
    pick "$machine" "$3"
    own=$(took ours)
    peer=$(took fair)
    each=$(took process)
    echo "$own $peer $each" | awk -v what="$1" -v n="$3" -v s="$sampled" -v r="$ranks" '{
        own = $1 / 1e6; fair = $3 / 1e6; each = $5 / 1e6 / s * n / r
        printf "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.1f\t%.1f\t%.1f\n", what, n, own, $2,
            fair, $4, each, 3600 * n / own, 3600 * n / fair, $4 / $2, fair / own, each / own }'
}

part_events() {
    with_time spr "${TIME:-500us}"
    for n in ${COUNTS:-50 100 200 469}; do
        row spr spr.yaml "$n"
    done
}

part_node() {
    with_time summit-node "${TIME:-100us}"
    for n in ${COUNTS:-2000}; do
        row summit-node summit-node.yaml "$n"
    done
}

part_counters() {
    for n in 1 2 4 8; do
        cat >counters.yaml <<END
name: counters
topology: package:1 l3:1 core:8 pu:1
banks:
- {name: core, counters: $n}
events:
- {name: "EVENT_{n}", for: [n = 1..160], time: ${TIME:-500us}, counts: "{n} INS"}
END
        row "$n counters" counters.yaml "${EVENTS:-160}"
    done
}

[ $# -gt 0 ] || set -- events counters
echo "$(nproc) processors, $ranks ranks; s_: seconds, _m: of the measuring phase; h_: events per hour"
{
    printf 'machine\tevents\ts_rollcall\t_m\ts_fair\t_m\ts_process\th_rollcall\th_fair\tfair/rollcall_m\tfair/rollcall\tprocess/rollcall\n'
    for part; do
        "part_$part"
    done
} | column -t -s "$(printf '\t')"

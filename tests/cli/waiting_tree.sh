#!/usr/bin/env bash
# waiting_tree.sh ROLLCALL - what calls of MPI wait for, in the tree of times: planted delays on 2 to 8
# ranks against what the program notes itself; parts add up to the time in MPI; what is not known is missing.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
app=$(dirname "$rollcall")/../tests/mpi_wait
stopped=${RC_TEST_STOPPED_US:-4000}

# planted KIND METRIC RANKS DELAY_US TIMES: within the bounds.  Other work may stop a rank between what it
# notes and the call: then once more, and a third time.
planted() {
    local turn
    for turn in 1 2 3; do
        rm -rf d d.cubex
        # mpirun would read the lines that are still to come
        ranks "$3" "$rollcall" profile -o d -- "$app" "$1" "$4" "$5" </dev/null >truth 2>said || fail "$*: $(<said)"
        "$rollcall" export d --format cubex -o d.cubex 2>said || fail "$*: $(<said)"
        python3 -B "$tests/cli/waiting_check.py" d.cubex truth "$2" "$stopped" >checked 2>&1 && return
        echo "$*: turn $turn: $(<checked)"
    done
    fail "$*: $(<checked)"
}

tried=0
while read -r kind metric ranks delay times; do
    planted "$kind" "$metric" "$ranks" "$delay" "$times"
    tried=$((tried + 1))
done <<'EOK'
receive late_sender 2 100000 3
order wrong_order_same_source 2 10000 10
sources wrong_order_different_source 3 10000 5
send late_receiver 2 10000 10
barrier wait_at_barrier 8 100000 3
ibarrier wait_at_barrier 3 10000 5
allreduce wait_at_nxn 4 100 20
reduce_scatter wait_at_nxn 5 1000 10
bcast late_broadcast 6 1000 10
gatherv early_reduce 4 10000 5
exscan early_scan 3 10000 5
fence wait_at_fence 4 1000 10
post MPI_Win_start:late_post 3 10000 5
access MPI_Win_wait:early_wait 3 10000 5
complete MPI_Win_wait:late_complete 2 10000 5
EOK

[ "$tried" = 15 ] || fail "$tried kinds were tried"

# Without waiting all of it is missing, and the time in MPI is not.
rm -rf d d.cubex
ranks 2 "$rollcall" profile -o d --no-waiting -- "$app" barrier 1000 5 >truth 2>said || fail "$(<said)"
run 0 "$rollcall" compare d
has 'MPI_Barrier'
lacks 'wait_at_barrier '
lacks '~0 s'

rm -rf -- *
finish

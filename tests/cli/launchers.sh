#!/usr/bin/env bash
# launchers.sh ROLLCALL - ranks that the launchers of this machine start belong together,
# whichever MPI rollcall was built with; launchers in launchers.
# shellcheck disable=SC2154,SC2317,SC2086,SC2016  # the library's variables; starters are words
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
trap 'rm -rf "$work"' EXIT

# launch DIR NUMBER RANKS: what launch NUMBER of DIR was, and that it is the last one.
launch() {
    run 0 "$rollcall" profile "$1" --launch "$2" --format json
    python3 -c '
import json, sys
d = json.load(sys.stdin)
found = [d["launches"], d["ranks"], len(d["nodes"])]
sys.exit(found != [int(a) for a in sys.argv[1:]] + [1] and f"found {found}")' $(($2 + 1)) "$3" <.out ||
        fail "$1, launch $2: expected $3 ranks on one node"
}

starters=0
for starter in "mpirun.openmpi --oversubscribe -n" "mpirun.mpich -n" "mpirun.mpich -pmi-port -n"; do
    command -v "${starter%% *}" >/dev/null || continue
    starters=$((starters + 1))
    run 0 $starter 2 "$rollcall" profile -o p -- sleep 0.2
    launch p 0 2
    # Another shell between; three ranks; the same again is another launch.
    run 0 $starter 3 sh -c '"$@"' sh "$rollcall" profile -o p -- sleep 0.2
    launch p 1 3
    run 0 $starter 3 sh -c '"$@"' sh "$rollcall" profile -o p -- sleep 0.2
    launch p 2 3
    # One of a team answers.
    run 0 $starter 3 "$rollcall" help profile
    [ "$(grep -c '^rollcall profile:' <<<"$out")" -eq 1 ] || fail "$starter: all answer: $out"
    rm -r p
done
[ "$starters" -gt 0 ] || {
    echo "skipped: no mpirun.openmpi and no mpirun.mpich are here"
    exit 77
}

# The inner one of two tells, whichever that is.
if command -v mpirun.openmpi mpirun.mpich >/dev/null; then
    run 0 mpirun.openmpi -n 1 mpirun.mpich -n 2 "$rollcall" profile -o p -- sleep 0.2
    launch p 0 2
    run 0 mpirun.mpich -n 1 mpirun.openmpi --oversubscribe -n 2 "$rollcall" profile -o p -- sleep 0.2
    launch p 1 2
    run 0 mpirun.mpich -n 1 mpirun.mpich -n 3 "$rollcall" profile -o p -- sleep 0.2
    launch p 2 3
    rm -r p
fi

# Ranks of several nodes have no process in common, but the port of Hydra's mpiexec; the
# nodes are this machine, as rsh finds it here.
if command -v mpirun.mpich >/dev/null; then
    printf '#!/bin/bash\nexec bash -c "${*:2}"\n' >rsh
    chmod +x rsh
    for number in 0 1; do
        run 0 mpirun.mpich -launcher rsh -launcher-exec "$work/rsh" -hosts one,two -n 4 -ppn 2 \
            "$rollcall" profile -o p -- sleep 0.2
        launch p "$number" 4
    done
    rm -r p rsh
fi

# Variables that no launcher means start no team.
for bad in "PMI_RANK=x PMI_SIZE=2" "PMI_RANK=2 PMI_SIZE=2" "PMI_SIZE=2" "SLURM_PROCID=0 SLURM_JOB_ID=7"; do
    run 0 env $bad "$rollcall" profile -o p -- true
done
launch p 3 1
rm -r p
finish

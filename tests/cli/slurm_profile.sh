#!/usr/bin/env bash
# slurm_profile.sh ROLLCALL - 'submit ... profile' with a real Slurm of two nodes: ranks of
# both run a program under the profile, and the page is made; one that fails.
# shellcheck disable=SC2154,SC2317  # the libraries' variables; functions called by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/slurm_lib.sh
. "$tests/lib/slurm_lib.sh"
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
# shellcheck source=tests/lib/submit_lib.sh
. "$tests/lib/submit_lib.sh"
trap 'slurm_stop; rm -rf "$work"' EXIT
slurm_start || exit 1
programs=$(cd "$(dirname "$rollcall")/../tests" && pwd)

run 0 "$rollcall" submit --scheduler slurm -o d --nodes 2 --ranks-per-node 1 --time 5m \
    -- profile -- "$programs/fft3d_stub" --grid 48 --repeat 20 --json "$work/expected.json"
over d 300
run 0 "$rollcall" submit --status d
has "done"
has "recorded: 'rollcall profile DIR' says where the time went"
[ "$(events d begun)" -eq 1 ] || fail "begun $(events d begun) times: $(cat d/jobs/profile.record)"
[ -s d/report.html ] || fail "no page: $(cat d/jobs/profile.log)"
for node in n1 n2; do
    [ -s "d/journal/$node.rcj" ] || fail "$node has no journal: $(ls d/journal)"
done
log_has d/jobs/profile.log "on 2 nodes"
run 0 "$rollcall" profile d --format json
python3 -c '
import json, sys
d = json.load(sys.stdin)
visits = {r["region"]: r["visits"] for r in d["regions"]}
assert visits["steps/s1cf"] == visits["steps/a2a-row"] == visits["forward"] == 40, visits
calls = {c["call"]: (c["calls"], c["bytes"]) for c in d["calls"]}
assert calls["MPI_Alltoall"] == (40, 40 * 48 ** 3 * 16), calls
assert [n["node"] for n in d["nodes"]] == ["n1", "n2"], d["nodes"]' <.out || fail "other regions or calls: $out"

# The built-in program: what it sends between the nodes is what it said.
if [ -x "$(dirname "$rollcall")/rollcall-fft3d" ]; then
    run 0 "$rollcall" submit --scheduler slurm -o f --nodes 2 --ranks-per-node 1 --time 5m \
        -- profile fft3d -n 24 -- --repeat 2 --effort estimate
    over f 300
    run 0 "$rollcall" profile f --format json
    python3 -c '
import json, sys
rows = json.load(sys.stdin)["fft3d"]
sent = [r for r in rows if r["what"] == "bytes handed to MPI"]
assert any(r["measured"] > 0 for r in sent), sent
assert all(r["verdict"] != "off" for r in rows), rows' <.out || fail "the 3D-FFT is off: $out"
    rm -r f
fi

# A program of MPICH's, whichever MPI rollcall was built with: srun --mpi=pmi2 starts it, or
# Hydra's mpiexec, as Intel MPI's without I_MPI_PMI_LIBRARY.  Its MPI_Finalize hangs over TCP now
# and then, without rollcall as well (UCX, MPICH 4.0.2): then the ranks end by themselves.
if command -v mpicc.mpich >/dev/null && command -v mpiexec.hydra >/dev/null; then
    cat >ranks.c <<'EOS'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void end(int number)
{
    (void)number;
    _exit(0);
}
int main(void)
{
    int rank, ranks;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d, PMI %s\n", rank, ranks, getenv("PMI_JOBID"));
    fflush(stdout);
    signal(SIGALRM, end);
    alarm(5);
    return MPI_Finalize();
}
EOS
    mpicc.mpich -o ranks ranks.c || fail "mpicc.mpich does not work"
    for mpi in mpich intel; do
        run 0 "$rollcall" submit --scheduler slurm -o m --nodes 2 --ranks-per-node 2 --time 5m --set mpi=$mpi \
            -- profile -- ./ranks
        over m 300
        case $mpi in
        mpich) by='[1-9]' ;;
        *) by='(null)' ;;
        esac
        [ "$(grep -c "^rank [0-3] of 4, PMI $by" m/jobs/profile.log)" -eq 4 ] || fail "$mpi: not four ranks by its launcher: $(cat m/jobs/profile.log)"
        run 0 "$rollcall" profile m --format json
        python3 -c '
import json, sys
d = json.load(sys.stdin)
found = d["launches"], d["ranks"], [n["node"] for n in d["nodes"]]
assert found == (1, 4, ["n1", "n2"]), found' <.out || fail "$mpi: not one launch of four ranks"
        rm -r m
    done
    rm ranks ranks.c
fi

# One that fails fails the job, and is not begun again.
run 0 "$rollcall" submit --scheduler slurm -o bad --nodes 2 --ranks-per-node 1 --time 5m \
    -- profile -- /bin/sh -c 'exit 7'
run 1 timeout 300 "$rollcall" submit --watch bad
grep -q " ended " bad/jobs/profile.record || fail "it did not end: $(cat bad/jobs/profile.record)"
[ "$(events bad begun)" -eq 1 ] || fail "begun $(events bad begun) times: $(cat bad/jobs/profile.record)"
rm -r d bad expected.json

# One launch of four ranks on two nodes, whoever starts them; the next one is another.
cat >starters.sh <<EOS
#!/bin/bash
for starter in 'srun --mpi=none' 'srun --mpi=pmi2' 'srun --mpi=pmix' 'mpirun.mpich -ppn 2 -n 4' 'mpirun.openmpi -n 4'; do
    command -v "\${starter%% *}" >/dev/null || continue
    for launch in 0 1; do
        \$starter "$rollcall" profile -o starters -- sleep 0.3 || echo "\$starter: ended with \$?"
        sleep 1 # samplers end a moment after the program
        "$rollcall" profile starters --launch \$launch --format json >launch.json
        python3 -c '
import json
of = json.load(open("launch.json"))
print(of["launches"], of["ranks"], *(n["node"] for n in of["nodes"]))' >starter.\$launch
    done
    echo "\$starter:" \$(cat starter.[01])
    rm -r starters launch.json starter.[01]
done
EOS
run 0 sbatch --parsable -N 2 --ntasks-per-node=2 -o starters.log starters.sh
slurm_wait "$out" 300 || fail "the starters do not end: $(cat starters.log)"
grep -q '^srun --mpi=pmi2:' starters.log || fail "nothing was started: $(cat starters.log)"
if grep -v ': 1 4 n1 n2 2 4 n1 n2$' starters.log; then fail "these are not two launches of four ranks"; fi
rm starters.sh starters.log
finish

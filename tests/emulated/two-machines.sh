# two-machines.sh - one MPI job over two machines, each with counters of its own:
#   RC_EMULATED_MACHINES=2 bash tests/emulated.sh 'sh $top/tests/emulated/all.sh two-machines.sh'
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"
agent=$top/tests/emulated/on.sh
until [ "$(sh "$agent" arm2 hostname 2>/dev/null)" = arm2 ]; do sleep 1; done
echo "  ok      the other machine answers"

# Both see this directory; the job's is in it.
mkdir -p /exchange/job && cd /exchange/job || exit 1
two() {
    mpirun -H arm1,arm2 -n 2 --bind-to none --mca plm_rsh_agent "/bin/sh $agent" \
        --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 "$@"
}
check "a rank on each machine" [ "$(two hostname | sort | tr '\n' ' ')" = "arm1 arm2 " ]
cat >campaign.yaml <<'END'
name: two machines
events: [INST_RETIRED, CPU_CYCLES, 'perf::INSTRUCTIONS']
suites: [flops, branch, instructions]
repeat: 2:2
END
two rollcall run -c campaign.yaml -o campaign --replicate node >run.txt 2>&1
rc=$?
cat run.txt
check "a campaign on both machines ends complete" [ "$rc" -eq 0 ]
ls campaign/journal
rollcall status campaign
rollcall export campaign --format csv --table events >events.csv
cat events.csv
cp -R campaign run.txt events.csv "$RESULTS"
finish

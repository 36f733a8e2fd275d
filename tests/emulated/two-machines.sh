# two-machines.sh - with RC_EMULATED_TWO: one MPI job over two machines, each with
# counters of its own, and a network between them.
# shellcheck shell=sh disable=SC2154,SC2317
. "$top/tests/emulated/lib.sh"
until [ -e /exchange/ready.2 ]; do sleep 0.2; done
check "the other machine answers" ping -c 2 -W 5 arm2
over_both() {
    timeout 600 mpirun --mca plm_rsh_agent "sh $top/tests/emulated/rsh.sh" --mca btl tcp,self \
        --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 -H arm1:1,arm2:1 -n 2 "$@"
}
over_both hostname | sort >names.txt
cat names.txt
check "a job has a rank on each" [ "$(tr '\n' ' ' <names.txt)" = "arm1 arm2 " ]
check "a campaign on both ends complete" ends 0 over_both rollcall run --source papi \
    --suite flops,branch --repeat 2:2 --replicate node --events INST_RETIRED --events CPU_CYCLES -o /exchange/both
rollcall status /exchange/both
rollcall export /exchange/both --format csv --table events | cut -d, -f1-10
check "both counted exactly" [ "$(rollcall export /exchange/both --format csv --table events |
    grep -c ',INST_RETIRED,.*,ok,exact,')" -eq 2 ]
finish

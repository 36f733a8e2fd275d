# submit_mocks_lib.sh - sourced by tests/cli/submit_SYSTEM.sh after 'system' is set: campaigns
# by 'rollcall submit' with OpenPBS, LSF, LSF with jsrun or Flux, whose commands are mocks
# that refuse and run what the manuals say (tests/mock; no real system of these).
# 'limit': options by which a job of some seconds is told to end before its work is done;
# RC_MOCK_SECOND and the work are made longer, by 'pace', where this machine is slow.
# 'again': whether a lost node has the system run the job once more.
# shellcheck shell=bash disable=SC2154,SC2317,SC2086,SC2016  # the libraries' variables; run() calls functions; words of programs
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$here/campaign_lib.sh"
export PYTHONDONTWRITEBYTECODE=1
# shellcheck source=tests/lib/mock_lib.sh
. "$here/mock_lib.sh"
export LSF_ENVDIR=/nowhere FLUX_URI=local:///nowhere

# Libraries of launchers leak; that ours do not is seen without a batch system.
if [ -n "${ASAN_OPTIONS:-}" ]; then export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0; fi
if [ -n "${OMPI_MCA_mca_base_env_list:-}" ]; then
    export OMPI_MCA_mca_base_env_list=$OMPI_MCA_mca_base_env_list:detect_leaks=0
fi

# Open MPI's settings for root and for more ranks than cores: jobs have the environment that
# the system gives them.
settings=()
for name in ${!OMPI_*} OPENBLAS_NUM_THREADS; do
    settings+=(--set "env.$name=${!name}")
done

submit() {
    "$rollcall" submit --scheduler "$system" --ranks-per-node 2 "${settings[@]}" "$@"
}

# status STATUS DIR [OPTION...]: what --status prints is in 'out'.
status() {
    local expected=$1 dir=$2
    shift 2
    run "$expected" "$rollcall" submit --scheduler "$system" --status "$dir" "$@"
}

# over DIR: no job is left that can run.
over() {
    mock_wait 400 || fail "$system, $1: not over: $(mock_jobs '[(j["key"], j["state"]) for j in jobs]') $(cat "$1"/jobs/*.record)"
}

# How often something happened, by the records of DIR's jobs: events DIR WORD.
events() {
    cat "$1"/jobs/*.record | grep -c " $2" || true
}

# states DIR: each job's name, state and tries by --status in JSON, and whether all is complete.
states() {
    "$rollcall" submit --scheduler "$system" --status "$1" --format json >"$work/.json"
    python3 -c '
import json, sys
s = json.load(sys.stdin)
jobs = [":".join(str(j[n]) for n in ("job", "state", "tries")) for j in s["jobs"]]
print(*jobs, "complete" if s["complete"] else "incomplete")' <"$work/.json"
    rm "$work/.json"
}

# are DIR PATTERN: so the states are.
are() {
    local found
    found=$(states "$1")
    # shellcheck disable=SC2053  # a pattern
    [[ $found == $2 ]] || fail "$system, $1: states '$found', expected '$2': $(cat "$1"/jobs/*.record)"
}
settled() {
    # shellcheck disable=SC2053  # a pattern
    [[ $(states "$1") == $2 ]]
}
becomes() {
    await 200 settled "$@" || are "$@"
}

# complete DIR: every unit of the slow campaign is there, few of them twice: two ranks may
# have had one each at hand whenever a job was ended.
complete() {
    local all different ended=${2:-2}
    read -r all different <<<"$(count_units "$1")"
    if [ "$different" -ne 16 ] || [ "$all" -gt $((16 + 2 * ended)) ]; then
        fail "$system, $1: $all units measured, $different different ones: $(cat "$1"/jobs/*.log)"
    fi
    [ -s "$1/report.html" ] || fail "$system, $1: no report: $(tail -n 20 "$1"/jobs/*.log)"
}

enough() {
    [ "$(units "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}

# measured DIR COUNT: waits until the journals hold so many units.
measured() {
    await 300 enough "$1" "$2" || fail "$system, $1: no $2 units: $(cat "$1"/jobs/*.log)"
}

# A machine whose 16 events count one by one, more than a second of readings each: ten
# seconds for two ranks, with which limits are of six.
pace=$(pace)
RC_MOCK_SECOND=$(awk -v s="$RC_MOCK_SECOND" -v pace="$pace" 'BEGIN { print s * pace }')
cat >slow.yaml <<EOS
name: slow
summary: a simulated machine that takes its time
topology: package:1 core:4 pu:1
seed: 7
banks:
- {name: core, counters: 1}
events:
- {name: "E{n}", for: [n = 1..16], counts: "D_SCAL + {n} INS", time: $((5 * pace))ms}
EOS
flops=(--source model:spr --suite flops 'FP_ARITH*' --repeat 5:5)
slow=(--source model:slow.yaml --suite flops --repeat 5:5)

use() {
    case $system in
    jsrun) mock_use lsf jsm ;;
    *) mock_use "$system" ;;
    esac
}

printf '#!/bin/sh\nuntil [ -e "%s/go" ]; do sleep 0.1; done\n' "$work" >other.sh
chmod +x other.sh

# Measures what else runs on the nodes, which the log names.
measures_noise() {
    "$rollcall" noise -o probe --time 10ms >/dev/null 2>&1 || return 0 # not on this machine
    rm -r probe
    run 0 submit -o noise --time 10m -- noise --time 1s
    over noise
    are noise "noise:done:1 complete"
    grep -q "^$(hostname) " noise/jobs/noise.log || fail "$system: no node in $(cat noise/jobs/noise.log)"
    status 0 noise
    has "measured"
    rm -r noise
}

# Waits for a job of somebody else's, runs, is done, and the result is that of a run
# without any batch system.
waits_and_runs() {
    run 0 "$rollcall" run -o alone "${flops[@]}"
    sleeper
    run 0 submit -o whole --after "$out" --time 10m -- "${flops[@]}"
    are whole "run:waiting:0 incomplete"
    status 3 whole
    has "waiting"
    has "nothing is measured yet"
    touch go
    over whole
    are whole "run:done:1 complete"
    status 0 whole
    has "complete"
    same whole alone || fail "$system: another result: $(cat whole/jobs/*.log)"
    [ -s whole/report.html ] || fail "$system: no report: $(tail -n 20 whole/jobs/*.log)"
    run 0 "$rollcall" submit --scheduler "$system" --cancel whole
    has "no job waits or runs"
}

# The warning ends each job in time, and it has itself run again until all is measured.
goes_on_after_its_time() {
    run 0 submit -o limit $limit -- "${slow[@]}"
    measured limit 1
    becomes limit "run:running:[1-9] incomplete"
    over limit
    are limit "run:done:@([2-9]|[12]?) complete"
    [ "$(events limit warned)" -ge 1 ] || fail "$system: no warning: $(cat limit/jobs/*)"
    [ "$(events limit "ended ")" -eq 1 ] || fail "$system: ended $(events limit "ended ") times"
    [ "$(events limit begun)" -eq $(($(events limit again) + 1)) ] || fail "$system: $(cat limit/jobs/*.record)"
    complete limit "$(events limit warned)"
    status 0 limit
    has "complete"
    lacks "missing"
}

# The one that must not run again is given up, with what is missing said.
gives_up_after_its_tries() {
    run 0 submit -o tries $limit --tries 1 -- "${slow[@]}"
    over tries
    are tries "run:done:1 incomplete"
    grep -q 'that was try 1 of 1: given up' tries/jobs/run.log || fail "$system: $(cat tries/jobs/run.log)"
    status 3 tries
    has "missing"
}

# Cancelled in mid-run, refused while it runs, and gone on with.
is_cancelled_and_goes_on() {
    run 0 submit -o ended --time 10m -- "${slow[@]}"
    measured ended 2
    run 1 submit -o ended --time 10m
    case $err in
    *"of this campaign is running: 'rollcall submit --cancel"*) ;;
    *) fail "$system: a second submission: $err" ;;
    esac
    run 0 "$rollcall" submit --scheduler "$system" --cancel ended
    has "cancelled run"
    over ended
    are ended "run:cancelled:1 incomplete"
    status 3 ended
    has "cancelled"
    enough ended 16 && fail "$system: it was not cancelled in mid-run"
    run 0 submit -o ended --time 10m
    over ended
    are ended "run:done:1 complete"
    complete ended 1
}

# Cancelled between its warning and its end: it does not have itself run again.
is_cancelled_after_its_warning() {
    printf '[launch]\n./lingers\n' >lingers.template
    printf '#!/bin/bash\ntrap "" USR1\nwhile true; do sleep 0.1; done\n' >lingers
    chmod +x lingers
    run 0 submit -o warned --template lingers.template $limit -- "${slow[@]}"
    await 300 grep -qs ' warned$' warned/jobs/run.record || fail "$system: no warning: $(cat warned/jobs/*)"
    run 0 "$rollcall" submit --scheduler "$system" --cancel warned
    has "cancelled run"
    over warned
    are warned "run:cancelled:1 incomplete"
    [ "$(events warned again)" -eq 0 ] || fail "$system: it goes on: $(cat warned/jobs/run.record)"
    [ "$(events warned cancelled)" -eq 1 ] || fail "$system: it does not say so: $(cat warned/jobs/run.record)"
    rm -r warned lingers lingers.template
}

# Two queues, a source each: one of them is short of time and submits itself again,
# maybe under another id; what puts them together waits for both.
makes_two_tables() {
    local queues=(workq other)
    export RC_MOCK_QUEUES="${queues[*]}"
    run 0 submit -o two --queue workq --set source=model:spr --time 10m \
        --queue other --set source=model:slow.yaml $limit -- --suite flops --repeat 5:5
    over two
    are two 'run0:done:1 run1:done:@([2-9]|[12]?) finish:done:* complete'
    tail -n 1 two/jobs/finish.record | grep -q ' ended 0$' ||
        fail "$system: put together before both were over: $(cat two/jobs/*.record)"
    [ "$(grep -c 'suite flops: .* metrics defined' two/jobs/finish.log)" -ge 2 ] ||
        fail "$system: not two tables: $(cat two/jobs/finish.log)"
    [ -s two/report.html ] || fail "$system: no report: $(cat two/jobs/finish.log)"
    unset RC_MOCK_QUEUES
}

# A node is lost: the system runs the job again, or the user does.
survives_a_lost_node() {
    run 0 submit -o lost --time 10m -- "${slow[@]}"
    measured lost 2
    mock_lose "$(mock_jobs '[j["key"] for j in jobs if j["state"] == "running"][-1]')"
    over lost
    if [ "$again" = no ]; then
        are lost "run:failed:1 incomplete"
        run 0 submit -o lost --time 10m
        over lost
        are lost "run:done:1 complete"
    else
        are lost "run:done:2 complete"
    fi
    complete lost 1
}

# Refusals are said in the system's words; jobs that it had taken are cancelled.
is_refused() {
    export RC_MOCK_QUEUES="workq other"
    local before
    before=$(mock_jobs 'len(jobs)')
    run 1 submit -o no --queue nowhere --time 10m -- "${flops[@]}"
    case $err in
    *"$1"*) ;;
    *) fail "$system: no '$1' in: $err" ;;
    esac
    [ "$(mock_jobs 'len(jobs)')" = "$before" ] || fail "$system: a refused job is there"
    rm -rf no
    run 1 submit -o no --time 10m --queue workq --queue nowhere -- "${flops[@]}"
    case $err in
    *"cancelled job "*"$1"*) ;;
    *) fail "$system: no 'cancelled job' and '$1' in: $err" ;;
    esac
    over no
    [ "$(mock_jobs 'jobs[-1]["result"]')" = cancelled ] || fail "$system: what was taken is not cancelled"
    rm -rf no
    unset RC_MOCK_QUEUES
}

# Three shares give what one job gives.
is_dealt_out() {
    run 0 submit -o shares --array 3 --time 10m -- "${flops[@]}"
    over shares
    [[ $(states shares) == *" complete" ]] || fail "$system: $(states shares) $(cat shares/jobs/*.log)"
    same shares alone || fail "$system: shares give another result: $(cat shares/jobs/*.log)"
    [ -s shares/report.html ] || fail "$system: no report of shares: $(cat shares/jobs/*.log)"
}

# started DIR LAUNCHER: two ranks in one launch of it.
started() {
    over "$1"
    [ "$(grep -c "$2 2" "$1/jobs/profile.log")" -eq 2 ] || fail "$system, $1: not by $2: $(cat "$1"/jobs/*.log)"
    are "$1" "profile:done:1 complete"
    run 0 "$rollcall" profile "$1" --format json
    python3 -c '
import json, sys
d = json.load(sys.stdin)
sys.exit((d["launches"], d["ranks"]) != (1, 2) and (d["launches"], d["ranks"]))' <.out ||
        fail "$system, $1: not one launch of two ranks: $(cat "$1"/jobs/*.log)"
    rm -r "$1"
}

# A program of MPICH's is started by Hydra's mpiexec, or by that of PALS, which takes no
# other words than these.
starts_by_mpich() {
    local tells=(sh -c 'sleep 0.2; echo "Hydra ${MPI_LOCALNRANKS-0}, PALS ${PALS_LOCAL_SIZE-0}"') name
    if command -v mpiexec.hydra >/dev/null; then
        run 0 submit -o hydra --set mpi=mpich --time 10m -- profile -- "${tells[@]}"
        started hydra Hydra
    fi
    mkdir -p pals/bin
    cat >pals/bin/mpiexec <<'EOS'
#!/bin/bash
[ "$1 $3" = "--ppn -n" ] && [[ $2 =~ ^[0-9]+$ && $4 =~ ^[0-9]+$ ]] || exit 2
for ((rank = 0; rank < $4; rank++)); do
    PALS_RANKID=$rank PALS_LOCAL_RANKID=$((rank % $2)) PALS_LOCAL_SIZE=$2 PALS_APID=$$ "${@:5}" &
done
wait
EOS
    chmod +x pals/bin/mpiexec
    run 0 submit -o by-pals --set mpi=mpich --set "env.PATH=$PWD/pals/bin:$PATH" --time 10m -- profile -- "${tells[@]}"
    started by-pals PALS
    # There is none: the job says so, and fails.
    mkdir none
    for name in bash cat date env grep hostname readlink sed sleep sort tail tr cut; do ln -s "$(command -v "$name")" none; done
    run 0 submit -o none.d --set mpi=intel --set "env.PATH=$PWD/none" --time 10m -- profile -- sleep 0.2
    over none.d
    grep -q "no mpiexec of MPICH or its kin is on the job's PATH" none.d/jobs/profile.log || fail "$system: $(cat none.d/jobs/profile.log)"
    rm -r none none.d pals
}

end() {
    mock_stop
    rm -f other.sh go
    rm -rf alone whole limit tries ended two lost shares slow.yaml
    finish
}
use

#!/usr/bin/env bash
# submit_mocks.sh ROLLCALL - 'submit' with OpenPBS, LSF, LSF with jsrun and Flux, whose
# commands are mocks that refuse and run what the manuals say (tests/mock).
# shellcheck disable=SC2154,SC2317,SC2086  # the libraries' variables; run() calls functions
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/cli_lib.sh
. "$here/cli_lib.sh"
# shellcheck source=tests/campaign_lib.sh
. "$here/campaign_lib.sh"
# A second of the systems takes a tenth here.
export RC_MOCK_SECOND=0.1 PYTHONDONTWRITEBYTECODE=1
# shellcheck source=tests/mock_lib.sh
. "$here/mock_lib.sh"

# What root, and more ranks than cores, need of Open MPI: jobs have the environment that
# the system gives them.
settings=()
for name in ${!OMPI_*} OPENBLAS_NUM_THREADS; do
    settings+=(--set "env.$name=${!name}")
done

submit() {
    "$rollcall" submit --scheduler "$system" "$@"
}

flops=(--source model:spr --suite flops 'FP_ARITH*' --repeat 5:5)
run 0 "$rollcall" run -o alone "${flops[@]}"

for system in pbs lsf jsrun flux; do
    case $system in
    jsrun) mock_use lsf jsm ;;
    *) mock_use "$system" ;;
    esac
    export LSF_ENVDIR=/nowhere FLUX_URI=local:///nowhere
    run 0 submit -o "$system" --nodes 2 --ranks-per-node 1 --time 10m "${settings[@]}" -- "${flops[@]}"
    mock_wait 60 || fail "$system: not over: $(mock_jobs '[(j["key"], j["state"]) for j in jobs]')"
    run 0 "$rollcall" submit --status "$system"
    has "done"
    has "complete"
    same "$system" alone || fail "$system: another result: $(cat $system/jobs/*.log)"
    [ -s "$system/report.html" ] || fail "$system: no report: $(tail -n 20 $system/jobs/*.log)"
    mock_stop
    rm -r "$system"
done
rm -r alone
finish

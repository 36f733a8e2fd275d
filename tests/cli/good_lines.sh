#!/usr/bin/env bash
# Output of the program where it does what it was asked.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

run 0 "$rollcall"
has "Commands:"
run 0 "$rollcall" --version
has "rollcall "
run 0 "$rollcall" help --format names
names=$out
for name in $names; do
    run 0 "$rollcall" help "$name"
    has "rollcall $name:"
    with_help=$out
    run 0 "$rollcall" "$name" --help
    [ "$out" = "$with_help" ] || fail "'$name --help' is not 'help $name'"
    run 0 "$rollcall" help --format man "$name"
    has ".SH OPTIONS"
done

# Commands that need no MPI do not start it: with a broken MPI they still work.
run 0 env OMPI_MCA_btl=nosuch "$rollcall" help
run 0 env OMPI_MCA_btl=nosuch "$rollcall" events --no-trial --source sysfs 'sysfs:::stat:ctxt'

# A full standard output is a failure, said in one line.
if [ -c /dev/full ] && [ -w /dev/full ]; then
    "$rollcall" help >/dev/full 2>.err
    [ $? -eq 1 ] || fail "a full standard output was not noticed"
    [ "$(cat .err)" = "rollcall help: cannot write the standard output: No space left on device" ] ||
        fail "a full standard output: $(cat .err)"
    rm .err
fi

# PAPI has none of the system's events where its libpfm4 does not know the processor.
if "$rollcall" doctor 2>.err | grep -q 'perf_event is disabled'; then
    echo "skipped: PAPI's events: $("$rollcall" doctor 2>.err | grep -o 'perf_event is disabled.*')"
else
    run 0 "$rollcall" events --source papi --format csv 'perf::PAGE-FAULTS' 'perf::CONTEXT-SWITCHES'
    has "kind,event,source,scope,verdict,reason,description,scope_evidence,preset,simulated"
    has "perf::PAGE-FAULTS,papi,core,ok,"
    has "perf::CONTEXT-SWITCHES,papi,core,ok,"

    run 0 "$rollcall" events --source papi --format json
    printf '%s' "$out" >events.json
    python3 - <<'PY' || fail "events --format json is not what it should be"
import json
top = json.load(open("events.json"))
kind = top["kinds"][0]
assert len(top["kinds"]) == 1 and kind["events"] and kind["nodes"] and kind["key"]
verdicts = {e["verdict"] for e in kind["events"]}
assert verdicts <= {"ok", "not permitted", "unsupported", "cannot be scheduled", "counts nothing"}
for e in kind["events"]:
    assert (e["reason"] == "") == (e["verdict"] == "ok"), e
    assert e["scope_evidence"], e
PY
    rm events.json

    run 0 "$rollcall" plan --source papi --format csv 'perf::PAGE-FAULTS' 'perf::CONTEXT-SWITCHES' --write full.yaml
    has "papi,0,core,own,perf::PAGE-FAULTS,"
    run 0 "$rollcall" plan -c full.yaml --format csv
    has "papi,0,core,own,perf::PAGE-FAULTS,"
    lacks "perf::CPU-CLOCK"
    run 0 "$rollcall" plan -c full.yaml --write again.yaml
    cmp full.yaml again.yaml || fail "a resolved campaign file resolves to another one"
    rm full.yaml again.yaml
fi
rm -f .err

# Under a sanitizer: what libraries leak that doctor opens is told by who called them,
# which only the slow way up the stack finds.
asan=${ASAN_OPTIONS-}
ASAN_OPTIONS=${asan/unwind_on_malloc=1/unwind_on_malloc=0} run 0 "$rollcall" doctor --format json
printf '%s' "$out" | python3 -c 'import json, sys; assert json.load(sys.stdin)["kinds"][0]["findings"]' ||
    fail "doctor --format json"
run 1 "$rollcall" doctor -o nowhere
has "results cannot go to 'nowhere'"
run 0 ranks 3 "$rollcall" doctor
has "3 ranks on 1 node"
finish

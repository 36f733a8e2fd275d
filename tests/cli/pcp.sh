#!/usr/bin/env bash
# The source 'pcp' as a user sees it, with a pmcd of the test's own; and without libpcp.
# shellcheck disable=SC2154,SC2317  # campaign_lib.sh sets python; run calls functions
tests=$(cd "$(dirname "$0")/.." && pwd)
rollcall=${1:?the program to test}
said=$("$rollcall" events --source pcp:localhost:1 2>&1)
case $said in
*"made without libpcp"*)
    echo "skipped: this build is without libpcp"
    exit 77
    ;;
esac
[ -n "${RC_PMCD_DIR:-}" ] || exec bash "$tests/unit/sources/pmcd.sh" bash "$0" "$@"
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py

run 1 "$rollcall" events --source pcp:localhost:1
says "rollcall events: source 'pcp': no pmcd at 'localhost:1': Connection refused"
# Under a sanitizer as in good_lines.sh.
asan=${ASAN_OPTIONS-}
doctor() {
    ASAN_OPTIONS=${asan/unwind_on_malloc=1/unwind_on_malloc=0} "$rollcall" doctor
}
PCP_CONF=/dev/null PCP_RUN_DIR=$work PMCD_PORT=1 run 0 doctor
has "no pmcd at 'local:'"
run 0 doctor
has "pmcd (local:): pmcd perfevent sample"

run 0 "$rollcall" events --source pcp --format csv 'pcp:::sample.*' 'pcp:::pmcd.*'
printf '%s\n' "$out" | python3 -c '
import csv, sys
found = {row["event"]: (row["scope"], row["verdict"].replace(" ", "-"), row["simulated"])
         for row in csv.DictReader(sys.stdin)}
assert found["pcp:::sample.long.one"] == ("node", "ok", "no"), found
assert found["pcp:::sample.bin:bin-300"] == ("node", "ok", "no"), found
assert found["pcp:::sample.milliseconds"][1] == "unsupported", found
assert found["pcp:::pmcd.version"][1] == "unsupported", found
' || fail "events: $out"

# Each reading is two fetches, of which pmcd has seen one more at the stop.
run 0 ranks 2 "$rollcall" run -o c --source pcp --suite branch --repeat 2 --no-solve \
    'pcp:::sample.long.million' 'pcp:::sample.bin:bin-300' 'pcp:::pmcd.pdu_in.*fetch'
run 0 "$rollcall" status c
has complete
"$python" - <<'END' || fail "the readings of the campaign"
import h5py
with h5py.File("c/campaign.h5") as store:
    kind = next(iter(store["kinds"].values()))
    names = [name.decode() if isinstance(name, bytes) else name for name in kind["events/event"][()]]
    values = kind["suites/branch/values"][()]
    for part, wanted in (("sample.long.million", 1000000), ("sample.bin:bin-300", 300), ("fetch", 1)):
        found = sum(values[i] for i, name in enumerate(names) if name.endswith(part))
        assert found.size > 10 and (found == wanted).all(), (part, found)
END

rm -rf c
finish

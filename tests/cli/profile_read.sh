#!/usr/bin/env bash
# profile_read.sh ROLLCALL - what profile, pack and export say of journals of a profile
# that were made up (profile_sample.c), damaged, hostile, or that are none.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
sample=$(dirname "$rollcall")/../tests/profile_sample

# same MESSAGE ARGUMENT...: exports say what profile.h5 does; not asked where no python3 has h5py.
h5python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import h5py' 2>/dev/null && h5python=$candidate && break
done
[ -n "$h5python" ] || echo 'not compared with profile.h5: python3 lacks h5py'
same() {
    local message=$1
    shift
    [ -z "$h5python" ] || "$h5python" -B "$tests/cli/profile_exports.py" "$@" >/dev/null || fail "$message"
}

# Bad inputs.
run 1 "$rollcall" profile nowhere
said 'nowhere'
mkdir empty
run 1 "$rollcall" profile empty
said 'expected'
run 1 "$rollcall" export empty --format chrome
said 'expected'
mkdir p
"$sample" p 2 2 100 || fail 'no sample'
run 2 "$rollcall" profile p --launch x
said "--launch 'x': expected the number of a launch"
run 1 "$rollcall" profile p --launch 3
said 'p: no launch 3, the last one is 0'
run 1 "$rollcall" profile p --region nowhere
said "p: no region 'nowhere'"
run 2 "$rollcall" export p --format cube
said "'cube', expected one of: json"
run 2 "$rollcall" export p --format folded --limit 5
said '--limit is not for --format folded of a profile'
run 2 "$rollcall" export p --format folded --from 1s
said '--from is not for --format folded of a profile'
run 2 "$rollcall" export p --format chrome --from soon
said "--from 'soon': expected a duration"
run 2 "$rollcall" export p --format chrome --from 2s --to 1s
said "--to '1s': expected a time after --from"
run 2 "$rollcall" export p --format papi --to 1s
said '--to is not for --format papi of a campaign'
run 2 "$rollcall" export p --format chrome --limit 0
said "--limit '0': expected a number from 1 to 1e9"
run 2 "$rollcall" export p --format chrome --suite flops
said '--suite is not for --format chrome'

# The answer, in each format.
run 0 "$rollcall" profile p
case $out in
'./app -n 3: 2.0 s on 2 nodes, 4 ranks with 4 threads.'*) ;;
*) fail "the answer is not first: $out" ;;
esac
run 0 "$rollcall" profile p --region solve
run 0 "$rollcall" profile p --format csv
[ "$(grep -c ',region,' <<<"$out")" -eq 16 ] || fail "not 4 regions of 4 ranks: $out"
run 0 "$rollcall" profile p --format json
python3 -c 'import json, sys; d = json.load(sys.stdin); assert len(d["regions"]) == 4, d' <<<"$out" ||
    fail 'not the regions as JSON'

# Trees have no rows of zeros for people, and no line is wider than a page; JSON has all nodes.
run 0 "$rollcall" profile p --hierarchy time,mpi,openmp
for zero in MPI_SYNC_RMA OPENMP_LOCK LATE_SENDER; do lacks "$zero"; done
has 'COLLECTIVE'
has 'that are 0 are not shown'
[[ $out =~ e-1[0-9] ]] && fail "what is left of a rounding has a row: $out"
wide=$(awk 'length($0) > 81' <<<"$out")
[ -z "$wide" ] || fail "lines are wider than a page: $wide"
run 0 "$rollcall" profile p --hierarchy time,mpi,openmp --format json
has '"MPI_SYNC_RMA"'

# Exports, whole and within a limit; a profile.h5.
run 0 "$rollcall" export p --format chrome -o all.json
python3 "$tests/cli/profile_check.py" all.json >/dev/null || fail 'no trace events'
run 0 "$rollcall" export p --format chrome --limit 50 -o few.json
said 'left out: '
python3 "$tests/cli/profile_check.py" few.json 50 >/dev/null || fail 'no few trace events'
run 0 "$rollcall" export p --format folded
[ "$(awk '{s += $NF} END {print s}' <<<"$out")" = 8000000 ] || fail "not 8 s in all: $out"
run 0 "$rollcall" pack p
[ -s p/profile.h5 ] || fail 'no profile.h5'
[ -z "$(find p -name '*.new')" ] || fail 'pack left something behind'
run 0 "$rollcall" export p --format csv -o all.csv
run 0 "$rollcall" export p --format pprof -o all.pprof
said 'left out: all series'
same 'exports do not say what profile.h5 does' p/profile.h5 all.json all.csv all.pprof
run 0 "$rollcall" export p --format chrome --from 500ms --to 1s -o part.json
run 0 "$rollcall" export p --format csv --from 500ms --to 1s -o part.csv
said 'left out: rows of sums, which are of the whole launch'
run 2 "$rollcall" export p --format pprof --to 1s
said '--to is not for --format pprof of a profile'
same 'not the part that was asked for' --part 500 1000 p/profile.h5 part.json part.csv
run 0 "$rollcall" export p --format folded -o /dev/null

# OTF2, where this rollcall has it.
run 2 "$rollcall" export p --format otf2
said '--format otf2: expected -o, a new directory'
run 2 "$rollcall" export p --format otf2 --limit 5 -o o
said '--limit is not for --format otf2'
if "$rollcall" export p --format otf2 -o o 2>said; then
    run 2 "$rollcall" export p --format otf2 -o o
    said "-o 'o': it is there already"
    run 1 "$rollcall" export p --format otf2 -o nowhere/o
    said 'nowhere/o'
    run 0 "$rollcall" export p --format otf2 --from 550ms --to 1s -o part
    said 'left out: 2 readings across the ends of the stretch of time'
    if command -v otf2-print >/dev/null; then
        same 'OTF2 does not say what profile.h5 does' p/profile.h5 o/traces.otf2
        same 'OTF2 has not the part' --part 550 1000 p/profile.h5 part/traces.otf2
    fi
    [ -z "$(find . -name '*.rollcall-new')" ] || fail 'an archive was left half made'
else
    grep -q 'was built without OTF2' said || fail "no OTF2, and not for that: $(<said)"
fi
run 1 "$rollcall" export p --format chrome -o /dev/full
said '/dev/full'

# The page, whose figures cli.browser looks at, and the same as text.
run 2 "$rollcall" report p --kind K
said '--kind is for the report of a campaign'
run 2 "$rollcall" report p --text -o x.txt
said 'the text of a profile goes to the standard output'
run 1 "$rollcall" report p --launch 3
said 'p: no launch 3, the last one is 0'
run 1 "$rollcall" report p -o /dev/full
said '/dev/full'
[ ! -e p/report.html ] || fail 'a report that failed is there'
run 0 "$rollcall" report p
[ "$out" = p/report.html ] || fail "report printed: $out"
grep -q '<title>./app -n 3 - profile, rollcall</title>' p/report.html || fail 'the title does not name the program'
for data in answer profile time paths; do
    grep -q "id=\"$data-data\"" p/report.html || fail "the page has no $data"
done
run 0 "$rollcall" report p --text --launch 0
text=$out
run 0 "$rollcall" profile p
[ "$text" = "$out" ] || fail 'the text of a report is not what profile says'

# Names that want to be more, and damage.
mkdir h
"$sample" h 1 2 3 hostile || fail 'no hostile sample'
run 0 "$rollcall" profile h
[[ $out != *$'\x1b'* ]] || fail 'the terminal got an escape'
run 0 "$rollcall" export h --format chrome -o h.json
python3 "$tests/cli/profile_check.py" h.json >/dev/null || fail 'no trace events of hostile names'
run 0 "$rollcall" pack h
for format in csv csv-raw pprof; do
    run 0 "$rollcall" export h --format "$format" -o "h.$format"
done
same 'hostile names came apart' h/profile.h5 h.json h.csv-raw h.pprof
if command -v otf2-print >/dev/null && "$rollcall" export h --format otf2 -o h.o 2>said; then
    same 'hostile names came apart in OTF2' h/profile.h5 h.o/traces.otf2
fi
# A bit that is another one, somewhere: whoever reads is told, wherever it is read.
cp p/journal/n1.rcj whole
for part in 1 2 3 4 5; do
    python3 - whole p/journal/n1.rcj "$part" <<'PY' || fail 'no bit was changed'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[len(data) * int(sys.argv[3]) // 6] ^= 1
open(sys.argv[2], "wb").write(data)
PY
    run 0 "$rollcall" profile p
    lost=${out##*What is lost}
    [[ $lost == *'bytes are damaged'* ]] || fail "the text has no damage among what is lost: $out"
    [[ $out != *'(no name)'* ]] || fail "a name that was lost is called another thing: $out"
    run 0 "$rollcall" profile p --format json
    python3 -c 'import json, sys
assert any("bytes are damaged" in line for line in json.load(sys.stdin)["lost"])' <<<"$out" || fail 'the JSON has no damage'
    run 0 "$rollcall" report p -o p.html
    sed -n 's/.*id="profile-data">\([^<]*\)<.*/\1/p' p.html | base64 -d | gzip -dc | grep -q 'bytes are damaged' ||
        fail 'the page has no damage'
    run 0 "$rollcall" pack p
    h5dump -d /lost p/profile.h5 | grep -q 'bytes are damaged' || fail 'profile.h5 has no damage'
done
cp whole p/journal/n1.rcj
truncate -s -100 p/journal/n0.rcj
run 0 "$rollcall" profile p
said 'bytes are damaged'
case $out in
*'node n0: its sampler has not ended by itself'*) ;;
*) fail "nothing of the end of n0: $out" ;;
esac
mkdir -p l/journal
ln -s ../../p/journal/n1.rcj l/journal/n1.rcj
run 2 "$rollcall" profile l
said 'l/journal/n1.rcj'

rm -rf -- *
finish

#!/usr/bin/env bash
# The command 'report' on what is damaged, missing, hostile or full: one clear line, the
# right exit status, and a report that is there stays as it is.  tests/cli/browser.sh tries the page in a browser.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
export OPENBLAS_NUM_THREADS=1

run 0 "$rollcall" run -o whole --source model:spr --suite branch --repeat 2:2
run 0 "$rollcall" run -o other --source model:spr --suite flops --events 'FP_ARITH*' --repeat 2:2
echo precious >whole/report.html

# refuses STATUS TEXT ARGUMENT...: so it ends and says so in one line, and neither changes
# the report that is there nor leaves anything beside it.
refuses() {
    local status=$1 text=$2 before
    shift 2
    before=$(ls -A . d)
    run "$status" "$rollcall" report "$@"
    err=${err/html.rc-??????.new/html.N.new}
    says "rollcall report: $text"
    [ -z "$out" ] || fail "'report $*' printed '$out'"
    [ ! -d d ] || [ "$(cat d/report.html)" = precious ] || fail "'report $*' changed the report"
    [ "$before" = "$(ls -A . d)" ] || fail "'report $*' left something behind: $(ls -A . d)"
}

# copy: d is the whole campaign again, to be damaged.
copy() {
    rm -rf d
    cp -r whole d
}

# Bad usage.
copy
mkdir empty
seq 3 >file
while IFS='|' read -r status text arguments; do
    eval "refuses $status \"\$text\" $arguments"
done <<'TABLE'
2|expected DIR, the directory of a campaign or of a profile|
2|expected DIR, the directory of a campaign or of a profile|''
1|'nowhere' is not there, expected the directory of a campaign|nowhere
1|'empty/campaign.h5' is not there, 'rollcall pack DIR' makes it from the journals|empty
1|'file/campaign.h5' is not there, 'rollcall pack DIR' makes it from the journals|file
2|unexpected argument 'other', expected: rollcall report [DIR]|d other
2|unknown option '--nothing', see 'rollcall help report'|d --nothing
2|--curves 8x: expected a whole number|d --curves 8x
2|--curves -1: expected a whole number|d --curves -1
2|--events : expected a pattern: GLOB, !GLOB or @FILE|d --events ''
1|cannot open 'nofile': No such file or directory|d --events @nofile
1|--events: no event of this campaign matches 'nothing*'|d --events 'nothing*'
1|--events: no event of this campaign matches 'nothing*' or the other patterns|d --events 'nothing*' --events 'nor this'
2|'empty' is a directory, expected a file|d -o empty
2|'d' is a directory, expected a file|d -o d
2|'' is not a name, expected the name of a file|d -o ''
1|cannot create 'nowhere/r.html': No such file or directory|d -o nowhere/r.html
1|cannot write '/dev/full': No space left on device|d -o /dev/full
TABLE
rm -r empty file

# A page says what it is, without its script as text.
run 0 "$rollcall" report d
while read -r text; do
    tr -d '\n' <d/report.html | grep -qF -- "$text" || fail "the page does not say '$text'"
done <<'TABLE'
<title>d - rollcall report</title>
<h1><small>Report of the campaign</small> d</h1>
<noscript><p>Without its script
of 10 metrics defined
1 x BR_INST_RETIRED:ALL_BRANCHES
defined; exact on 11 points of this suite alone
</pre></noscript>
TABLE

# The data of the page is JSON that others can read, too.
python3 - d/report.html <<'PY' || fail "the data of the page"
import base64, collections, gzip, json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
report = json.loads(re.search('<script type="application/json" id="report-data">(.*?)</script>', page, re.S)[1])
assert report["complete"] and report["kinds"][0]["suites"][0]["metrics"]
held = {i: json.loads(gzip.decompress(base64.b64decode(t))) for i, t in
        re.findall('<script type="text/plain" id="([^"]*)">(.*?)</script>', page, re.S)}
events = held["events-0"]["events"]
assert len(events) == report["kinds"][0]["events"] == len(held["suite-0-0"]["noise"])
described = held["descriptions-0"]
assert len(described["of"]) == len(events) and len(set(described["text"])) == len(described["text"])
assert all(0 <= i < len(described["text"]) for i in described["of"])
assert set(map(len, (held["timeline-data"][c] for c in ("worker", "suite", "begin_us", "wall_us")))) == {len(held["timeline-data"]["kind"])}
words = report["words"]["verdicts"]
verdicts = [words[int(v)] for v in held["events-0"]["verdict"]]
why = collections.Counter(filter(None, (held[f"detail-0-{i // 2048}"]["reason"][i % 2048] for i, v in enumerate(verdicts) if v != "ok")))
tally = held["tally-0"]
assert tally["verdicts"] == [verdicts.count(v) for v in words] and tally["events"] == max(why.values(), default=0) == why[tally["reason"]]
assert sum(i.startswith("curve-0-") for i in held) == 300 or len(events) < 300
PY

# Files that are damaged, of others, or gone.
copy
rm d/metrics.h5
mkdir d/metrics.h5
refuses 2 "'d/metrics.h5' is a directory, expected a file" d
rmdir d/metrics.h5
seq 1000 >d/metrics.h5
refuses 2 "'d/metrics.h5' is not an HDF5 file, expected rollcall's metrics" d
: >d/metrics.h5
refuses 2 "'d/metrics.h5' is not an HDF5 file, expected rollcall's metrics" d
cp d/campaign.h5 d/metrics.h5
refuses 2 "'d/metrics.h5': an HDF5 file, but not rollcall's metrics: it has no attribute 'format' that is 'rollcall metrics'" d
cp other/metrics.h5 d/metrics.h5
refuses 1 "'d/metrics.h5' belongs to another campaign than campaign.h5 beside it: 'rollcall solve DIR' makes it again" d
copy
rm -r d/campaign.h5 d/journal
refuses 1 "'d/campaign.h5' is not there, 'rollcall pack DIR' makes it from the journals" d
mkdir d/campaign.h5
refuses 2 "'d/campaign.h5' is a directory, expected a file" d
rmdir d/campaign.h5
seq 1000 >d/campaign.h5
refuses 2 "'d/campaign.h5' is not an HDF5 file, expected a rollcall campaign" d
cp d/metrics.h5 d/campaign.h5
refuses 2 "'d/campaign.h5': an HDF5 file, but not a rollcall campaign: it has no attribute 'format' that is 'rollcall'" d

# reports STATUS TEXT: there is a page that says so.
reports() {
    run "$1" "$rollcall" report d
    [ "$out" = d/report.html ] || fail "printed '$out'"
    grep -qF "$2" d/report.html || fail "the page does not say '$2'"
    tail -n 1 d/report.html | grep -qx '</html>' || fail "the page has no end"
}
copy
rm d/metrics.h5
reports 0 "of 10 metrics defined"
said "rollcall: metrics.h5 is missing: solving for it"
[ -f d/metrics.h5 ] || fail "metrics.h5 was not made"
copy
rm d/metrics.h5 d/campaign.h5
reports 0 "of 10 metrics defined"
said "rollcall: campaign.h5 is missing: making it from the journals"
copy
rm -r d/journal d/metrics.h5
sed -i 's/^/# /' d/campaign.yaml
reports 0 "of 10 metrics defined"
# Where DIR is left out it is this directory, or ./results; '-' is the standard output.
copy
run 0 "$rollcall" report d -o -
head -n 1 <<<"$out" | grep -qix '<!doctype html>' || fail "no page in: ${out:0:200}"
[ ! -e ./- ] || fail "made a file '-'"
mkdir sub
cp -r whole sub/results
# shellcheck disable=SC2016  # bash expands them
run 0 bash -c 'cd sub && "$0" report --text -o -' "$rollcall"
has "of 10 metrics defined"
# shellcheck disable=SC2016  # bash expands them
run 0 bash -c 'cd sub/results && "$0" report && "$0" export --format csv >x.csv && "$0" export --format csv -o - | cmp - x.csv' "$rollcall"
[ "$out" = ./report.html ] || fail "printed '$out'"
rm -r sub
copy
rm -r d/journal
reports 0 "Who measured when, and whether something is missing, is not known: "
rm -rf d/journal
: >d/journal
reports 0 "Who measured when, and whether something is missing, is not known: "
copy
rm -r d/journal
cp -r other/journal d/journal
reports 0 "The journals beside campaign.h5 belong to another campaign, "
copy
journal=(d/journal/*.rcj)
truncate -s $(($(stat -c %s "${journal[0]}") / 2)) "${journal[0]}"
reports 3 '"complete":false'
copy
head -c 100000 /dev/urandom >"${journal[0]}"
reports 0 "Who measured when, and whether something is missing, is not known: "

# Bytes of the results are flipped, or their ends are gone: an error of one line, or a page.
damage() {
    python3 - "$1" "$2" "$3" <<'PY'
import random, sys
data, number, place = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[2]), sys.argv[3]
draw = random.Random(number)
if number < 8:
    data = data[: len(data) * number // 8]
else:
    for _ in range(1 + number % 7):
        data[draw.randrange(len(data) if number % 2 else 4000)] ^= 1 << draw.randrange(8)
open(place, "wb").write(data)
PY
}
# HDF5 forgets memory of files that it refuses: of leaks nothing is said here.
unforgiving=${ASAN_OPTIONS:-}
export ASAN_OPTIONS=$unforgiving:detect_leaks=0
refused=0 read=0
for file in campaign.h5 metrics.h5; do
    for number in $(seq 0 19); do
        copy
        damage "whole/$file" "$number" "d/$file"
        status=0
        { timeout 400 "$rollcall" report d >"$work/.out" 2>"$work/.err" || status=$?; } 2>"$work/.bash"
        lines=$(wc -l <"$work/.err")
        if [ "$status" -gt 3 ]; then
            fail "$file, damage $number: ended with $status and $lines lines"
        elif [ "$status" = 1 ] || [ "$status" = 2 ]; then
            [ "$lines" = 1 ] || fail "$file, damage $number: $lines lines"
            refused=$((refused + 1))
        else
            [ "$lines" = 0 ] || fail "$file, damage $number: $lines lines"
            tail -n 1 d/report.html | grep -qx '</html>' || fail "$file, damage $number: no page"
            read=$((read + 1))
        fi
        [ "$status" = 0 ] || [ "$status" = 3 ] || [ "$(cat d/report.html)" = precious ] ||
            fail "$file, damage $number: changed the report"
    done
done
rm -f .bash
export ASAN_OPTIONS=$unforgiving
echo "of 40 damaged files $refused were refused, $read were read"

# Streams and disks.
copy
run 0 "$rollcall" report d -o /dev/stdout
case $out in
"<!DOCTYPE html>"*"</html>") ;;
*) fail "no page on the standard output" ;;
esac
for where in '>&-' '>/dev/full'; do
    status=0
    eval '"$rollcall" report d' "$where" '2>"$work/.err"' || status=$?
    err=$(cat "$work/.err")
    [ $status -eq 1 ] || fail "$where: ended with $status"
    [ "$(wc -l <"$work/.err")" = 1 ] || fail "$where: said '$err'"
done
name="d 'a' \"b\" \$(touch evil) <i>; %s"
cp -r whole "$name"
run 0 "$rollcall" report "$name"
[ "$out" = "$name/report.html" ] || fail "printed '$out'"
[ ! -e evil ] || fail "a name was run by a shell"
# shellcheck disable=SC2016  # that is how it is called
grep -qF '"directory":"d '"'a'"' \"b\" $(touch evil) \u003ci>; %s"' "$name/report.html" || fail "the directory's name is not shown as it is"
rm -r "$name"

# shellcheck disable=SC2317  # run() calls it
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
if [ "$(id -u)" -ne 0 ]; then
    echo "not shown, for want of root: full disks, files of other users"
else
    chmod 755 "$work"
    copy
    run 1 as_nobody "$rollcall" report "$work/d"
    err=${err/html.rc-??????.new/html.N.new}
    says "rollcall report: cannot write in directory '$work/d': Permission denied"
    chown -R 65534 d
    chmod 600 d/campaign.h5
    chown 0 d/campaign.h5
    run 1 as_nobody "$rollcall" report "$work/d"
    says "rollcall report: cannot open '$work/d/campaign.h5': Permission denied"
    if unshare -m true 2>"$work/.err"; then
        copy
        mkdir disk
        status=0
        # shellcheck disable=SC2016  # that is for the other shell
        unshare -m sh -c 'mount -t tmpfs -o size=24k none disk && echo precious >disk/report.html &&
            ! "$1" report d -o disk/report.html && [ "$(ls -A disk)" = report.html ] &&
            [ "$(cat disk/report.html)" = precious ]' sh "$rollcall" 2>"$work/.err" || status=$?
        [ $status -eq 0 ] || fail "a full disk: $(cat "$work/.err")"
        grep -qx "rollcall report: cannot write 'disk/report.html': No space left on device" \
            "$work/.err" || fail "a full disk: said '$(cat "$work/.err")'"
        rmdir disk
    else
        echo "not shown, since nothing can be mounted: a full disk"
    fi
fi
# Names that want to be more than text: the page is valid, and no shell ran one.  tests/cli/browser.sh shows it in a
# browser.
rm -rf whole other d
mkdir d
run 0 "$build/tests/hostile" d
run 3 "$rollcall" pack d
run 3 "$rollcall" solve d
run 3 "$rollcall" report d
[ ! -e evil ] || fail "a name was run by a shell"
if command -v tidy >"$work/.out"; then
    run 0 tidy -q -e d/report.html
    says ""
else
    echo "without tidy (Debian: apt-get install tidy), whether the page is valid was not seen"
fi
run 3 "$rollcall" report --text d
if LC_ALL=C grep -q '[[:cntrl:]]' "$work/.out"; then
    fail "the text has control characters: $(LC_ALL=C grep -m 1 '[[:cntrl:]]' "$work/.out" | cat -v)"
fi
iconv -f utf-8 -t utf-8 "$work/.out" >"$work/.err" || fail "the text is not UTF-8"
rm -rf d

# The same by way of a machine file, as far as it can say them.
cat >machine.yaml <<'MACHINE'
name: <script>alert(1)</script> & "x"
topology: package:1 core:2 pu:1
banks:
- {name: <b>core</b>, counters: 4}
events:
- {name: "</script><script>alert(2)</script>", counts: CR, description: "\"><img src=x onerror=alert(3)>"}
- {name: "\u202E \U0001F600 \\ %s `touch evil` $(touch evil)", counts: T}
- {name: "__proto__", counts: CR + T}
- {name: constructor, verdict: not permitted, reason: "<!-- ]]> --> </td></table>"}
MACHINE
run 0 "$rollcall" run -o d --source model:./machine.yaml --suite branch --repeat 2:2
run 0 "$rollcall" report d
[ ! -e evil ] || fail "a name was run by a shell"
grep -qF '1 x &lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;' d/report.html ||
    fail "no metric is of the event that is a script"
if command -v tidy >"$work/.out"; then
    run 0 tidy -q -e d/report.html
    says ""
fi
rm -rf d machine.yaml
finish

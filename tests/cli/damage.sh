#!/usr/bin/env bash
# Damaged campaign.h5 and metrics.h5, as strangers may send them: no command crashes or
# hangs, and each that cannot read a file says so in one line that names it.  HDF5 1.10.8
# itself dies of the damages in the table, or never ends; tests/bench/damage.sh seeks more
# of them.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
export OPENBLAS_NUM_THREADS=1

run 0 "$rollcall" run -o whole --source model:spr --suite branch --repeat 2:2
echo precious >whole/report.html

# refuses FILE STATUS HOW WORDS...: the command fails by itself in one line, and leaves what
# is there as it is.
refuses() {
    local file=$1 status=$2 how=$3 remedy="'rollcall pack DIR' makes it again"
    shift 3
    [ "$file" = campaign.h5 ] || remedy="'rollcall solve DIR' makes it again"
    run "$status" timeout -k 5 400 "$rollcall" "$@"
    says "rollcall $1: 'd/$file' is damaged: HDF5 $how; $remedy"
    [ -z "$out" ] || fail "'$*' printed '$out'"
    cmp -s d/report.html whole/report.html || fail "'$*' changed the report"
}

# readers FILE HOW: all commands that read it.
readers() {
    local file=$1 how=$2
    if [ "$file" = metrics.h5 ]; then
        refuses "$file" 2 "$how" export --format csv d
        refuses "$file" 2 "$how" compare d whole
        refuses "$file" 2 "$how" compare whole d
    else
        refuses "$file" 2 "$how" solve d
        cmp -s d/metrics.h5 whole/metrics.h5 || fail "metrics.h5 was changed"
        run 0 timeout -k 5 400 "$rollcall" status d # which has the journals
    fi
    refuses "$file" 2 "$how" report d
    refuses "$file" 2 "$how" report d --text
}

# put FILE MARK OFFSET HEX: d with these bytes so far after the first MARK of the file, which
# has no checksum, as older ones have not.
put() {
    rm -rf d
    cp -r whole d
    python3 - "d/$1" "$2" "$3" "$4" <<'PY'
import sys
data, new = bytearray(open(sys.argv[1], "rb").read())[512:], bytes.fromhex(sys.argv[4])
at = data.index(sys.argv[2].encode()) + int(sys.argv[3])
data[at:at + len(new)] = new
open(sys.argv[1], "wb").write(data)
PY
}

# The size of the first text of those that have any length, then of what is free.
while read -r file offset bytes; do
    put "$file" GCOL "$offset" "$bytes"
    readers "$file" "crashes when it reads it"
done <<'TABLE'
campaign.h5 24 ffffff7f
campaign.h5 31 ff
metrics.h5 24 ffffff7f
metrics.h5 31 ff
TABLE
put campaign.h5 GCOL 16 00000000000000000000000000000000
refuses campaign.h5 2 "hangs when it reads it" report d --text

# All ranks hear of it.
put campaign.h5 GCOL 31 ff
run 2 ranks 3 "$rollcall" solve d
case $err in
*"rollcall solve: 'd/campaign.h5' is damaged: HDF5 crashes when it reads it; "*) ;;
*) fail "three ranks said '$err'" ;;
esac

# Its contents are not needed for the journals.
run 0 "$rollcall" status d
has "d/campaign.h5: 'd/campaign.h5' is damaged: HDF5 crashes when it reads it; 'rollcall pack DIR' makes it again"
has "77 of 77 units ok: complete"

# The remedies are ones.
run 0 "$rollcall" pack d
cmp -s d/campaign.h5 whole/campaign.h5 || run 0 "$rollcall" report d --text
put metrics.h5 GCOL 31 ff
run 0 "$rollcall" solve d
run 0 "$rollcall" export --format csv d

# Older files are read as they were.
rm -rf d
cp -r whole d
for file in campaign.h5 metrics.h5; do
    tail -c +513 "whole/$file" >"d/$file"
done
run 0 "$rollcall" report d --text
of_it() { echo "$out" | grep -v -e "this report: " -e "^campaign \(d\|whole\)$" -e "^  in \(d\|whole\), id "; } # without names and times
before=$(of_it)
run 0 "$rollcall" report whole --text
[ "$before" = "$(of_it)" ] || fail "an older campaign is reported in other words"
run 0 "$rollcall" solve d

# One bit that changed, wherever, is told.
run 0 "$here/bench/flips.sh" "$rollcall" 20 1 "$build/tests/bench_damage"
has "40 of 40 flipped bits told"

# And of any damage, without a checksum.
rm -rf d
run 0 "$here/bench/damage.sh" "$rollcall" 3 300 "$build/tests/bench_damage"
lacks crashed:
lacks hung:
rm -rf whole d
finish

#!/usr/bin/env bash
# cubex.sh ROLLCALL - profiles as .cubex files, which another reader takes apart value by value;
# such files as profiles; merge, mean, difference and parts of them.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
sample=$(dirname "$rollcall")/../tests/profile_sample
check=$tests/cli/cubex_check.py
h5python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import h5py' 2>/dev/null && h5python=$candidate && break
done
[ -n "$h5python" ] || echo 'not compared with profile.h5: python3 lacks h5py'

for number in 0 1; do
    mkdir p$number
    "$sample" p$number 2 2 || fail 'no sample'
done
# The numbers of profile.h5, exactly.
run 0 "$rollcall" pack p0
run 0 "$rollcall" export p0 --format cubex -o p0.cubex
said 'left out: all series'
run 0 "${h5python:-python3}" -B "$check" p0.cubex ${h5python:+p0/profile.h5}
[ "$out" = '53 metrics, 6 paths, 4 places, time 8000000000' ] || fail "the file says: $out"
run 2 "$rollcall" export p0 --format cubex --limit 5
said '--limit is not for --format cubex'
python3 -B "$check" --pycubexr p0.cubex >/dev/null 2>&1
case $? in
0 | 77) ;;
*) fail 'pycubexr reads something else' ;;
esac

# Imported, it is a profile again, and the same file.
run 2 "$rollcall" import p0.cubex
said 'expected -o DIR'
run 0 "$rollcall" import p0.cubex -o imported
[ "$out" = 'imported/profile.cubex: 1 launch, 53 metrics of 6 call paths on 4 places' ] || fail "import: $out"
run 0 "$rollcall" export imported --format cubex -o again.cubex
cmp p0.cubex again.cubex || fail 'a file that was imported is another one'
run 2 "$rollcall" import p0.cubex -o imported
said 'expected a directory that is not there yet, or is empty'
run 1 "$rollcall" import nowhere.cubex -o none
[ ! -e none ] || fail 'an import that failed left a directory'

# Files as Score-P writes them, by another writer: inclusive metrics, either order of bytes, packed or not.
number=0
for options in '' big plain 'big plain' unsummed; do
    number=$((number + 1))
    # shellcheck disable=SC2086  # two words
    run 0 python3 -B "$tests/cli/cubex_scorep.py" write scorep.cubex "$number" $options
    run 3 "$rollcall" import scorep.cubex -o scorep$number
    said 'left out: ALLOCATION_SIZE: EXCLUSIVE numbers of the type TAU_ATOMIC'
    [ "$(wc -l <<<"$err")" = $(($([ "$options" = unsummed ] && echo 1 || echo 0) + 1)) ] || fail "said $err"
    [ "$options" != unsummed ] || said "member 'anchor.xml' of the tar has a wrong checksum"
    run 0 "$rollcall" export scorep$number --format cubex -o back.cubex
    run 0 python3 -B "$tests/cli/cubex_scorep.py" check back.cubex "$number"
    [ "$out" = '1680 values' ] || fail "of a file in Score-P's form: $out"
done

# Names that a terminal would obey.
run 0 python3 -B "$tests/cli/cubex_scorep.py" write scorep.cubex 1
sed -i 's/MPI_Init/\&#155;3m/g' scorep.cubex
run 3 "$rollcall" import scorep.cubex -o obeyed
run 0 "$rollcall" export obeyed --format cubex -o back.cubex
grep -a -q '<name>?3m<' back.cubex || fail 'a control character in a name'
sed -i 's/&#155;3m/\&#27;[3m/g' scorep.cubex
run 2 "$rollcall" import scorep.cubex -o none
said 'anchor.xml: line 20: reference to invalid character number'
rm -r obeyed

# Damaged: one line each.
size=$(stat -c %s p0.cubex)
for at in 0 100 600 2000 9000 12000 "$((size - 2000))"; do
    head -c "$at" p0.cubex >cut.cubex
    run 2 "$rollcall" import cut.cubex -o none
    [ "$(wc -l <<<"$err")" -eq 1 ] ||
        fail "cut off at $at: $err"
done
echo 'no tar' >text.cubex
run 2 "$rollcall" import text.cubex -o none
[ ! -e none ] || fail 'a damaged file left a directory'

# A profile and its copy are one; sums are those of the journals.
run 0 "$rollcall" merge -o merged p0 imported
run 0 "$rollcall" export merged --format cubex -o merged.cubex
cmp p0.cubex merged.cubex || fail 'a copy counted twice'
run 0 "$rollcall" compare p0 merged
has 'A and B: 6 call paths and 4 places in both and none else; 53 metrics in both'
run 0 "$rollcall" compare --difference -o less p0 p1
run 0 "$rollcall" compare less --format json
python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
assert all(row["value"] == 0 for row in rows if row["value"] is not None), rows' <<<"$out" || fail 'a profile less itself is something'
run 0 "$rollcall" compare --mean -o mean p0 p1
run 0 "$rollcall" compare p0 mean
run 0 "$rollcall" compare p0 --cut solve --format json
python3 -c '
import json, sys
rows = {(r["metric"], r["path"]): r["value"] for r in json.load(sys.stdin)["rows"]}
assert rows["time", "solve"] == 3e9 and rows["time", "solve;MPI_Allreduce"] == 12e7, rows' <<<"$out" || fail 'not what is in solve'
run 0 "$rollcall" compare p0 --flat --collapse --format json
python3 -c '
import json, sys
rows = {(r["metric"], r["path"]): r["value"] for r in json.load(sys.stdin)["rows"]}
assert rows["time", ""] == 8e9 and rows["time", "walk"] == 16e7, rows' <<<"$out" || fail 'not each region once'

run 0 "$rollcall" profile merged --region solve
has 'solve;MPI_Allreduce'
run 2 "$rollcall" profile merged --launch 0
said "'merged' was made from profiles"
run 2 "$rollcall" profile merged --format csv

# Profiles that do not go together.
mkdir p2
"$sample" p2 2 3 || fail 'no sample'
run 2 "$rollcall" compare --mean -o none p0 p2
said 'profiles of 4 and 6 ranks'
run 2 "$rollcall" compare p0 p2
said 'profiles of 4 and 6 ranks'
run 0 "$rollcall" compare p0 p2 --collapse
[ -n "$out" ] || fail 'nothing is compared'
run 2 "$rollcall" compare p0 --check metrics
said '--check is for campaigns'
run 2 "$rollcall" merge -o none p0 p1 --split 2
said '--split: expected one directory'
run 2 "$rollcall" merge -o none p0 --split 99
said '--split: 99 shares, expected at most'
run 2 "$rollcall" merge -o none p0 --replace
said '--replace is for campaigns'
run 2 "$rollcall" compare p0 --cut nowhere
said "no region is called 'nowhere'"
run 2 "$rollcall" compare --difference -o none p0
said '--difference: 1 profiles, expected two'
[ ! -e none ] || fail 'what failed left a directory'

rm -rf -- *
finish

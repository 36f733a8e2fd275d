#!/usr/bin/env bash
# The command 'import' as a user sees it: CAT's files become a campaign.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
data=$here/data/cat
export OPENBLAS_NUM_THREADS=1

# Bad usage first.
run 2 "$rollcall" import -o c x
says "rollcall import: expected --format FORMAT, see 'rollcall help import'"
run 2 "$rollcall" import --format dog -o c x
run 2 "$rollcall" import --format cat x
says "rollcall import: expected -o DIR: the directory for the campaign"
run 2 "$rollcall" import --format cat -o c
says "rollcall import: expected PATH: files of results, or directories of such files"
run 2 "$rollcall" import --format cat -o c --kind "" x
says "rollcall import: --kind: expected a name of 1 to 200 bytes"
run 2 "$rollcall" import --format cat -o c --kind "$(printf '%0201d' 0)" x
says "rollcall import: --kind: expected a name of 1 to 200 bytes"

# Nothing to import: a line for each reason, and no directory is made.
endings="'.branch', '.vec', '.flops', '.data.reads', '.data.writes', '.icache' or '.instr'"
mkdir empty results
seq 11 >numbers
run 1 "$rollcall" import --format cat -o c nowhere numbers empty
says "rollcall import: left out: nowhere: cannot be read: No such file or directory
rollcall import: left out: numbers: expected a name that ends in $endings
rollcall import: left out: empty: the directory holds no results, expected names that end in $endings
rollcall import: nothing to import: of 0 result files none can be used"
: >results/E.branch
run 1 "$rollcall" import --format cat -o c results
says "rollcall import: left out: results/E.branch: CAT left no reading: the event could not be added or started, or the disk was full, which CAT does not say
rollcall import: nothing to import: of 1 result file none can be used"
long=$(printf '%010000d' 0)
run 1 "$rollcall" import --format cat -o c "$long" "$long.branch"
[ "$(wc -c <"$work/.err")" -lt 3000 ] || fail "a long name makes long lines"
[ ! -e c ] || fail "a directory without anything imported"

# A mistake in a file costs that file: the others are imported, exit 3.
ten=$(printf '1.00\\n%.0s' 1 2 3 4 5 6 7 8 9 10)
printf '%b2.25\n' "$ten" >results/GOOD.branch
printf '%b2.2' "$ten" >results/cut.branch
printf '%b' "$ten" >results/short.branch
printf '%bnan\n' "$ten" >results/nan.branch
printf '%b-1\n' "$ten" >results/negative.branch
printf '%b0.1234567\n' "$ten" >results/digits.branch
printf '%b9999999999999999999\n' "$ten" >results/large.branch
printf '%b1.5\n' "$ten" >results/'..evil" <b>&
'$'\033[2J\xff''.branch'
mkdir results/directory.branch results/below
cp results/GOOD.branch results/below
mkfifo results/pipe.branch
truncate -s 65M results/huge.branch
ln -s nowhere results/link.branch
ln -s GOOD.branch results/same.branch
echo other >results/notes.txt
run 3 "$rollcall" import --format cat -o c results results/GOOD.branch
printf '%s\n' "$err" >said
cat >expected <<'E'
rollcall import: left out: results/E.branch: CAT left no reading: the event could not be added or started, or the disk was full, which CAT does not say
rollcall import: left out: results/GOOD.branch: it was given before
rollcall import: left out: results/cut.branch: line 11: the file ends within a line, it was cut off
rollcall import: left out: results/huge.branch: it is larger than 64 MiB, which no result is
rollcall import: left out: results/large.branch: line 11: '9999999999999999999', expected a number from 0 on of at most 18 digits
rollcall import: left out: results/link.branch: cannot be read: No such file or directory
rollcall import: left out: results/nan.branch: line 11: 'nan', expected a number from 0 on of at most 18 digits
rollcall import: left out: results/negative.branch: line 11: '-1', expected a number from 0 on of at most 18 digits
rollcall import: left out: results/pipe.branch: it is not a regular file
rollcall import: left out: results/short.branch: line 10 is the last, expected 11 numbers: it was cut off
rollcall import: left out: results/digits.branch: a number in it has more digits than can be kept: expected at most 6 decimals and 18 digits
rollcall import: 1 other file in the directories, skipped
E
diff expected said || fail "not what is to be said of bad files"
has "c/campaign.h5: 3 files, 13 events, 1 suite: cat-branch; left out: 11"
run 0 "$rollcall" status c
has "cat-branch"
has "3 of 3 units ok: complete"
h5dump -d /kinds/imported/events/event c/campaign.h5 >names
for name in '"cut\000' '"GOOD\000' '"same\000' '"..evil'; do
    grep -qF "$name" names || fail "no event $name"
done
case $(h5dump -d /kinds/imported/events/reason c/campaign.h5) in
*"CAT left no reading"*"the file ends within a line"*) ;;
*) fail "events without readings do not say why" ;;
esac

# A campaign that is there is left alone, whatever it is.
sum=$(find c -type f -exec cksum {} + | sort)
run 1 "$rollcall" import --format cat -o c results/GOOD.branch
says "rollcall import: 'c' holds a campaign already (journal is there), expected another directory"
[ "$sum" = "$(find c -type f -exec cksum {} + | sort)" ] || fail "a refused import changed files"
run 2 "$rollcall" import --format cat -o said/c results/GOOD.branch
rm -r results

# Readings are CAT's to the last digit, times what stands as iterations.
values() {
    h5dump -d "$2" "$1" | sed -n '/DATA {/,/}/p' | tr -d ' \n' |
        sed 's/([0-9,]*)://g; s/DATA{//; s/}.*//'
}
run 0 "$rollcall" import --format cat --kind vm -o real "$data"/real-7.2/*TASK-CLOCK*
has "7 files, 1 event, 7 suites"
suites=/kinds/vm/suites
[ "$(values real/campaign.h5 $suites/cat-branch/values)" = \
    "$(sed 's/\.//; s/^0*\(.\)/\1/' "$data/real-7.2/perf::TASK-CLOCK.branch" | paste -sd,)" ] ||
    fail "not the values of the file"
[ "$(values real/campaign.h5 $suites/cat-branch/iterations)" = \
    "100,100,100,100,100,100,100,100,100,100,100" ] || fail "not a hundred iterations"
[ "$(values real/campaign.h5 $suites/cat-vec/values)" = \
    "$(sed '/#/d; s/.* //' "$data/real-7.2/perf::TASK-CLOCK.vec" | paste -sd,)" ] ||
    fail "not the counts of the file"
run 0 "$rollcall" status real
has "complete"

# Two runs of CAT are two repetitions.
cp -r "$data/constructed" second
run 0 "$rollcall" import --format cat -o twice "$data/constructed" second
run 3 "$rollcall" status twice
has "cat-vec             16   8        0       0        8       8       1         2"
run 3 "$rollcall" solve twice
lacks "nothing is known of noise"
has "8 exact"
rm -r second

# Imported campaigns are merged like any other: what CAT measured at different times.
mkdir branches vectors
cp "$data"/constructed/*.branch branches
cp "$data"/constructed/*.vec vectors
run 0 "$rollcall" import --format cat -o left branches
run 0 "$rollcall" import --format cat -o right vectors
run 3 "$rollcall" merge -o both left right
run 3 "$rollcall" status both
has "cat-branch     12   4        0       0        8       4       1         1"
has "cat-vec        12   8        0       0        4       8       1         1"
run 0 "$rollcall" import --format cat -o again branches
run 0 "$rollcall" merge -o all left again
has "4 events: 4 exact"
lacks "nothing is known of noise"
run 0 "$rollcall" report all
rm -r branches vectors left right both again all

# A disk that refuses is said, and nothing is left.
run 1 bash -c 'ulimit -f 8; exec "$@"' sh "$rollcall" import --format cat -o small "$data/constructed"
[ ! -e small ] || fail "a refused write leaves $(ls -RA small)"

# Other points than those of most files are not mixed with these.
mkdir mixed
cp "$data"/constructed/*.data.reads mixed
cp "$data/real-7.0/perf::PAGE-FAULTS.data.reads" mixed
run 3 "$rollcall" import --format cat -o mix mixed
says "rollcall import: left out: mixed/perf::PAGE-FAULTS.data.reads: its 240 points are not those of most files of cat-dcache-read, such as the 72 of L2_RQSTS:DEMAND_DATA_RD_HIT.data.reads: expected another directory for it"
rm -r mixed mix

# Files of PAPI 7.0 say nothing of what their numbers are of, but those of branches.
run 3 "$rollcall" import --format cat -o mix "$data"/real-7.0/*TASK-CLOCK*
has "1 file, 1 event, 1 suite: cat-branch; left out: 2"
for file in flops vec; do
    said "left out: $data/real-7.0/perf::TASK-CLOCK.$file: line 1: no comment before it says what its numbers mean"
done

# Known results come out of such counts (these were constructed).
run 0 "$rollcall" import --format cat --kind made-up -o one "$data/constructed"
run 3 "$rollcall" solve one
has "note: only one repetition: noise is not known and is given as 0"
has "cat-branch: 7 of 8 metrics defined"
has "cat-vec: 4 of 6 metrics defined"
has "cat-dcache-read: 7 of 7 metrics defined"
run 3 "$rollcall" export one --format csv
for line in 'made-up,cat-branch,unconditional,defined,' 'made-up,cat-vec,DP operations,defined,' \
    'made-up,cat-dcache-read,L3 hits,defined,'; do
    has "$line"
done
run 3 "$rollcall" export one --format papi --pmu spr --kind made-up
has "PRESET,PAPI_DP_OPS"

rm -r c real twice mix one empty numbers said expected names
finish

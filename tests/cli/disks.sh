#!/usr/bin/env bash
# Full and read-only disks, directories and files that vanish, journals that are
# damaged or of others: one clear line, the right exit status, nothing lost that was
# whole, and going on completes the campaign where that can be.
# shellcheck disable=SC2154,SC2317,SC2016  # functions that others call by name; code in quotes
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
chmod 755 "$work"
node=$(cd "$work" && mkdir probe && "$rollcall" run -o probe --source model:spr --suite branch \
    --repeat 2:2 >/dev/null 2>&1 && basename probe/journal/*.rcj)
rm -r probe
journal=d/journal/$node
settings=(--source model:spr --suite "flops,branch" --repeat "2:8")

run 0 "$rollcall" run -o whole "${settings[@]}"
read -r _ all <<<"$(count_units whole)"

# said TEXT: a line of the standard error has it.
said() {
    case $err in
    *"$1"*) ;;
    *) fail "$what: said '$err', expected '$1'" ;;
    esac
}

# copy WHAT: d is the whole campaign again, to be damaged.
copy() {
    what=$1
    rm -rf d
    cp -r whole d
}

go_on() {
    run "$1" "$rollcall" run -o d
    said "$2"
}

# completes KEPT: after 'go_on 0', d is as if nothing had happened.
completes() {
    same whole d || fail "$what: another campaign.h5"
    [ "$(units d | uniq | wc -l)" -eq "$all" ] || fail "$what: not all units"
    echo "$what: $1 of $all units were whole, the others measured again, equal"
}

copy "20 flipped bytes"
python3 - "$journal" <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
for i in range(20):
    data[len(data) * (i + 22) // 44] ^= 0x40
open(sys.argv[1], "wb").write(data)
PY
kept=$(units d | wc -l)
[[ $kept -ge $((all - 20)) && $kept -lt $all ]] || fail "$what: $kept units left"
units d >before
go_on 0 "in 20 places"
completes "$kept"
[ "$(units d | comm -12 - before | wc -l)" -eq "$kept" ] || fail "$what: lost whole units"

copy "cut in half"
truncate -s $(($(stat -c %s "$journal") / 2)) "$journal"
kept=$(units d | wc -l)
go_on 0 "1 place"
completes "$kept"
[ "$(count_units d)" = "$all $all" ] || fail "$what: whole units were measured again"

copy "the header flipped"
printf '\377' | dd of="$journal" bs=1 seek=20 conv=notrunc status=none
go_on 0 "(the header among them)"
completes "$all"

copy "the campaign's record flipped"
offset=$(grep -abo 'name: campaign' "$journal" | head -1 | cut -d: -f1)
printf '\377' | dd of="$journal" bs=1 seek="$offset" conv=notrunc status=none
go_on 0 "1 place"
completes "$all"

copy "no campaign.yaml and its record flipped"
printf '\377' | dd of="$journal" bs=1 seek="$offset" conv=notrunc status=none
rm d/campaign.yaml
go_on 1 "the journal in 'd' has lost the campaign file, and there is no campaign.yaml"

# The journal is gone: the results are not replaced by those of a campaign of defaults.
copy "no journal"
rm -r d/journal
go_on 1 "'d' has a campaign.h5, but the journal it was made from is not there"
cmp whole/campaign.h5 d/campaign.h5 || fail "$what: results were changed"
cmp whole/campaign.yaml d/campaign.yaml || fail "$what: campaign.yaml was changed"
rm d/campaign.h5
go_on 0 "measured $all of $all units"
completes 0

# An emptied one: they are kept under another name, and everything is measured again.
copy "an empty journal"
: >"$journal"
run 1 "$rollcall" pack d
said "no journal names a kind of machine yet"
cmp whole/campaign.h5 d/campaign.h5 || fail "$what: results were changed by pack"
go_on 0 "it is kept as 'd/campaign.h5.1', and everything is measured again"
cmp whole/campaign.h5 d/campaign.h5.1 || fail "$what: results were changed"
cmp whole/campaign.yaml d/campaign.yaml || fail "$what: campaign.yaml was changed"
completes 0
run 0 "$rollcall" pack d

# lose WHAT COMMAND: it is done to the journal in mid-run.  The exit status says what
# campaign.h5 holds, and the next run measures what is missing.
slow_machine spr.yaml 1ms || fail "no event of the machine takes time"
lose() {
    local ok
    what="a journal $1 in mid-run"
    rm -rf d
    start "$rollcall" run -o d --source model:./spr.yaml --suite "flops,branch" --repeat 2:2
    await 300 holds d 20 || fail "$what: no units"
    kill -STOP "$job"
    eval "$2"
    kill -CONT "$job"
    reap
    ok=$("$rollcall" status d 2>/dev/null | sed -n 's/^\([0-9]*\) of [0-9]* units ok.*/\1/p')
    [ "$ended $((${ok:-0} > 0))" = "3 1" ] || fail "$what: ended with $ended, holds $ok: $(tail -n 3 .job.err)"
    grep -q "campaign.h5 holds $ok of $all units: some of what was written to the journals is gone" .job.err ||
        fail "$what: said $(tail -n 3 .job.err)"
    run 3 "$rollcall" pack d
    go_on 0 "measured $((all - ok)) of $((all - ok)) units"
    same slow d || fail "$what: another campaign.h5"
    echo "$what: $ok of $all units were whole, the others measured again, equal"
}
run 0 "$rollcall" run -o slow --source model:./spr.yaml --suite "flops,branch" --repeat 2:2
read -r _ all <<<"$(count_units slow)"
lose emptied ': >"$journal"'
lose cut 'truncate -s 1000 "$journal"'
lose zeroed 'dd if=/dev/zero of="$journal" bs=1 seek=500 count=$(($(stat -c %s "$journal") - 600)) conv=notrunc status=none'
rm -rf slow .job.out .job.err
read -r _ all <<<"$(count_units whole)"

copy "another campaign's journal"
run 0 "$rollcall" run -o other "${settings[@]}"
cp "other/journal/$node" d/journal/other.rcj
go_on 1 "'d/journal/other.rcj' and '$journal' belong to different campaigns"
rm d/journal/other.rcj
go_on 0 ""
completes "$all"
rm -r other

copy "no journal at all"
head -c 100000 /dev/urandom >"$journal"
go_on 2 "$journal: offset 0: not a journal, expected its header or a record"

for sort in directory fifo; do
    copy "a $sort in place of a journal"
    if [ $sort = fifo ]; then mkfifo d/journal/x.rcj; else mkdir d/journal/x.rcj; fi
    go_on 2 "'d/journal/x.rcj' is a ${sort/fifo/pipe}, expected a file"
    cmp "whole/journal/$node" "$journal" || fail "$what: the journal was changed"
done

copy "campaign.yaml with another seed"
sed -i 's/^seed: 1/seed: 3/' d/campaign.yaml
go_on 1 "begun with other settings: seed: 1; now 3; use a new directory"
copy "campaign.yaml with another suite"
sed -i 's/^- branch/- dcache/' d/campaign.yaml
go_on 1 "suites: flops, branch; now flops, dcache; --extend measures what the new ones add"
copy "campaign.yaml that is none"
echo 'x: [' >>d/campaign.yaml
go_on 2 "d/campaign.yaml:"
copy "a directory for campaign.yaml"
rm d/campaign.yaml
mkdir d/campaign.yaml
go_on 2 "'d/campaign.yaml' is a directory, expected a file"
copy "no campaign.yaml"
rm d/campaign.yaml
go_on 0 ""
cmp whole/campaign.yaml d/campaign.yaml || fail "$what: it is not written again"
completes "$all"

copy "a directory for campaign.h5"
rm d/campaign.h5
mkdir d/campaign.h5
go_on 1 ".new' to 'd/campaign.h5': Is a directory"
rmdir d/campaign.h5
go_on 0 ""
completes "$all"
! compgen -G 'd/*.new' || fail "$what: a file that is not whole is left"
copy "a directory for log.txt"
rm d/log.txt
mkdir d/log.txt
go_on 0 "'d/log.txt' is a directory, expected a file; the run continues without it"

# While it runs: a second one, and the directory goes away.
slow_machine spr.yaml 1ms || fail "no event of the machine takes time"
slow=("$rollcall" run -o d --source model:./spr.yaml --suite flops --repeat 2:2)
what="two runs at once"
rm -rf d
catch 2 30 d "${slow[@]}"
go_on 1 "another rollcall is working in 'd': process"
ln -s d alias
run 1 "$rollcall" run -o alias
said "another rollcall is working in 'alias': process"
rm alias
what="the directory removed half-way"
rm -r d
release
reap
[ "$ended" -eq 1 ] || fail "$what: ended with $ended, expected 1"
grep -q "$journal: the journal was removed while it was being written" .job.err ||
    fail "$what: said $(cat .job.err)"
rm -f spr.yaml before .job.out .job.err

# Disks, which only root may make, and other users, which only root can be.
full_disk() {
    what="a disk of $1, full"
    mkdir disk
    mount -t tmpfs -o "size=$1" none disk || return 1
    run 1 "$rollcall" run -o disk/d "${settings[@]}"
    said "$2"
    kept=$(units disk/d | wc -l)
    run 1 "$rollcall" run -o disk/d
    [ "$(units disk/d | wc -l)" -eq "$kept" ] || fail "$what: lost whole units"
    [ ! -e disk/d/campaign.h5 ] || fail "$what: a campaign.h5 that cannot be whole"
    mount -o remount,size=20m disk
    run 0 "$rollcall" run -o disk/d
    rm -rf d
    cp -r disk/d d
    completes "$kept"
    [ "$(count_units d)" = "$all $all" ] || fail "$what: whole units were measured again"
    umount disk
    rmdir disk
}
# A campaign that is complete needs no room for a second campaign.h5.
complete_on_a_full_disk() {
    what="a complete campaign on a full disk"
    mkdir disk
    mount -t tmpfs -o size=20m none disk || return 1
    cp -r whole disk/d
    rm -f disk/d/metrics.h5
    mount -o remount,size="$(($(du -sk disk | cut -f1) + 64))k" disk
    run 0 "$rollcall" run -o disk/d --no-solve
    cmp whole/campaign.h5 disk/d/campaign.h5 || fail "$what: campaign.h5 was made again"
    umount disk
    rmdir disk
}
read_only_disk() {
    what="a read-only disk"
    mkdir disk
    mount --bind whole disk && mount -o remount,ro,bind disk || return 1
    run 1 "$rollcall" run -o disk
    said "cannot write in directory 'disk': Read-only file system"
    umount disk
    rmdir disk
}
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
other_user() {
    what="a directory of another user"
    run 1 as_nobody "$rollcall" run -o "$work/whole"
    said "cannot write in directory '$work/whole': Permission denied"
    run 1 as_nobody "$rollcall" run -o "$work/new/d" "${settings[@]}"
    said "cannot make directory '$work/new': Permission denied"
    what="a journal of another user"
    rm -rf d
    cp -r whole d
    chown -R 65534 d
    chown 0 "$journal"
    chmod 600 "$journal"
    run 1 as_nobody "$rollcall" run -o "$work/d"
    said "cannot open '$work/$journal': Permission denied"
}
if [ "$(id -u)" -ne 0 ]; then
    echo "not shown, for want of root: full disks, a read-only disk, files of other users"
elif ! unshare -m true 2>/dev/null; then
    echo "not shown, since nothing can be mounted: full disks, a read-only disk"
    other_user
else
    full_disk 300k "no space is left on the device"
    full_disk 800k "campaign.h5"
    complete_on_a_full_disk
    read_only_disk
    other_user
fi
rm -rf d whole
finish

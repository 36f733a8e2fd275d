#!/usr/bin/env bash
# A campaign dealt out before it is measured: all shares or none appear; each is
# measured at any time, by any number of ranks, killed and gone on with; together they
# are the campaign that was never dealt out.  All readings are simulated.
# shellcheck disable=SC2154,SC2317  # functions that others call by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"

nothing_new() {
    local entry
    for entry in new .new.shares; do
        [ ! -e "$entry" ] || fail "$1: $entry is there"
    done
}
campaign=(--source model:spr --suite "flops,branch,dcache" --repeat 2:3)
run 0 "$rollcall" run -o whole "${campaign[@]}" --no-solve
read -r _ all <<<"$(count_units whole)"
[ "$all" -gt 100 ] || fail "the campaign has $all units"

# Wrong numbers and places: one line, and nothing appears.
mkdir full
touch full/something file
while IFS='|' read -r status dir shares options line; do
    eval "set -- $options"
    run "$status" "$rollcall" run -o "$dir" --shares "$shares" "${campaign[@]}" "$@"
    said "$line"
    nothing_new "--shares $shares -o '$dir' $options"
done <<END
2|new|0||--shares: '0', expected a whole number from 1 to 10000
2|new|-1||--shares: '-1', expected a whole number from 1 to 10000
2|new|8x||--shares: '8x', expected a whole number from 1 to 10000
2|new| 8||--shares: ' 8', expected a whole number from 1 to 10000
2|new|1.5||--shares: '1.5', expected a whole number from 1 to 10000
2|new|1e2||--shares: '1e2', expected a whole number from 1 to 10000
2|new|||--shares: '', expected a whole number from 1 to 10000
2|new|10001||--shares: '10001', expected a whole number from 1 to 10000
2|new|99999999999999999999999||--shares: '99999999999999999999999', expected a whole
2|new|$((all + 1))||--shares $((all + 1)): the campaign has $all units, expected 1 to $all shares
2|new|4|--replicate node|--shares with --replicate node: which nodes and cores measure a share is not known when units are dealt out, expected --replicate none
2|new|4|--replicate core|--shares with --replicate core: which nodes and cores
2|new|4|--extend|--shares begins a campaign, and --extend continues one: expected one of them
1|new|4|--events 'no such event'|no event on kind model-spr
2|.|4||--shares: '.' cannot be put in place as a whole, expected the name of a directory
2|..|4||--shares: '..' cannot be put in place as a whole
2|/|4||--shares: '/' cannot be put in place as a whole
2||4||expected -o DIR: a new directory, or that of a campaign to resume
1|full|4||'full' is there and not empty, and does not hold the 4 shares of this campaign (full/0: no campaign is here
1|whole|4||'whole' is there and not empty, and does not hold the 4 shares
1|file|4||cannot list the directory 'file': Not a directory
1|file/new|4||cannot list the directory 'file/new': Not a directory
END
[ "$(ls -A full)" = something ] || fail "full holds $(ls -A full)"
rm -r full file

# A directory that is there and empty is taken; so is what a kill left beside it.
mkdir shares
mkdir -p .shares.shares/{journal,0,12}
touch .shares.shares/{journal/vm.rcj,0/x,log.txt}
echo 'suites: [nosuch]' >.shares.shares/campaign.yaml
run 0 "$rollcall" run -o shares/ --shares 4 "${campaign[@]}"
[ "$(grep -c '^shares/[0-3]: [0-9]* units$' <<<"$out")" -eq 4 ] || fail "says $out"
[ "$(awk '{ n += $2 } END { print n }' <<<"$out")" = "$all" ] || fail "not all $all units are dealt: $out"
[ "$(find . -mindepth 1 -maxdepth 1 -name '.s*' | wc -l)" -eq 0 ] || fail "left beside: $(ls -A)"
[ "$(cd shares && echo ./* .[!.]*)" = "./0 ./1 ./2 ./3 ./log.txt .[!.]*" ] || fail "shares holds $(ls -A shares)"

# Each unit is in one share, and status counts the share only.
units_of() {
    "$rollcall" status "shares/$1" --format json | python3 -c "
import json, sys
s = json.load(sys.stdin)
assert (s['share']['number'], s['share']['of'], s['share']['campaign_units']) == ($1, 4, $all), s['share']
assert sum(r['units'] for r in s['suites']) == s['share']['units']
assert s['complete'] == $2
print(s['share']['units'])"
}
sum=0
for i in 0 1 2 3; do
    run 3 "$rollcall" status shares/$i
    has "share $i of 4 (counted from 0): "
    has " of the campaign's $all units"
    sum=$((sum + $(units_of $i False)))
done
[ "$sum" -eq "$all" ] || fail "shares have $sum units, the campaign $all"
run 0 "$rollcall" status whole --format json
has '"share": null'

# The job that deals out may run again, with the same words or none; not with others.
cp -r shares before
for words in "${campaign[*]}" ""; do
    # shellcheck disable=SC2086  # words
    run 0 "$rollcall" run -o shares --shares 4 $words
    says "'shares' holds the 4 shares of this campaign already: nothing to do"
done
run 1 "$rollcall" run -o shares --shares 3
says "rollcall run: 'shares' is there and not empty, and does not hold the 3 shares of this campaign ('shares/0' is not share 0 of 3): expected another directory"
run 1 "$rollcall" run -o shares --shares 4 --suite flops
said "(suites: flops, branch, dcache; now flops): expected another directory"
mv shares/2 two
run 1 "$rollcall" run -o shares --shares 4 "${campaign[@]}"
said "(shares/2: no campaign is here"
mv two shares/2
run 1 "$rollcall" run -o shares/2 --shares 4 "${campaign[@]}"
said "'shares/2' is there and not empty"
diff -r before shares >.diff || fail "the second draft changed something: $(head -3 .diff)"
rm -r before .diff

# Elements in any order, at once, on one rank and on three.
elements=()
for i in 3 0 2; do
    n=1
    [ $i -ne 2 ] || n=3
    ranks $n "$rollcall" run -o shares/$i >.run$i 2>&1 &
    elements+=($!)
done
for element in "${elements[@]}"; do
    wait "$element" || fail "an element ended with $?"
done
for i in 3 0 2; do
    grep -q "share $i of 4 .*it is not solved: 'rollcall merge'" .run$i || fail "run of share $i says $(cat .run$i)"
    grep -q "^$(units_of $i True) of $(units_of $i True) units (100 %)" .run$i || fail "progress of share $i: $(cat .run$i)"
    [ ! -e shares/$i/metrics.h5 ] || fail "share $i is solved"
    run 0 "$rollcall" status shares/$i
    has "complete, as a share"
    rm .run$i
done

# Three of four: the campaign lacks the fourth's units, and resumes with just those.
run 3 "$rollcall" merge --no-solve -o part shares/3 shares/0 shares/2
run 3 "$rollcall" status part
lacks "counted from 0"
has "$((all - $(units_of 1 False))) of $all units ok: incomplete"
run 0 "$rollcall" run -o part --no-solve
said "0 of $(units_of 1 False) units"
same whole part || fail "three shares and the rest"
run 0 ranks 3 "$rollcall" run -o shares/1
run 0 "$rollcall" merge --no-solve -o all shares/1 shares/0 shares/3 shares/2
same whole all || fail "four shares"
run 0 "$rollcall" status all
lacks "counted from 0"
has "$all of $all units ok: complete"
[ "$(count_units all)" = "$all $all" ] || fail "records and units $(count_units all)"
run 0 "$rollcall" run -o all --no-solve
[[ $err != *"share"* ]] || fail "the campaign of all shares says $err"
rm -r part all

# A share is not a campaign to other commands.
run 1 "$rollcall" merge --split 2 -o new shares/1
says "rollcall merge: shares/1: share 1 of 4 (counted from 0): $(units_of 1 True) of the campaign's $all units; expected a whole campaign: merge the shares first"
nothing_new "merge --split"
run 3 "$rollcall" solve shares/1
said "incomplete: "
run 3 "$rollcall" report shares/1
grep -q "share 1 of 4 (counted from 0)" shares/1/report.html || fail "the page does not say that it is of a share"
run 3 "$rollcall" report --text shares/1
has "share 1 of 4"
run 0 "$rollcall" pack shares/1
said "share 1 of 4 (counted from 0)"
run 3 "$rollcall" export --format json shares/1
said "the campaign is not complete: events that can be counted have too few valid readings"
run 2 "$rollcall" compare shares/1 shares/2
said "'shares/2/metrics.h5' is not there"
run 3 "$rollcall" merge --no-solve -o one shares/1
has "of $all units $(units_of 1 True) are ok"
rm -r one
run 2 "$rollcall" merge -o one whole
says "rollcall merge: expected two or more directories of campaigns"
for words in "--suite flops" "--suite flops --extend" "--repeat 9:9"; do
    # shellcheck disable=SC2086  # words
    run 1 "$rollcall" run -o shares/1 $words
    said "; a share is measured as it was dealt out"
done
rm -r shares

# Under three ranks; a share that is killed by -9 goes on, and half of one is worth it.
slow_machine spr.yaml 300us || fail "no event of the machine takes time"
slow=(--source model:./spr.yaml --suite flops --repeat 2:3)
run 0 "$rollcall" run -o slow "${slow[@]}" --no-solve
run 0 ranks 3 "$rollcall" run -o shares --shares 3 "${slow[@]}"
[ "$(grep -c '^shares/[0-2]: ' <<<"$out")" -eq 3 ] || fail "three ranks say $out"
cp -r shares/1 dealt
afresh() {
    rm -r shares/1
    cp -r dealt shares/1
}
catch 3 12 shares/1 "$rollcall" run -o shares/1
kill -KILL "$job"
reap || fail "a killed run does not end"
cp -r shares/1 half
run 0 "$rollcall" run -o shares/0
run 0 ranks 2 "$rollcall" run -o shares/2
run 3 "$rollcall" merge --no-solve -o most shares/0 half shares/2
[ "$(count_units most)" != "$(count_units slow)" ] || fail "all was measured, nothing was killed"
run 0 "$rollcall" run -o most --no-solve
same slow most || fail "half a share, and the rest"
run 3 "$rollcall" status half
has "incomplete; the rest takes "
run 0 ranks 3 "$rollcall" run -o shares/1
said "resuming the campaign that is there"
run 0 "$rollcall" merge --no-solve -o all shares/0 shares/1 shares/2
same slow all || fail "a share that was killed"
read -r records kept <<<"$(count_units shares/1)"
[ "$records" = "$kept" ] || fail "units of the killed share were measured twice: $records of $kept"
rm -r shares half most all slow dealt

# Two kinds in one job: those of each are dealt out, and measured where it is.
mkdir a b c
rm spr.yaml
for kind in "a 3us" "b 2us" "c 1us"; do
    slow_machine "${kind% *}/m.yaml" "${kind#* }" || fail "no event of the machine takes time"
done
both() {
    mpirun \
        -n 1 env SLURMD_NODENAME=n1 sh -c 'cd a && exec "$@"' x "$@" : \
        -n 1 env SLURMD_NODENAME=n2 sh -c 'cd b && exec "$@"' x "$@"
}
on() {
    (cd "$1" && exec "${@:2}")
}
kinds=(--source "model:./m.yaml" --suite branch --repeat 2:2)
run 0 both "$rollcall" run -o "$work/whole2" "${kinds[@]}" --no-solve
run 0 both "$rollcall" run -o "$work/shares" --shares 2 "${kinds[@]}"
run 1 on c "$rollcall" run -o ../shares/0
said "this machine belongs to another kind"
said "; this share was dealt out without it: deal it out again with a node of this kind in the job, or merge the shares and --extend the whole"
run 1 on c "$rollcall" run -o ../shares/0 --extend
said "; this share was dealt out without it"
for i in 0 1; do
    "$rollcall" status shares/$i --format json | python3 -c '
import json, sys
rows = json.load(sys.stdin)["suites"]
assert len(rows) == 2 and len(set(r["kind"] for r in rows)) == 2, rows
assert all(r["units"] > 10 for r in rows), rows' || fail "two kinds are not dealt out evenly"
done
run 0 both "$rollcall" run -o "$work/shares/0"
run 0 on b "$rollcall" run -o ../shares/1
run 3 "$rollcall" status shares/1
run 0 on a "$rollcall" run -o ../shares/1
run 0 "$rollcall" status shares/1
run 0 "$rollcall" merge --no-solve -o all2 shares/0 shares/1
same whole2 all2 || fail "two kinds"
rm -r a b c shares all2 whole2 whole .job.out .job.err
finish

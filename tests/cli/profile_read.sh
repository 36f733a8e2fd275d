#!/usr/bin/env bash
# profile_read.sh ROLLCALL - what profile, pack and export say of journals of a profile
# that were made up (profile_sample.c), damaged, hostile, or that are none.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/cli_lib.sh
. "$tests/cli_lib.sh"
sample=$(dirname "$rollcall")/../tests/profile_sample

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
run 2 "$rollcall" export p --format speedscope
said "'speedscope', expected one of: json"
run 2 "$rollcall" export p --format folded --limit 5
said '--limit is for --format chrome'
run 2 "$rollcall" export p --format chrome --limit 0
said "--limit '0': expected a number from 1 to 1e9"
run 2 "$rollcall" export p --format chrome --suite flops
said '--suite is not for --format chrome'
run 2 "$rollcall" export p --format csv --launch 0
said '--limit and --launch are for formats of a profile'

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

# Exports, whole and within a limit; a profile.h5.
run 0 "$rollcall" export p --format chrome -o all.json
python3 "$tests/profile_check.py" all.json >/dev/null || fail 'no trace events'
run 0 "$rollcall" export p --format chrome --limit 50 -o few.json
said 'left out: '
python3 "$tests/profile_check.py" few.json 50 >/dev/null || fail 'no few trace events'
run 0 "$rollcall" export p --format folded
[ "$(awk '{s += $NF} END {print s}' <<<"$out")" = 8000000 ] || fail "not 8 s in all: $out"
run 0 "$rollcall" pack p
[ -s p/profile.h5 ] || fail 'no profile.h5'
[ -z "$(find p -name '*.new')" ] || fail 'pack left something behind'
run 0 "$rollcall" export p --format folded -o /dev/null
run 1 "$rollcall" export p --format chrome -o /dev/full
said '/dev/full'

# Names that want to be more, and damage.
mkdir h
"$sample" h 1 2 3 hostile || fail 'no hostile sample'
run 0 "$rollcall" profile h
[[ $out != *$'\x1b'* ]] || fail 'the terminal got an escape'
run 0 "$rollcall" export h --format chrome -o h.json
python3 "$tests/profile_check.py" h.json >/dev/null || fail 'no trace events of hostile names'
run 0 "$rollcall" pack h
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

#!/usr/bin/env bash
# A directory that holds a performance model: its status, its exports, and commands that are for campaigns.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
here=$(cd "$(dirname "$0")/.." && pwd)

# Bad usage first.
mkdir m d
run 2 "$rollcall" export d --format extrap
says "rollcall export: --format extrap is for a model, which 'rollcall model -o DIR' makes"
seq 1000 >m/model.h5
run 2 "$rollcall" status m
says "rollcall status: 'm/model.h5' is not an HDF5 file, expected a rollcall model"
run 2 "$rollcall" export m --format extrap
says "rollcall export: 'm/model.h5' is not an HDF5 file, expected a rollcall model"
"$build/tests/model_sample" m/model.h5 || fail "no sample"
for command in 'show m time' 'report m' 'solve m' 'compare m m'; do
    # shellcheck disable=SC2086  # words of a command
    run 2 "$rollcall" $command
    says "rollcall ${command%% *}: 'm' holds a performance model, not a campaign: 'rollcall model DIR' shows it, \
'rollcall export DIR' writes it for other tools"
done
[ "$(ls m)" = model.h5 ] || fail "commands for campaigns left $(ls m)"
run 2 "$rollcall" export m --format papi
says "rollcall export: --format papi is not for a model, which 'm' holds"
run 2 "$rollcall" export m --format csv --table metrics
says "rollcall export: --table metrics is not for --format csv of a model"
run 2 "$rollcall" export m --format extrap --table laws
says "rollcall export: --table laws is not for --format extrap of a model"
run 2 "$rollcall" export m --format json --kind k
says "rollcall export: --kind is not for --format json of a model"

# One bit that changed is told.
cp -r m bad
printf '\377' | dd of=bad/model.h5 bs=1 seek=5000 conv=notrunc status=none
run 1 "$rollcall" export bad --format json
says "rollcall export: 'bad/model.h5' is damaged: its checksum is not that of what it holds; 'rollcall model -o DIR' \
makes it again"

# The kind of directory.
run 0 "$rollcall" status m
has "m/model.h5: a performance model of 3 series (kernels 2, metrics 2), measured at 4 points of p, n; SIMULATED: \
some of the numbers are"
has "'rollcall model DIR' shows it"
run 0 "$rollcall" status m --format csv
has 'm/model.h5,3,2,2,4,"p, n",CSV,rollcall,yes'
run 0 "$rollcall" status m --format json
has '"model": "m/model.h5"'

# Exports: to a file, which a failure leaves, and to the standard output.
echo precious >kept
run 2 "$rollcall" export m --format papi -o kept
[ "$(cat kept)" = precious ] || fail "a failed export changed its file"
run 0 "$rollcall" export m --format extrap -o m.txt
says "rollcall export: left out: 'bytes' of 'main;exchange': it was not measured at all points; --format \
extrap-jsonl has it"
grep -q '^REGION main->solve$' m.txt || fail "no region in $(cat m.txt)"
run 0 "$rollcall" export m --format extrap-jsonl -o m.jsonl
says ""
[ "$(wc -l <m.jsonl)" = 19 ] || fail "readings: $(cat m.jsonl)"
run 0 "$rollcall" model -o again --import m.jsonl
run 0 "$rollcall" export again --format extrap-jsonl
[ "$(sort <<<"$out")" = "$(sort m.jsonl)" ] || fail "m.jsonl became $out"
run 0 "$rollcall" model -o again --import m.txt
run 0 "$rollcall" export again --format extrap
[ "$(grep -v '^#' <<<"$out")" = "$(grep -v '^#' m.txt)" ] || fail "m.txt became $out"
grep -q '^# SIMULATED' m.txt || fail "no label in $(cat m.txt)"
run 0 "$rollcall" export m --format csv-raw --table points
[ "$(wc -l <<<"$out")" = 13 ] || fail "points: $out"
cd m || exit 1
run 0 "$rollcall" export --format csv # the directory that one is in
has 'power_p,logs_p'
cd ..
run 0 "$rollcall" export m --format json -o m.json
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c "import jsonschema" 2>"$work/.err" || continue
    run 0 "$candidate" -c '
import json, sys, jsonschema
schema, data = (json.load(open(f)) for f in sys.argv[1:])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.Draft202012Validator(schema).validate(data)
assert len(data["laws"]) == 7 and len(data["points"]) == 12' "$here/../docs/model.schema.json" m.json
    break
done
rm -r again bad d kept m m.json m.jsonl m.txt
finish

#!/usr/bin/env bash
# The command 'export' as a user sees it.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$(dirname "$rollcall")/.." && pwd)
kind="made-up cpu, model 1/2"
# Some of the sample's events that can be counted have no readings.
incomplete="rollcall export: the campaign is not complete: events that can be counted have too few valid readings"

# Bad usage first.
run 2 "$rollcall" export
says "rollcall export: expected DIR, the directory of a campaign"
run 2 "$rollcall" export d
says "rollcall export: expected --format, see 'rollcall help export'"
run 2 "$rollcall" export d --format xml
run 1 "$rollcall" export d --format json
says "rollcall export: 'd' is not there, expected the directory of a campaign"
mkdir d
run 1 "$rollcall" export d --format json
says "rollcall export: 'd/metrics.h5' is not there, 'rollcall solve DIR' makes it from a campaign"
seq 1000 >d/metrics.h5
run 2 "$rollcall" export d --format json
says "rollcall export: 'd/metrics.h5' is not an HDF5 file, expected rollcall's metrics"

"$build/tests/metrics_sample" d/metrics.h5 || fail "no sample"
run 2 "$rollcall" export d --format papi
says "rollcall export: the format holds one kind, expected --kind with one of '$kind', 'other', 'without events'"
run 1 "$rollcall" export d --format json --kind none
says "rollcall export: kind 'none' is not there, expected one of '$kind', 'other', 'without events'"
run 1 "$rollcall" export d --format csv --suite flops/a,nothing
says "rollcall export: suite 'nothing' is not there, expected one of: flops/a, empty"
run 1 "$rollcall" export d --format csv --suite flops/a --kind other
says "rollcall export: suite 'flops/a' is not there, expected one of: empty"
run 2 "$rollcall" export d --format csv --suite flops/a,
says "rollcall export: --suite: expected names, found 'flops/a,'"
run 2 "$rollcall" export d --format json --table events
says "rollcall export: --table is for --format csv"
run 2 "$rollcall" export d --format json --pmu skx
says "rollcall export: --pmu is for --format papi, perf, perf-stat and likwid"
run 3 "$rollcall" export d --format papi --kind other
says "rollcall export: nothing to export: there are no metrics"
run 2 "$rollcall" export d --format papi --kind other --pmu a,b
says "rollcall export: 'a,b' is not the name of a PMU, expected one such as 'skx'"
run 1 "$rollcall" export d --format json -o nowhere/x.json
[ ! -e nowhere ] || fail "made 'nowhere'"

# A failed export leaves an existing file as it is, and nothing beside it.
echo precious >kept
run 2 "$rollcall" export d --format papi -o kept
[ "$(cat kept)" = precious ] || fail "a failed export changed its file"
run 3 "$rollcall" export d --format csv -o kept
has ""
says "$incomplete"
head -n 1 kept | grep -q '^kind,suite,metric,verdict,' || fail "no CSV in 'kept'"

# PAPI: each form of a definition, and what cannot be said.
run 3 "$rollcall" export d --format papi --kind "$kind" --pmu skx
has "# SIMULATED: "
has "
CPU,skx
"
has "
PRESET,PAPI_DP_OPS,DERIVED_POSTFIX,N0|N1|2|*|+|N2|4|*|+|N3|8|*|+|,FP_ARITH_INST_RETIRED:SCALAR_DOUBLE,"
has "
EVENT,RC_DP_OPERATIONS,DERIVED_POSTFIX,N0|"
has "
EVENT,RC_SINGLE,NOT_DERIVED,perf::INSTRUCTIONS:u=0:k=1,"
has "
EVENT,RC_SUM_OF_TWO,DERIVED_ADD,"
has "
EVENT,RC_DIFFERENCE,DERIVED_SUB,FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE,FP_ARITH_INST_RETIRED:128B_"
has "
EVENT,RC_WEIGHTED_DIFFERENCE,DERIVED_POSTFIX,N0|3|*|N1|+|N2|2|*|-|,"
has "
EVENT,RC_NEGATIVE,DERIVED_POSTFIX,0|N0|-|,"
has "
EVENT,RC_HALF,DERIVED_POSTFIX,N0|2|/|,"
has "
# left out: flops/a: not to be rounded: a coefficient is not a fraction of small whole numbers, and the rounded ones do not hold"
has "
# left out: flops/a: thirteen: has more than 8 terms"
for name in FALSE ABSENT CLOSE UNKNOWN COMMAS NEWLINE CONTROL TWO_SOURCES; do
    lacks "
EVENT,RC_$name,"
done
said "rollcall export: left out: 3 metrics (an event has a comma or control characters in its name, which end it for PAPI); --verbose names them"
run 3 "$rollcall" export d --format papi --kind "$kind" --pmu skx --approximate
has "
EVENT,RC_CLOSE,DERIVED_POSTFIX,N0|98|*|N1|+|100|/|,"
has 'LDESC,"simulated; approximate; close"'
run 3 "$rollcall" export d --format papi --kind "$kind" --pmu skx --suite empty
lacks "
EVENT,"
says "rollcall export: nothing to export: there are no metrics"

# Omissions are counted by their reason; --verbose names each metric, as the file does.
run 3 "$rollcall" export d --format perf-stat --kind "$kind"
has "
perf stat -e fp_arith_inst_retired.scalar_double:u,"
has "
perf stat -e instructions:k COMMAND  # single = instructions:k
"
has "
# left out: flops/a: newline: event 'new?line??and tab' has characters"
said "rollcall export: left out: "
case $err in
*" metrics (an event has characters in its name that are taken for something else); --verbose names them"*) ;;
*) fail "said '$err' of what is left out" ;;
esac
[ "$(grep -c verbose <<<"$err")" -eq 1 ] || fail "said '$err'"
run 3 "$rollcall" export d --format perf-stat --kind "$kind" --verbose
said "rollcall export: left out: flops/a: newline: event 'new?line??and tab' has characters"
[ "$(grep -c 'left out' <<<"$err")" -eq "$(grep -c '^# left out' <<<"$out")" ] || fail "--verbose: $err"

# A name that the kind's processor does not have, and where no processor is known.
run 3 "$rollcall" export d --format perf-stat --kind "$kind" --pmu amd64_fam19h_zen3
has "event 'FP_ARITH_INST_RETIRED:SCALAR_DOUBLE' is not in the lists of names of its processor"
run 3 "$rollcall" export d --format perf-stat --kind "$kind" --pmu nothing
has "event 'FP_ARITH_INST_RETIRED:SCALAR_DOUBLE' is of a processor that is not in the lists of names"

# An export that holds nothing says why in one line.
run 3 "$rollcall" export d --format perf-stat --kind other -o -
says "rollcall export: nothing to export: there are no metrics"

# LIKWID: a file, or a directory with one for each suite.
run 2 "$rollcall" export d --format likwid --kind "$kind" -o kept
says "rollcall export: 'kept' is not a directory, and --format likwid writes a file for each suite"
run 1 "$rollcall" export d --format likwid --kind "$kind" -o nowhere/groups
says "rollcall export: cannot make 'nowhere/groups': No such file or directory"
run 3 "$rollcall" export d --format likwid --kind "$kind" -o groups
[ "$out" = groups/RC_FLOPS_A.txt ] || fail "wrote '$out'"
[ "$(ls groups)" = RC_FLOPS_A.txt ] || fail "groups: $(ls groups)"
grep -qx 'half \[1/s\] (0.5\*PMC0)/time' groups/RC_FLOPS_A.txt || fail "no rate in $(cat groups/*)"
grep -qx 'Runtime (RDTSC) \[s\] time' groups/RC_FLOPS_A.txt || fail "no time in $(cat groups/*)"
rm -r groups
run 3 "$rollcall" export d --format likwid --kind "$kind" --approximate
has "
PMC1 FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE
"
has "
DP operations PMC0+2*PMC1+4*PMC2+8*PMC3
"
has "
close (approximate) 0.98*PMC0+0.01*PMC1
"
has "
weighted difference 0-2*PMC1+3*PMC2+PMC3
"
has "
# left out: flops/a: thirteen: event 'MEM_LOAD_RETIRED:L1_HIT' needs more counters"

# The rest is checked by Python.
run 3 "$rollcall" export d --format json -o all.json
says "$incomplete"
for table in metrics events representations rates; do
    run 3 "$rollcall" export d --format csv --table $table -o $table.csv
    run 3 "$rollcall" export d --format csv-raw --table $table -o raw-$table.csv
done
run 3 "$rollcall" export d --format perf --kind "$kind" -o perf.json
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c "import jsonschema" 2>"$work/.err"; then
        python=$candidate
        break
    fi
done
if [ -n "$python" ]; then
    run 0 "$python" -B "$here/cli/export_check.py" "$here/../docs/export.schema.json" .
    echo "$out"
else
    echo "without jsonschema (Debian: apt-get install python3-jsonschema)" >&2
    [ "$failed" != 0 ] || failed=skip
fi

# A disk that is full is a failure.
if [ -e /dev/full ]; then
    run 1 "$rollcall" export d --format csv -o /dev/full
    status=0
    "$rollcall" export d --format csv >/dev/full 2>"$work/.err" || status=$?
    [ $status -eq 1 ] || fail "a full standard output ended with $status"
fi

rm -r d kept all.json ./*.csv perf.json
if [ "$failed" = skip ]; then
    exit 77
fi
finish

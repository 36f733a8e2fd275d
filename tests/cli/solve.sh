#!/usr/bin/env bash
# solve with bad input, with campaigns that hold little or nothing, and where
# files cannot be written: one line, no hang, and metrics.h5 as it was or whole.
# shellcheck disable=SC2154,SC2317  # what run() prints; functions called by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
find_h5py
check=$tests/cli/published_check.py

# refused STATUS LINE OPERAND...: solve ends so, and says that.
refused() {
    local status=$1 line=$2
    shift 2
    run "$status" timeout 240 "$rollcall" solve "$@"
    says "rollcall solve: $line"
    [ -z "$out" ] || fail "'$*' printed: $out"
}

# has TEXT, in lines that may be broken at any blank.
shows() {
    out=$(echo "$out" | tr -s ' \n' ' ')
    has "$1"
}

measure() {
    local dir=$1
    shift
    run 0 "$rollcall" run -o "$dir" --no-solve --repeat 2:3 "$@"
}

measure good --source model:spr --suite flops,branch

# Usage.
refused 2 'expected DIR, the directory of a campaign'
refused 2 "unexpected argument 'more', expected: rollcall solve DIR" good more
refused 2 "unknown option '--nosuch', see 'rollcall help solve'" good --nosuch
for value in x 0 nan -1 1e400 inf; do
    refused 2 "--alpha $value: expected a number above 0, or 'scan'" good --alpha $value
    refused 2 "--noise $value: expected a number above 0, or 'auto'" good --noise $value
done
refused 2 '--seed -1: expected a whole number' good --seed -1
refused 2 "--suite: expected names, found ','" good --suite ,
refused 2 "suite 'dcache' was not measured, expected one of: flops, branch" good --suite dcache

# Files that are not, or not whole, or something else.
refused 1 "'nosuch' is not there, expected the directory of a campaign" nosuch
mkdir dir
refused 1 "'dir/campaign.h5' is not there, 'rollcall pack DIR' makes it from the journals" dir
echo hello >dir/campaign.h5
refused 2 "'dir/campaign.h5' is not an HDF5 file, expected a rollcall campaign" dir
"$python" -c 'import h5py; h5py.File("dir/campaign.h5", "w")["x"] = 1'
refused 2 "'dir/campaign.h5': an HDF5 file, but not a rollcall campaign: it has no attribute 'format' that is 'rollcall'" dir
head -c 20000 good/campaign.h5 >dir/campaign.h5
run 1 timeout 240 "$rollcall" solve dir
says "rollcall solve: 'dir/campaign.h5' is damaged: its checksum is not that of what it holds; 'rollcall pack DIR' makes it again"
tail -c +513 good/campaign.h5 | head -c 20000 >dir/campaign.h5 # an older file has no checksum
run 2 timeout 240 "$rollcall" solve dir
case $err in
"rollcall solve: 'dir/campaign.h5': cannot open it: HDF5: truncated file"*) ;;
*) fail "of half a file: $err" ;;
esac
[ ! -e dir/metrics.h5 ] || fail "metrics.h5 of nothing"

# A campaign of a build that did not know stores that miss: what needs them is not there.
cp -r "$tests/data/campaigns/stores-b8386b43" old
run 0 "$rollcall" pack old
run 0 timeout 240 "$rollcall" solve old
shows 'no point of this machine has L1DWM'
shows 'L1 write misses not on this machine: no point that was measured has its ideals'
shows 'L1 write-backs exact 1 x L1_WRITTEN_BACK'
rm -r old

# Definitions.
defines() {
    printf '%b' "$2" >own.yaml
    refused 2 "$1" good --definitions own.yaml
}
defines 'own.yaml:1: empty, expected a mapping of keys' ''
defines "own.yaml:4: columns[0].values[0]: '* nan', expected a point's name and its count from 0 to 1e18, such as 'sp-scalar-24 24'" \
    'suite: branch\ncolumns:\n- ideal: Q\n  values: ["* nan"]\n'
defines "own.yaml:2: ideals[2]: 'CR' is given twice" 'suite: branch\nideals: [CR, T, CR]\n'
defines "own.yaml:1: ideal 'ZZZ', expected one that campaign.h5 knows on the points of suite 'branch'" \
    'suite: branch\nideals: [CR, ZZZ]\n'
defines "own.yaml:3: column 'Q': point 'nopoint', expected a point of suite 'branch', such as 'halves'" \
    'suite: branch\ncolumns:\n- ideal: Q\n  values: ["nopoint 1"]\n'
defines "own.yaml:3: metric 'm': no ideal 'S_SCAL' in the basis of suite 'branch', expected one of: CE, CR, T, D, M" \
    'suite: branch\nmetrics:\n- {metric: m, signature: S_SCAL}\n'
defines "own.yaml:1: suite 'brunch', expected one that was measured" \
    'suite: brunch\nmetrics:\n- {metric: m, signature: CR}\n'
refused 1 "cannot open 'nosuch.yaml': No such file or directory" good --definitions nosuch.yaml
[ ! -e good/metrics.h5 ] || fail "metrics.h5 after nothing but refusals"
rm own.yaml

# Columns that depend on each other leave that suite without a basis, and only that.
printf 'suite: branch\ncolumns:\n- {ideal: Q, values: ["* 1"]}\n- {ideal: P, values: ["* 2"]}\n' >own.yaml
run 0 timeout 240 "$rollcall" solve good --definitions own.yaml
shows "the basis has columns that depend on each other: 'Q', 'P'"
run 0 "$python" "$check" found good/metrics.h5
has 'flops: SP operations'
lacks 'branch: '
rm own.yaml

# Where nothing can be written, and then the old file stays.
run 0 timeout 240 "$rollcall" solve good
before=$(md5sum good/metrics.h5)
has 'suite flops: 7 of 11 metrics defined
  simulated readings are among these
  553 events: 12 exact or good (8 chosen, 4 that say nothing more), 471 too
    noisy for this suite, 60 not used here (53 counted 0, 7 are not a sum of its
    16 ideals, 0 count something else in other suites), 10 cannot be counted
'
has '  1 x BR_INST_RETIRED:ALL_BRANCHES
                                   -1 x BR_INST_RETIRED:COND
      defined; exact on 59 points of 2 suites
'
has '
      from 0 on point halves to 0.25 on point random-work
'
wide=$(echo "$out" | awk 'length > 80')
[ -z "$wide" ] || fail "wide lines: $wide"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work"
    run 1 timeout 240 setpriv --reuid=65534 --regid=65534 --clear-groups "$rollcall" solve good
    says "rollcall solve: cannot write in directory 'good': Permission denied"
fi
mkdir full
if mount -t tmpfs -o size=600k rctest full 2>/dev/null; then
    cp good/campaign.h5 full
    run 1 timeout 240 "$rollcall" solve full
    case $err in
    "rollcall solve: 'full/metrics.h5.rc-"??????".new': cannot reserve the "*" that it may take: No space left on device") ;;
    *) fail "on a full disk: $err" ;;
    esac
    run 1 timeout 240 mpirun -n 2 "$rollcall" solve full
    [ "$(ls full)" = campaign.h5 ] || fail "on a full disk: $(ls full)"
    umount full
fi
rmdir full
[ "$before" = "$(md5sum good/metrics.h5)" ] || fail "metrics.h5 was changed by a failure"

# Campaigns that hold little.
nothing() { # has no metric, and says why
    run 0 timeout 240 "$rollcall" solve "$1"
    shows 'not known: no exact or good event'
    run 0 "$python" "$check" found "$1/metrics.h5"
    [ -z "$out" ] || fail "$1: $out"
    rm -r "$1"
}
measure dead --source model:spr --suite flops,branch --events 'AMX*'
nothing dead
measure noisy --source model:spr --suite flops,branch --events 'CPU_CLK_UNHALTED:*'
nothing noisy
# One suite, and nothing to try it on.
measure one --source model:spr --suite branch --events BR_INST_RETIRED:COND
for n in 1 3 8; do
    run 0 timeout 240 mpirun -n $n "$rollcall" solve one
    run 0 "$python" "$check" found one/metrics.h5
    [ "$out" = 'branch: conditional retired' ] || fail "one event on $n ranks: $out"
done
cp one/metrics.h5 first
run 0 timeout 240 "$rollcall" solve one
has 'on 11 points of this suite alone'
# An event that nobody asked for may be what no chosen one is.
lacks 'not on this machine'
shows 'not known: no chosen event has a part in it, and the campaign leaves out other events'
run 0 "$python" "$check" same first one/metrics.h5
# So may one that nobody has measured yet; which these are, the clock decides.
run 0 "$rollcall" run --shares 3 -o shares --source model:spr --suite branch --repeat 2:2
run 0 "$rollcall" run -o shares/0
run 3 timeout 240 "$rollcall" solve shares/0
lacks 'not on this machine'
shows 'not known: no'
rm -r shares

# Terms that add little beside others that cancel each other: without them the metric is
# another one, be their coefficients simple numbers (1, 5, -5) or not (1 of 1.3).
for a in '1 CR + 4 T' '1.3 CR + 4 T'; do
    cat >cancel.yaml <<EOF
name: cancel
topology: core:1 pu:1
banks:
- {name: core, counters: 4}
events:
- {name: A, counts: $a}
- {name: B, counts: T + INS}
- {name: C, counts: INS}
EOF
    measure cancel --source model:./cancel.yaml --suite branch
    run 0 timeout 240 "$rollcall" solve cancel
    for metric in 'conditional retired' 'conditional not taken'; do
        run 0 "$rollcall" export cancel --format csv --table metrics
        echo "$out" | awk -F, -v metric="$metric" -v want="$a" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $at["metric"] == metric {
                if ($at["verdict"] != "defined") exit 1
                value = $at[$at["rounded_holds"] == "yes" ? "rounded" : "coefficient"]
                if ($at["event"] == "A") has = value * want
            }
            END { exit !(has > 0.999 && has < 1.001) }' || fail "$metric of $a: $out"
        run 0 "$rollcall" report cancel --text
        out=$(echo "$out" | sed -n "/^ *$metric  /,/defined/p")
        has ' x A'
        lacks 'nearly nothing'
    done
    [ "$a" != '1 CR + 4 T' ] || {
        run 0 "$rollcall" export cancel --format papi
        has 'PRESET,PAPI_BR_CN,DERIVED_POSTFIX,'
    }
    rm -r cancel cancel.yaml
done

# A run that was killed: what there is, and that something is missing.
slow_machine slow.yaml 20ms || fail "no machine whose readings take time"
some_units() { [ "$(count_units part 2>/dev/null | cut -d' ' -f1)" -ge 2 ]; }
start "$rollcall" run -o part --source model:./slow.yaml --repeat 2:3 --suite branch,flops
await 300 some_units || fail "there are no units"
kill -KILL "$job"
reap
run 3 "$rollcall" pack part
run 3 timeout 240 "$rollcall" solve part
shows "have too few valid readings here: 'rollcall status' says which units are missing"
run 3 timeout 240 mpirun -n 3 "$rollcall" solve part

# A rank that is killed takes the others with it and leaves the old file.
cp good/metrics.h5 good/campaign.h5 .
solving() {
    compgen -G 'good/metrics.h5.rc-*.new' >/dev/null || ! kill -0 "$job" 2>/dev/null
}
for tries in {1..20}; do
    start mpirun -n 3 "$rollcall" solve good
    await 300 solving || break
    victim=$(members rollcall | sed -n 2p)
    kill -KILL "$victim" 2>/dev/null
    reap || fail "ranks outlive one that was killed"
    [ "$ended" -eq 0 ] || break
done
[ "$ended" -ne 0 ] || fail "$tries times no rank was killed in time"
h5dump -H good/metrics.h5 >/dev/null || fail "metrics.h5 is not whole"
run 0 "$python" "$check" same metrics.h5 good/metrics.h5
run 0 timeout 240 "$rollcall" solve good
! compgen -G 'good/*.new' || fail "metrics.h5 of the killed ones is left"

rm -r good dir one part slow.yaml first metrics.h5 campaign.h5 .job.*
# A machine on which no event counts: the campaign is done, and has no answer.
cat >dead.yaml <<'END'
name: dead
summary: nothing counts
topology: package:1 core:2 pu:1
seed: 1
banks:
- {name: core, counters: 4}
events:
- {name: A, verdict: counts nothing, reason: it is dead}
END
run 0 timeout 240 "$rollcall" run -o dead --source model:dead.yaml --suite branch --repeat 2:2 --no-solve
run 3 timeout 240 "$rollcall" solve dead
said 'incomplete: no event counts, or too few readings are valid: see the notes in the tables'
has 'no event counts on this machine: no metric can be known'
run 3 timeout 240 "$rollcall" export dead --format json
run 3 timeout 240 "$rollcall" export dead --format csv
rm -r dead dead.yaml
finish

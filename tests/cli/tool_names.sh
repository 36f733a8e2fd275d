#!/usr/bin/env bash
# Every name that 'export' and 'show' print for perf, LIKWID and PAPI is in the lists inside Debian's linux-perf,
# likwid and libpfm4, with the code of the event: on the simulated spr and zen3, and on a machine with an Ice Lake
# server's events.  Cycles, IPC, CPI and mispredicted branches have lines that perf knows.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1
for tool in perf likwid-perfctr python3; do
    command -v "$tool" >/dev/null || { echo "without $tool" >&2; exit 77; }
done
python3 -c 'import ctypes.util, sys; sys.exit(not ctypes.util.find_library("pfm"))' ||
    { echo "without libpfm4" >&2; exit 77; }
names() { run 0 python3 -B "$here/house/tool_names.py" "$@"; }

# The table is the lists': other versions of the tools may have more.
names check "$here/../io/export/tool_names.txt"

names icx "$here/../campaign/sources/model/machines/spr.yaml"
printf '%s\n' "$out" >icx.yaml
for machine in spr:spr zen3:amd64_fam19h_zen3 icx.yaml:icx; do
    processor=${machine#*:} machine=${machine%%:*}
    run 0 "$rollcall" run -q -o d --source "model:$machine" --repeat 2:2
    run 0 "$rollcall" export d --format perf-stat
    printf '%s\n' "$out" >calls
    # each call is one line of a shell
    [ "$(grep -cv '^#' calls)" -gt 30 ] || fail "$machine: few lines: $out"
    names perf "$processor" calls
    run 0 "$rollcall" export d --format perf -o d.json
    names json "$processor" d.json
    run 0 "$rollcall" export d --format papi --suite flops,branch,cycles,instructions -o d.papi
    names papi d.papi
    if [ "$machine" = spr ]; then
        run 3 "$rollcall" export d --format likwid -o likwid
        said "is of a processor that LIKWID 5.2.2 does not know"
    else
        run 0 "$rollcall" export d --format likwid -o likwid
        names likwid "$processor" likwid/*.txt
        rm -r likwid
    fi
    # show's lines are those, and the names of what people ask for first
    for metric in cycles IPC CPI mispredicted; do
        run 0 "$rollcall" show d "$metric"
        line=$(sed -n 's/^ *perf  *perf stat/perf stat/p' <<<"$out")
        grep -qF -- "$line" calls || fail "$machine: '$line' of '$metric' is not exported"
    done
    case $machine in
    spr) grep -q '^perf stat -e cycles:u COMMAND  # cycles = ' calls || fail "no cycles: $(grep cycles calls)"
        grep -q '^perf stat -e br_misp_retired.all_branches:u COMMAND  # mispredicted = ' calls ||
            fail "mispredicted: $(grep misp calls)"
        grep -q 'cpu/event=0xc7,umask=0x18,name=fp_arith_inst_retired.4_flops/u' calls ||
            fail "no raw code: $(grep -m1 flops calls)" ;;
    icx.yaml) run 0 "$rollcall" show d CPI
        has "-g INSTR_RETIRED_ANY:FIXC0,CPU_CLK_UNHALTED_CORE:FIXC1 COMMAND" ;;
    esac
    rm -r d d.json d.papi calls
done

# A name of no list of the processor, and a processor of no list, are refused with the reason.
sed -e 's/^name: spr$/name: unheard/' "$here/../campaign/sources/model/machines/spr.yaml" >unheard.yaml
run 0 "$rollcall" run -q -o d --source model:unheard.yaml --suite cycles --repeat 2:2
run 3 "$rollcall" export d --format perf-stat
said "is of a processor that is not in the lists of names, see --pmu"
sed 's/^- name: UNHALTED_CORE_CYCLES$/- name: UNHEARD_CYCLES/' \
    "$here/../campaign/sources/model/machines/spr.yaml" >odd.yaml
rm -r d
run 0 "$rollcall" run -q -o d --source model:odd.yaml --suite cycles --repeat 2:2
run 0 "$rollcall" show d --format json UNHEARD_CYCLES
has "is not in the lists of names of its processor"
rm -r d
rm icx.yaml unheard.yaml odd.yaml
finish

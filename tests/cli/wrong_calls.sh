#!/usr/bin/env bash
# Forty calls as people get them wrong: each ends with one line that says what was found, what was
# expected, and the nearest right word where there is one; nothing else is printed and nothing is left.
# shellcheck source=tests/lib/cli_lib.sh
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/cli_lib.sh"

run 0 "$rollcall" run -q -o c --source model:spr --suite branch --repeat 2:2 'BR_INST*'
mkdir empty
before=$(ls -A)
calls=0
# STATUS|ARGUMENTS|LINE, of which '...' at its end stands for more.
while IFS='|' read -r status arguments line; do
    read -r -a words <<<"$arguments"
    run "$status" "$rollcall" "${words[@]}"
    calls=$((calls + 1))
    [ -z "$out" ] || fail "'$arguments' printed '$out'"
    [ "$(grep -c . <<<"$err")" -eq 1 ] || fail "'$arguments' said '$err', expected one line"
    case $line in
    *...) said "rollcall ${line%...}" ;;
    *) says "rollcall$line" ;;
    esac
done <<'EOR'
2|evnts|: unknown command 'evnts', did you mean 'events'?
2|Events|: unknown command 'Events', did you mean 'events'?
2|metrics|: unknown command 'metrics', see 'rollcall help'
2|help evnts| help: unknown command 'evnts', did you mean 'events'?
2|run| run: expected -o DIR: a new directory, or that of a campaign to resume
2|run c| run: expected -o DIR: a new directory, or that of a campaign to resume; did you mean 'rollcall run -o c'?
2|run -o| run: option '-o' needs an argument: DIR, see 'rollcall help run'
2|run -o x --source papy| run: --source: 'papy', expected a source of this build, did you mean 'papi'?
2|run -o x --source hardware|run: --source: 'hardware', expected a source of this build: auto, papi, ...
2|run -o x --source model:sprr|run: no machine 'sprr', expected mi250x, spr, ...
2|run -o x --source model:| run: the source 'model' needs a machine: model:NAME with mi250x, spr, summit-node, zen3, or model:PATH
2|run -o x --suite flop| run: --suite: 'flop', expected a suite of this build, did you mean 'flops'?
2|run -o x --suite tlb|run: --suite: 'tlb', expected a suite of this build: flops, branch, ...
2|run -o x --repeat ten|run: --repeat: 'ten', expected MIN, MIN:MAX, auto or auto:MAX, ...
2|run -o x --scope cpu| run: --scope: 'cpu', expected core, l2, l3, numa, package, node or device
2|run -o x --sync sometimes|run: --sync: 'sometimes', expected never, always or a duration such as ...
2|run -o x --replicate nodes| run: --replicate: 'nodes', expected one of: none, node, core; did you mean 'node'?
2|run -o x --shares 0| run: --shares: '0', expected a whole number from 1 to 10000
2|run -o x --extend --shares 2| run: --shares begins a campaign, and --extend continues one: expected one of them
1|run -o x -c nowhere.yaml| run: cannot open 'nowhere.yaml': No such file or directory
2|plan --qualifiers unmasks| plan: --qualifiers: 'unmasks', expected one of: none, umasks, all; did you mean 'umasks'?
2|plan --seed one| plan: --seed: 'one', expected a whole number
2|status| status: expected DIR, the directory of a campaign
1|status nowhere| status: nowhere: no campaign is here, expected a directory with journals in 'nowhere/journal'
2|status a b| status: unexpected argument 'b', expected: rollcall status DIR
2|solve| solve: expected DIR, the directory of a campaign
1|solve nowhere| solve: 'nowhere' is not there, expected the directory of a campaign
1|solve empty| solve: 'empty/campaign.h5' is not there, 'rollcall pack DIR' makes it from the journals
2|solve c --suite flops|solve: suite 'flops' was not measured, expected one of: branch...
2|solve c --alpha big| solve: --alpha big: expected a number above 0, or 'scan'
1|pack nowhere| pack: nowhere: no campaign is here, expected a directory with journals in 'nowhere/journal'
1|report nowhere|report: 'nowhere' is not there, expected the directory of a campaign...
2|export c --format papy|export: --format: 'papy', expected one of: ...
2|compare c nowhere| compare: 'nowhere' is not there, expected the directory of a campaign or its metrics.h5
2|compare c c --check metric| compare: --check: found 'metric', expected one of metrics, events, counts, noise, use, rates; did you mean 'metrics'?
2|compare c c --format htm| compare: --format: 'htm', expected one of: text, json, html; did you mean 'html'?
2|merge c| merge: expected -o DIR: the directory for the result
2|import --format dog -o y x| import: --format: 'dog', expected one of: cat, metrics-spec
2|submit| submit: expected -o DIR: a new directory, or that of a campaign to resume
2|submit d| submit: expected -o DIR: a new directory, or that of a campaign to resume; did you mean 'rollcall submit -o d'?
2|submit --suite flops| submit: --suite is for 'rollcall run': expected after '--', as in rollcall submit -o DIR -- --suite
2|submit -- -o d --suite flops|submit: -o stands after '--': expected before it, as in rollcall submit -o DIR -- ...
2|run -o x -c c/campaign.h5|run: c/campaign.h5: not YAML, but binary: ...
2|profile fft3d| profile: fft3d: expected its size: rollcall profile fft3d -n N, points along an edge, such as 64
2|noise| noise: expected DIR, the directory of a campaign, or -o DIR to measure detours
2|verify --source model:spr| verify: source 'model' declares no exact events, expected soft
2|events --sorce papi| events: unknown option '--sorce', did you mean '--source'?
2|events -z| events: unknown option '-z', see 'rollcall help events'
2|events --format jsn| events: --format: 'jsn', expected one of: text, csv, json, csv-raw; did you mean 'json'?
2|events --source soft:l1d=big|events: soft: l1d=big: expected SIZE/WAYS such as 32K/8, ...
2|doctor here| doctor: unexpected argument 'here', expected: rollcall doctor
EOR
[ "$calls" -ge 40 ] || fail "$calls calls"
[ "$(ls -A)" = "$before" ] || fail "left behind: $(ls -A)"
rm -r c empty
finish

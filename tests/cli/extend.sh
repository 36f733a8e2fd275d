#!/usr/bin/env bash
# A campaign that is asked for more, replicas on nodes and cores, several kinds in one
# job, and directories with odd names.
# shellcheck disable=SC2154,SC2317  # functions that others call by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"

go() {
    run "$1" "$rollcall" run -o "$2" --source model:spr --repeat 2:3 "${@:3}"
}

# Without -o, and names that a shell or a parser could stumble over.
run 2 "$rollcall" run --source model:spr
says "rollcall run: expected -o DIR: a new directory, or that of a campaign to resume"
run 2 "$rollcall" run -o '' --source model:spr
for dir in "two words" "it's \"quoted\"" $'new\nline' ./-dash "$(printf 'long%.0s' {1..60})"; do
    go 0 "$dir" --suite branch 'BR_*'
    [ -s "$dir/campaign.h5" ] || fail "'$dir' has no campaign.h5"
    go 0 "$dir" --suite branch 'BR_*'
    rm -r -- "$dir"
done
go 1 "$(printf 'long%.0s' {1..70})" --suite branch
said "File name too long"

# More suites, events and repetitions: refused with the difference, then added.
go 0 small --suite branch 'BR_*'
kept=$(units small)
go 1 small --suite branch,flops 'BR_*'
said "suites: branch; now branch, flops; --extend measures what the new ones add"
go 1 small --suite branch 'BR_*' 'FP_ARITH*'
said "events: BR_*; now BR_*, FP_ARITH*; --extend"
go 1 small --suite branch --seed 2 'BR_*'
said "seed: 1; now 2; use a new directory"
go 1 small --extend --suite branch --seed 2 'BR_*'
[ "$(units small)" = "$kept" ] || fail "a refusal changed the journal"
go 0 small --extend --suite branch,flops 'BR_*' 'FP_ARITH*'
[ "$(units small | comm -23 - <(printf '%s\n' "$kept") | wc -l)" -gt 0 ] || fail "nothing is added"
[ "$(units small | comm -12 - <(printf '%s\n' "$kept"))" = "$kept" ] || fail "units were lost"
read -r records distinct <<<"$(count_units small)"
[ "$records" -eq "$distinct" ] || fail "units were measured twice: $records of $distinct"
before=$records
run 0 "$rollcall" run -o small --extend --repeat 5:6
read -r records distinct <<<"$(count_units small)"
[[ $distinct -eq $before && $records -gt $before ]] || fail "5 repetitions: $records of $distinct"
echo "extended: $(printf '%s\n' "$kept" | wc -l) units, then $before, of which $((records - before)) again with 5 repetitions"

# Fewer events and another suite: events in new groups have readings in campaign.h5.
go 0 fewer --suite branch 'BR_*'
go 0 fewer --extend --suite branch,flops 'BR_INST*'
"$rollcall" export fewer --format csv --table events >events.csv 2>/dev/null
[ "$(grep -c ',flops,BR_INST' events.csv)" -gt 2 ] || fail "no events of flops: $(cat events.csv)"
grep ',flops,BR_INST.*not measured' events.csv && fail "grouped anew, and their readings are not there"
rm -r fewer events.csv

# Another kind of machine under the same name.
mkdir -p a/machines b/machines
cp "$build/share/rollcall/machines/spr.yaml" a/machines/mine.yaml
cp "$build/share/rollcall/machines/zen3.yaml" b/machines/mine.yaml
kinds=(--source model:mine --suite "branch,flops" --repeat 2:3)
run 0 env ROLLCALL_DATA=a "$rollcall" run -o one "${kinds[@]}"
run 0 env ROLLCALL_DATA=b "$rollcall" run -o two "${kinds[@]}"
kept=$(units one)
run 1 env ROLLCALL_DATA=b "$rollcall" run -o one
said "this machine belongs to another kind"
[ "$(units one)" = "$kept" ] || fail "a refusal changed the journal"
run 0 mpirun \
    -n 2 env ROLLCALL_DATA=a SLURMD_NODENAME=n1 "$rollcall" run -o both "${kinds[@]}" : \
    -n 1 env ROLLCALL_DATA=b SLURMD_NODENAME=n2 "$rollcall" run -o both "${kinds[@]}"
run 0 env ROLLCALL_DATA=b "$rollcall" run -o one --extend
same one both || fail "a kind that was added is not as two kinds in one job"
for dir in one two; do
    kind=$(h5ls "$dir/campaign.h5/kinds" | head -1 | cut -d' ' -f1)
    [ "$dir" = two ] || kind=$(h5ls -r one/campaign.h5 | grep -o 'model-spr[^/ ]*' | head -1)
    h5diff "$dir/campaign.h5" both/campaign.h5 "/kinds/$kind/suites/flops/values" ||
        fail "kind $kind differs from the one alone"
done
echo "two kinds: each as if alone, in one job and one after the other"
rm -r a b one two both small

# Replicas: the places of campaign.h5.
places() {
    h5dump -A 0 -d "$(h5ls -r "$1/campaign.h5" | grep -o '^/kinds/.*/branch/place' | head -1)" "$1/campaign.h5" |
        sed -n 's/^ *([0-9]*): //p' | sed 's/\\000//g' | tr -d '\n'
}
for n in 1 3; do
    run 0 mpirun \
        -n "$n" env SLURMD_NODENAME=n1 "$rollcall" run -o copies --source model:spr --suite branch \
        --repeat 2:2 --replicate node : \
        -n 1 env SLURMD_NODENAME=n2 "$rollcall" run -o copies --source model:spr --suite branch \
        --repeat 2:2 --replicate node
    echo "replicate node, $n and 1 ranks on two nodes: $(places copies)"
    [ "$(places copies)" = '"n1", "n2"' ] || fail "places of nodes: $(places copies)"
    rm -r copies
done
run 0 ranks 4 "$rollcall" run -o copies --source model:spr --suite branch --repeat 2:2 --replicate core
echo "replicate core, 4 ranks: $(places copies)"
[ "$(places copies | grep -o ' core ' | wc -l)" -eq 4 ] || fail "places of cores: $(places copies)"
rm -r copies
finish

#!/usr/bin/env bash
# Teams of workers: each has its own readings under its own place, of one measurement or
# none; teams that are killed, stopped, without disk or too large; teams of several nodes.
# shellcheck disable=SC2154,SC2317  # functions that others call by name
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
program=$build/tests/rollcall_teams
cp "$tests/data/team.yaml" team.yaml
node=$(hostname -s)

# dump DIR NAME: a data set of the suite, one value a line.
dump() {
    local kind
    kind=$(h5ls "$1/campaign.h5/kinds" | head -n 1 | sed 's/ *Group$//')
    h5dump -y -w 1 -d "/kinds/$kind/suites/teams/$2" "$1/campaign.h5" |
        sed -n '/^   DATA {/,/^   }/{p;/^   }/q}' | sed -e '/[{}]/d' -e 's/[ ,"]*$//' -e 's/^[ "]*//' -e '/^$/d'
}

# planted DIR WORKERS POINTS: the readings of every worker are those that were planted for
# it, and the team's time of each point is exact.
planted() {
    dump "$1" values >.values
    awk -v workers="$2" -v points="$3" '
        BEGIN {
            split("1 2 3 5 8", team)
            none = "-9223372036854775808"
        }
        {
            i = NR - 1
            p = i % points; i = int(i / points)
            r = i % 5; i = int(i / 5)
            w = i % workers; e = int(i / workers)
            factor = 100 + w
            want = e == 0 ? 1e7 * factor : e == 1 ? 2e7 * factor : 4000
            if (w >= team[p + 1])
                wrong += $1 != none
            else
                wrong += $1 != want
            if (w >= team[p + 1])
                next
            if (e == 0 && (!((r, p) in begin) || $1 < begin[r, p])) begin[r, p] = $1
            if (e == 1 && $1 > end[r, p]) end[r, p] = $1
        }
        END {
            for (r = 0; r < 5; r++)
                for (p = 0; p < points; p++)
                    wrong += end[r, p] - begin[r, p] != 1e9 + 2e7 * (team[p + 1] - 1)
            if (wrong || NR != 3 * workers * 5 * points) {
                print wrong + 0 " of " NR " values are wrong"
                exit 1
            }
        }' .values || fail "$1"
    rm .values
}

for n in 1 2 3 5 8; do
    case $n in 8) points=5 ;; 5) points=4 ;; *) points=$n ;; esac
    run 0 ranks "$n" "$program" run -o d --source model:./team.yaml --suite teams --no-solve
    planted d "$n" "$points"
    for ((i = 0; i < n; i++)); do echo "$node core $i"; done >.places
    dump d place | diff .places - || fail "$n ranks: other places"
    [ "$(dump d status | sort -u)" = 1 ] || fail "$n ranks: readings are not ok"
    run 0 "$program" status d
    has "1 of 1 unit ok"
    run 0 ranks "$n" "$program" run -o d --no-solve
    [ "$(units d | wc -l)" -eq "$n" ] || fail "$n ranks: measured again"
    echo "$n ranks: each worker's readings, and the team's time, are exact"
    [ "$n" -eq 3 ] && mv d three
    rm -rf d .places
done

# More workers than there are, and than the machine has cores.
run 2 env RC_TEST_TEAM=4 "$program" run -o d --source model:./team.yaml --suite teams
said "rollcall run: suite 'teams': a team of 4 workers, and a node of this run has 1 rank with a core of its own, \
expected 4: 'mpirun -n 4 rollcall ...' on one node"
run 2 env RC_TEST_TEAM=9 "$program" run -o d --source model:./team.yaml --suite teams
said "a team of 9 workers, and a node of kind model-team"
said "has 8 cores"
[ ! -e d ] || fail "a refused team left a directory"

run 2 ranks 2 "$rollcall" run -o d --source time --suite stream --axis workers=1,4
case $err in
*"a team of 4 workers, and a node of "*) ;;
*) fail "stream with too few ranks: said '$err'" ;;
esac
[ ! -e d ] || fail "a refused team left a directory"

# Units that are left need their teams; a campaign that is done does not.
run 0 "$program" run -o three --no-solve
journal=three/journal/$(ls three/journal)
offset=$(grep -abo "$node core 0" "$journal" | cut -d: -f1) # in the record of the first worker
printf X | dd of="$journal" bs=1 seek="$offset" conv=notrunc status=none
[ "$(units three | wc -l)" -eq 2 ] || fail "a record without its sum: $(units three)"
run 3 "$program" status three
has "0 of 1 unit ok"
run 3 "$program" pack three
[ "$(dump three status | sort -u)" = 0 ] || fail "readings of a part of a team are used"
run 2 ranks 2 "$program" run -o three --no-solve
said "a team of 3 workers, and a node of this run has 2 ranks"
run 0 ranks 3 "$program" run -o three --no-solve
planted three 3 3
[ "$(units three | wc -l)" -eq 5 ] || fail "not measured anew by all"
echo "a team without its first worker's record: measured again"

# slow EACH COUNTERS: readings take that long.
slow() {
    sed -e "/^events:/,\$s/^- name: .*/&\n  time: $1/" -e "s/counters: .*/counters: $2/" team.yaml >slow.yaml
}

# A worker that is killed ends the job; only whole measurements are kept.
slow 5ms 1
settings=(--source model:./slow.yaml --suite teams --repeat 40:40 --no-solve)
run 0 ranks 3 "$program" run -o whole "${settings[@]}"
for who in 1 2 3; do
    catch 3 8 d mpirun -n 3 "$program" run -o d "${settings[@]}"
    kill -KILL "$(members rollcall | sed -n "${who}p")"
    release
    reap || fail "worker $who killed: does not end"
    [ "$ended" -ne 0 ] || fail "worker $who killed: ended with 0"
    run 3 "$program" pack d
    run 0 ranks 3 "$program" run -o d --no-solve
    same whole d || fail "worker $who killed: another campaign.h5"
    rm -r d
    echo "worker $who killed: the rest was measured again, equal"
done

# A second signal gives up the unit at hand, for all workers at the same repetition.
slow 300us 3
start mpirun -n 3 "$program" run -o d --source model:./slow.yaml --suite teams --repeat 4000:4000 --no-solve
await 60 grep -qs " of .* units (" d/log.txt || fail "does not begin: $(cat d/log.txt)"
sleep 2
for _ in 1 2; do
    # shellcheck disable=SC2046  # a word for each
    kill -TERM $(members rollcall) 2>/dev/null
    sleep 0.7
done
reap || fail "does not end after two signals"
parts=$("$build/tests/journal_units" d/journal/*.rcj | grep -c '^part ')
[[ $parts -eq 3 || $parts -eq 0 ]] || fail "$parts of 3 workers have whole repetitions: $(cat .job.err)"
[ "$parts" -eq 0 ] || {
    run 3 "$program" pack d
    dump d status | sort | uniq -c >.status
    [ "$(wc -l <.status)" -eq 1 ] || fail "workers have different repetitions: $(cat .status)"
}
echo "given up: $parts records of 3 workers, with the same repetitions"
rm -rf d .status

# A worker that cannot write its record: none of the first one, one line, no hang.  MPICH does
# not start where files are limited.
settings=(--source model:./team.yaml --suite teams --no-solve)
rm -r whole
run 0 ranks 3 "$program" run -o whole "${settings[@]}"
for who in $([ "$mpi" = openmpi ] && echo 1 2); do
    run 1 env RC_TEST_TEAM_FULL="$who" mpirun -n 3 "$program" run -o d "${settings[@]}"
    [ "$(grep -c "^rollcall run: .*\.rcj.*File too large" <<<"$err")" -eq 1 ] || fail "worker $who cannot write: said $err"
    kept=$(units d | wc -l)
    [ "$kept" -le 1 ] || fail "worker $who cannot write: the first one's record is there"
    run 3 "$program" status d
    has "0 of 1 unit ok"
    run 0 ranks 3 "$program" run -o d --no-solve
    same whole d || fail "worker $who could not write: another campaign.h5"
    echo "worker $who cannot write its record: $kept of 3 records, measured again"
    rm -r d
done
rm -r whole

# Kernels that run: each worker counts its own.
if [ "$(nproc)" -ge 2 ] && "$program" events --no-trial --source soft >/dev/null 2>&1; then
    run 0 env RC_TEST_TEAM=2 mpirun -n 2 "$program" run -o d --source soft --suite teams --no-solve "soft::INS*"
    dump d place | tail -n 1 | grep -qx "$node core 1" || fail "soft: $(dump d place)"
    [ "$(dump d status | sort -u)" = 1 ] || fail "soft: readings are not ok"
    rm -r d
fi

# Nodes of 3 and 2 ranks have teams of 2; a unit is done by one of them, or on each.
two_nodes() {
    mpirun -n 3 env SLURMD_NODENAME=n1 "$@" : -n 2 env SLURMD_NODENAME=n2 "$@"
}
for way in none node; do
    run 0 two_nodes "$program" run -o d "${settings[@]}" --replicate $way
    said "teams of up to 2 workers"
    dump d place | sort >.places
    case $way in
    none) [ "$(cut -d " " -f 2- .places | tr '\n' ' ')" = "core 0 core 1 " ] || fail "$way: $(cat .places)" ;;
    node) printf '%s\n' "n1 core 0" "n1 core 1" "n2 core 0" "n2 core 1" | diff - .places || fail "$way: places" ;;
    esac
    run 0 "$program" status d
    has "$([ $way = none ] && echo "1 of 1 unit" || echo "2 of 2 units") ok"
    records=$(units d | wc -l)
    run 0 two_nodes "$program" run -o d --no-solve
    [ "$(units d | wc -l)" -eq "$records" ] || fail "$way: measured again"
    rm -r d .places
done

# Simulated nodes have teams of their own, whatever the ranks measure them.
sed 's/^topology:/nodes: 3\n&/' team.yaml >nodes.yaml
run 0 ranks 2 "$program" run -o d --source model:./nodes.yaml --suite teams --no-solve --replicate node
[ "$(dump d place | tr '\n' ' ')" = "n0 core 0 n0 core 1 n1 core 0 n1 core 1 n2 core 0 n2 core 1 " ] ||
    fail "simulated nodes: $(dump d place)"
run 0 "$program" status d
has "3 of 3 units ok"
rm -r d three ./*.yaml .job.out .job.err

finish

#!/usr/bin/env bash
# submit_limits.sh ROLLCALL - campaigns submitted on this machine, without a batch system:
# time limits, and launchers that do not heed them.  All readings are simulated.
# shellcheck disable=SC2154  # the libraries' variables
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/submit_local_lib.sh
. "$tests/lib/submit_local_lib.sh"

run 0 "$rollcall" run -o alone "${flops[@]}"
slow_machine spr.yaml 1ms || fail "no event of the machine takes time"
slow=(--source model:./spr.yaml --suite "flops,branch" --repeat 2:2)
run 0 "$rollcall" run -o slow "${slow[@]}"
read -r _ all <<<"$(count_units slow)"
rm -r slow

# Limits and work are longer where the machine is slow.
pace=$(pace)

# Time limits: one try that is given up, then as many as it takes.
what="one try"
slow_machine spr.yaml $((6 * pace))ms
run 0 submit -o d --time $((14 * pace))s --warn $((7 * pace))s --tries 1 -- "${slow[@]}"
ends d
grep -q "that was try 1 of 1: given up" d/jobs/run.log || fail "$what: $(cat d/jobs/run.log)"
grep -q " begun$" d/jobs/run.record || fail "$what: $(cat d/jobs/run.record)"
what="time limits"
run 0 submit -o d --time $((14 * pace))s --warn $((7 * pace))s --tries 100
ends d
record d run "ended 0"
tries=$(grep -c ' r2 .* begun$' d/jobs/run.record)
[ "$tries" -ge 2 ] || fail "$what: $tries tries: $(cat d/jobs/run.record)"
run 0 "$rollcall" submit --status d --format csv
python3 -c 'import csv, sys; assert next(csv.DictReader(sys.stdin))["tries"] == sys.argv[1]' "$tries" <"$work/.out" || fail "$what: $tries tries, told: $out"
[ "$(count_units d)" = "$all $all" ] || fail "$what: records and units $(count_units d) of $all"
rm -rf d

# A launcher that is stuck when it is told to end is ended, and the job goes on; if the
# next try has measured nothing either, no longer.
cat >stuck.template <<'EOT'
[launch]
./stuck
EOT
cat >stuck <<'EOT'
#!/bin/bash
# Hangs as often as 'hangs' has lines.
if [ ! -s hangs ]; then exec mpirun -n 2 "$@"; fi
sed -i 1d hangs
trap '' USR1 TERM
while true; do
    sleep 0.1
done
EOT
chmod +x stuck
what="a launcher that is stuck once"
echo once >hangs
run 0 submit -o d --template stuck.template --time $((12 * pace))s --warn $((4 * pace))s -- "${flops[@]}"
ends d
[ "$(grep -c ' idle$' d/jobs/run.record)" -eq 1 ] || fail "$what: $(cat d/jobs/run.record)"
whole d
what="cancelled after its warning"
echo once >hangs
run 0 submit -o d --template stuck.template --time $((18 * pace))s --warn $((12 * pace))s -- "${flops[@]}"
await 300 grep -qs ' warned$' d/jobs/run.record || fail "$what: no warning: $(cat d/jobs/run.record)"
run 0 "$rollcall" submit --cancel d
has "cancelled run "
ends d
[[ $(cut -d' ' -f4- d/jobs/run.record | paste -sd,) = begun,warned,*cancelled,"ended 137" ]] || fail "$what: $(cat d/jobs/run.record)"
rm -r d
what="a launcher that is stuck"
printf 'once\ntwice\nthrice\n' >hangs
run 0 submit -o d --template stuck.template --time $((10 * pace))s --warn $((4 * pace))s -- "${flops[@]}"
ends d
record d run "ended 137"
[ "$(grep -c ' warned$' d/jobs/run.record)" -eq 2 ] || fail "$what: $(cat d/jobs/run.record)"
grep -q "and nothing was measured: given up" d/jobs/run.log || fail "$what: $(cat d/jobs/run.log)"
what="it goes on"
: >hangs
run 0 submit -o d --template stuck.template
ends d
whole d

# In a campaign that was begun, a launcher that fails by itself is tried twice more.
catch 1 $((all - 1)) d mpirun -n 2 "$rollcall" run -o d "${slow[@]}"
# shellcheck disable=SC2046  # a word for each
kill -KILL $(members)
reap
printf '[launch]\n./stumbles\n' >stuck.template
printf '#!/bin/bash\nif [ -s hangs ]; then sed -i 1d hangs && exit 9; fi\nexec mpirun -n 2 "$@"\n' >stumbles
chmod +x stumbles
what="a launcher that fails three times"
printf 'once\ntwice\nthrice\n' >hangs
run 0 submit -o d --template stuck.template
ends d
record d run "ended 9"
[ "$(grep -c ' begun$' d/jobs/run.record)" -eq 3 ] || fail "$what: $(cat d/jobs/run.record)"
what="a launcher that fails twice"
printf 'once\ntwice\n' >hangs
run 0 submit -o d --template stuck.template
ends d
record d run "ended 0"
[ "$(count_units d)" = "$all $all" ] || fail "$what: records and units $(count_units d) of $all"
rm -r d stumbles

# Wrong options of a launcher are not tried again.
what="a launcher that fails"
printf '[launch]\nfalse\n' >stuck.template
run 0 submit -o d --template stuck.template -- "${flops[@]}"
ends d
record d run "ended 1"
[ "$(grep -c ' begun$' d/jobs/run.record)" -eq 1 ] || fail "$what: $(cat d/jobs/run.record)"
rm -r d plain alone stuck stuck.template hangs spr.yaml .job.out .job.err
nobody || fail "processes remain: $(ps -o pid,args -p "$(working | paste -sd,)")"
finish

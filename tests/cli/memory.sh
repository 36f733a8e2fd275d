#!/usr/bin/env bash
# Where a limit leaves little memory the program ends, with what it was asked for or with
# one line: OpenBLAS tries for ever to get its own.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"
if [ -n "${ASAN_OPTIONS:-}" ]; then
    echo "skipped: the address sanitizer takes more memory than any limit"
    exit 77
fi
# Settings that the suite has for all other tests are the program's own task here.
unset OPENBLAS_NUM_THREADS

# limited KB COMMAND...: with so much address space; what hangs is killed, which is 137.
# shellcheck disable=SC2317  # run() calls it
limited() {
    (
        ulimit -v "$1"
        shift
        exec timeout -s KILL 240 "$@"
    )
}

run 0 "$rollcall" run -o c --source model:spr --suite flops

# Commands that need little; with threads each of them hung below 250 MB.
for kb in 110000 200000; do
    run 0 limited "$kb" "$rollcall" --version
    run 0 limited "$kb" "$rollcall" status c
    run 0 limited "$kb" "$rollcall" export --format json c
done

# One that needs BLAS's own 128 MiB, and what the campaign takes besides.
for kb in 150000 200000; do
    run 1 limited "$kb" "$rollcall" solve c
    says "rollcall solve: no memory for the work space of BLAS, 130 MiB of address space"
done
run 0 limited 1000000 "$rollcall" solve c

# The environment of a program that ours starts, here one in place of Slurm's.
mkdir bin
cat >bin/sbatch <<EOS
#!/bin/sh
echo "\${OPENBLAS_NUM_THREADS-unset}" >'$work/found'
exit 1
EOS
chmod +x bin/sbatch
cp bin/sbatch bin/squeue
submitted=("$rollcall" submit -o s --scheduler slurm -- --source model:spr --suite flops)
PATH=$work/bin:$PATH run 1 "${submitted[@]}"
[ "$(cat found)" = unset ] || fail "a setting of the program's own is handed on: $(cat found)"
rm -rf s
PATH=$work/bin:$PATH OPENBLAS_NUM_THREADS=2 run 1 "${submitted[@]}"
[ "$(cat found)" = 2 ] || fail "the user's setting is not handed on: $(cat found)"

# A profiled program gets its environment as it was, also where that is all of it.
env -i 'PWD=/x y' "$rollcall" profile -o p -- /usr/bin/env >found || fail "profile: ended with $?"
grep -q -F -x 'PWD=/x y' found || fail "PWD is lost: $(cat found)"
if grep OPENBLAS found; then fail "a setting of the program's own is handed on"; fi

rm -rf c bin found p s
finish

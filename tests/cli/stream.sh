#!/usr/bin/env bash
# The suite 'stream': a small campaign by the clock has its rates, stepped loops do what is declared of them, and what
# cannot be is refused in one line.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
export OPENBLAS_NUM_THREADS=1

run 0 "$rollcall" run -o time --source time --suite stream --axis bytes=16K,64K --axis kernel=triad --repeat 6:6
has "4 rates"
has "rate bandwidth (stream): best "
run 0 "$rollcall" show time stream triad
has "convention 'stream'"
run 0 "$rollcall" export time --format csv --table rates
says ""
# It is measured where it is named, and nowhere else.
run 0 "$rollcall" plan --source model:spr
lacks "stream"

# Values of one event over all iterations: those of the passes, and a rest of less than a vector for each pass.
data_of() { # DATASET [WHICH]: that value of it, else the first one
    h5dump -d "/kinds/$(h5ls one/campaign.h5/kinds | cut -d' ' -f1)/suites/stream/$1" one/campaign.h5 |
        sed -n 's/^ *(0[0,]*): //p' | head -n 1 | cut -d , -f "${2:-1}" | tr -d ' '
}
if "$rollcall" events --source soft >/dev/null 2>&1; then
    for declared in bytes_loaded:8192 bytes_stored:4096 fp_dp_operations:1024; do
        rm -rf one
        run 0 "$rollcall" run -o one --source soft --suite stream --axis bytes=12K --axis kernel=triad --axis store=plain \
            --events "soft::${declared%:*}" --no-solve
        passes=$(data_of iterations) value=$(data_of values)
        rest=$((value - passes * ${declared#*:}))
        if [ "$passes" -lt 10 ] || [ "$rest" -lt 0 ] || [ "$rest" -ge $((passes * 16)) ]; then
            fail "$declared: $value in $passes passes"
        fi
    done
    # A point that takes hours to step is left out.
    rm -rf one
    run 0 "$rollcall" run -o one --source soft --suite stream --axis bytes=12K,1G --axis kernel=copy --axis store=plain \
        --events 'soft::stores' --no-solve
    [ "$(data_of iterations 2)" -eq 0 ] || fail "a point of 1 GiB was stepped"
fi

run 2 "$rollcall" run -o bad --source time --suite stream --axis bytes=512T
said "suite 'stream': axis 'bytes': 512 TiB for each of 1 workers, expected at most "
run 2 "$rollcall" run -o bad --source time --suite stream --axis kernel=read --axis store=streaming
said "'read' and 'update' have no streaming stores"
run 2 "$rollcall" run -o bad --source time --suite stream --axis bytes=100
said "axis 'bytes': expected "
run 2 "$rollcall" run -o bad --source time --suite stream --axis kernel=traid
said "triad"
[ ! -e bad ] || fail "a refused run left a directory"
rm -rf time one
finish

#!/usr/bin/env bash
# own_kernels.sh ROLLCALL - suites of users' own: a shared object with a table, and commands; verified, measured,
# solved; what is wrong in such a file is said in one line, and nothing of it is loaded from a directory.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/cli_lib.sh
. "$tests/cli_lib.sh"
few_variables
unset "${!OMPI_@}" # no mpirun here
top=$(cd "$tests/.." && pwd)
cc=${CC:-cc}
if ! "$rollcall" events --source soft 'soft::instructions' >.out 2>.err || ! command -v "$cc" >.out; then
    echo 'no source soft, or no compiler' >&2
    exit 77
fi
cp "$top"/docs/examples/own_* .
# object NAME [FLAG]...: NAME.so of own_kernel.c.
object() {
    local name=$1
    shift
    "$cc" -O2 -ffp-contract=off -fPIC -shared -I "$top/kernels" "$@" -o "$name.so" own_kernel.c || fail "no $name.so"
}
object mine
# program NAME: NAME.c linked statically where that can be: its start is a tenth of the steps.
program() {
    "$cc" -O1 -ffp-contract=off -static -o "$1" "$1.c" || "$cc" -O1 -o "$1" "$1.c"
}
program own_command
echo 'int main(void) { return 1; }' >own_fails.c
program own_fails

# The example is a suite: listed, verified to the last count, measured and solved beside others.
run 0 "$rollcall" kernels --kernel ./mine.so --suite own-mine
has 'own-mine: a polynomial, and stores'
run 0 "$rollcall" verify --kernel mine.so --kernel ./mine.so --suite own-mine --all
has '2 points,'
has ' 0 off'
has 'polynomial'
run 0 "$rollcall" run --kernel ./mine.so --suite own-mine --source soft --repeat 2:2 -o d
run 0 "$rollcall" status d
run 0 "$rollcall" solve d
[[ $out == *own-mine* ]] || fail "not solved: $out"
# No metric of it is for PAPI, so nobody is asked for a PMU.
run 3 "$rollcall" export d --format papi
said 'nothing to export'
run 0 "$rollcall" run --kernel ./mine.so --suite own-mine,instructions --source soft --repeat 2:2 -o i
run 0 "$rollcall" show i stores
[[ $out == "'stores' can be counted on "*'exact on 24 points of 2 suites.'* ]] || fail "own points are not among them: $out"
rm -r i
run 0 "$rollcall" run --kernel ./mine.so --suite own-mine,branch --source model:spr -o m
run 0 "$rollcall" report m -o -
run 2 "$rollcall" run -o d
said "suite 'own-mine' comes from a file of yours: expected --kernel FILE"
rm -r d m

# Counts that are wrong are found.
sed 's/{"STORES", 2}/{"STORES", 3}/' own_kernel.c >wrong.c
cp wrong.c own_kernel.c
object wrong
run 1 "$rollcall" verify --kernel ./wrong.so --suite own-mine
has 'off'
cp "$top/docs/examples/own_kernel.c" .

# What is no such file, or says what cannot be.
bad() {
    local text=$1
    shift
    sed "$@" "$top/docs/examples/own_kernel.c" >own_kernel.c
    object bad
    run 2 "$rollcall" kernels --kernel ./bad.so
    said "--kernel: './bad.so': $text"
}
bad 'found a table of version 9' 's/= ROLLCALL_KERNELS_VERSION/= 9/'
bad 'found a table of version 1 and 4 bytes' 's/= sizeof rollcall_kernels/= 4/'
bad "point 'polynomial': no ideal 'D_SCAR', did you mean 'D_SCAL'?" 's/D_SCAL", 6/D_SCAR", 6/'
bad "point 'polynomial': found -6 of 'D_SCAL', expected 0 to 1e+15" 's/D_SCAL", 6/D_SCAL", -6/'
bad "point 'polynomial': found inf of 'D_SCAL'" 's/D_SCAL", 6/D_SCAL", 1e300 * 1e300/'
bad "point 'polynomial': ideal 'D_SCAL' twice" 's/"OPS_DP", 6/"D_SCAL", 6/'
bad "point 'stores': found 0 iterations" 's/stores, 100000/stores, 0/'
bad "point 'stores' is there twice" 's/"polynomial", polynomial/"stores", polynomial/'
bad "found the name 'My Kernel', expected 1 to 35 of a-z, 0-9 and '-'" 's/"mine"/"My Kernel"/'
bad 'name, summary, point or run is missing' 's/\.run = run/.run = NULL/'
bad 'has no symbol' 's/rollcall_kernels rollcall_kernels/rollcall_kernels other_kernels/;s/sizeof rollcall_kernels/sizeof(struct rollcall_kernels)/'
bad "cannot be loaded" 's/= calloc(/= no_such_function(/;s/^#include <stdlib.h>/&\nvoid *no_such_function(int, unsigned long);/'
run 1 "$rollcall" kernels --kernel ./nowhere.so
said "--kernel: cannot open './nowhere.so'"
head -c 100 mine.so >cut.so
run 2 "$rollcall" kernels --kernel ./cut.so
said "'./cut.so': cannot be loaded"

# Commands: the difference of two runs is what iterations do, ten of them here as well as a hundred.
sed -i 's/iterations: 100/iterations: 10/' own_commands.yaml
run 0 "$rollcall" verify --kernel own_commands.yaml --suite own-commands
has '2 points,'
has ' 0 off'
sed -i '/products/,$d' own_commands.yaml
run 0 "$rollcall" run --kernel own_commands.yaml --suite own-commands --source soft --repeat 2:2 -o d
run 0 "$rollcall" solve d
[[ $out == *own-commands* ]] || fail "not solved: $out"
rm -r d
yaml() {
    local text=$1
    shift
    sed "$@" own_commands.yaml >bad.yaml
    run "${status:-2}" "$rollcall" "${command[@]}" --kernel bad.yaml
    said "$text"
}
command=(kernels)
yaml "bad.yaml:11: ideals: no ideal 'D_SCAR', did you mean 'D_SCAL'?" 's/4 D_SCAL/4 D_SCAR/'
yaml 'bad.yaml:10: iterations: ' 's/iterations: 10/iterations: 8x/'
yaml "expected a program and among its arguments '{iterations}'" 's/, "{iterations}"//'
yaml 'bad.yaml' 's/^suite:/suit:/'
command=(verify --suite own-commands)
status=1 yaml "cannot run './nowhere'" 's/own_command,/nowhere,/'
status=1 yaml "'./own_fails' ended with 1, expected 0" 's/own_command,/own_fails,/'
rm -f own_* mine.so wrong.* bad.* cut.so
finish

#!/usr/bin/env bash
# own_kernels.sh ROLLCALL - suites of users' own: a shared object with a table, and commands; verified, measured,
# solved; what is wrong in such a file is said in one line, and nothing of it is loaded from a directory.
# shellcheck disable=SC2154  # what run() prints
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/own_lib.sh
. "$tests/lib/own_lib.sh"
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

# A compiled suite: verify counts what the compiler made, and says whether that is the useful work; solve passes it by;
# its makers are kept, and another compiler is not taken for the same.
compiled() {
    "$cc" -O2 -fPIC -shared -I "$top/kernels" "-DFLAGS=\"$1\"" -o compiled.so own_compiled.c || fail 'no compiled.so'
}
compiled '-O2 of a test'
run 0 "$rollcall" kernels --kernel ./compiled.so --suite own-compiled
has '-O2 of a test'
has 'B_STREAM'
[[ $out =~ triad\ +24576\ +32768\ +24576\ +2048 ]] || fail "no useful work: $out"
run 0 "$rollcall" verify --kernel ./compiled.so --suite own-compiled
has '4 counts exact,'
[[ $out =~ scale.*bytes_loaded\ +8192\ +counted.*bytes_stored\ +8192\ +counted.*B_STREAM.*16384\ +16384\ +exact ]] ||
    fail "not counted: $out"
[[ $out =~ triad.*OPS_USEFUL.*2048\ +2048\ +exact ]] || fail "operations: $out"
run 0 "$rollcall" verify --kernel ./compiled.so --suite own-compiled --format csv
has 'own-compiled,triad,B_STREAM,all bytes,24576,24576,exact,24576,24576'
run 0 "$rollcall" run --kernel ./compiled.so --suite own-compiled,branch --source soft --repeat 2:2 -o d
has 'own-compiled: no event is solved on it, since a compiler made its kernels'
run 0 "$rollcall" solve d
has 'no event is solved on it, since a compiler made its kernels'
[[ $out == *'-O2 of a test'* ]] || fail "made by whom: $out"
run 0 "$rollcall" report d -o -
run 0 "$rollcall" show d soft::bytes_loaded
has "own-compiled  not used here; a compiler made this suite's kernels"
run 0 "$rollcall" solve d --plain
compiled '-O3 of a test'
run 1 "$rollcall" run --kernel ./compiled.so -o d
said "suite 'own-compiled' of this build has other points or another basis"
run 0 "$rollcall" run --kernel ./compiled.so --suite own-compiled,branch --source soft --repeat 2:2 -o e
run 1 "$rollcall" merge d e -o m
said "suite 'own-compiled': other compiler or flags of its kernels in "
rm -r d e
# Useful work that the code does not do is found. A table of version 1 is taken.
sed -i 's/24 \* N/25 * N/' own_compiled.c
compiled wrong
run 1 "$rollcall" verify --kernel ./compiled.so --suite own-compiled
said '1 count is off'
sed 's/= ROLLCALL_KERNELS_VERSION/= 1/;s/= sizeof rollcall_kernels/= offsetof(struct rollcall_kernels, compiled)/' \
    "$top/docs/examples/own_kernel.c" >own_kernel.c
object old
run 0 "$rollcall" verify --kernel ./old.so --suite own-mine
rm old.so compiled.so own_compiled.c

# Counts that are wrong are found.
sed 's/{"STORES", 2}/{"STORES", 3}/' own_kernel.c >wrong.c
cp wrong.c own_kernel.c
object wrong
run 1 "$rollcall" verify --kernel ./wrong.so --suite own-mine
has 'off'
cp "$top/docs/examples/own_kernel.c" .

# Files of another sort, and files with impossible contents.
bad() {
    local text=$1
    shift
    sed "$@" "$top/docs/examples/own_kernel.c" >own_kernel.c
    object bad
    run 2 "$rollcall" kernels --kernel ./bad.so
    said "--kernel: './bad.so': $text"
}
bad 'found a table of version 9' 's/= ROLLCALL_KERNELS_VERSION/= 9/'
bad "point 'polynomial': found a count of 'OPS_USEFUL', expected it only where the kernels are compiled" \
    's/"OPS_DP", 6/"OPS_USEFUL", 6/'
bad "point 'polynomial': found a count of 'D_SCAL', expected useful work alone" 's/\.run = run/&, .compiled = "cc"/'
bad "found 'compiled' of 0 bytes" 's/\.run = run/&, .compiled = ""/'
bad 'found a table of version 2 and 4 bytes' 's/= sizeof rollcall_kernels/= 4/'
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
head -c 9000 mine.so >cut.so
run 1 "$rollcall" kernels --kernel ./cut.so
says "rollcall kernels: --kernel: './cut.so': loading it was ended by signal 7 (Bus error)"
mkfifo pipe
run 2 timeout 20 "$rollcall" kernels --kernel ./pipe
said "'./pipe'"
rm pipe

# ill NAME CODE: NAME.so, whose run() does that, too.
ill() {
    sed "s|    w->done = iterations;|    ${2//&/\\&}\n&|" "$top/docs/examples/own_kernel.c" >own_kernel.c
    object "$1"
}
# A kernel that crashes or ends the process is named with its point, and nothing is left of the run. Control characters
# of its summary are not printed.
ill ill 'if (point == STORES) *(volatile int *)0 = 1;'
for command in plan 'run -o d' verify; do
    # shellcheck disable=SC2086  # words
    run 1 "$rollcall" $command --kernel ./ill.so --suite own-mine --source soft
    said "/ill.so': point 'stores': run() of 100000 iterations was ended by signal 11 (Segmentation fault)"
    [ ! -e d ] || fail "a directory of '$command'"
done
run 0 "$rollcall" run --kernel ./ill.so --suite own-mine --source model:spr -o d # which runs no code
rm -r d
ill ill 'if (iterations > 1) _Exit(0);'
run 1 "$rollcall" run --kernel ./ill.so --suite own-mine --source soft -o d
said "point 'polynomial': run() of 100000 iterations ended the process, with status 0"
sed 's|"a polynomial, and stores"|"\\033[31mred"|' "$top/docs/examples/own_kernel.c" >own_kernel.c
object ill
run 0 "$rollcall" kernels --kernel ./ill.so --suite own-mine
has 'own-mine: ?[31mred'

# stopped SECONDS tried|timed: a run that does not return from a kernel, which is being tried by a child, or timed for
# the estimate, is ended by two signals, or one, in so long.
stopped() {
    local most=$1 status=0 begun
    "$rollcall" run --kernel ./ill.so --suite own-mine --source soft -o d >.out 2>.err &
    local pid=$!
    for _ in $(seq 600); do
        case $2 in
        tried) pgrep -P "$pid" >/dev/null && break ;;
        timed) compgen -G 'd/journal/*' >/dev/null && break ;;
        esac
        sleep 0.1
    done
    sleep 1
    begun=$SECONDS
    kill -TERM "$pid"
    if [ "$most" -lt 6 ]; then
        sleep 1
        kill -TERM "$pid"
    fi
    wait "$pid" || status=$?
    [ "$status $((SECONDS - begun <= most))" = '3 1' ] || fail "ended with $status after $((SECONDS - begun)) s: $(cat .err)"
    err=$(cat .err)
    rm -rf d
}
# It returns in a child, such as the one that tries it, and never in the process that loaded it.
sed 's|    w->done = iterations;|    while (getpid() == mine) ;\n&|' "$top/docs/examples/own_kernel.c" >own_kernel.c
sed -i 's|^#include <stdlib.h>|&\n#include <unistd.h>\nstatic pid_t mine;\n__attribute__((constructor)) static void begin(void) { mine = getpid(); }|' own_kernel.c
object ill
stopped 5 timed
said "rollcall: stopped while 'stores' ran, which did not return; what was measured before is in the journals"
stopped 12 timed
said "rollcall: stopped while 'stores' ran"
ill ill 'while (iterations) ;'
stopped 5 tried
said "rollcall: stopped while 'own-mine' ran"
run 1 "$rollcall" verify --kernel ./ill.so --suite own-mine
said "point 'polynomial': run() of 100000 iterations did not end within 20 s"
cp "$top/docs/examples/own_kernel.c" .

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
rm -f own_* mine.so wrong.* bad.* ill.so cut.so
finish

# cli_lib.sh - sourced by the scripts in tests/cli: runs the program as a user
# does and says what was expected where it does something else.
# shellcheck shell=bash disable=SC2034,SC2317  # the scripts that source it use all of it
set -u
rollcall=${1:?the program to test}
build=$(cd "$(dirname "$rollcall")/.." && pwd)
# shellcheck source=tests/lib/mpi_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/mpi_lib.sh"
export OMPI_MCA_mpi_yield_when_idle=1 # tests share the processors with each other
export ROLLCALL_ALL_RANKS=${ROLLCALL_ALL_RANKS-1} # also those that have no CPU of their own
work=$(mktemp -d)
cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    failed=$((failed + 1))
}

# run STATUS COMMAND...: out and err hold what it printed.
run() {
    local expected=$1 status=0
    shift
    "$@" >"$work/.out" 2>"$work/.err" </dev/null || status=$?
    out=$(cat "$work/.out")
    err=$(cat "$work/.err")
    if [ "$status" -ne "$expected" ]; then
        fail "'$*' ended with $status, expected $expected: $err"
    fi
}

# says TEXT: the standard error is this one line.
says() {
    [ "$err" = "$1" ] || fail "said '$err', expected '$1'"
}

# said TEXT: it is part of the standard error.
said() {
    case $err in
    *"$1"*) ;;
    *) fail "said '$err', expected '$1'" ;;
    esac
}

# in_out TEXT: whether it is part of the output, also where a line of prose ends in it: where that is depends on
# the numbers before it.
in_out() {
    case $out in
    *"$1"*) return 0 ;;
    esac
    case $(tr -s ' \n' '  ' <<<"$out") in
    *"$1"*) return 0 ;;
    esac
    return 1
}

has() {
    in_out "$1" || fail "no '$1' in: $out"
}

lacks() {
    if in_out "$1"; then fail "'$1' in: $out"; fi
}

# PAPI has events of the kernel's own only on processors that it knows.
has_perf_events() {
    "$rollcall" events --no-trial --source papi 'perf::PAGE-FAULTS' >/dev/null 2>&1 ||
        { echo "left out: PAPI does not know this processor" >&2 && return 1; }
}

# one_mpi WHY: ends the script under another MPI than Open MPI, with a word.
one_mpi() {
    [ "$mpi" = openmpi ] || { echo "left out under MPICH: $1"; exit 77; }
}

# copy_rollcall TO: the program as TO, and what it becomes beside it.
copy_rollcall() {
    cp "$rollcall" "$1" && cp "$rollcall-main" "$1-main" && cp "$rollcall-launch" "$1-launch"
}

ranks() {
    mpirun -n "$@"
}

# samplers DIR: the samplers of profiles that write into the directory.
samplers() {
    local pid
    pgrep -x rollcall-sample | while read -r pid; do
        [ -z "$(find "/proc/$pid/fd" -lname "$work/$1/*" 2>/dev/null | head -n 1)" ] || echo "$pid"
    done
}

finish() {
    rm -f "$work/.out" "$work/.err"
    local left
    left=$(find "$work" -mindepth 1 -printf '%P ')
    [ -z "$left" ] || fail "left behind: $left"
    if [ "$failed" -gt 0 ]; then
        echo "$failed failed" >&2
        exit 1
    fi
    exit 0
}

# few_variables: leaves of the environment only what programs here need: as a program starts, the C library
# compares each variable with many names, which is most of what is stepped of a small one.
few_variables() {
    local name
    for name in $(compgen -e); do
        case $name in
        PATH | HOME | TMPDIR | LD_LIBRARY_PATH | CC | *SAN_OPTIONS | ROLLCALL_* | OMPI_* | RC_*) ;;
        *) unset "$name" ;;
        esac
    done
}

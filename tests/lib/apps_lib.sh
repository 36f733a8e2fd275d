# apps_lib.sh - sourced after cli_lib.sh: the programs of tests/apps are profiled and held against their laws.
# shellcheck shell=bash disable=SC2034,SC2154  # the scripts that source it use all of it, and cli_lib.sh sets the rest
apps=$build/tests/apps other=$build/tests/other/apps
start=(mpirun -n) options=(--stacks off)

# profiled DIR RANKS PROGRAM ARGUMENT...: the profile in DIR, and whether the result was right.
profiled() {
    run 0 "${start[@]}" "$2" "$rollcall" profile -o "$1" "${options[@]}" -- "$apps/$3" "${@:4}"
    has "$3: the result is right"
}

# held RANKS PROGRAM ARGUMENT...: profiled, its calls and bytes are those of the laws.
held() {
    profiled held.prof "$@"
    "$rollcall" profile held.prof --format csv >held.csv || fail "no profile of '$*'"
    python3 "$tests/cli/model_apps_check.py" held.csv "$@" || fail "'$2 ${*:3}' on $1 ranks: not its laws"
    rm -rf held.prof held.csv
}

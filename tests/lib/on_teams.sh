#!/bin/sh
# on_teams.sh MPIRUN... PROGRAM - a failure of one rank of one team fails an MPI test and
# says which team it was; so do more ranks than there are.
set -eu
said=$(mktemp)
trap 'rm -f "$said"' EXIT

# fails_with TEXT COMMAND...
fails_with() {
    text=$1
    shift
    if "$@" >"$said" 2>&1 || ! grep -q "$text" "$said"; then
        cat "$said"
        echo "on_teams.sh: expected a failure with '$text'"
        exit 1
    fi
}

"$@" 1 2
fails_with 'with 3 ranks: tests failed on a rank: 1$' "$@" 1 2 3
fails_with 'with 3 ranks: tests failed on a rank: 1$' "$@"
fails_with 'with 4 ranks: the job has only 3$' "$@" 1 4

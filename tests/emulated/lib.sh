# lib.sh - for the scripts that run inside the emulated machine: each check prints a
# line, and the script ends with 1 where one of them failed.
# shellcheck shell=sh
set -u
failed=0

# check WHAT COMMAND...: the command ends with 0.
check() {
    what=$1
    shift
    if "$@"; then
        echo "  ok      $what"
    else
        echo "  FAILED  $what"
        failed=1
    fi
}

# ends STATUS COMMAND...: the command ends with that status.
ends() {
    status=$1
    shift
    rc=0
    "$@" || rc=$?
    [ "$rc" -eq "$status" ] || { echo "  ended with $rc, not $status: $*" && return 1; }
}

finish() {
    exit "$failed"
}

# mock_lib.sh - sourced after cli_lib.sh by scripts that need OpenPBS, LSF or Flux:
# their mock commands (tests/mock/batch.py) with the jobs in $work/mock.
# shellcheck shell=bash disable=SC2154  # work is of cli_lib.sh
mocks=$(cd "$(dirname "${BASH_SOURCE[0]}")/../mock" && pwd)
export RC_MOCK_STATE=$work/mock RC_MOCK_SECOND=${RC_MOCK_SECOND:-0.01}
path_without_mocks=$PATH

# mock_use SYSTEM...: only the commands of these systems can be found: pbs, lsf, flux, jsm.
mock_use() {
    local system
    PATH=$path_without_mocks
    for system in "$@"; do
        PATH=$mocks/bin/$system:$PATH
    done
}

# mock_stop: ends all jobs and their runners, forgets the jobs.
mock_stop() {
    "$mocks/batch.py" stop
    rm -rf "$RC_MOCK_STATE"
}

# mock_jobs EXPRESSION: what the Python expression says of the list of jobs, oldest first.
mock_jobs() {
    "$mocks/batch.py" jobs "$1"
}

# mock_wait [SECONDS]: until no job is left that can still run (LSF keeps for ever what
# waits for what cannot come); false if that takes longer.
mock_wait() {
    "$mocks/batch.py" wait "${1:-300}"
}

# mock_lose KEY: a node of the running job is lost (KEY: its number, or NUMBER.INDEX).
mock_lose() {
    "$mocks/batch.py" lose "$1"
}
trap 'mock_stop; rm -rf "$work"' EXIT

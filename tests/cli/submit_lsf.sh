#!/usr/bin/env bash
# submit_lsf.sh ROLLCALL - 'submit' with LSF, whose commands are mocks (tests/mock).
# shellcheck disable=SC2034,SC2154,SC2317  # submit_mocks_lib.sh uses them, and has them; run() calls functions
: "${system:=lsf}" # or jsrun, see submit_jsrun.sh
# Limits and warnings are of whole minutes.
export RC_MOCK_SECOND=0.1
limit="--time 2m --warn 1m" again=yes
# A job of somebody else's; its id is in 'out'.
sleeper() {
    run 0 bsub -J other ./other.sh
    out=${out#*<}
    out=${out%%>*}
}
# shellcheck source=tests/lib/submit_mocks_lib.sh
. "$(cd "$(dirname "$0")/.." && pwd)/lib/submit_mocks_lib.sh"

measures_noise
[ "$system" = jsrun ] || starts_by_mpich # jsrun starts all
waits_and_runs
goes_on_after_its_time
gives_up_after_its_tries
is_cancelled_and_goes_on
makes_two_tables
survives_a_lost_node
is_refused 'No such queue'
is_dealt_out
end

#!/usr/bin/env bash
# submit_pbs.sh ROLLCALL - 'submit' with OpenPBS, whose commands are mocks (tests/mock).
# shellcheck disable=SC2034,SC2154,SC2317  # submit_mocks_lib.sh uses them, and has them; run() calls functions
system=pbs
export RC_MOCK_SECOND=1
again=yes
# A job of somebody else's; its id is in 'out'.
sleeper() { run 0 qsub -N other -j oe -o /dev/null other.sh; }
# shellcheck source=tests/lib/submit_mocks_lib.sh
. "$(cd "$(dirname "$0")/.." && pwd)/lib/submit_mocks_lib.sh"
# The script looks at the clock itself, which no mock can make faster or slower.
RC_MOCK_SECOND=1
limit="--time $((16 * pace))s --warn $((10 * pace))s"

measures_noise
starts_by_mpich
waits_and_runs
goes_on_after_its_time
gives_up_after_its_tries
is_cancelled_and_goes_on
is_cancelled_after_its_warning
makes_two_tables
survives_a_lost_node
is_refused 'Unknown queue'
is_dealt_out
end

#!/usr/bin/env bash
# submit_flux.sh ROLLCALL - 'submit' with Flux, whose commands are mocks (tests/mock).
# shellcheck disable=SC2034,SC2154,SC2317  # submit_mocks_lib.sh uses them, and has them; run() calls functions
system=flux
export RC_MOCK_SECOND=0.2
limit="--time 1m --warn 30s" again=no
# A job of somebody else's; its id is in 'out'.
sleeper() { run 0 flux batch -n 1 --output=none other.sh; }
# shellcheck source=tests/lib/submit_mocks_lib.sh
. "$(cd "$(dirname "$0")/.." && pwd)/lib/submit_mocks_lib.sh"

measures_noise
waits_and_runs
goes_on_after_its_time
gives_up_after_its_tries
is_cancelled_and_goes_on
makes_two_tables
survives_a_lost_node
is_refused 'Invalid queue'
is_dealt_out
end

#!/usr/bin/env bash
# submit_jsrun.sh ROLLCALL - as submit_lsf.sh, with LSF with jsrun.
# shellcheck disable=SC2034  # submit_lsf.sh uses it
system=jsrun
# shellcheck source=tests/cli/submit_lsf.sh
. "$(dirname "$0")/submit_lsf.sh"

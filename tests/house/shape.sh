#!/usr/bin/env bash
# shape.sh [--times] COMMIT - how product C is built, then and now: lines, functions,
# comments, circles, tests, features, a column for COMMIT, one for this tree and one for the
# goals of docs/developers.md.  --times runs tests/run.sh and .ci/run, too, and says how long
# each took; that takes as long as they take, and wants a quiet machine.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=jobs/setup.sh
. "$here/jobs/setup.sh"
times=
if [ "${1:-}" = --times ]; then times=yes && shift; fi
commit=${1:?a commit to compare with}

then=$(mktemp -d)
trap 'rm -rf "$then"' EXIT
git -C "$here" archive "$commit" | tar -x -C "$then"
rc_setup build
for tree in "$then" "$here"; do
    (top=$tree && cd "$tree" && rc_build_tested build-test) >&2
done
printf '%-42s %12s %12s %16s\n' '' "$(git -C "$here" rev-parse --short "$commit")" now goal
python3 "$here/tests/house/shape.py" "$then" "$here"
echo 'lines of code by feature (the rule is in tests/house/features.py)'
python3 "$here/tests/house/features.py" "$then" "$here"

# how_long GOAL COMMAND...: a row of how many minutes the command took.
how_long() {
    local goal=$1 began=$SECONDS status=0
    shift
    "$@" >/dev/null 2>&1 || status=$?
    printf '%-42s %12s %12s %16s\n' "minutes of ${*: -1}" '' "$(((SECONDS - began + 59) / 60))" "$goal"
    [ "$status" -eq 0 ] || echo "    which ended with $status"
}
if [ "$times" ]; then
    cd "$here"
    how_long '<= 6' sh tests/run.sh
    how_long '<= 15' .ci/run
fi

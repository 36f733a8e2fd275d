#!/bin/sh
# changed.sh - prints the files that changed since the commit in .ci/passed, at which
# '.ci/run --all' passed, or since RC_SINCE: in commits, not yet committed, and new ones.
# It fails where that cannot be known, such as in a clone without that commit: then
# everything is to be checked.
set -eu
cd "$(dirname "$0")/../.."
since=${RC_SINCE:-$(cat .ci/passed)}
if ! git cat-file -e "$since^{commit}" 2>/dev/null; then
    echo "changed.sh: no commit '$since' here: everything is checked" >&2
    exit 1
fi
git diff --name-only --no-renames "$since" --
git ls-files --others --exclude-standard

#!/bin/sh
# left_out.sh TABLE none|changed|all - which tests of a table are left out, a line for each
# group of them: LABEL, the pattern of their names, and why.  No group is run, or those whose files changed
# (changed.sh), or all.  Groups that run since files changed are said.
set -eu
cd "$(dirname "$0")/../.."
table=tests/house/$1 which=$2 changed=

if [ "$which" = changed ]; then changed=$(sh tests/house/changed.sh) || which=all; fi

# prefixes PATHS: as a pattern; a file begins with each, else the table is out of date.
prefixes() {
    for path in $(echo "$1" | tr ',' ' '); do
        if ! ls -d "$path"* >/dev/null 2>&1; then
            echo "$table: no file's name begins with '$path'" >&2
            return 1
        fi
    done
    echo "$1" | sed 's/[.]/[.]/g; s/,/|/g; s/.*/^(&)/'
}

while read -r label tests paths why; do
    case $label in '' | '#'*) continue ;; esac
    pattern=$(prefixes "$paths")
    [ "$which" != all ] || continue
    if [ "$which" = changed ] && found=$(printf '%s\n' "$changed" | grep -E -m 1 "$pattern"); then
        echo "$table: tests '$label' are run: $found changed" >&2
        continue
    fi
    echo "$label $tests $why"
done <"$table"

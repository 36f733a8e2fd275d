#!/usr/bin/env bash
# progress.sh BINDIR [COMMAND...]: what people see of a long command on terminals of 80 and 120 columns
# after 1, 5 and 30 s, and for how long the terminal stood still at most.  Without a command: 'verify'
# and 'run --source soft'.  Wants tmux; the captures are in docs/bench.md.
set -euo pipefail
bin=$(cd "${1:?is where rollcall is built}" && pwd)
shift
dir=$(mktemp -d)
socket=$dir/tmux
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT
command -v tmux >/dev/null || {
    echo "tmux is not there" >&2
    exit 77
}

# capture COLUMNS COMMAND: starts it in a terminal and prints what stands there at 1, 5 and 30 s; ends
# with the longest time, in s, in which nothing changed before it ended.
capture() {
    local columns=$1 command=$2 at=(1 5 30) began now before='' screen changed longest=0
    rm -rf "$dir/work"
    mkdir "$dir/work"
    tmux -S "$socket" -f /dev/null new-session -d -x "$columns" -y 24 -s rc -c "$dir/work" \
        "PATH='$bin':\$PATH sh -c '$command; echo ended with \$?'; touch '$dir/over'; sleep 60"
    began=$(date +%s%N)
    changed=$began
    rm -f "$dir/over"
    while :; do
        screen=$(tmux -S "$socket" capture-pane -p -t rc)
        now=$(date +%s%N)
        if [ "$screen" != "$before" ] || [ -e "$dir/over" ]; then
            [ $((now - changed)) -le "$longest" ] || longest=$((now - changed))
            changed=$now before=$screen
        fi
        if [ "${#at[@]}" -gt 0 ] && [ $(((now - began) / 1000000000)) -ge "${at[0]}" ]; then
            printf -- '--- %s, %s columns, after %s s\n%s\n' "$command" "$columns" "${at[0]}" \
                "$(printf '%s\n' "$screen" | grep . | tail -n 6)"
            at=("${at[@]:1}")
        fi
        [ ! -e "$dir/over" ] || break
        [ $((now - began)) -lt 300000000000 ] || break
        sleep 0.1
    done
    printf -- '--- %s, %s columns: over after %s s; nothing changed for %s.%s s at most\n' "$command" "$columns" \
        $(((now - began) / 1000000000)) $((longest / 1000000000)) $((longest / 100000000 % 10))
    tmux -S "$socket" kill-session -t rc
}

[ $# -gt 0 ] || set -- 'rollcall verify' 'rollcall run -o results --source soft'
for columns in 80 120; do
    for command in "$@"; do
        capture "$columns" "$command"
    done
done

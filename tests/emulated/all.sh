# all.sh - inside the emulated machine: runs every script beside it whose name begins
# with a number, or those that are named, and says how long each took by the machine's clock.
# shellcheck shell=sh disable=SC2154,SC2317
here=$top/tests/emulated
failed=0
[ $# -gt 0 ] || set -- "$here"/[0-9]*.sh
for script in "$@"; do
    name=${script##*/}
    before=$(cut -d. -f1 /proc/uptime)
    echo "== $name"
    mkdir -p "/tmp/${name%.sh}" && cd "/tmp/${name%.sh}" || exit 1
    rc=0
    sh "$here/$name" || rc=$?
    after=$(cut -d. -f1 /proc/uptime)
    echo "== $name: $([ "$rc" -eq 0 ] && echo passed || echo FAILED), $((after - before)) s of the machine's time"
    [ "$rc" -eq 0 ] || failed=1
done
exit "$failed"

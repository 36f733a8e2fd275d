#!/usr/bin/env bash
# pmcd.sh COMMAND... - runs a command beside a pmcd of its own, the Performance Co-Pilot's
# daemon, with the agents perfevent and sample; ends with the command's status.
#   PCP_CONF      makes the command find this pmcd as "local:"
#   RC_PMCD_DIR   pid: pmcd's process, which is started again when it ends
#                 pmns: its names and their numbers, as the next start reads them
# The daemon is Debian's, unpacked into the cache directory of the user and not installed:
# the package's own set-up fails where no systemd runs.  It listens in a network namespace
# of its own, and to a socket in a directory of its own.  77: it cannot be had here.
set -u
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rollcall

skip() {
    echo "skipped: $*" >&2
    exit 77
}

for tool in apt-get dpkg-deb flock unshare setpriv; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
apart=(unshare -n)
"${apart[@]}" true 2>/dev/null || apart=(unshare -r -n)
"${apart[@]}" true 2>/dev/null || skip "network namespaces are not allowed here"
# libpcp comes with this file; the build takes it where it is.
[ -r /etc/pcp.conf ] || skip "libpcp is not installed (Debian: libpcp3-dev)"

version=$(dpkg-query -W -f '${Version}' libpcp3 2>/dev/null)
[ -n "$version" ] || skip "libpcp is not Debian's"
root=$cache/pcp-$version
mkdir -p "$cache"
exec 8>"$cache/pcp.lock"
flock 8
if [ ! -e "$root/complete" ]; then
    rm -rf "$root" "$root.new"
    mkdir -p "$root.new/debs"
    (cd "$root.new/debs" &&
        apt-get -qq -o APT::Sandbox::User=root -o Acquire::Retries=3 download "pcp=$version" \
            "libpcp-pmda3=$version" 8>&-) >&2 || skip "apt-get cannot fetch pcp $version"
    for deb in "$root.new/debs"/*.deb; do
        dpkg-deb -x "$deb" "$root.new" || skip "$deb cannot be unpacked"
    done
    rm -r "$root.new/debs"
    : >"$root.new/complete"
    mv "$root.new" "$root"
fi
exec 8>&-

work=$(mktemp -d /tmp/rc_pmcd.XXXXXX)
daemon=
command=
# shellcheck disable=SC2317  # by the trap
ending() {
    trap '' INT TERM HUP
    for pid in $command $daemon; do kill "$pid" 2>/dev/null; done
    wait
    rm -rf "$work"
}
trap ending EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

mkdir -p "$work"/{run,log,tmp,pmdas/perfevent}
user=$(id -un)
sed -e "s|=/usr/lib/pcp|=$root/usr/lib/pcp|" -e "s|^PCP_PMDAS_DIR=.*|PCP_PMDAS_DIR=$work/pmdas|" \
    -e "s|^PCP_RUN_DIR=.*|PCP_RUN_DIR=$work/run|" -e "s|^PCP_LOG_DIR=.*|PCP_LOG_DIR=$work/log|" \
    -e "s|^PCP_TMP\(FILE\)*_DIR=.*|PCP_TMP\1_DIR=$work/tmp|" -e "s|^PCP_VAR_DIR=.*|PCP_VAR_DIR=$work|" \
    -e "s|^PCP_USER=.*|PCP_USER=$user|" -e "s|^PCP_GROUP=.*|PCP_GROUP=$(id -gn)|" /etc/pcp.conf >"$work/pcp.conf"
cat >"$work/pmns" <<'END'
root {
    pmcd
    perfevent
    sample
}
pmcd {
    version 2:0:5
    numagents 2:0:2
    pdu_in
}
pmcd.pdu_in {
    fetch 2:1:3
    highres_fetch 2:1:21
}
perfevent {
    active 127:0:1
    hwcounters 127:*:*
}
sample {
    bin 29:0:6
    long
    milliseconds 29:0:3
}
sample.long {
    one 29:0:10
    million 29:0:13
}
END
printf '[perf]\nperf::PAGE-FAULTS cpu\nperf::CONTEXT-SWITCHES cpu\n' >"$work/pmdas/perfevent/perfevent.conf"
cat >"$work/pmcd.conf" <<END
pmcd 2 dso pmcd_init $root/usr/lib/pcp/pmdas/pmcd/pmda_pmcd.so
perfevent 127 pipe binary $root/usr/lib/pcp/pmdas/perfevent/pmdaperfevent -d 127
sample 29 dso sample_init $root/usr/lib/pcp/pmdas/sample/pmda_sample.so
[access]
allow "*" : all;
END
export PCP_CONF=$work/pcp.conf RC_PMCD_DIR=$work PMCD_RECONNECT_TIMEOUT=1,1,1

# pmcd writes its agents' logs where it is started; one that was killed leaves its socket.
start_daemon() {
    rm -f "$work/run/pmcd.socket"
    (
        cd "$work/log" || exit 1
        LD_LIBRARY_PATH=$root/usr/lib exec setpriv --pdeathsig TERM "${apart[@]}" \
            "$root/usr/lib/pcp/bin/pmcd" -f -A -U "$user" -c "$work/pmcd.conf" -n "$work/pmns" \
            -i 127.0.0.1 -s "$work/run/pmcd.socket" -l "$work/log/pmcd.log" >"$work/log/out" 2>&1
    ) &
    daemon=$!
    echo "$daemon" >"$work/pid.new"
    mv "$work/pid.new" "$work/pid"
}

start_daemon
for _ in {1..100}; do
    LD_LIBRARY_PATH=$root/usr/lib "$root/usr/bin/pminfo" -h local: -f sample.long.one 2>/dev/null | grep -q 'value 1' &&
        break
    kill -0 "$daemon" 2>/dev/null || skip "pmcd does not start: $(tail -n 3 "$work/log/pmcd.log" "$work/log/out")"
    sleep 0.1
done

"$@" &
command=$!
while kill -0 "$command" 2>/dev/null; do
    if ! kill -0 "$daemon" 2>/dev/null; then start_daemon; fi
    sleep 0.1
done
wait "$command"
status=$?
command=
exit "$status"

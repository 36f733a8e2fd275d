#!/usr/bin/env bash
# The source 'sysfs' over a tree of files that stand for the system's: what is listed,
# with which verdicts, and what a campaign reads there, to the last count.
# shellcheck disable=SC2154  # campaign_lib.sh sets python
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/cli_lib.sh
. "$tests/cli_lib.sh"
# shellcheck source=tests/campaign_lib.sh
. "$tests/campaign_lib.sh"
find_h5py

# put FILE TEXT
put() {
    mkdir -p "tree/${1%/*}"
    printf '%s\n' "$2" >"tree/$1"
}

# Bad arguments first.
run 2 "$rollcall" events --source sysfs:nowhere
says "rollcall events: source 'sysfs': 'nowhere' is not a directory, expected one that holds sys/ and proc/"
run 2 "$rollcall" events --source sysfs:
says "rollcall events: source 'sysfs': '' is not a directory, expected one that holds sys/ and proc/"
mkdir tree
run 1 "$rollcall" run -o c --source sysfs:tree --suite branch
said "no event on kind"
rmdir tree

port=sys/class/infiniband/mlx5_0/ports/1/counters
zone=sys/class/powercap/intel-rapl:0
put $zone/name package-0
put $zone/energy_uj 5000
put $zone/max_energy_range_uj 262143328850
put $port/port_rcv_data 4294967295
put $port/port_xmit_data 17
put sys/class/net/eth0/statistics/rx_bytes 0
put sys/class/net/eth0/statistics/tx_bytes many
put sys/class/hwmon/hwmon0/name coretemp
put sys/class/hwmon/hwmon0/temp1_input 45000
put sys/class/hwmon/hwmon0/in0_input -12
put proc/meminfo 'MemTotal:       16308184 kB'

run 0 "$rollcall" events --source sysfs:tree --format csv
expected='sysfs:::powercap:intel-rapl:package:energy_uj package ok
sysfs:::infiniband:mlx5_0:1:port_rcv_data node unsupported
sysfs:::infiniband:mlx5_0:1:port_xmit_data node ok
sysfs:::net:eth0:rx_bytes node counts-nothing
sysfs:::net:eth0:tx_bytes node unsupported
sysfs:::hwmon:coretemp:in0_input node ok
sysfs:::hwmon:coretemp:temp1_input node ok
sysfs:::meminfo:MemTotal node ok'
found=$(printf '%s\n' "$out" | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    assert row["simulated"] == "yes", row
    print(row["event"], row["scope"], row["verdict"].replace(" ", "-"))')
[ "$(sort <<<"$found")" = "$(sort <<<"$expected")" ] || fail "events: $(diff <(echo "$expected") <(echo "$found"))"
has saturated
has "not a whole number"

# Two ranks: an event of the node is read by one of them.
run 0 ranks 2 "$rollcall" run -o c --source sysfs:tree --suite branch --repeat 2 --no-solve
said "source sysfs, a tree of files, not this system's: tree tree instead of /: files of powercap infiniband net hwmon meminfo"
run 0 "$rollcall" status c
has complete
has "sysfs, a tree of files, not this system's"

# check FILE EVENT=VALUE...: at all points of the suite 'branch', in both repetitions.
check() {
    "$python" - "$@" <<'END' || fail "readings: $*"
import sys
import h5py
with h5py.File(sys.argv[1]) as store:
    kind = next(iter(store["kinds"].values()))
    names = [name.decode() if isinstance(name, bytes) else name for name in kind["events/event"][()]]
    values = kind["suites/branch/values"][()]
    for word in sys.argv[2:]:
        name, _, wanted = word.rpartition("=")
        found = values[names.index("sysfs:::" + name)]
        assert found.shape[1] == 2 and found.size > 10, found.shape
        assert (found == int(wanted)).all(), (name, found, wanted)
END
}
check c/campaign.h5 hwmon:coretemp:temp1_input=45000 hwmon:coretemp:in0_input=-12 meminfo:MemTotal=16308184 \
    powercap:intel-rapl:package:energy_uj=0 infiniband:mlx5_0:1:port_xmit_data=0 net:eth0:rx_bytes=0

# The port's counter sticks before another suite is measured: what cannot be read any
# more is invalid, with that word; the others are read.
put $port/port_xmit_data 4294967295
run 3 "$rollcall" run -o c --source sysfs:tree --suite branch,flops --extend --repeat 2 --no-solve
run 3 "$rollcall" status c
has "sysfs:::infiniband:mlx5_0:1:port_xmit_data: saturated"

rm -rf c tree
finish

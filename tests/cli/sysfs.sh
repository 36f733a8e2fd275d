#!/usr/bin/env bash
# The source 'sysfs' over a tree of files that stand for the system's: what is listed,
# with which verdicts, and what a campaign reads there, to the last count.  And the source
# 'nvml' with a made-up library.
# shellcheck disable=SC2154  # campaign_lib.sh sets python
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$tests/lib/campaign_lib.sh"
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
        found = values[names.index(name if ":::" in name else "sysfs:::" + name)]
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

# gpus LINE...: what the made-up library says from now on, never half of it.
gpus() {
    printf '%s\n' "$@" >values.new
    mv values.new values
}

# A library that is none, then the made-up one.
mkdir lib
echo text >lib/libnvidia-ml.so.1
LD_LIBRARY_PATH=$work/lib run 1 "$rollcall" events --source nvml
said "rollcall events: source 'nvml': no NVIDIA driver here: "
if [ -z "${RC_FAKE_NVML_DIR:-}" ]; then
    echo "left out: RC_FAKE_NVML_DIR does not say where the made-up libraries are" >&2
    finish
fi
export RC_FAKE_NVML=$work/values
nvml=$RC_FAKE_NVML_DIR/whole${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
gpus 'devices 0'
LD_LIBRARY_PATH=$nvml run 1 "$rollcall" run -o c --source nvml --suite branch
said "source 'nvml': libnvidia-ml.so.1 lists 0 devices, expected 1 to 1024"
gpus 'devices 2' '0.power 71000' '0.energy 5000' '1.power -4' '1.used 123'
LD_LIBRARY_PATH=$nvml run 0 ranks 1 "$rollcall" doctor
has 'NVIDIA devices: 2, Made-up GPU'
LD_LIBRARY_PATH=$nvml run 0 "$rollcall" events --source nvml
has 'nvml:::device_0:power               nvml    device  ok'
has 'nvml:::device_1:power               nvml    device  not permitted'
has 'the device does not support it'
has '22 events of 22: 3 ok, 1 not permitted, 18 unsupported'
LD_LIBRARY_PATH=$nvml run 0 ranks 2 "$rollcall" run -o c --source nvml --suite branch --repeat 2 --no-solve
check c/campaign.h5 nvml:::device_0:power=71000 nvml:::device_0:energy=0 nvml:::device_1:memory_used=123

# A program in which the device takes 3 J.
gpus 'devices 1' '0.power 71000' '0.energy 5000'
LD_LIBRARY_PATH=$nvml run 0 "$rollcall" profile -o p -s sysfs,nvml -- sh -c '
    sleep 1; sed "s/5000/8000/" values >values.new; mv values.new values; sleep 1'
run 0 "$rollcall" profile p
grep -qE '^nvml:::device_0:energy .*/s .* 3 k$' <<<"$out" || fail "the energy: $out"
grep -qE '^nvml:::device_0:power .*( +71 k){3}$' <<<"$out" || fail "the power: $out"
has 'the first is nvml:::device_0:power_instant:'

rm -rf c p lib values
finish

#!/usr/bin/env bash
# profile_nodes.sh ROLLCALL - a profile over two nodes, network namespaces with names, shared memory and a
# clock of their own: bytes between them are counted exactly, and no message arrives before it was sent.
# shellcheck disable=SC2317  # the trap and run() call what seems not to be called
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
one_mpi "two nodes are made by its mpirun"
build=$(cd "$(dirname "$rollcall")/.." && pwd)

if [ "$(id -u)" -ne 0 ] || ! command -v ip >/dev/null || ! ip netns add "rct$$" 2>.stat ||
    ! unshare -T --fork true 2>.stat; then
    ip netns del "rct$$" 2>.stat
    echo "skipped: network and time namespaces need root and the program 'ip'"
    exit 77
fi
ip netns del "rct$$"
first=rca$$ second=rcb$$
clear_up() {
    ip netns del "$first"
    ip netns del "$second"
    rm -rf "$work"
}
trap clear_up EXIT
ip netns add "$first" && ip netns add "$second" || exit 1
for space in "$first" "$second"; do # else the system itself has something to say on a new device
    ip netns exec "$space" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6' 2>.stat
done
ip link add "va$$" netns "$first" type veth peer name "vb$$" netns "$second" || exit 1
ip link add "vc$$" netns "$first" type veth peer name "vd$$" netns "$second" || exit 1 # and they stay down
for side in "$first va$$ 10.78.0.1" "$second vb$$ 10.78.0.2"; do
    read -r space device address <<<"$side"
    ip -n "$space" addr add "$address/24" dev "$device"
    ip -n "$space" link set "$device" up
    ip -n "$space" link set lo up
done
for side in "$first va$$ 10.78.0.2 $second vb$$" "$second vb$$ 10.78.0.1 $first va$$"; do # nobody has to ask who is who
    read -r space device address there its <<<"$side"
    ip -n "$space" neigh replace "$address" dev "$device" nud permanent \
        lladdr "$(ip netns exec "$there" cat "/sys/class/net/$its/address")" || exit 1
done

# ended DIR: waits until all samplers of DIR have ended.
ended() {
    for _ in $(seq 400); do
        "$rollcall" profile "$1" --format json >.json 2>.stat &&
            python3 -c 'import json, sys; sys.exit(not all(n["ended"] for n in json.load(open(".json"))["nodes"]))' && return
        sleep 0.05
    done
    fail "the samplers of $1 have not ended"
}

# Datagrams of 1000 bytes have 42 more on the way (Ethernet, IP, UDP); nothing else is sent to the device.
cat >receive.py <<'END'
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
s.bind(("10.78.0.1", 7777))
time.sleep(0.6)  # the series has begun
open("ready", "w").close()
s.settimeout(20)
while s.recv(2000) != b"end":
    pass
time.sleep(0.3)
END
cat >send.py <<'END'
import os, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(2000):
    if os.path.exists("ready"):
        break
    time.sleep(0.01)
for i in range(3000):
    s.sendto(b"x" * 1000, ("10.78.0.1", 7777))
    if i % 50 == 0:
        time.sleep(0.01)
for i in range(10):
    s.sendto(b"end", ("10.78.0.1", 7777))
END
ip netns exec "$second" python3 send.py &
sender=$!
run 0 ip netns exec "$first" "$rollcall" profile -o udp -e "sysfs:::net:va$$:*" -e "sysfs:::net:vc$$:rx_bytes" -- \
    python3 receive.py
wait $sender
ended udp
run 0 "$rollcall" export udp --format csv -o all.csv
python3 - "va$$" all.csv "vc$$" <<'END' || fail 'bytes of a device are not those that were sent'
import csv, sys
total = {}
for row in csv.DictReader(open(sys.argv[2])):
    if row["sort"] == "reading":
        total[row["name"]] = total.get(row["name"], 0) + int(row["value"])
packets, bytes = (total["sysfs:::net:" + sys.argv[1] + ":rx_" + what] for what in ("packets", "bytes"))
print(packets, "datagrams with", bytes, "bytes received")
assert packets == 3010 and bytes == 3000 * 1042 + 10 * 45, (packets, bytes)
down = [name for name in total if ":" + sys.argv[3] + ":" in name]  # only what was asked for
assert down == ["sysfs:::net:" + sys.argv[3] + ":rx_bytes"], down
END
rm -r udp ready receive.py send.py all.csv

# A job over both: the second node's clocks are 1234 s ahead.
cat >agent <<EOS
#!/bin/sh
shift
exec ip netns exec $second unshare -u -m -T --fork --monotonic 1234 sh -c "hostname nodeb; mount -t tmpfs none /dev/shm; exec \$*"
EOS
chmod +x agent
# two EACH COMMAND...: under mpirun on both nodes, with so many ranks on each.
two() {
    local each=$1
    shift
    # shellcheck disable=SC2016
    ip netns exec "$first" unshare -u -m sh -c 'hostname nodea; mount -t tmpfs none /dev/shm; exec "$@"' sh \
        env OMPI_MCA_pml=ob1 mpirun --mca plm_rsh_agent "$work/agent" -n $((2 * each)) \
        -H "10.78.0.1:$each,10.78.0.2:$each" --mca oob_tcp_if_include 10.78.0.0/24 \
        --mca btl_tcp_if_include 10.78.0.0/24 "$@"
}
run 0 two 1 "$rollcall" profile -o d --trace -- "$build/tests/mpi_wait" receive 20000 10
ended d
run 0 "$rollcall" export d --format csv --limit 100000 -o all.csv
python3 - all.csv .json <<'END' || fail 'times of two nodes do not fit together'
import csv, json, sys
d = json.load(open(sys.argv[2]))
assert len(d["nodes"]) == 2 and d["clocks"].startswith("clocks of 2 of 2 nodes compared, known to "), d["clocks"]
assert not [line for line in d["lost"] if "arrived before" in line], d["lost"]
calls = {c["call"]: c for c in d["calls"]}
with_nodes = {(c["call"], c["nodes"]): (c["calls"], c["bytes"]) for c in d["calls_by_nodes"]}
assert with_nodes[("MPI_Send", "other node")] == with_nodes[("MPI_Recv", "other node")], with_nodes
assert with_nodes[("MPI_Send", "other node")][0] == 10, with_nodes
assert not [c for c in with_nodes if c[1] == "same node"], with_nodes
recv = calls["MPI_Recv"]
assert recv["known_%"] == 100 and recv["waits_for"] == "late sender", recv
assert 0.18 / 2 < recv["waiting_s"] < 0.4 / 2, recv  # 10 times 20 ms, of one of two ranks
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["sort"] == "call instance"]
at = lambda name, rank: sorted((int(r["begin_ns"]), int(r["end_ns"])) for r in rows if r["name"] == name and r["rank"] == rank)
sends, receives = at("MPI_Send", "0"), at("MPI_Recv", "1")
assert len(sends) == len(receives) == 10, (len(sends), len(receives))
late = [r[1] - s[0] for s, r in zip(sends, receives)]
print("from a send's begin to its receive's end: %.1f to %.1f us; %s" % (min(late) / 1e3, max(late) / 1e3, d["clocks"]))
assert min(late) >= 0, late
END
rm -r d agent all.csv .json .stat
finish

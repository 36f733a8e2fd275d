#!/usr/bin/env bash
# nodes.sh ROLLCALL - campaigns over two nodes: network namespaces with host names
# of their own, so that ranks of different nodes have only TCP between them.
# shellcheck disable=SC2317  # the trap and run() call what seems not to be called
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
one_mpi "two nodes are made by its mpirun"
# shellcheck source=tests/lib/campaign_lib.sh
. "$here/lib/campaign_lib.sh"

if [ "$(id -u)" -ne 0 ] || ! command -v ip >/dev/null || ! ip netns add "rct$$" 2>/dev/null; then
    echo "skipped: network namespaces need root and the program 'ip'"
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
ip netns add "$first" && ip netns add "$second" &&
    ip link add "va$$" netns "$first" type veth peer name "vb$$" netns "$second" || exit 1
for side in "$first va$$ 10.77.0.1" "$second vb$$ 10.77.0.2"; do
    read -r space device address <<<"$side"
    ip -n "$space" addr add "$address/24" dev "$device"
    ip -n "$space" link set "$device" up
    ip -n "$space" link set lo up
done

# The command by which mpirun starts its daemon on the other node; APART hides a directory there.
cat >agent <<EOS
#!/bin/sh
shift
hide=
if [ -n "\${APART:-}" ]; then hide="mount -t tmpfs none '$work/apart' && mkdir '$work/apart/r' &&"; fi
exec ip netns exec $second unshare -u -m sh -c "hostname nodeb; \$hide exec \$*"
EOS
chmod +x agent

# The leak checker now and then dies itself ("Tracer caught signal 11") on a thread
# that the network library is ending; ranks.sh has the same work checked for leaks.
# Under the sanitizers it is mpirun that gives the ranks their ASAN_OPTIONS.
unchecked=()
if [ -n "${OMPI_MCA_mca_base_env_list:-}" ]; then
    unchecked=("OMPI_MCA_mca_base_env_list=$OMPI_MCA_mca_base_env_list:detect_leaks=0")
fi

# two RANKS-EACH SETTINGS... -- COMMAND...: under mpirun on both nodes.
two() {
    local each=$1 settings=()
    shift
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    # shellcheck disable=SC2016
    ip netns exec "$first" unshare -u sh -c 'hostname nodea; exec "$@"' sh \
        env "${settings[@]}" "${unchecked[@]}" mpirun --mca plm_rsh_agent "$work/agent" -n $((2 * each)) \
        -H "10.77.0.1:$each,10.77.0.2:$each" --mca oob_tcp_if_include 10.77.0.0/24 \
        --mca btl_tcp_if_include 10.77.0.0/24 "$@"
}

if [ ${#unchecked[@]} -gt 0 ]; then
    # shellcheck disable=SC2016
    run 0 two 1 -- sh -c 'echo "$ASAN_OPTIONS"'
    has ':detect_leaks=0'
fi

options=(--source model:spr --suite flops --suite dcache 'FP_ARITH*' 'MEM_*' 'UNC_*')
run 0 "$rollcall" run -o alone "${options[@]}"
tcp=(OMPI_MCA_pml=ob1 OMPI_MCA_osc=pt2pt)
run 0 two 1 "${tcp[@]}" -- "$rollcall" run -o one_each "${options[@]}"
same alone one_each || fail "one rank on each node: another result"
run 0 two 2 -- "$rollcall" run -o two_each "${options[@]}"
same alone two_each || fail "two ranks on each node: another result"
for node in nodea nodeb; do
    [ -s "two_each/journal/$node.rcj" ] || fail "no journal of $node"
done

# Every unit on each node, and resuming for one node's missing units.
run 0 two 1 "${tcp[@]}" -- "$rollcall" run -o each --replicate node "${options[@]}"
run 0 "$rollcall" status each
has "2 nodes"
run 0 h5dump -d "/kinds/$(h5ls each/campaign.h5/kinds | cut -d' ' -f1)/suites/flops/place" each/campaign.h5
has '"nodea", "nodeb"'

# Real kernels on both nodes.
run 0 two 1 "${tcp[@]}" -- "$rollcall" run -o stepped --source soft --suite branch

# A directory that only one of them sees.
mkdir -p apart/r
run 1 two 1 "${tcp[@]}" APART=1 -- "$rollcall" run -o "$work/apart/r" "${options[@]}"
case $err in
*nodeb*) ;;
*) fail "expected a line that names nodeb, found: $err" ;;
esac

rm -rf agent alone one_each two_each each stepped apart
finish

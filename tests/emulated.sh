#!/bin/bash
# emulated.sh [COMMAND...] - runs a shell command on an emulated ARM server whose counters
# count: rollcall, cross-compiled, and its tests are there, in the same directories as here.
# Without a command: tests/emulated/all.sh.  Prints the command's output and ends with its status; files left in
# $RESULTS are in build-arm64/results afterwards.
#   RC_EMULATED_LIMIT  seconds that it may take (1500)
#   RC_EMULATED_CPUS   processors (1: with more the counts are not exact, see below)
#   RC_EMULATED_MACHINES=2  another machine beside it, arm2, with a network between them
#                      and /exchange for both; tests/emulated/on.sh runs commands there
# 77: a tool or the packages are missing.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
build=$top/build-arm64
limit=${RC_EMULATED_LIMIT:-1500}
machines=${RC_EMULATED_MACHINES:-1}

for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio flock; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done
tree=$(sh "$top/tests/emulated/tree.sh")

mkdir -p "$build"
exec 9>"$build/emulated.lock"
flock 9
# Files that CMake found in an older tree are gone.
grep -q "^RC_SYSROOT:.*=$tree/root\$" "$build/CMakeCache.txt" 2>/dev/null ||
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
rc_build "$build" -DRC_SYSROOT="$tree/root" -DBUILD_TESTING=ON -DRC_WERROR=ON \
    -DCMAKE_TOOLCHAIN_FILE="$top/docs/site/aarch64-linux-gnu.cmake" 9>&-

work=$(mktemp -d)
machine='' other=''
# shellcheck disable=SC2317  # by the trap
ending() {
    trap '' INT TERM HUP
    # 'timeout' passes TERM on to the emulator; KILL would leave that behind.
    for pid in $machine $other; do kill -TERM "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap ending EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Files of this checkout, after the packages: the kernel unpacks one archive after
# the other.  Programs go without what only debuggers read.
stage=$work/stage
mkdir -p "$stage$top" "$work/exchange"
(cd "$build" && find bin tests -type f -perm -u+x ! -name '*.so' ! -path '*/CMakeFiles/*') |
    while read -r program; do
        mkdir -p "$stage$build/${program%/*}"
        aarch64-linux-gnu-strip -o "$stage$build/$program" "$build/$program"
    done
cp -R "$build/share" "$stage$build/"
(cd "$top" && git ls-files -z -- tests docs solve kernels campaign jobs | xargs -0 cp -P --parents -t "$stage$top")
cp "$top/tests/emulated/init" "$stage/init"
chmod 755 "$stage/init"
(cd "$stage" && find . -print | cpio -o -H newc --quiet) >"$work/run.cpio"
rm -rf "$stage"
cat "$tree/base.cpio" "$work/run.cpio" >"$work/initrd"
rm "$work/run.cpio"

cat >"$work/exchange/environment" <<END
export top=$top build=$build PATH=$build/bin:\$PATH RESULTS=/exchange/results
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
END
[ $# -gt 0 ] || set -- sh "$top/tests/emulated/all.sh"
printf '%s\n' "$*" >"$work/exchange/command"
mkdir "$work/exchange/results"

# One instruction is one nanosecond, and waiting takes no time: the counts are exact and
# the same in each run.  QEMU keeps one count of instructions for the whole machine: what
# another processor executes while a counter counts would be added to it.  Where there are
# two machines, waiting takes as long as it does here, or one would time out on the other.
boot() {
    local number=$1 sleep=off
    shift
    [ "$machines" -eq 1 ] || sleep=on
    exec timeout --kill-after=10 "$limit" qemu-system-aarch64 -M virt -cpu neoverse-n1 -smp "${RC_EMULATED_CPUS:-1}" \
        -m 3072 -icount "shift=0,sleep=$sleep" -nodefaults -no-reboot -display none -monitor none \
        -chardev stdio,id=console,signal=off -serial chardev:console \
        -fsdev local,id=exchange,path="$work/exchange",security_model=none \
        -device virtio-9p-device,fsdev=exchange,mount_tag=exchange "$@" \
        -kernel "$tree/vmlinuz" -initrd "$work/initrd" \
        -append "console=ttyAMA0 quiet loglevel=3 panic=-1 rollcall_machine=$number" </dev/null 9>&-
}
network=()
if [ "$machines" -gt 1 ]; then
    network=(-device "virtio-net-device,netdev=between,mac=52:54:00:00:07:01"
        -netdev "stream,id=between,server=on,addr.type=unix,addr.path=$work/network")
fi
boot 1 "${network[@]}" &
machine=$!
if [ "$machines" -gt 1 ]; then
    until [ -S "$work/network" ]; do
        kill -0 "$machine" 2>/dev/null || exit 1
        sleep 0.1
    done
    boot 2 -device "virtio-net-device,netdev=between,mac=52:54:00:00:07:02" \
        -netdev "stream,id=between,server=off,addr.type=unix,addr.path=$work/network" &
    other=$!
fi
status=0
wait "$machine" || status=$?
machine=
if [ -n "$other" ]; then kill -TERM "$other" && { wait "$other" || true; }; fi
other=
rm -rf "$build/results"
mv "$work/exchange/results" "$build/results"
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    echo "emulated.sh: not done within $limit s (RC_EMULATED_LIMIT)" >&2
    exit 124
fi
if [ ! -e "$work/exchange/status" ]; then
    echo "emulated.sh: the machine ended without a word (qemu: $status)" >&2
    exit 1
fi
exit "$(cat "$work/exchange/status")"

#!/bin/sh
# tree.sh - makes the arm64 tree of tests/emulated.sh from Debian's packages, where it
# is not there yet, and prints its directory:
#   root/       the packages, unpacked: what to compile against
#   vmlinuz     the kernel
#   base.cpio   what the machine boots with, without rollcall
# Nothing is installed: apt works in directories of its own, with this machine's sources
# and keys, as if on an arm64 machine without any package.  77: it cannot be had here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tests/emulated}

for tool in apt-get dpkg-deb cpio tar; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed" >&2
        exit 77
    fi
done

# The libraries that rollcall is built with, libpfm4, by which programs are counted, and
# what the machine needs besides: busybox is its system, perf takes counters from others, ssh starts ranks on the
# other machine.
wanted=$(sed -n -E 's/^(build|openmpi|test) +(pkg):[^ ]* +([^ ]*) .*/\3/p' "$top/jobs/packages.txt" | sort)
wanted="$(echo "$wanted" | tr '\n' ' ') libpfm4-dev openmpi-bin linux-image-arm64 busybox-static linux-perf papi-tools"

# Packages that those want and nothing here runs: compilers, Perl, Python, what
# installs packages, pictures for gnuplot.
unused='gcc-12|cpp(-12)?|gfortran-12|binutils(-.*)?|lib.*san[0-9]|perl(-.*)?|python3.*|libpython3-stdlib'
unused="$unused|libpython3.11-(minimal|stdlib)|automake|autoconf|autotools-dev|m4|libtool|udev|libicu72|fonts-.*"
unused="$unused|dpkg|debconf|tar|passwd|adduser|initramfs-tools.*|kmod|klibc-utils|libklibc|libgprofng0|libssl-dev"
unused="$unused|coreutils|sed|mawk|linux-base|linux-image-arm64|media-types|libaom3|libsvtav1enc1|libjs-.*|libx265.*"

key=$( (echo "$wanted" && cat "$here/tree.sh") | cksum | cut -d' ' -f1)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/rollcall
tree=$cache/arm64-$key
mkdir -p "$cache"
exec 8>"$cache/arm64.lock"
flock 8
if [ -e "$tree/base.cpio" ]; then
    touch "$tree"
    echo "$tree"
    exit 0
fi

new=$cache/arm64-new
rm -rf "$new"
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir -p "$new/apt/lists/partial" "$new/apt/archives/partial" "$new/root" "$new/debs"

arm64_apt() {
    program=$1
    shift
    "$program" -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root \
        -o Dir::State="$new/apt" -o Dir::State::lists="$new/apt/lists" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$new/apt" -o Dir::Cache::archives="$new/apt/archives" \
        -o APT::Update::Post-Invoke::=true -o Acquire::Languages=none -o Acquire::Retries=3 "$@" 8>&-
}

echo "rollcall: the arm64 packages: fetched and unpacked into $tree" >&2
# shellcheck disable=SC2086  # one word for each package
if ! arm64_apt apt-get update >&2 ||
    ! arm64_apt apt-get install -y --no-install-recommends --print-uris $wanted >"$new/uris"; then
    echo "skipped: apt has no packages for arm64 here" >&2
    exit 77
fi
sed -n "s/^'[^']*' \([^_ ]*\)_.*/\1/p" "$new/uris" | grep -v -x -E "$unused" >"$new/packages"
cd "$new/debs"
# shellcheck disable=SC2046
arm64_apt apt-get download $(cat "$new/packages") >&2

# The modules of the kernel's package that this machine loads.
for deb in *.deb; do
    case $deb in
    linux-image-*)
        dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$new/root" --wildcards './boot/vmlinuz-*' \
            './lib/modules/*/kernel/drivers/virtio/*' './lib/modules/*/kernel/net/9p/*' \
            './lib/modules/*/kernel/fs/9p/*' './lib/modules/*/kernel/fs/netfs/*' \
            './lib/modules/*/kernel/fs/fscache/*' './lib/modules/*/kernel/net/core/failover.ko' \
            './lib/modules/*/kernel/drivers/net/virtio_net.ko' \
            './lib/modules/*/kernel/drivers/net/net_failover.ko'
        ;;
    *) dpkg-deb -x "$deb" "$new/root" ;;
    esac
done

# Links that the packages' scripts would have made.
cd "$new/root/usr/lib/aarch64-linux-gnu"
ln -sf openblas-pthread/lib*.so* openmpi/lib/libmpi.so .
for name in mpi:ompi mpi-c:ompi-c; do
    ln -sf "${name#*:}.pc" "pkgconfig/${name%:*}.pc"
done
for name in openblas:openblas blas:blas-openblas lapack:lapack-openblas; do
    ln -sf "../openblas-pthread/pkgconfig/${name#*:}.pc" "pkgconfig/${name%:*}.pc"
done
ln -sf mpirun.openmpi "$new/root/usr/bin/mpirun"
mv "$new/root"/boot/vmlinuz-* "$new/vmlinuz"

# Programs and libraries: what is for compiling, reading and other tongues stays out.
cd "$new/root"
find . \( -path ./usr/include -o -path ./boot -o -path ./usr/lib/gcc -o -path ./usr/share/doc \
    -o -path ./usr/share/man -o -path ./usr/share/locale -o -path ./usr/share/X11 \
    -o -path '*-gnu/gconv' -o -path '*-gnu/perl' -o -path '*-gnu/fortran' -o -path '*-gnu/lapack' \
    -o -path '*-gnu/blas' -o -path '*/pkgconfig' \) -prune -o ! -name '*.[aoh]' -print |
    cpio -o -H newc --quiet >"$new/base.cpio"
rm -rf "$new/debs" "$new/apt" "$new/uris"
find "$cache" -maxdepth 1 -name 'arm64-[0-9]*' -mtime +30 -exec rm -rf {} +
touch "$new"
mv "$new" "$tree"
echo "$tree"

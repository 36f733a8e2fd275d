#!/bin/sh
# image.sh - how a container image of rollcall is made: what jobs/Dockerfile and
# jobs/rollcall.def have in common.  For Debian, as root, inside the image.
#   sh jobs/image.sh build PREFIX  installs what packages.txt says, builds the
#                                  program into PREFIX, and writes down there which
#                                  packages it needs to run
#   sh jobs/image.sh needs PREFIX  prints those packages, one a line
#   sh jobs/image.sh run PREFIX    installs them: all that the final image needs
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)

usage() {
    echo "usage: sh jobs/image.sh build|needs|run PREFIX" >&2
    exit 2
}
[ $# -eq 2 ] || usage
prefix=${2:?"is where the program is, or will be"}
list=$prefix/share/rollcall/debian-packages

# Programs of packages.txt that rollcall or its users start: no library names them.
image_programs() {
    case $linked in *libmpich.so*) mpi=mpich ;; *) mpi=openmpi ;; esac
    sed -n "s/^$mpi *cmd:mpirun  *\([^ ]*\) .*/\1/p" "$top/jobs/packages.txt"
}

# The packages of the libraries that the program is linked with.  A path is where
# the linker found it, which on a merged /usr is not where dpkg has it.
image_libraries() {
    echo "$linked" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' |
        while read -r library; do
            real=$(readlink -f "$library")
            dpkg -S "$real" 2>/dev/null || dpkg -S "${real#/usr}" || exit 1
        done | cut -d: -f1
}

image_needs() {
    linked=$(ldd "$prefix/bin/rollcall-main")
    libraries=$(image_libraries) # a pipe would hide a failure
    { image_programs && echo "$libraries"; } | sort -u
}

image_build() {
    # shellcheck source=jobs/setup.sh
    . "$top/jobs/setup.sh"
    rc_setup build option
    rc_build "${RC_BUILD:-$top/build-image}" -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX="$prefix"
    cmake --install "${RC_BUILD:-$top/build-image}" >/dev/null
    image_needs >"$list"
}

image_run() {
    [ -s "$list" ] || {
        echo "image.sh: no '$list': run 'image.sh build' first" >&2
        exit 1
    }
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update
    xargs apt-get -qq install -y --no-install-recommends <"$list"
    rm -rf /var/lib/apt/lists/*
}

case $1 in
build) image_build ;;
needs) image_needs ;;
run) image_run ;;
*) usage ;;
esac

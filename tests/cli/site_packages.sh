#!/usr/bin/env bash
# How jobs/setup.sh installs: the real apt-get and dpkg on a root and lists of their own,
# beside processes that hold their locks, and with packages that fail.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
# shellcheck source=tests/lib/campaign_lib.sh
. "$here/lib/campaign_lib.sh"
PATH=$PATH:/usr/sbin:/sbin # dpkg wants ldconfig there
for program in apt-get apt-cache dpkg dpkg-deb python3; do
    if ! command -v $program >/dev/null; then
        echo "skipped: no '$program': this is not Debian"
        exit 77
    fi
done

# package NAME: NAME.deb in the archive; its file is there once it is installed.
package() {
    mkdir -p made/DEBIAN made/done archive
    touch "made/done/$1"
    printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: nothing\n' \
        "$1" >made/DEBIAN/control
    dpkg-deb --build made "archive/$1.deb" >/dev/null || fail "no package $1"
    {
        cat made/DEBIAN/control
        printf 'Filename: ./%s.deb\nSize: %s\nSHA256: %s\n\n' "$1" "$(stat -c %s "archive/$1.deb")" \
            "$(sha256sum "archive/$1.deb" | cut -d' ' -f1)"
    } >>archive/Packages
    rm -r made
}
for name in tool queue queue-more pages; do
    package "rc-test-$name"
done

mkdir -p top/jobs
cat >top/jobs/packages.txt <<EOS
build         file:$work/root/done/rc-test-tool       rc-test-tool        tool
extra-batch   file:$work/root/done/rc-test-queue      rc-test-queue       none
extra-batch   file:$work/root/done/rc-test-queue-more rc-test-queue-more  none
extra-browser file:$work/root/done/rc-test-pages      rc-test-pages       none
extra-unknown file:$work/root/done/rc-test-unknown    rc-test-unknown     none
EOS
echo "deb [trusted=yes] file:$work/archive ./" >sources.list
cat >apt.conf <<EOS
Dir "$work/apt";
Dir::State::status "$work/root/var/lib/dpkg/status";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Bin::methods "/usr/lib/apt/methods";
Dir::Bin::dpkg "/usr/bin/dpkg";
APT::Sandbox::User "root";
DPkg::Options { "--root=$work/root"; "--log=/dev/null"; "--force-not-root"; };
EOS
export APT_CONFIG=$work/apt.conf
unset APT_CACHE DPKG_ROOT DPKG_ADMINDIR

# Nothing is installed, and nothing known.
bare() {
    rm -rf root apt
    mkdir -p root/var/lib/dpkg/{info,updates,triggers} apt/var/lib/apt/lists/partial \
        apt/var/cache/apt/archives/partial apt/var/log/apt
    touch root/var/lib/dpkg/{status,available}
}

# As root is only here.
cat >setup.sh <<EOS
top=$work/top
. '${here%/*}/jobs/setup.sh'
rc_as_root() {
    "\$@"
}
rc_no_services='"\$@"'
rc_setup build extra
EOS

holder=
trap '[ -z "$holder" ] || kill "$holder"; rm -rf "$work"' EXIT

# hold FILE: a process has the lock, as apt and dpkg take it; 'holder' is its id.
hold() {
    python3 -c '
import fcntl, sys, time
with open(sys.argv[1], "w") as file:
    fcntl.lockf(file, fcntl.LOCK_EX)
    open(sys.argv[2], "w").close()
    time.sleep(3600)' "$1" held &
    holder=$!
    await 100 test -e held || fail "no lock on $1"
    rm held
}
release_lock() {
    kill "$holder"
    wait "$holder" 2>/dev/null
    holder=
}

installed() {
    (cd root/done 2>/dev/null && echo rc-test-*)
}
all='rc-test-pages rc-test-queue rc-test-queue-more rc-test-tool'

# Packages that apt does not know stay away.
bare
run 0 sh setup.sh
[ "$(installed)" = "$all" ] || fail "installed: $(installed): $err"
said "going on without: rc-test-unknown"

# Each of apt's locks, held as it begins: it waits, says so once, and goes on.
for lock in root/var/lib/dpkg/lock-frontend root/var/lib/dpkg/lock apt/var/lib/apt/lists/lock \
    apt/var/cache/apt/archives/lock; do
    bare
    rm -f .waits
    hold "$lock"
    sh setup.sh >.waits.out 2>.waits &
    waiter=$!
    await 100 grep -qs 'waiting for it' .waits || fail "$lock: it does not wait: $(cat .waits)"
    [ "$(installed)" = "" ] || fail "$lock: installed beside the one who holds it: $(installed)"
    held_by=$holder
    release_lock
    wait "$waiter" || fail "$lock: it ended with $?: $(cat .waits)"
    [ "$(installed)" = "$all" ] || fail "$lock: installed: $(installed): $(cat .waits)"
    [ "$(grep -c 'holds a lock' .waits)" -eq 1 ] || fail "$lock: said: $(cat .waits)"
    grep -q "^rollcall: process $held_by (python3.*) holds a lock of apt's: waiting for it, for up to 300 s\$" .waits ||
        fail "$lock: said: $(cat .waits)"
done

# It does not wait for ever, and says for whom it did; what is left needs no root.
bare
hold root/var/lib/dpkg/lock-frontend
export RC_APT_PATIENCE=1
run 1 sh setup.sh
said "after 1 s process $holder (python3"
said "missing. When process $holder (python3"
said "apt-get install rc-test-tool"
case $err in *"cannot be installed from here"*) fail "said: $err" ;; esac
release_lock
unset RC_APT_PATIENCE
run 0 sh setup.sh

# One that fails takes those of its own set with it, no others.
bare
rm archive/rc-test-queue.deb
run 0 sh setup.sh
[ "$(installed)" = "rc-test-pages rc-test-tool" ] || fail "installed: $(installed): $err"
said "going on without: rc-test-queue rc-test-queue-more rc-test-unknown"

# One that is needed fails: it says which, and for no lock's sake.
bare
rm archive/rc-test-tool.deb
run 1 sh setup.sh
said "missing, and they cannot be installed from here"
said "apt-get install rc-test-tool"

# The MPI whose mpirun is here is taken, or else whose mpicc, or else Open MPI; the other is extra.
cat >top/jobs/packages.txt <<'EOS'
openmpi       cmd:rc-test-start  rc-openmpi  openmpi
mpich         cmd:rc-test-start  rc-mpich    mpich
EOS
printf '. "%s/jobs/setup.sh"; rc_find_mpi; rc_missing build extra\n' "${here%/*}" >setup.sh
# taken MPIRUN MPICC ROWS: where the two say so.
taken() {
    mkdir -p bin
    printf '#!/bin/sh\ncat <<EOS\n%s\nEOS\n' "$1" >bin/mpirun
    printf '#!/bin/sh\ncat <<EOS\n%s\nEOS\n' "$2" >bin/mpicc
    chmod +x bin/mpirun bin/mpicc
    run 0 env "PATH=$work/bin:$PATH" top="$work/top" sh setup.sh
    [ "$(echo "$out" | cut -d' ' -f1,2 | tr '\n' ' ')" = "$3 " ] || fail "mpirun says '$1', mpicc '$2': $out"
}
openmpi='build rc-openmpi extra-mpich rc-mpich' mpich='extra-openmpi rc-openmpi build rc-mpich'
taken 'mpirun (Open MPI) 4.1.4' '#define MPICH_VERSION "4.0.2"' "$openmpi"
taken 'HYDRA build details:' '#define OPEN_MPI 1' "$mpich"
taken 'Intel(R) MPI Library for Linux* OS, Version 2021.9' '' "$mpich"
taken 'of some launcher' '#define MPICH_VERSION "3.4a2"' "$mpich"
taken '' '' "$openmpi"
touch bin/rc-test-start && chmod +x bin/rc-test-start
taken 'HYDRA build details:' '' 'extra-openmpi rc-openmpi'
touch bin/rc-test-start.openmpi && chmod +x bin/rc-test-start.openmpi
taken 'HYDRA build details:' '' ''

rm -rf root apt top archive bin apt.conf sources.list setup.sh .waits .waits.out
finish

#!/usr/bin/env bash
# cpack makes a .deb and an .rpm of the build.  Their dependencies are those of jobs/packages.txt; dpkg installs the
# .deb in a root of its own, where the tree and its build are not, and there doctor, campaigns and profile run.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
top=$(cd "$here/.." && pwd)
build=$(cd "$(dirname "$rollcall")/.." && pwd)
PATH=$PATH:/usr/sbin:/sbin # dpkg wants ldconfig there
for program in cpack dpkg dpkg-shlibdeps rpmbuild unshare; do
    command -v "$program" >/dev/null || { echo "without $program" >&2; exit 77; }
done
if grep -q '^RC_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
    echo "left out: of a build with sanitizers no package is made" >&2
    exit 77
fi

run 0 cpack -G "DEB;RPM" -B "$work/made" --config "$build/CPackConfig.cmake"
rm -r made/_CPack_Packages
deb=$(echo made/*.deb) rpm=$(echo made/*.rpm)

# Each library that packages.txt names is among the dependencies as the -dev package has it, and mpirun's package is.
run 0 dpkg-deb -f "$deb" Depends
depends=$(sed -E 's/ *\([^)]*\)//g; s/, */\n/g' <<<"$out")
while read -r set check debian _; do
    case $set-$check in
    build-pkg:* | "$mpi"-pkg:*) needs=$(dpkg-query -W -f '${Depends}' "$debian" | sed -E 's/ *\([^)]*\)//g; s/, */\n/g') ;;
    "$mpi"-cmd:mpirun) needs=$debian ;;
    *) continue ;;
    esac
    # of scalapack and OpenBLAS a -dev package of another name has the library
    grep -qxF -- "$needs" <<<"$depends" || grep -qE "^${debian%%-dev*}" <<<"$depends" ||
        fail "nothing of $debian in '$depends'"
done < <(grep -v '^#' "$top/jobs/packages.txt")
for package in $depends; do
    dpkg-query -W "$package" >/dev/null || fail "depends on $package, which is not installed where it was built"
done
run 0 rpm -qp --requires "$rpm"
has "$(awk -v mpi="$mpi" '$1 == mpi && $2 == "cmd:mpirun" { print $4 }' "$top/jobs/packages.txt")"
for library in libmpi libhdf5 libpapi libhwloc; do has "$library"; done

# Both hold the same files.
dpkg-deb -c "$deb" | sed -n 's/^-.* \.\(\/[^ ]*\)$/\1/p' | sort >deb.files
rpm -qlp "$rpm" 2>/dev/null | sort >rpm.files
comm -23 deb.files rpm.files | grep . && fail "not in the .rpm: see above"
grep -qx /usr/bin/rollcall-main deb.files || fail "no program: $(cat deb.files)"

# A root that has this machine's /usr, /etc and /var, with all that is written beside them, and nothing else of it.
mkdir -p upper/{usr,etc,var} other/{usr,etc,var} root/{usr,etc,var,proc,dev,sys,tmp,tried}
for name in bin lib lib64 sbin; do ln -s "usr/$name" "root/$name"; done
cp "$deb" root/package.deb
cat >in_root <<'EOS'
set -e
for folder in usr etc var; do
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$1/upper/$folder,workdir=$1/other/$folder" \
        "$1/root/$folder" || exit 77
done
for folder in proc dev sys; do mount --rbind "/$folder" "$1/root/$folder"; done
exec chroot "$1/root" sh -c '
set -e
cd /tried
export HOME=/tried
# folders cannot be renamed in such an overlay, which dpkg does with new ones
dpkg-deb --fsys-tarfile /package.deb | tar -t | grep "/\$" | (cd / && xargs mkdir -p)
dpkg --log=/dev/null -i /package.deb >&2
[ "$(command -v rollcall)" = /usr/bin/rollcall ]
rollcall doctor || [ $? -eq 1 ]
rollcall run -q -o simulated --source model:zen3 --suite branch --repeat 2:2
rollcall show simulated mispredicted
rollcall run -q -o stepped --source soft --suite branch
mpirun -n 2 rollcall run -q -o two --source soft --suite branch
rollcall profile -q -o profiled -- rollcall --version
rollcall report --text profiled
'
EOS
status=0
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin unshare -rm sh in_root \
    "$work" >"$work/.out" 2>"$work/.err" </dev/null || status=$?
out=$(cat "$work/.out") err=$(cat "$work/.err")
if [ "$status" -eq 77 ]; then
    echo "without a root of its own: no overlay can be mounted here" >&2
    rm -rf made upper other root ./*.files in_root
    [ "$failed" -ne 0 ] || exit 77
elif [ "$status" -ne 0 ]; then
    fail "in the root: status $status: $out $err"
else
    said "Setting up rollcall"
    has "hdf5           HDF5"
    has "'mispredicted' can be counted on model-zen3"
    has "branch 10 of 10"
    has "rollcall --version"
    [ -e upper/usr/bin/rollcall-main ] || fail "nothing was installed in the root"
    [ ! -e /usr/bin/rollcall-main ] || fail "the machine itself was written to"
fi
rm -rf made upper other root ./*.files in_root
finish

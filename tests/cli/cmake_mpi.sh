#!/usr/bin/env bash
# The configure step takes all libraries of the MPI that the compiler is of, and stops where one is of another: both
# MPIs are installed beside each other.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
for program in cmake pkg-config readelf mpicc.openmpi mpicc.mpich; do
    command -v "$program" >/dev/null || { echo "without $program" >&2; exit 77; }
done
for module in hdf5-openmpi hdf5-mpich scalapack-openmpi scalapack-mpich; do
    pkg-config --exists "$module" || { echo "without $module" >&2; exit 77; }
done
unset PKG_CONFIG_PATH PKG_CONFIG_LIBDIR
paths=$(pkg-config --variable pc_path pkg-config | tr ':' ' ')

# modules [NAME]...: pkg-config finds all that it finds otherwise, but these.
modules() {
    local folder
    rm -rf pc && mkdir pc
    for folder in $paths; do
        find "$folder" -name '*.pc' -exec ln -sf -t pc {} + 2>/dev/null
    done
    while [ $# -gt 0 ]; do
        rm "pc/$1.pc"
        shift
    done
    export PKG_CONFIG_LIBDIR=$work/pc
}

# configure STATUS [OPTION]...: afresh.
configure() {
    local status=$1
    shift
    rm -rf made
    run "$status" cmake -S "$here/.." -B made -DBUILD_TESTING=OFF "$@"
}

# linked MPI: the link lines have libraries of this MPI, and none of the other's.
linked() {
    local other=mpich lines
    [ "$1" = openmpi ] || other=openmpi
    lines=$(cat made/campaign/CMakeFiles/rollcall-main.dir/link.txt)
    for library in "hdf5/$1/libhdf5.so" "hdf5/$1/libhdf5_hl.so" "scalapack-$1"; do
        grep -q -F "$library" <<<"$lines" || fail "no $library in: $lines"
    done
    if grep -E "[/-]$other|lib$other" <<<"$lines"; then fail "of $other in: $lines"; fi
    grep -E -q "^MPIEXEC_EXECUTABLE:.*$2\$" made/CMakeCache.txt || fail "$(grep MPIEXEC_EXEC made/CMakeCache.txt)"
}

# A mix is refused: where only the default's HDF5 is known to pkg-config, that of Open MPI here ...
modules hdf5-mpich
hdf5=$(pkg-config --libs-only-L hdf5 | tr ' ' '\n' | sed -n 's#^-L\(.*/hdf5/openmpi\)$#\1#p')
[ -n "$hdf5" ] || { echo "the default HDF5 is not Open MPI's here" >&2; exit 77; }
configure 1 -DMPI_C_COMPILER=mpicc.mpich
for words in "libraries of two MPIs" "mpicc.mpich: MPICH or its kin (libmpich.so" "$hdf5/libhdf5.so: Open MPI (libmpi.so.40)" \
    "apt-get install libhdf5-mpich-dev" MPI_C_COMPILER PKG_CONFIG_PATH; do
    said "$words"
done
[[ $err != *scalapack* ]] || fail "ScaLAPACK is the compiler's: $err"

# ... and where a site's own modules say so, in the other direction.
modules scalapack-openmpi
sed 's/^Requires:.*//' pc/scalapack-mpich.pc >pc/scalapack.pc
configure 1 -DMPI_C_COMPILER=mpicc.openmpi
said "mpicc.openmpi: Open MPI (libmpi.so.40)"
said "libscalapack-mpich.so: MPICH or its kin (libmpich.so.12)"
said "apt-get install libscalapack-openmpi-dev"

# Each MPI with its own, where ScaLAPACK's module asks for the default MPI, and without such a default, too.
modules
configure 0 -DMPI_C_COMPILER=mpicc.mpich
linked mpich mpiexec.mpich
lacks "without tests"
configure 0 -DMPI_C_COMPILER=mpicc.openmpi
linked openmpi mpiexec.openmpi
modules mpi ompi ompi-c
configure 0 -DMPI_C_COMPILER=mpicc.mpich
linked mpich mpiexec.mpich

# Modules without an MPI in their names.
modules hdf5
for name in hdf5 scalapack; do
    sed 's/^Requires:.*//' "pc/$name-mpich.pc" >"pc/$name.pc" && rm "pc/$name-mpich.pc"
done
configure 0 -DMPI_C_COMPILER=mpicc.mpich
linked mpich mpiexec.mpich

# A compiler that links all of them itself, as Cray's does: no module is there.
modules hdf5 hdf5-mpich hdf5-mpi hdf5-openmpi scalapack-mpich scalapack-openmpi
cat >cc <<EOS
#!/bin/sh
case " \$* " in
*" -c "* | *" -E "*) exec mpicc.mpich -I/usr/include/hdf5/mpich "\$@" ;;
*) exec mpicc.mpich -I/usr/include/hdf5/mpich "\$@" -Wl,--no-as-needed -lscalapack-mpich -L$(dirname "$hdf5")/mpich -lhdf5_hl -lhdf5 ;;
esac
EOS
chmod +x cc
configure 0 -DCMAKE_C_COMPILER="$work/cc"
run 0 cmake --build made --parallel 2 --target rc_base
rm -r made pc cc
finish

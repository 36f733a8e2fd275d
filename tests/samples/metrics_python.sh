#!/bin/sh
# metrics_python.sh COMMAND...: has COMMAND (metrics_sample) write metrics and checks
# that h5py, xarray and h5dump read them by their labels.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# The first python3 that has the modules: Debian's are with Debian's python3.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c "import h5py, xarray, h5netcdf" 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: python3 lacks modules (Debian: apt-get install python3-h5py" \
        "python3-xarray python3-h5netcdf)"
    exit 77
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$@" "$dir/metrics.h5"
"$python" -B "$here/metrics_python.py" "$dir/metrics.h5"
h5dump -a "/kinds/other/suites/empty/use/flag_meanings" "$dir/metrics.h5" >"$dir/dump"
grep -q '"not_used no_sum_of_the_ideals something_else_elsewhere says_nothing_more chosen"' "$dir/dump" || {
    echo "h5dump shows no names of uses:" >&2
    cat "$dir/dump" >&2
    exit 1
}
echo "h5dump: as expected"

#!/bin/sh
# store_python.sh COMMAND...: has COMMAND (store_sample) write a campaign and checks
# that h5py, xarray and h5dump read it by its labels.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# The first python3 that has the modules: Debian's are with Debian's python3.
python=
why=
for candidate in python3 /usr/bin/python3; do
    if why=$("$candidate" -c "import h5py, xarray, h5netcdf" 2>&1); then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: python3 lacks modules: $(printf '%s\n' "$why" | tail -n 1)" \
        "(Debian: apt-get install python3-h5py python3-xarray python3-h5netcdf)"
    exit 77
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
file=$dir/campaign.h5
"$@" "$file"
"$python" -B "$here/store_python.py" "$file"

# dump PATTERN OPTION...: h5dump's output with the options has a line like that.
dump() {
    pattern=$1
    shift
    h5dump "$@" "$file" >"$dir/dump" || {
        echo "h5dump $* failed" >&2
        exit 1
    }
    grep -q -e "$pattern" "$dir/dump" || {
        echo "h5dump $*: no '$pattern' in its output:" >&2
        head -n 40 "$dir/dump" >&2
        exit 1
    }
}

suite=/kinds/zen3-1/suites/flops
dump 'DATASET "worker"' -H
dump 'GROUP "a%2Fkind 50%25"' -H
dump 'COMPRESSION DEFLATE' -p -H -d $suite/values
# [event][place][repetition][point]: the last of perf::INSTRUCTIONS:u
dump '(0,1,2,0): 10120, 10121, 10122, 10123' -d $suite/values
dump '(1,1,1,0): -9223372036854775808' -d $suite/values
dump '"n0 cpu 0"' -d $suite/workers
dump '"none deterministic most_allowed"' -a $suite/stop/flag_meanings
echo "h5dump: as expected"

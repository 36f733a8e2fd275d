# campaign_lib.sh - sourced by scripts that run whole campaigns, kill them, and
# compare what is in their campaign.h5.  'rollcall' is the program, as a whole path.
# shellcheck shell=bash disable=SC2034,SC2119,SC2120  # its scripts use all of it
: "${rollcall:?is the program}" "${work:?is a directory}"
export OPENBLAS_NUM_THREADS=1
build=$(cd "$(dirname "$rollcall")/.." && pwd)
# shellcheck source=tests/lib/mpi_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/mpi_lib.sh"

# slow_machine FILE TIME: the machine spr, whose readings take that long.
slow_machine() {
    sed "s/^- name: \"INST_RETIRED:ANY\"\$/&\n  time: $2/" \
        "$build/share/rollcall/machines/spr.yaml" >"$1"
    grep -q "^  time: $2\$" "$1"
}

# Names, shapes, types and attributes, without where in the file they are and
# without the campaign's own number and the digest of its records, which have times.
labels_of() {
    h5dump -A "$1" | sed -e 1d -e 's/DATASET [0-9]* "/DATASET "/' -e 's/"[0-9a-f]\{32\}"/ID/' -e 's/"[0-9a-f]\{16\}"/DIGEST/'
}

# Differences by h5diff, less the campaign's own number, which it cannot be told to
# pass over, and datasets of length 0, whose shapes are among the labels.
values_of() {
    h5diff -c "$1" "$2" >"$work/.values" 2>&1
    [ $? -le 1 ] || echo "h5diff fails"
    sed -e '/^attribute: <campaign_id of <.>> and <campaign_id of <.>>$/,/differences found$/d' \
        -e '/^attribute: <digest of <.>> and <digest of <.>>$/,/differences found$/d' \
        -e '/^Not comparable: .* is an empty dataset$/d' "$work/.values"
    rm "$work/.values"
}

# same DIR DIR: both hold the same campaign.h5, values and labels; prints what differs.
same() {
    local differs
    labels_of "$1/campaign.h5" >"$work/.one" && labels_of "$2/campaign.h5" >"$work/.two" ||
        return 1
    differs=$(
        cmp "$work/.one" "$work/.two" 2>&1
        values_of "$1/campaign.h5" "$2/campaign.h5"
    )
    rm "$work/.one" "$work/.two"
    [ -z "$differs" ] || printf '%s\n' "$differs" | head -5
    [ -z "$differs" ]
}

# Whole records of units in the journals of DIR, a line for each.
units() {
    "$build/tests/journal_units" "$1"/journal/*.rcj | grep '^unit ' | sort
}

# How many there are, of how many units: "219 219".
count_units() {
    printf '%s %s\n' "$(units "$1" | wc -l)" "$(units "$1" | uniq | wc -l)"
}

# With a variable by which the script knows all processes that it started, in whatever
# sessions launchers put them, and with SIGINT, which a shell has its background jobs ignore.
start() {
    setsid env --default-signal=INT RC_TEST_JOB="$work" "$@" </dev/null >"$work/.job.out" 2>"$work/.job.err" &
    job=$!
}

# The processes of the job, or those of them with that name.
members() {
    local pid name
    for pid in $(grep -l -s -z -x "RC_TEST_JOB=$work" /proc/[0-9]*/environ | tr -cd '0-9\n' | sort -n); do
        read -r name 2>/dev/null <"/proc/$pid/comm" || continue
        if [ -z "${1:-}" ] || [ "$name" = "$1" ]; then echo "$pid"; fi
    done
}

# Waits until the job and all that it started are gone; kills after two minutes what
# is still there, and says so.
reap() {
    local pid seen tries=0
    ended=0
    seen=$(members | paste -s -d ,) # a process that ends has lost its variables before its locks
    wait "$job" 2>/dev/null || ended=$?
    while [ -n "$(members)$(ps -o pid= -p "${seen:-$job}" 2>/dev/null)" ]; do
        if [ $((tries += 1)) -gt 1200 ]; then
            for pid in $(members); do
                kill -KILL "$pid" 2>/dev/null
            done
            echo "processes of a job that had ended had to be killed" >&2
            return 1
        fi
        sleep 0.1
    done
}

# await SECONDS COMMAND...: tries it until it succeeds.  The time is what a test gives up
# after, on a busy machine too, and no part of what it asserts.
await() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# Whether DIR holds as many units, or the job is over.
holds() {
    [ "$(units "$1" 2>/dev/null | wc -l)" -ge "$2" ] || ! kill -0 "$job" 2>/dev/null
}

# Files of a campaign that was faster than its test.
afresh() {
    rm -rf "$1"
}

# catch COUNT MOST DIR COMMAND...: starts the campaign and stops all of its processes
# named rollcall as soon as DIR holds COUNT units and no more than MOST, so that it is in
# mid-run however slow the script is from here on; 'release' has it go on.
caught=
catch() {
    local count=$1 most=$2 dir=$3 tries
    shift 3
    for tries in {1..20}; do
        start "$@"
        await 300 holds "$dir" "$count"
        caught=$(members rollcall | tr '\n' ' ')
        # shellcheck disable=SC2086  # a word for each
        if [ -n "$caught" ] && kill -STOP $caught 2>/dev/null &&
            [ "$(units "$dir" | wc -l)" -ge "$count" ] && [ "$(units "$dir" | wc -l)" -le "$most" ]; then
            return
        fi
        # shellcheck disable=SC2046
        kill -KILL $(members) 2>/dev/null
        reap 2>/dev/null
        afresh "$dir"
    done
    fail "$tries times it held no $count to $most units when it was stopped: $(cat .job.err)"
    exit 1
}
release() {
    # shellcheck disable=SC2086  # a word for each
    kill -CONT $caught 2>/dev/null
    caught=
}

# pace: by how much limits that the clock keeps, and the work that is to exceed them, must
# be longer than on an idle machine, where a small campaign of two ranks takes a second.
pace() {
    local then=${EPOCHREALTIME/[.,]/} now tenths
    mpirun -n 2 "$rollcall" run -o .pace --source model:spr \
        --suite flops 'FP_ARITH*' --repeat 2:2 >/dev/null 2>&1 </dev/null
    now=${EPOCHREALTIME/[.,]/}
    rm -rf .pace
    tenths=$(((now - then) / 150000))
    echo $((tenths < 10 ? 1 : tenths > 60 ? 6 : (tenths + 9) / 10))
}

# The first python3 that has h5py: Debian's is with Debian's python3.
find_h5py() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c "import h5py" 2>/dev/null; then
            return
        fi
    done
    echo "skipped: no python3 has h5py (Debian: apt-get install python3-h5py)"
    exit 77
}

# planted NAME [OPTION...] <EVENTS: a campaign of a machine with these events, solved; its
# metrics are in the file 'table'.
# shellcheck disable=SC2034,SC2154  # what scripts use, and run() prints
planted() {
    dir=$1
    shift
    {
        printf 'name: %s\ntopology: core:1 pu:1\nbanks:\n- {name: core, counters: 8}\nevents:\n' "$dir"
        cat
    } >"$dir.yaml"
    run 0 timeout 240 "$rollcall" run -o "$dir" --source "model:./$dir.yaml" --repeat 2:3 "$@"
    run 0 "$rollcall" export "$dir" --format csv --table metrics
    echo "$out" >table
}

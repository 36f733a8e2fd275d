#!/usr/bin/env bash
# report.sh BUILD [MACHINE [SUITES]]: what the report of a large campaign takes: time, memory
# and size of the file, and how long a browser needs with it.  The machine is one of the
# source model; its readings are made up, what is measured here is rollcall.
set -eu
build=$(cd "${1:?the build directory}" && pwd)
machine=${2:-model:summit-node}
suites=${3:-branch}
here=$(cd "$(dirname "$0")/.." && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$build/bin/rollcall" run -o d --source "$machine" --suite "$suites" --repeat 2:2 >run.out 2>run.err || {
    cat run.err
    exit 1
}

# taken LABEL COMMAND...: a row with its time and memory.
taken() {
    python3 - "$@" <<'PY'
import resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run(sys.argv[2:], check=True, stdout=subprocess.DEVNULL)
took = time.monotonic() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"| {sys.argv[1]} | {took:.1f} s, of that {usage.ru_utime + usage.ru_stime:.1f} s on a processor; "
      f"{usage.ru_maxrss / 1024:.0f} MiB |")
PY
}
events=$("$build/bin/rollcall" events --source "$machine" 2>/dev/null | awk 'END { print $1 }')
echo "$events events of $machine, suite $suites, $(nproc) processors, load $(cut -d ' ' -f 1 /proc/loadavg)"
echo
echo "| what | measured |"
echo "|---|---|"
taken "'rollcall report': time, memory" "$build/bin/rollcall" report d
stat -c %s d/report.html | awk '{ printf "| size of report.html | %.1f MB |\n", $1 / 1e6 }'
if "$build/bin/rollcall" help report | grep -q -e --text; then
    taken "'rollcall report --text': time, memory" "$build/bin/rollcall" report --text d
fi
python=
for candidate in python3 /usr/bin/python3; do
    if command -v chromium >out && "$candidate" -c "import selenium" 2>out; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "not measured, for want of chromium or python3-selenium: the browser"
    exit 0
fi
HOME=$work "$python" "$here/cli/report_browser.py" "$work/browser" "speed=$work/d/report.html"

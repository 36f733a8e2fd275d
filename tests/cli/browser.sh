#!/usr/bin/env bash
# The report in a real browser: a campaign of three ranks against what is exported of it,
# one whose every name is hostile, and one of 10,000 events.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
build=$(cd "$(dirname "$rollcall")/.." && pwd)
export OPENBLAS_NUM_THREADS=1 HOME=$work/home

for program in chromium chromedriver; do
    if ! command -v $program >"$work/.out"; then
        echo "skipped: no '$program' (Debian: apt-get install chromium chromium-driver)"
        exit 77
    fi
done
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c "import selenium" 2>"$work/.err"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: python3 lacks a module (Debian: apt-get install python3-selenium)"
    exit 77
fi

run 0 ranks 3 "$rollcall" run -o page --source model:spr --suite flops,branch,dcache --repeat 2:4
run 0 "$rollcall" export page --format csv-raw --table events -o events.csv
run 0 "$rollcall" export page --format json -o page.json
run 0 "$rollcall" export page --format papi -o page.papi
run 0 "$rollcall" report page

mkdir hostile browser home
run 0 "$build/tests/hostile" hostile
echo "$out" >texts
run 3 "$rollcall" pack hostile
run 3 "$rollcall" solve hostile
run 0 "$rollcall" noise hostile
run 3 "$rollcall" report hostile
mkdir noise
run 0 "$build/tests/noise_sample" noise/campaign.h5 24 4 5 80
run 0 "$build/tests/noise_detours_sample" noise 2 3
run 0 "$rollcall" report noise
run 1 "$rollcall" compare hostile page --as-one-kind --all --format html -o hostile/compare.html
run 1 "$rollcall" compare page hostile --format html -o hostile/other.html
mkdir rates profile strange
run 0 "$build/tests/rates_sample" rates 3 simulated
run 0 "$rollcall" report rates
run 0 "$build/tests/profile_sample" profile 2 3 40 steps
run 0 "$build/tests/profile_sample" strange 1 2 3 hostile
run 0 "$rollcall" report profile
run 0 "$rollcall" profile profile --format json
echo "$out" >profile.json
run 0 "$rollcall" report strange
[ ! -e evil ] || fail "a name was run by a shell"

bash "$here/bench/many_events.sh" 10000 >many.yaml
run 0 "$rollcall" run -o many --source model:./many.yaml --suite branch --repeat 2:2
run 0 "$rollcall" report many

if ! timeout 1000 "$python" "$here/cli/report_browser.py" "$work/browser" \
    "page=$work/page/report.html" events=events.csv json=page.json papi=page.papi \
    "hostile=$work/hostile/report.html" texts=texts \
    "noise=$work/noise/report.html" "rates=$work/rates/report.html" "profile=$work/profile/report.html" tables=profile.json "strange=$work/strange/report.html" "compare=$work/hostile/compare.html" "other=$work/hostile/other.html" "many=$work/many/report.html"; then
    fail "the report in a browser"
fi
rm -rf noise rates profile profile.json strange page page.json page.papi events.csv hostile texts many many.yaml browser home
finish

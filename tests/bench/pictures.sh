#!/usr/bin/env bash
# pictures.sh BUILD [DIR] - makes the pictures of docs/tour.md, docs/noise.md and docs/stream.md again, into docs/pictures/: campaigns
# are run in DIR (default: one that is removed afterwards;
# campaigns that are there are taken as they are), and parts of their reports photographed
# by chromium without a screen.  Needs Debian's chromium, chromium-driver,
# python3-selenium, optipng and pngquant.
#
# 'results' is of a simulated machine, 'nodes' of readings that were made up; 'real' of
# this machine, where the names of its kind and of its events are in the pictures, that of
# its node is not.
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
kept_dir "${@:2}"
cd "$dir"
rollcall=$build/bin/rollcall

# campaign DIR RANKS OPTION...: runs it, unless it is there, and reports it.
campaign() {
    local name=$1 ranks=$2
    shift 2
    [ -e "$name/metrics.h5" ] || mpirun -n "$ranks" "$rollcall" run -o "$name" "$@" >"$name.txt"
    "$rollcall" report "$name"
}
campaign results 4 --source model:spr
campaign real 1 --suite flops,branch
campaign stream 2 --source time --suite stream --axis workers=1,2 --axis kernel=triad --repeat 6:6 \
    --axis bytes=12K,24K,36K,96K,256K,512K,1M,1536K,4M,16M,64M,128M,288M,340M
sed -e '/"BR_INST_RETIRED:COND_TAKEN"/,/counts/s/counts: T/counts: 2 T/' \
    -e '/AMX_OPS_RETIRED:BF16/,/reason/d' "$build/share/rollcall/machines/spr.yaml" >updated.yaml
campaign before 2 --source model:spr --suite branch
campaign after 2 --source model:./updated.yaml --suite branch
"$rollcall" compare before after --format html -o compare.html || [ $? = 1 ]

mkdir -p nodes
"$build/tests/noise_sample" nodes/campaign.h5 24 4 5 80
"$rollcall" noise nodes >nodes.txt
"$rollcall" report nodes

mkdir -p pictures "$top/docs/pictures"
/usr/bin/python3 "$top/tests/bench/pictures.py" . pictures
for picture in pictures/*.png; do
    pngquant --force --speed 1 --skip-if-larger --output "$picture" 48 "$picture" || [ $? = 98 ]
    optipng -quiet -o2 -strip all "$picture"
    mv "$picture" "$top/docs/pictures/"
done
ls -l "$top/docs/pictures"

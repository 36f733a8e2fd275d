#!/bin/sh
# dcache.sh BENCH OUT.svg: runs the program tests/bench/dcache and prints and draws what it
# found: nanoseconds per access over the size of the buffer, the caches marked.
set -eu
if [ $# -ne 2 ]; then
    echo "usage: $0 BENCH OUT.svg" >&2
    exit 2
fi
command -v gnuplot > /dev/null || {
    echo "$0: gnuplot is not installed (Debian: gnuplot-nox)" >&2
    exit 1
}
bench=$1 out=$2
data=$(mktemp)
trap 'rm -f "$data"' EXIT
"$bench" dcache > "$data"
cat "$data"
sed -i '/-loads\|-chains/d' "$data" # several loads of a line are not drawn

# Sizes of the caches, from the first line: "# l1d BYTES l2 BYTES l3 BYTES".
read -r _ _ l1 _ l2 _ l3 < "$data"
marks=
put_mark() { # LEVEL BYTES
    if [ "$2" -gt 0 ]; then
        marks="$marks
set arrow from $2, graph 0 to $2, graph 1 nohead dashtype 2 linecolor rgb '#888888'
set label '$1' at $2, graph 0.96 right offset -0.5, 0 textcolor rgb '#555555'"
    fi
}
put_mark L1 "$l1"
put_mark L2 "$l2"
put_mark L3 "$l3"

# The largest size is four times the last level.
most='*'
if [ "$l3" -gt 0 ]; then most=$((l3 * 6)); fi

# Points by stride and pages per block: columns 2 bytes, 3 stride, 4 ppb, 5 ns.
select_points() { # STRIDE PPB
    echo "'$data' index 0 using (\$3 == $1 && \$4 == $2 ? \$2 : NaN):5"
}
gnuplot << EOF
set terminal svg size 860,480 font 'sans-serif,13' background '#ffffff'
set output '$out'
set logscale x 2
set logscale y 10
set xtics ('4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536, '256 KiB' 262144, \
  '1 MiB' 1048576, '4 MiB' 4194304, '16 MiB' 16777216, '64 MiB' 67108864, \
  '256 MiB' 268435456, '1 GiB' 1073741824)
set xrange [3072:$most]
set yrange [0.7:300]
set xlabel 'buffer that the pointer chase walks over'
set ylabel 'ns per access'
set key right bottom Left reverse
set grid ytics linecolor rgb '#dddddd'
$marks
plot '$data' index 1 using 2:5 with lines linecolor rgb '#bbbbbb' title 'all sizes, stride 128, 64 pages a block', \
  $(select_points 64 16) with points pt 7 ps 0.8 lc rgb '#1f77b4' title 'points of the suite: stride 64, 16 pages a block', \
  $(select_points 64 64) with points pt 6 ps 1.1 lc rgb '#1f77b4' title 'stride 64, 64 pages a block', \
  $(select_points 128 16) with points pt 5 ps 0.8 lc rgb '#d62728' title 'stride 128, 16 pages a block', \
  $(select_points 128 64) with points pt 4 ps 1.1 lc rgb '#d62728' title 'stride 128, 64 pages a block'
EOF

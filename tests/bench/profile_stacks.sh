#!/usr/bin/env bash
# profile_stacks.sh BUILD [PAIRS [HZ]] - what samples of stacks cost a program: fixed work in a loop, beside the
# same without samples, in turns (off, on, on, off).  Prints the processor time of each pair, and by median what
# a sample costs the program, and the share of it at 97 samples a second.  HZ is 997, so that it can be seen.
build=${1:?the build}
pairs=${2:-8}
hz=${3:-997}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# seconds HZ: processor time of the program, user and system.
seconds() {
    local TIMEFORMAT='%U %S'
    { time "$build/bin/rollcall" profile -o "$work/d" --stacks "$1" -- "$build/tests/profile_duty" loop 800; } 2>&1 |
        awk '{ print $1 + $2 }'
    sleep 0.5
    rm -rf "$work/d"
}

for _ in $(seq "$pairs"); do
    off=$(seconds off)
    on=$(seconds "$hz")
    on2=$(seconds "$hz")
    off2=$(seconds off)
    echo "off $off $off2 s, on $on $on2 s, load $(cut -d ' ' -f 1 /proc/loadavg)"
    echo "$on $on2 $off $off2" >>"$work/pairs"
done
awk -v hz="$hz" '{ print (($1 + $2) / ($3 + $4) - 1) / hz * 1e6 }' "$work/pairs" | sort -g | awk '
    { us[NR] = $1 }
    END {
        m = NR % 2 ? us[(NR + 1) / 2] : (us[NR / 2] + us[NR / 2 + 1]) / 2
        printf "a sample: %.1f us (%.1f to %.1f), 97 a second: %.2f %% of the program\n", m, us[1], us[NR], m * 97 / 1e4
    }'

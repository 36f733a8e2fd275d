#!/usr/bin/env bash
# overhead_profile.sh BUILD [PAIRS [PROGRAM...]] - what 'rollcall profile' takes of real
# programs: hpcc, lammps (its example melt) and elk (full-potential LAPW, Fortran; aluminium), and pw (plane waves of
# Quantum ESPRESSO, Fortran; silicon) where it is named, of 2 ranks and a few s each (SIZE), by PAIRS (30) turns of runs with it and without it; overhead_profile.py says
# how.  Prints for each program and way: pairs, median seconds without, and the ratios with/without
# in % more, mean of processor time, its median, mean of wall time, with intervals of 95 % by bootstrap;
# 'sampler_%' is what the sampler's processes took, which is part of cpu_%.
#   WAYS   "profile trace": the default; --trace; "eztrace": the tracer, where it is there
#   RANKS  2
#   BIND   what mpirun binds ranks to: core, as it does by itself, or none, where ranks are more than processors
#   SIZE   "large": for processors on which the default, "small", is over within a second or two;
#          "medium": three quarters of that, so that 30 pairs of all three in one way take about 22 minutes;
#          "long": half as long again as medium, so that what a start takes is less of it
#   HPCC_N, LAMMPS_STEPS, LAMMPS_BOX, ELK_GRID, PW_GRID
#          instead of SIZE's: order of matrices, steps and edge (10) of the box, k-points a side
#   SAYS   instead of processor time what the program says itself, by a regular expression with one group:
#          SAYS='Loop time of ([0-9.]+)' LAMMPS_STEPS=1400 WAYS=profile overhead_profile.sh BUILD 70 lammps
#   SLICE  seconds (0.05): both runs of a pair at once, each frozen while the other runs for twice so long; for one
#          of WAYS (overhead_profile.py, half_time.c)
#   PARTS  with SLICE, what each part of a program takes more, to within a slice (overhead_profile.py):
#          SLICE=0.05 SIZE=long WAYS=profile PARTS='hpccoutf.txt:^End of (\w+) section' OUT=study overhead_profile.sh BUILD 10 hpcc
#   WORK   where the programs run: /dev/shm, since elk writes 220 MB, and when a disk takes them is chance
#   OUT    a directory that keeps runs.tsv: another call adds to it, so that a study can be made in pieces
# shellcheck source=tests/bench/bench_lib.sh
. "$(dirname "$0")/bench_lib.sh"
pairs=${2:-30} ranks=${RANKS:-2}
bind=${BIND:-$([ "$ranks" -le "$(getconf _NPROCESSORS_ONLN)" ] && echo core || echo none)}
[ $# -gt 2 ] && programs=("${@:3}") || programs=(hpcc lammps elk)
kept_dir ${OUT:+"$OUT"}
work=$(mktemp -d "${WORK:-/dev/shm}/rollcall-bench-XXXXXX")
gone=("$work")
[ -n "${OUT:-}" ] || gone+=("$dir")
trap 'rm -rf "${gone[@]}"' EXIT
if ! command -v hpcc >/dev/null || ! command -v lmp >/dev/null || ! command -v elk-lapw >/dev/null ||
    ! command -v pw.x >/dev/null; then
    (rc_setup bench) >&2
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 EZTRACE_FLUSH=1

case ${SIZE:-small} in
small) hpcc_n=1000 lammps_steps=2500 elk_grid=8 pw_grid=8 ;;
medium) hpcc_n=4090 lammps_steps=11500 elk_grid=24 pw_grid=16 ;;
long) hpcc_n=5400 lammps_steps=17000 elk_grid=28 pw_grid=20 ;;
large) hpcc_n=3600 lammps_steps=20000 elk_grid=28 pw_grid=16 ;;
*) echo "SIZE: '$SIZE', expected small, medium, large or long" >&2; exit 2 ;;
esac
hpcc_n=${HPCC_N:-$hpcc_n} lammps_steps=${LAMMPS_STEPS:-$lammps_steps} elk_grid=${ELK_GRID:-$elk_grid} pw_grid=${PW_GRID:-$pw_grid}

half=
if [ -n "${SLICE:-}" ]; then
    cc -O2 -shared -fPIC -o "$work/half_time.so" "$top/tests/bench/half_time.c"
    export COMPANY=1 # a profile has a sampler
    half="env HALF_TIME=1.9 LD_PRELOAD=$work/half_time.so "
fi
ways=()
for way in ${WAYS:-profile trace}; do
    case $way in
    profile) ways+=("profile=$half$build/bin/rollcall profile -o {out} --") ;;
    trace) ways+=("trace=$half$build/bin/rollcall profile --trace -o {out} --") ;;
    eztrace) ways+=("eztrace=eztrace -t openmpi -o {out}") ;;
    *) echo "WAYS: '$way', expected profile, trace or eztrace" >&2; exit 2 ;;
    esac
done

# The input of a program in the working directory; its command is left in 'command'.
prepare_hpcc() {
    sed -e "6s/.*/$hpcc_n Ns/" -e '11s/.*/1 Ps/' -e "12s/.*/$ranks Qs/" /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt
    command=(hpcc)
}

prepare_lammps() {
    sed -e "s/^run.*/run $lammps_steps/" -e "s/0 10 0 10 0 10/0 ${LAMMPS_BOX:-10} 0 ${LAMMPS_BOX:-10} 0 ${LAMMPS_BOX:-10}/" /usr/share/lammps/examples/melt/in.melt >in.melt
    command=(lmp -in in.melt -log none)
}

prepare_elk() {
    sed -e "s,'../../../species/','/usr/share/elk-lapw/species/'," -e "s/^  4  4  4/  $elk_grid  $elk_grid  $elk_grid/" \
        /usr/share/doc/elk-lapw/examples/basic/Al/elk.in >elk.in
    command=(elk-lapw)
}

prepare_pw() {
    cat >pw.in <<PW
&control
 calculation='scf', prefix='si', pseudo_dir='/usr/share/espresso/pseudo', outdir='./scratch'
/
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=24
/
&electrons
/
ATOMIC_SPECIES
 Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 $pw_grid $pw_grid $pw_grid 1 1 1
PW
    command=(pw.x -in pw.in)
}

echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(getconf _NPROCESSORS_ONLN) processors, $ranks ranks, bound to: $bind"
{
    printf 'program\tway\tpairs_of\tpairs\twall_s\tcpu_s\tcpu_%%\tcpu_median_%%\tcpu_abba_%%\twall_%%\tsampler_%%\tothers_%%\n'
    for program in "${programs[@]}"; do
        mkdir "$work/$program"
        cd "$work/$program"
        "prepare_$program"
        python3 "$top/tests/bench/overhead_profile.py" "$dir" "$pairs" "$program" "${ways[@]}" -- \
            mpirun -n "$ranks" --bind-to "$bind" '{way}' "${command[@]}"
    done
} | column -t -s "$(printf '\t')"

#!/usr/bin/env bash
# submit_golden.sh ROLLCALL - the scripts of one campaign for each scheduler are those in
# tests/data/jobs/golden: NAME.sh what differs between schedulers, common.sh the rest.
# NAME.reasons has the lines of NAME.sh, "| " before each, and after some of them the page of the manual that they are
# from, and why they are there.  After a change that is meant: RC_RENEW=1 bash submit_golden.sh
# ROLLCALL writes the scripts again; then 'git diff', and the reasons by hand.
# shellcheck disable=SC2154  # the libraries' variables
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
golden=$here/data/jobs/golden

# split NAME: the script in 'out' into NAME.sh and NAME.common, what is of this machine
# replaced by words.
split() {
    sed -e 1d -e "s#$work/results#/DIR#g" -e "s#$work#/CWD#g" -e "s#$rollcall#/ROLLCALL#g" \
        -e 's/^\(# Written by rollcall\) [^ ]*/\1 VERSION/' <<<"$out" |
        awk -v mine="$1.sh" -v common="$1.common" '
            /^# shellcheck disable=SC2317/ { part = 1 }
            /^name=/ { part = 0 } # the values
            /^# --submit/ { part = 1 }
            /^# Who runs this/ { part = 0 }
            /^# The functions of the steps below/ { part = 1 }
            # Lines of the common part that depend on the scheduler.
            /^# Written by/ {
                print >mine
                next
            }
            { print >(part ? common : mine) }'
}

# check NAME: each line has its reason, and no reason is of a line that is gone.
check() {
    awk -v file="$1.reasons" '
        function bare(text) { sub(/^ */, "", text); return text }
        FNR == NR && /^\| / { line[++lines] = bare(substr($0, 3)); next }
        FNR == NR && /^[^ ].*\([^)]*\)[^:]*: ./ {
            for (; told < lines; told++) wanted[line[told + 1]] = 1
            next
        }
        FNR == NR {
            if ($0 != "" && ($0 !~ /^    / || told < lines)) print file ":" FNR ": expected PAGE(SECTION): WHY"
            next
        }
        /^name=/ { values = 1 }
        /^# submit/ { values = 0 }
        (values && !/^(signals=|clock_seconds=[0-9])/) || /^$|^[})]$|^ *"\$@"$|^ *(else|fi|esac|done|exec \\)$|^(launch|again)\(\) \{$|^submit\(\) \($|^ *cd "\$dir" \|\| exit$|^# (submit|launch|again|Who)/ { next }
        bare($0) in wanted { used[bare($0)] = 1; next }
        { print file ": no reason for: " $0 }
        END { for (l in wanted) if (!(l in used)) print file ": a reason for a line that is not there: " l }
    ' "$golden/$1.reasons" "$golden/$1.sh"
}

for name in slurm pbs lsf jsrun flux sge local; do
    options=(--nodes 2 --ranks-per-node 4 --queue workq --account proj --after 17)
    [ "$name" != local ] || options=(--ranks-per-node 4)
    run 0 "$rollcall" submit -o results --scheduler "$name" --dry-run "${options[@]}" --time 2h \
        --modules gcc/12,openmpi --set "env.WHERE=a place" --set mpi=openmpi -- --source model:spr --suite flops
    split "$name"
    [ -z "${RC_RENEW:-}" ] || cp "$name.sh" "$golden/$name.sh"
    [ -z "${RC_RENEW:-}" ] || cp "$name.common" "$golden/common.sh"
    diff -u "$golden/$name.sh" "$name.sh" >&2 || fail "$name: another script than $golden/$name.sh"
    diff -u "$golden/common.sh" "$name.common" >&2 || fail "$name: another script than $golden/common.sh"
    lines=$(check "$name")
    [ -z "$lines" ] || fail "$lines"
    rm "$name.sh" "$name.common"
done

# For the launcher of another MPI the scripts are the same but for its name, and whole.
for name in slurm pbs lsf jsrun flux sge local; do
    options=(--nodes 2 --ranks-per-node 4)
    [ "$name" != local ] || options=(--ranks-per-node 4)
    for mpi in openmpi mpich intel; do
        run 0 "$rollcall" submit -o results --scheduler "$name" --dry-run "${options[@]}" --time 2h --set "mpi=$mpi" -- --source model:spr
        [ "$(grep -c "^set_mpi=$mpi\$" <<<"$out")" -eq 1 ] || fail "$name: no set_mpi=$mpi"
        bash -n <<<"$out" || fail "$name, $mpi: no script of bash"
        grep -v '^set_mpi=' <<<"$out" >"script.$mpi"
        cmp -s script.openmpi "script.$mpi" || fail "$name: another script for $mpi: $(diff script.openmpi "script.$mpi")"
    done
    rm script.*
done
for mpi in lam Openmpi ''; do
    run 2 "$rollcall" submit -o results --scheduler local --dry-run --set "mpi=$mpi" -- --source model:spr
    case $err in
    *"--set"*"mpi"*) ;;
    *) fail "--set mpi=$mpi: said '$err'" ;;
    esac
done

# The job that puts shares together has one node and its ranks; the one that deals them out
# has one rank.
scripts() {
    run 0 "$rollcall" submit -o results --scheduler "$1" --dry-run --time 2h --array 3 "${@:2}" -- --source model:spr --suite flops
}
script_of() {
    awk -v name="jobs/$1.sh:" 'index($0, "# ") == 1 && index($0, name) { on = 1; next }
        /^# .*\/jobs\/[a-z0-9]*\.sh: / { on = 0 } on' "$work/.out" >"$1.sh"
}
while IFS='|' read -r name kind lines; do
    options=(--nodes 2 --ranks-per-node 4)
    [ "$name" != local ] || options=(--ranks-per-node 4)
    scripts "$name" "${options[@]}"
    script_of "$kind"
    while read -r -d '|' line; do
        grep -qxF -- "$line" <(sed 's/^ *//; s/ ||$//' "$kind.sh") || fail "$name: no line '$line' in the script of $kind"
    done <<<"$lines|"
    rm "$kind.sh"
done <<'END'
slurm|finish|#SBATCH --nodes=1|#SBATCH --exclusive|ranks=4
slurm|deal|#SBATCH --nodes=1|ranks=1
slurm|run|#SBATCH --nodes=2|ranks=4|shares=3
pbs|finish|#PBS -l select=1:ncpus=4:mpiprocs=4|ranks_total=4
pbs|deal|#PBS -l select=1:ncpus=1:mpiprocs=1|ranks_total=1
pbs|run|#PBS -l select=2:ncpus=4:mpiprocs=4|ranks_total=8
lsf|finish|#BSUB -n 4|#BSUB -R "span[ptile=4]"|ranks_total=4
lsf|deal|#BSUB -n 1|#BSUB -R "span[ptile=1]"|ranks_total=1
lsf|run|#BSUB -n 8|#BSUB -R "span[ptile=4]"|ranks_total=8
jsrun|finish|#BSUB -nnodes 1|nodes_most=1|ranks=4
jsrun|deal|#BSUB -nnodes 1|nodes_most=1|ranks=1
jsrun|run|#BSUB -nnodes 2|nodes_most=2|ranks=4
flux|finish|# flux: -N 1|# flux: -n 4|nodes_most=1|ranks_total=4
flux|deal|# flux: -N 1|# flux: -n 1|nodes_most=1|ranks_total=1
flux|run|# flux: -N 2|# flux: -n 8|nodes_most=2|ranks_total=8
sge|finish|#$ -pe mpi 4|ranks_total=4
sge|deal|#$ -pe mpi 1|ranks_total=1
sge|run|#$ -pe mpi 8|ranks_total=8
local|finish|ranks=4|shares=''
local|deal|ranks=1|campaign_shares=3|shares=''
local|run|ranks=4|shares=3
END
[ ! -e results ] || fail "--dry-run has written something"
finish

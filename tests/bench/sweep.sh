#!/usr/bin/env bash
# sweep.sh BUILD - runs the commands of docs/sweep.md, in its order, with a real Slurm of two
# nodes on this host (tests/lib/slurm_lib.sh: needs root and Debian's Slurm), and prints what the
# page shows: each command after a '$', what it printed, and its exit status if that is not 0.
# Takes about ten minutes.  /scratch stands for the directory that all nodes see.
# shellcheck disable=SC2016  # commands are printed before the shell reads them
build=${1:?the build directory, such as build}
build=$(cd "$build" && pwd) || exit 1
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/lib/slurm_lib.sh
. "$top/tests/lib/slurm_lib.sh"
# shellcheck source=tests/lib/slow_lib.sh
. "$top/tests/lib/slow_lib.sh"
# shellcheck source=jobs/setup.sh
. "$top/jobs/setup.sh"
trap slurm_stop EXIT
rc_mpi_env
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
slurm_start || exit 1
scontrol update partitionname=both maxtime=60
mkdir "$slurm_shared/me"
cd "$slurm_shared/me" || exit 1

chapter() {
    printf '\n=== %s\n' "$*"
}

shorten() {
    sed -e "s,$slurm_shared/,/scratch/,g" -e "s,$build\\b,build,g"
}

# show COMMAND: as it would be typed, and what it prints.
show() {
    local status=0
    printf '$ %s\n' "$1" | shorten
    eval "$1" >.shown 2>&1 </dev/null || status=$?
    shorten <.shown
    rm -f .shown
    [ "$status" -eq 0 ] || printf '(exit status %d)\n' "$status"
}

# Waits until the campaign in DIR has COUNT units in its journals.
measured() {
    local found
    found=$(rollcall submit --status "$1" 2>/dev/null | sed -n 's/^\([0-9]*\) of [0-9]* units ok.*/\1/p')
    [ "${found:-0}" -ge "$2" ]
}

chapter install
show "cmake --install $build --prefix $slurm_shared/me/rollcall | tail -n 1"
export PATH=$slurm_shared/me/rollcall/bin:$PATH
show 'rollcall --version'
show 'rollcall submit --list'

chapter look
show 'sinfo'
show 'srun -N 2 --ntasks-per-node=1 --mpi=pmix rollcall doctor'

chapter plan
cat >sweep.yaml <<'EOS'
name: first
source: [soft]
suites: [flops, branch]
submit: [--nodes=2, --ranks-per-node=1]
EOS
show 'cat sweep.yaml'
show 'rollcall plan -c sweep.yaml | tail -n 9'

chapter submit
show 'rollcall submit -o results --dry-run -- -c sweep.yaml'
show 'rollcall submit -o results -- -c sweep.yaml'
show 'squeue'
slurm_until 60 measured results 1
show 'rollcall submit --status results'
show 'rollcall submit --watch results'
show 'rollcall submit --status results'
show 'find results -type f | sort'
show 'cat results/jobs/run.log'
show 'cat results/jobs/run.record results/jobs/jobs.txt'
show 'rollcall status results'

chapter limit
slow slow.yaml 24 12500us
show 'cat slow.yaml'
show 'rollcall submit -o limit --nodes 2 --ranks-per-node 1 --time 1m --warn 20s -- --source model:slow.yaml --suite flops --repeat 10:10'
show 'rollcall submit --watch limit'
show 'cat limit/jobs/run.record'

chapter lost
slow slower.yaml 24 8ms
show 'rollcall submit -o lost --nodes 2 --ranks-per-node 1 --time 5m -- --source model:slower.yaml --suite flops --repeat 5:5'
slurm_until 60 measured lost 4
show 'rollcall submit --status lost'
show 'scontrol update nodename=n2 state=down reason=cooling'
show 'rollcall submit --watch lost'
show 'cat lost/jobs/run.record'
show 'grep "rollcall job" lost/jobs/run.log'
slurm_node n2 resume

chapter cancel
show 'rollcall submit -o ended --nodes 2 --ranks-per-node 1 --time 5m -- --source model:slower.yaml --suite flops --repeat 5:5'
slurm_until 60 measured ended 4
show 'rollcall submit -o ended'
show 'rollcall submit --cancel ended'
slurm_until 30 eval '[ -z "$(squeue -h)" ]'
show 'rollcall submit --status ended'
show 'cat ended/jobs/run.record'
show 'rollcall submit -o ended --nodes 2 --ranks-per-node 1 --time 5m'
rollcall submit --watch ended >/dev/null 2>&1
show 'rollcall submit --status ended'

chapter array
show 'rollcall submit -o array --array 4 --ranks-per-node 1 --time 5m -- --source model:spr --suite flops,branch'
slurm_until 60 measured array 1
show 'rollcall submit --status array'
rollcall submit --watch array >/dev/null 2>&1
show 'rollcall submit --status array'
show 'ls array array/shares'

chapter kinds
show 'rollcall submit -o kinds --time 5m --ranks-per-node 1 --queue first --set source=model:spr --queue second --set source=model:zen3 --queue both --nodes 2 --set source=model:slower.yaml -- --suite flops,branch --repeat 5:5'
show 'rollcall submit --status kinds'
rollcall submit --watch kinds >/dev/null 2>&1
show 'rollcall submit --status kinds'
show 'cat kinds/jobs/finish.log'
show 'rollcall status kinds'

chapter results
show 'rollcall run -o alone --source model:spr --suite flops,branch >alone.txt 2>&1'
show 'rollcall compare array alone'
show 'rollcall export --format csv results | head -n 4'

chapter template # of docs/schedulers.md
show 'rollcall submit --scheduler slurm --show-template | head -n 24'
cat >site.template <<'EOS'
# Our site: every job carries a comment, and ranks are started by mpirun.
[header]
#SBATCH --job-name={{name}}
#SBATCH --output={{log}}
#SBATCH --open-mode=append
#SBATCH --nodes={{nodes}}
#SBATCH --exclusive
#SBATCH --time={{hms}}
#SBATCH --signal=B:USR1@{{warn_seconds}}
#SBATCH --requeue
#SBATCH --partition={{queue}}
#SBATCH --comment={{project}}
#SBATCH --dependency=afterany:{{after_job}}
[launch]
mpirun --map-by "ppr:$ranks:node" --bind-to none
${set_launch_options:+"$set_launch_options"}
EOS
show 'cat site.template'
options='--template site.template --set project="tea & biscuits" --ranks-per-node 1 --nodes 2 --time 5m'
show "rollcall submit -o site $options --dry-run -- --source model:spr --suite flops | grep -E -e '^#SBATCH' -e --bind-to"
show "rollcall submit -o site $options -- --source model:spr --suite flops"
show "squeue -o '%i %j %T %k'"
rollcall submit --watch site >/dev/null 2>&1
show 'rollcall submit --status site'
sed -i 's/^mpirun/mpirun --comment={{project}}/' site.template
show "rollcall submit -o again $options --dry-run -- --source model:spr"

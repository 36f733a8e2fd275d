# The first lines of all jobs' scripts, after their values and the function 'submit'.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of other texts
# [head]
# --submit [INDEX [JOB...]]: submits this script, or one element of its array, after those jobs.
index='' after='' fewer=''
if [ "${1-}" = --submit ]; then
    index=${2-} after=${*:3}
    submit
    exit
fi
if [ "${#modules[@]}" -gt 0 ]; then
    # A batch job's shell is not a login shell.
    # shellcheck disable=SC1091
    if ! command -v module >/dev/null 2>&1 && [ -r /etc/profile.d/modules.sh ]; then
        . /etc/profile.d/modules.sh
    fi
    module load "${modules[@]}"
fi

# by_mpi HOSTS OPTION...: sets 'launcher' to the words of MPI's own launcher: of Open MPI mpirun and
# the options; of MPICH and its kin Hydra's mpiexec, which reads the file HOSTS, if any, or PALS'.
by_mpi() {
    local hosts=$1 name
    launcher=(mpirun "${@:2}")
    [ "$set_mpi" != openmpi ] || return 0
    for name in mpiexec mpiexec.hydra mpirun; do
        case $(readlink -f "$(command -v "$name")") in
        */pals/*) launcher=("$name" --ppn "$ranks") && return ;;
        esac
        case $("$name" --version 2>&1) in
        *HYDRA* | *'Intel(R) MPI'*) launcher=("$name" -ppn "$ranks" ${hosts:+-f "$hosts"}) && return ;;
        esac
    done
    launcher=(bash -c "echo \"\$0\" >&2; exit 127"
        "rollcall: no mpiexec of MPICH or its kin is on the job's PATH, expected one by --modules, or --set mpi=openmpi")
}

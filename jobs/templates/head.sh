# The first lines of all jobs' scripts behind their values and the function 'submit'.
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
    # A batch job's shell is no login shell.
    # shellcheck disable=SC1091
    if ! command -v module >/dev/null 2>&1 && [ -r /etc/profile.d/modules.sh ]; then
        . /etc/profile.d/modules.sh
    fi
    module load "${modules[@]}"
fi

# serve.sh - on the second machine: runs what rsh.sh of the first one leaves in the
# exchanged directory, until the first one has ended.
# shellcheck shell=sh disable=SC2154
: >"/exchange/ready.$number"
until [ -e /exchange/status ]; do
    for job in /exchange/for."arm$number".*.sh; do
        [ -e "$job" ] || continue
        mv "$job" "${job%.sh}.taken"
        (
            sh "${job%.sh}.taken" >"${job%.sh}.out" 2>&1
            echo $? >"${job%.sh}.new"
            mv "${job%.sh}.new" "${job%.sh}.status"
        ) &
    done
    sleep 0.2
done

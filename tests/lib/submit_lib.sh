# submit_lib.sh - sourced after cli_lib.sh and campaign_lib.sh by scripts that submit
# campaigns: how they end, what is in their records, a machine that takes its time.
# shellcheck shell=bash disable=SC2154  # the libraries' variables
# shellcheck source=tests/lib/slow_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/slow_lib.sh"

# Libraries of launchers leak; that ours do not is seen without a batch system.
if [ -n "${ASAN_OPTIONS:-}" ]; then export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0; fi
if [ -n "${OMPI_MCA_mca_base_env_list:-}" ]; then
    export OMPI_MCA_mca_base_env_list=$OMPI_MCA_mca_base_env_list:detect_leaks=0
fi

# until_true SECONDS COMMAND...: tries it until it succeeds.
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.1
    done
}

# over DIR SECONDS: no job of DIR waits or runs any more.
over() {
    local status=0
    timeout "$2" "$rollcall" submit --watch "$1" >"$1.watched" 2>&1 || status=$?
    case $status in
    0 | 3) ;;
    *) fail "$1: watching ended with $status: $(cat "$1.watched" "$1"/jobs/*.log)" ;;
    esac
    rm "$1.watched"
}

# How often something happened, by the records of DIR's jobs: events DIR WORD.
events() {
    cat "$1"/jobs/*.record | grep -c " $2" || true
}

log_has() {
    grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(tail -n 30 "$1")"
}

# Whether the journals hold so many units, and waiting until they do.
enough() {
    [ "$(units "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}
measured() {
    until_true 300 enough "$1" "$2" || fail "$1: no $2 units: $(cat "$1"/jobs/*.log)"
}

# few_twice DIR UNITS MORE: all units are measured, and at most so many once more.
few_twice() {
    local all different
    read -r all different <<<"$(count_units "$1")"
    if [ "$different" -ne "$2" ] || [ "$all" -gt $(($2 + $3)) ]; then
        fail "$1: $all units measured, $different different ones, expected $2 and at most $3 more"
    fi
}

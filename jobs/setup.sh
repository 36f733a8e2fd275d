# setup.sh - sourced by jobs/local.sh, tests/run.sh and .ci/run: installs what
# is missing and builds.  POSIX sh; 'top' is the root of the tree.
# shellcheck shell=sh

: "${top:?is the root of the tree}"

rc_say() {
    printf 'rollcall: %s\n' "$*" >&2
}

# rc_has CHECK: is that there?  The kinds of checks are in packages.txt.
rc_has() {
    rc_what=${1#*:}
    case $1 in
    cmd:*) command -v "$rc_what" >/dev/null 2>&1 ;;
    pkg:*)
        for rc_module in $(printf '%s' "$rc_what" | tr '|' ' '); do
            pkg-config --exists "$rc_module" 2>/dev/null && return 0
        done
        return 1
        ;;
    header:*) printf '#include <%s>\n' "$rc_what" | cc -E -x c - >/dev/null 2>&1 ;;
    file:*) [ -e "$rc_what" ] ;;
    python:*) # Debian's modules are with Debian's python3, which may not be the first
        for rc_python in python3 /usr/bin/python3; do
            "$rc_python" -c "import $rc_what" >/dev/null 2>&1 && return 0
        done
        return 1
        ;;
    clang:*)
        printf '%s\n' 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n; }' \
            '__attribute__((weak)) int main(void) { return 0; }' |
            clang "$rc_what" -x c - -o /dev/null 2>/dev/null
        ;;
    *)
        rc_say "jobs/packages.txt: unknown check '$1'"
        return 1
        ;;
    esac
}

# rc_find_mpi: sets rc_mpi to the set of the MPI whose mpirun is here, or else whose mpicc, or
# else to Open MPI's.  'mpich' stands for its kin as well.
rc_find_mpi() {
    for rc_said in "$(mpirun --version 2>&1)" "$(mpicc -E -dM -include mpi.h -x c /dev/null 2>&1)"; do
        [ -z "${rc_mpi:-}" ] || return 0
        case $rc_said in
        *'(Open MPI)'* | *'#define OPEN_MPI '*) rc_mpi=openmpi ;;
        *HYDRA* | *'Intel(R) MPI'* | *'#define MPICH_VERSION '*) rc_mpi=mpich ;;
        esac
    done
    : "${rc_mpi:=openmpi}"
}

# rc_mpi_program NAME MPI: a program of that MPI, by Debian's name for it, or by its own where
# it is the MPI that is taken.
rc_mpi_program() {
    command -v "$1.$2" || { [ "$2" = "$rc_mpi" ] && command -v "$1"; }
}

# rc_mpi_has CHECK MPI: is that there, of that MPI?  A module of pkg-config without an MPI
# in its name is of the one that is taken, unless it says otherwise.
rc_mpi_has() {
    case $1 in
    cmd:*) rc_mpi_program "${1#cmd:}" "$2" >/dev/null ;;
    pkg:*'|'*)
        rc_has "${1%%|*}" || {
            [ "$2" = "$rc_mpi" ] && rc_has "pkg:${1#*|}" &&
                ! pkg-config --cflags --libs "${1#*|}" | grep -q -E '/(openmpi|mpich|serial)( |$)'
        }
        ;;
    esac
}

# rc_missing SET...: prints "set debian spack" of each row that is not there; 'extra'
# stands for all sets 'extra-NAME', and for the MPI that is not taken.
rc_missing() {
    while read -r rc_set rc_check rc_debian rc_spack; do
        rc_of_mpi=
        case $rc_set in
        openmpi | mpich)
            rc_of_mpi=$rc_set
            if [ "$rc_set" = "$rc_mpi" ]; then rc_set=build; else rc_set=extra-$rc_set; fi
            ;;
        esac
        case " $* " in
        *" ${rc_set%%-*} "*)
            if [ -n "$rc_of_mpi" ]; then
                rc_mpi_has "$rc_check" "$rc_of_mpi"
            else
                rc_has "$rc_check"
            fi || echo "$rc_set $rc_debian $rc_spack"
            ;;
        esac
    done <"$top/jobs/packages.txt"
}

# As root, or through a sudo that does not ask.
rc_as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 126
    fi
}

# A command that runs its arguments while no package may start its services: tests
# bring up batch systems of their own.
# shellcheck disable=SC2016  # the shell that is started expands it
rc_no_services='
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap "rm -f $policy" EXIT
    trap "exit 130" HUP INT TERM
    printf "#!/bin/sh\nexit 101\n" >"$policy"
    chmod 755 "$policy"
fi
"$@"'

# rc_holder_of LOG: what holds the lock for want of which apt-get failed with these words;
# nothing, where it failed for another reason.
rc_holder_of() {
    grep -q -E 'Could not get lock .*(held by process|temporarily unavailable)|lock(ed)? (was locked )?by another process' "$1" ||
        return 0
    rc_found=$(sed -n -E 's/.* held by (process [1-9][0-9]* \([^()]*\)).*/\1/p' "$1" | head -n 1)
    echo "${rc_found:-another process}"
}

# rc_apt WORD...: apt-get, quiet but for its last words where it fails.  Machines that
# upgrade themselves as they start hold one of apt's locks for minutes.  That is waited
# for here, for RC_APT_PATIENCE seconds (300): apt's own DPkg::Lock::Timeout waits for
# dpkg's locks only, not for those of the lists and the archives.  'rc_holder' is not
# empty where that was too short.
rc_apt() {
    rc_log=$(mktemp) || return 1
    rc_since=$(date +%s)
    rc_patience=${RC_APT_PATIENCE:-300}
    while :; do
        rc_status=0
        rc_holder=
        rc_as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C sh -c "$rc_no_services" sh \
            apt-get -qq "$@" >"$rc_log" 2>&1 || rc_status=1
        [ "$rc_status" -ne 0 ] || break
        rc_holder=$(rc_holder_of "$rc_log")
        [ -n "$rc_holder" ] || break
        [ $(($(date +%s) - rc_since)) -lt "$rc_patience" ] || break
        [ -n "${rc_said_holder:-}" ] ||
            rc_say "$rc_holder holds a lock of apt's: waiting for it, for up to $rc_patience s"
        rc_said_holder=yes
        sleep 2
    done
    if [ -n "$rc_holder" ]; then
        rc_say "after $rc_patience s $rc_holder still holds a lock of apt's"
    elif [ "$rc_status" -ne 0 ]; then
        tail -n 20 "$rc_log" >&2
    fi
    rm -f "$rc_log"
    return "$rc_status"
}

# rc_known PACKAGE...: prints those that apt has heard of.
rc_known() {
    for rc_package in "$@"; do
        if apt-cache show "$rc_package" >/dev/null 2>&1; then echo "$rc_package"; fi
    done
}

# rc_packages PATTERN: the Debian packages of the rows on standard input whose set it is.
rc_packages() {
    sed -n -E "s/^($1) ([^ ]*) .*/\2/p" | sort -u
}

# rc_install ROWS: by apt-get.  Each of the sets that may stay away comes in a step of
# its own: one package that fails, and apt-get takes none of its step.
rc_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    rc_as_root true || return 1
    rc_of=$1
    rc_needed=$(echo "$rc_of" | rc_packages 'build|test|check|bench')
    rc_extra=$(echo "$rc_of" | rc_packages 'option|extra-[a-z]+')
    # shellcheck disable=SC2086  # one word for each package
    set -- $rc_needed
    # shellcheck disable=SC2086
    if [ $# -eq 0 ] && apt-cache show gcc >/dev/null 2>&1 && [ -z "$(rc_known $rc_extra)" ]; then
        return 0
    fi
    # shellcheck disable=SC2086
    rc_say "installing:" $rc_needed $rc_extra
    rc_apt update || return 1
    [ $# -eq 0 ] || rc_apt install -y --no-install-recommends "$@" || return 1
    for rc_set in $(echo "$rc_of" | sed -n -E 's/^(option|extra-[a-z]+) .*/\1/p' | sort -u); do
        # shellcheck disable=SC2046
        set -- $(rc_known $(echo "$rc_of" | rc_packages "$rc_set"))
        [ $# -eq 0 ] || rc_apt install -y --no-install-recommends "$@" ||
            [ -z "$rc_holder" ] || return 1
    done
}

# rc_setup SET...: all rows of these sets are there afterwards, or it says what
# to install and fails.  The sets 'option' and 'extra-NAME' may stay away.
rc_setup() {
    rc_find_mpi
    rc_rows=$(rc_missing "$@")
    [ -n "$rc_rows" ] || return 0
    rc_holder=
    rc_install "$rc_rows" || true
    rc_rows=$(rc_missing "$@")
    rc_needed=$(echo "$rc_rows" | grep -E -v '^(option|extra-[a-z]+) ' | grep . || true)
    if [ -n "$rc_needed" ]; then
        if [ -n "$rc_holder" ]; then
            rc_say "missing. When $rc_holder has ended, run this again, or, as root:"
        else
            rc_say "missing, and they cannot be installed from here. As root, run:"
        fi
        echo "  apt-get install $(echo "$rc_needed" | cut -d' ' -f2 | sort -u | tr '\n' ' ')" >&2
        rc_say "or, without root, with Spack:"
        echo "  spack install $(echo "$rc_needed" | cut -d' ' -f3 | sort -u | tr '\n' ' ')" >&2
        return 1
    fi
    if [ -n "$rc_rows" ]; then
        rc_say "going on without: $(echo "$rc_rows" | cut -d' ' -f2 | sort -u | tr '\n' ' ')"
    fi
}

# rc_build DIR [CMAKE OPTION]...: configures and builds into DIR, quietly, with the compiler of
# the MPI that rc_setup found.
rc_build() {
    rc_dir=$1
    shift
    rc_mpicc=$([ -z "${rc_mpi:-}" ] || rc_mpi_program mpicc "$rc_mpi" || true)
    if [ "$(readlink -f "$rc_mpicc")" != "$(readlink -f "$(command -v mpicc)")" ]; then
        set -- ${rc_mpicc:+-DMPI_C_COMPILER="$rc_mpicc"} "$@"
    fi
    mkdir -p "$rc_dir" || {
        rc_say "cannot write in '$top'; set RC_BUILD to a directory that can be written"
        return 1
    }
    rc_log=$rc_dir/build.log
    if cmake -S "$top" -B "$rc_dir" "$@" >"$rc_log" 2>&1 &&
        cmake --build "$rc_dir" --parallel "$(nproc)" >>"$rc_log" 2>&1; then
        return 0
    fi
    rc_say "the build failed; the end of $rc_log:"
    tail -n 40 "$rc_log" >&2
    return 1
}

# rc_build_tested DIRECTORY [CMAKE OPTION]...: with the tests; a fifth of the time goes without
# what debuggers want beside lines.
rc_build_tested() {
    rc_build "$@" -DBUILD_TESTING=ON -DRC_WERROR=ON -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O2 -g1 -DNDEBUG"
}

# Open MPI 4 asks root for a word, and copies slowly between processes where
# the kernel forbids its fast way.
rc_mpi_env() {
    if [ "$(id -u)" -eq 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMPI_MCA_btl_vader_single_copy_mechanism=none
}

#!/usr/bin/env bash
# The modulefiles in docs/site under real module systems, as 'cmake --install' leaves
# them.  RC_TEST_LMOD and RC_TEST_MODULES name the init files of others.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

build=$(cd "$(dirname "$rollcall")/.." && pwd)
prefix="$work/a place/it's here"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
lmod=${RC_TEST_LMOD:-/usr/share/lmod/lmod/init/bash}
modules=${RC_TEST_MODULES:-/usr/share/modules/init/bash}

# session INIT COMMANDS: a bash of a user, nothing of this one's but its PATH.
session() {
    run 0 env -i HOME="$work" PATH="$PATH" LANG=C bash --noprofile --norc -c ". '$1'
        module use \"\$1\" && shift
        $2" bash "${3:-$prefix/share/modulefiles}"
}

# shellcheck disable=SC2016  # the commands are for the session's shell
# What a loaded module gives, and what is left of it afterwards.
try() {
    local init=$1
    session "$init" 'module load rollcall || exit 1
        type -P rollcall; rollcall --version; man -w rollcall; man -w true
        complete -p rollcall
        COMP_WORDS=(rollcall doc) COMP_CWORD=1; _rollcall; echo "completes: ${COMPREPLY[*]}"
        module list 2>&1'
    has "$prefix/bin/rollcall"
    has "rollcall $version"
    has "$prefix/share/man/man1/rollcall.1"
    has "/man1/true.1" # the system's own pages are still found
    has "complete -o filenames -F _rollcall rollcall"
    has "completes: doctor"
    has "rollcall/$version"

    session "$init" 'module load rollcall && module unload rollcall || exit 1
        echo "manpath ${MANPATH-unset}"; type -P rollcall; complete -p rollcall 2>&1
        type _rollcall 2>&1; echo "$PATH"'
    has "manpath unset"
    lacks "$prefix"
    has "no completion specification"
    has "_rollcall: not found"

    session "$init" 'module help rollcall 2>&1; module whatis rollcall 2>&1'
    has "rollcall doctor"
    has "hardware events of whole machines"

    # A link from a site's own tree leads home.
    session "$init" 'module load rollcall || exit 1; type -P rollcall' "$work/links"
    has "$prefix/bin/rollcall"

    # A copy does not, and says where it looked.
    session "$init" 'module load rollcall 2>&1 && type -P rollcall; :' "$work/copies"
    has "there is no /opt/rollcall/9.9" # Lmod wraps its lines
    lacks "$work/copies/rollcall/bin"
}

if [ ! -r "$lmod" ] && [ ! -r "$modules" ]; then
    echo "neither Lmod nor Environment Modules is here"
    exit 77
fi
run 0 cmake --install "$build" --prefix "$prefix"
mkdir -p "$work/links/rollcall" "$work/copies/rollcall"
for suffix in "" .lua; do
    file="$prefix/share/modulefiles/rollcall/$version$suffix"
    ln -s "$file" "$work/links/rollcall/$version$suffix"
    cp "$file" "$work/copies/rollcall/9.9$suffix"
done
for init in "$lmod" "$modules"; do
    if [ -r "$init" ]; then
        try "$init"
    else
        echo "not here: $init"
    fi
done
rm -rf "$work/a place" "$work/links" "$work/copies" "$work/.lmod.d" "$work/.cache"
finish

#!/usr/bin/env bash
# jobs/Dockerfile, jobs/rollcall.def and jobs/image.sh against what they must agree with.
# No container engine is needed: docs/administrators.md says how the image was tried.
# shellcheck source=tests/lib/cli_lib.sh
. "$(dirname "$0")/../lib/cli_lib.sh"

tree=$(cd "$OLDPWD" && cd "$(dirname "$0")/../.." && pwd)
docker=$tree/jobs/Dockerfile
def=$tree/jobs/rollcall.def
build=$(cd "$OLDPWD" && cd "$(dirname "$rollcall")/.." && pwd)
version=$(sed -n 's/^project(rollcall VERSION \([0-9.]*\).*/\1/p' "$tree/CMakeLists.txt")
summary=$(sed -n 's/^ *DESCRIPTION "\(.*\)")$/\1/p' "$tree/CMakeLists.txt")

# holds FILE TEXT: a line of the file has the text.
holds() {
    grep -qF -- "$2" "$1" || fail "no '$2' in $1"
}

# section NAME: the commands of all sections %NAME of the definition.
section() {
    awk -v name="%$1" '/^%|^Bootstrap:/ { on = $1 == name; next } on' "$def"
}

# Bad calls of image.sh first.
run 2 sh "$tree/jobs/image.sh"
run 2 sh "$tree/jobs/image.sh" build
run 2 sh "$tree/jobs/image.sh" paint "$work"
says "usage: sh jobs/image.sh build|needs|run PREFIX"
run 1 sh "$tree/jobs/image.sh" run "$work/none"
says "image.sh: no '$work/none/share/rollcall/debian-packages': run 'image.sh build' first"
run 1 sh "$tree/jobs/image.sh" needs "$work/none"
says "ldd: $work/none/bin/rollcall-main: No such file or directory"

# Packages are named in packages.txt alone.
for file in "$docker" "$def"; do
    grep -nE 'apt(-get)? |lib[a-z0-9-]+-dev|openmpi-bin' "$file" && fail "$file names packages"
    holds "$file" "jobs/image.sh build /opt/rollcall"
    holds "$file" "image.sh run /opt/rollcall"
done

# Both say the same base, version and summary, and what CMakeLists.txt says.
[ "$(sed -n 's/^ARG BASE=//p' "$docker")" = "$(sed -n 's/^From: //p' "$def" | sort -u)" ] ||
    fail "the Dockerfile and the definition begin with different images"
holds "$docker" "image.version=\"$version\""
holds "$docker" "image.description=\"$summary\""
holds "$def" "image.version $version"
holds "$def" "image.description $summary"

# The program of the image is nobody's root, and is what is started.
[ "$(grep -E '^(USER|ENTRYPOINT) ' "$docker" | tr '\n' ' ')" = \
    'USER rollcall ENTRYPOINT ["/opt/rollcall/bin/rollcall"] ' ] ||
    fail "user or entry point of the Dockerfile"

# Everything that CMakeLists.txt wants is copied, and what is copied is there.
copied=$(section files | awk '$2 ~ "^/src/[^/]+$" { print $1 }')
for path in $copied; do
    [ -e "$tree/$path" ] || fail "$def copies '$path', which is not there"
done
for path in $(sed -n 's#^ *add_subdirectory(\([a-z]*\).*#\1#p' "$tree/CMakeLists.txt") jobs; do
    case $(echo "$copied" | tr '\n' ' ') in
    *"$path "*) ;;
    *) [ "$path" = tests ] || fail "$def does not copy '$path'" ;;
    esac
done

# The commands in both are sound shell.
if command -v shellcheck >/dev/null; then
    awk 'sub(/^RUN /, "") { on = 1 } on { print; on = /\\$/ }' "$docker" |
        shellcheck -s sh - || fail "the commands of $docker"
    for name in post environment runscript test; do
        [ -n "$(section $name)" ] || fail "$def has no %$name"
        section $name | shellcheck -s sh - || fail "%$name of $def"
    done
else
    echo "not checked: the commands, for want of shellcheck"
fi

# Needs of the program at run time: each library's package is on the list, and Debian has
# every package that is named.
if command -v dpkg >/dev/null && command -v apt-get >/dev/null; then
    mkdir "$work/bin"
    ln -s "$build/bin/rollcall-main" "$work/bin/rollcall-main"
    run 0 sh "$tree/jobs/image.sh" needs "$work"
    for package in openmpi-bin libopenmpi3 libc6; do
        has "$package"
    done
    lacks "-dev"
    lacks "gcc
"
    needs=$out
    rows=$(awk '$1 == "build" || $1 == "openmpi" || $1 == "option" { print $3 }' "$tree/jobs/packages.txt")
    # shellcheck disable=SC2086  # one word for each package
    run 0 apt-get -qq install -s --no-install-recommends $needs $rows
    rm -r "${work:?}/bin"
else
    echo "not checked: the packages, for want of dpkg and apt-get"
fi
finish

#!/usr/bin/env bash
# Where cmocka is not installed, rollcall is configured and built, and CMake says that tests are left out.
# shellcheck disable=SC2154  # what run() prints
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"
for program in cmake pkg-config; do
    command -v "$program" >/dev/null || { echo "without $program" >&2; exit 77; }
done

# pkg-config finds all that it finds otherwise, but cmocka.
mkdir pc
IFS=: read -ra folders <<<"${PKG_CONFIG_PATH:-}:$(pkg-config --variable pc_path pkg-config)"
for folder in "${folders[@]}"; do
    for file in "${folder:-/nowhere}"/*.pc; do
        [ ! -e "$file" ] || [ -e "pc/${file##*/}" ] || ln -s "$file" pc/
    done
done
rm -f pc/cmocka.pc
unset PKG_CONFIG_PATH
export PKG_CONFIG_LIBDIR=$work/pc
run 0 cmake -S "$here/.." -B build
has "rollcall: without tests: not found: cmocka (Debian: libcmocka-dev, Spack: cmocka)"
run 0 cmake --build build --target help
has "rollcall-main"
lacks "test_"
run 0 cmake --build build --parallel 2 --target rc_base
run 0 ctest --test-dir build
said "No tests were found"

# A library that the program needs is missed as before.
rm pc/jansson.pc
run 1 cmake -S "$here/.." -B other
said "rollcall: missing: jansson"
lacks "without tests"
rm -r build other pc
finish

#!/bin/sh
# soft.sh BUILD COMPILER OPTIONS: compiles the kernels and soft_check.c with it,
# links them with the soft source of a build, runs the result.  77: a tool is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tests/*}
build=$1 compiler=$2 options=$3

if ! command -v "$compiler" >/dev/null; then
    echo "skipped: $compiler is not installed"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels=$(find "$top/kernels" -name '*.c' ! -path '*/fft3d/*' ! -path '*/own/*') # users' own kernels start programs
# The options and the files are words.
# shellcheck disable=SC2086
"$compiler" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror $options -I"$top" \
    "$here/soft_check.c" $kernels "$top"/campaign/base/error.c \
    "$top"/campaign/base/text.c "$top"/campaign/base/memory.c "$top"/campaign/base/clock.c \
    "$top"/campaign/base/words.c "$top"/campaign/base/program.c "$top"/campaign/base/limits.c "$build/campaign/sources/soft/librc_soft.a" \
    -lZydis -lm -o "$work/check"
"$work/check"

#!/bin/sh
# kernels.sh COMPILER OPTIONS [RUNNER]: compiles the kernels and kernels_check.c
# with it, runs the result (by RUNNER where that is given).  77: a tool is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tests/*}
compiler=$1 options=$2 runner=${3:-}

for tool in "$compiler" $runner; do
    case $tool in -*) continue ;; esac
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done

if ! echo '#include <stdlib.h>' | "$compiler" -E -x c - >/dev/null 2>&1; then
    echo "skipped: $compiler has no C library"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kernels=$(find "$top/kernels" -name '*.c' ! -path '*/fft3d/*' ! -path '*/own/*') # users' own kernels start programs
# The options and the files are words.
# shellcheck disable=SC2086
"$compiler" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror $options -I"$top" \
    "$here/kernels_check.c" $kernels "$top"/campaign/base/error.c \
    "$top"/campaign/base/text.c "$top"/campaign/base/memory.c "$top"/campaign/base/words.c -lm -o "$work/check"
$runner "$work/check"

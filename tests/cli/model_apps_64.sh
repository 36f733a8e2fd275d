#!/usr/bin/env bash
# model_apps_64.sh ROLLCALL - programs of known work on 64 ranks: calls and bytes are those of their laws.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$tests/lib/cli_lib.sh"
# shellcheck source=tests/lib/apps_lib.sh
. "$tests/lib/apps_lib.sh"
one_mpi 'its ranks wait without giving way, and 64 of them take minutes'

held 64 heat3d 16 17 18 3 4 4 4
held 64 cg 64 3
held 64 summa 80
held 64 sample_sort 64000
held 64 root 64000 3 4
finish

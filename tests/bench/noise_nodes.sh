#!/usr/bin/env bash
# noise_nodes.sh BUILD [MACHINES] - which nodes of planted machines 'noise' names, and how many that are
# not off, by the rule of single events that it had before and by that of all events together.
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
exec "$build/tests/bench_noise_nodes" "${2:-1000}"

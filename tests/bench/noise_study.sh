#!/usr/bin/env bash
# noise_study.sh BUILD [DRAWS] - what the noise study finds of readings in which all is planted, with
# goals, DRAWS (1,000) draws each: estimates and intervals of components, nodes and cores that are
# off, false ones, and what GEOPM's normal distribution of all nodes finds of the same.
set -euo pipefail
build=$(cd "${1:?the build directory, such as build}" && pwd)
exec "$build/tests/bench_noise_study" "${2:-1000}"

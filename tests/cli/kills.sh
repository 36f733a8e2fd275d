#!/usr/bin/env bash
# Six campaigns killed at random instants: tests/bench/kills.sh, which kills a
# hundred when it is run by hand.
exec bash "$(dirname "$0")/../bench/kills.sh" "${1:?the program to test}" 6 "$$"

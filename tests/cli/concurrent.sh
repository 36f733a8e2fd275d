#!/usr/bin/env bash
# Several commands at once in one directory, for some seconds: tests/bench/concurrent.sh,
# which goes on for a minute when it is run by hand.
exec bash "$(dirname "$0")/../bench/concurrent.sh" "${1:?the program to test}" 6 "$$"

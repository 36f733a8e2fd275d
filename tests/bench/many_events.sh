#!/bin/sh
# many_events.sh N: a machine file of N events, a multiple of 1000 with names like those of
# real ones, one in ten noisy; for the source model.
set -eu
n=${1:?the number of events}
cat <<MACHINE
name: many
topology: package:1 core:4 pu:1
banks:
- {name: core, counters: unlimited}
events:
- {name: INSTRUCTIONS, counts: INS}
- name: UNIT_{unit}_EVENT_{event}:{way}
  for: [unit = 0..24, event = 0..$((n * 9 / 1000 - 1)), way = READ WRITE ANY ALL]
  counts: "{event} CR + T"
- name: NOISY_{n}
  for: [n = 0..$((n / 10 - 2))]
  counts: CR
  noise: relative 0.1
MACHINE

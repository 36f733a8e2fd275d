# slow_lib.sh - sourced by scripts that need a machine that takes its time
# shellcheck shell=bash

# slow FILE EVENTS TIME: a machine whose events count one by one, each reading so long.
slow() {
    cat >"$1" <<EOS
name: slow
summary: a machine that takes its time
topology: package:1 core:4 pu:1
seed: 7
banks:
- {name: core, counters: 1}
events:
- {name: "E{n}", for: [n = 1..$2], counts: "D_SCAL + {n} INS", time: $3}
EOS
}

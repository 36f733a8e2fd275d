#!/usr/bin/env bash
# rows.sh BUILD - whether a new thing needs what docs/developers.md says, "One file and one line for each new thing".
#
# A copy of the tree gets the file of each row, from tests/data/rows/, and its lines where the page says.  The copy is built as
# BUILD is, and its program asked for each of the new things, which are called 'added'.
set -euo pipefail
build=$(cd "${1:?the build whose options are taken}" && pwd)
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/lib/mpi_lib.sh
. "$top/tests/lib/mpi_lib.sh"
for program in git cmake h5dump "$build/tests/mpi_wait"; do
    command -v "$program" >/dev/null || { echo "without $program" >&2; exit 77; }
done
git -C "$top" ls-files >/dev/null 2>&1 || { echo 'no working tree of git' >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
git -C "$top" ls-files -z | tar -C "$top" --null --ignore-failed-read -cf - -T - | tar -C "$work/tree" -xf -
cd "$work/tree"
failed=0

fail() {
    printf 'FAILED: %s: %s\n' "$row" "$*"
    failed=$((failed + 1))
}

# new FILE CMAKE OLD: the row's file is there, and listed beside OLD.
new() {
    cp "tests/data/rows/$1" "$1"
    [ $# = 1 ] || edit "$2" "\\b$3\\b" "s,,& $(realpath --relative-to="${2%/*}" "$1"),"
}

# edit FILE PLACE SED: changes the line that PLACE, a pattern, finds first.
edit() {
    grep -Eq -- "$2" "$1" || { fail "$1 has no '$2'"; return 0; }
    sed -Ei "0,\\@$2@{\\@$2@{$3
}}" "$1"
}

# line FILE TABLE ROW: the first row of a table in C.
line() {
    edit "$1" "\\b$2\\[\\] = \\{" "s//&$3, /"
}

# bump FILE BEFORE: one more than the number after BEFORE, which 'number' is then.
bump() {
    number=$(sed -nE "s/^ *$2([0-9]+).*/\1/p" "$1")
    edit "$1" "^ *$2[0-9]" "s/$2[0-9]+/$2$((++number))/"
}

row=suite
new kernels/added.c kernels/CMakeLists.txt cycles.c
new solve/data/added.yaml
edit kernels/table.c '^extern const struct rc_suite ' 'i extern const struct rc_suite rc_suite_added;'
line kernels/table.c built_in '\&rc_suite_added'

row=source
new campaign/sources/added.c campaign/sources/CMakeLists.txt nvml.c
edit campaign/sources/table.c '^extern const struct rc_source ' 'i extern const struct rc_source rc_source_added;'
line campaign/sources/table.c sources '\&rc_source_added'

row='law of metrics'
edit solve/data/relations.yaml '^laws:' 'a - {part: [added halves], whole: added quarters, reason: a law was added}'

row=exporter
new io/export/added.c io/CMakeLists.txt export/csv.c
edit io/export/parts.h '^#endif' 'i rc_export_write rc_export_added;'
line io/export/export.c formats '{"added", rc_export_added, NULL}'
line campaign/commands/export.c format_names '"added"'

row='exporter of a profile'
new campaign/profile/export/added.c campaign/CMakeLists.txt profile/export/chrome.c
edit campaign/profile/export/export.h '^#endif' 'i extern const struct rc_profile_export_format rc_profile_added;'
line campaign/profile/export/export.c formats '\&rc_profile_added'
line campaign/commands/export.c format_names '"added-profile"'

row=importer
new io/import/added.c io/CMakeLists.txt import/cat.c
edit io/import/parts.h '^extern const struct rc_import_format ' 'i extern const struct rc_import_format rc_import_added;'
line io/import/import.c formats '\&rc_import_added'
line campaign/import/command.c format_names '"added"'

row='command'
new campaign/commands/added.c campaign/CMakeLists.txt commands/beside.c
edit campaign/cli/commands.h '^extern const struct rc_command ' 'i extern const struct rc_command rc_command_added;'
line campaign/cli/commands.c commands '\&rc_command_added'
edit campaign/cli/help.txt '^\[doctor\]' 'i [added]\nPrints a line that was added.\n\n[added examples]\n  rollcall added\n'

row='doctor check'
edit campaign/commands/checks.c '^void rc_checks_of_node\(' 'i static void check_added(struct node_checks *l)\
{\
    rc_finding_add(l->findings, "added", RC_LEVEL_OK, NULL, "a check was added");\
}\
'
edit campaign/commands/checks.c '^    check_disk\(&l\);' 'a \    check_added(\&l);'

row='panel of the report'
edit io/report/page.c '^static const struct rc_html_panel panels' 'i static int put_added(struct rc_json *json, const void *page, struct rc_error *err)\
{\
    (void)page, (void)err;\
    rc_json_text(json, NULL, "a panel was added");\
    return RC_OK;\
}\
'
line io/report/page.c panels '{.id = "added", .title = "Added", .put = put_added}'
edit io/report/report.js '^  const panels = \{' "s//&added: (text) => make(\"p\", text), /"

row='number of the MPI calls'
bump campaign/profile/wire/shared.h 'RC_SHARED_VERSION = '
bump campaign/profile/wire/records.h '#define RC_PROFILE_RECORD_VERSION '
edit io/profile/calls.def '^CALL\(apart, ' "a CALL(added, added, COUNT, $number)"
edit campaign/profile/preload/mpi/mpi_rows.c '^    row->calls\+\+;' 'a \    row->added += 2;'

row='number of a profile that a tree shows'
edit campaign/profile/tables/trees.h '^struct rc_profile_numbers \{' 'a \    double added;'
edit campaign/profile/tables/readings.c '^    \*out = \(struct rc_profile_numbers\)\{' 's//&.added = 42, /'
line campaign/profile/tables/readings.c numbers 'READING(added)'
edit solve/hierarchies/mpi.yaml '^nodes:' 'a - {node: ADDED, event: "profile::added"}'
[ "$failed" = 0 ] || exit 1

# The options of BUILD, but fast to compile; without tests.
options=()
while IFS= read -r option; do options+=("-D$option"); done < <(grep -E \
    '^(RC_[A-Z0-9]+:BOOL|(CMAKE_C_COMPILER|CMAKE_C_COMPILER_LAUNCHER|CMAKE_PREFIX_PATH|MPI_C_COMPILER):[A-Z]+)=.' \
    "$build/CMakeCache.txt")
row=build
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
if ! { cmake -S . -B "$work/build" "${options[@]}" -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 &&
    cmake --build "$work/build" --parallel 2 --target rollcall rollcall-profile; } >"$work/log" 2>&1; then
    tail -n 30 "$work/log"
    fail 'the tree with all rows is not built'
    exit 1
fi
rollcall=$work/build/bin/rollcall
cd "$work"

# shows TEXT COMMAND...: what it prints has TEXT, a pattern; it may find that something is missing, or a problem.
shows() {
    local text=$1 out status=0
    shift
    out=$(timeout 120 "$@" 2>&1) || status=$?
    if [ "$status" -gt 3 ] || [ "$status" = 2 ] || ! grep -Eq -- "$text" <<<"$out"; then
        fail "'${*/#$work\/*\//}' ended with $status, without '$text': ${out:0:1000}"
    else
        echo "holds: $row: ${*/#$work\/*\//}"
    fi
}

row=suite
shows '^added: ' "$rollcall" kernels
! "$rollcall" events --source soft soft::instructions >log 2>&1 ||
    shows ' 3 points, .* 0 off' "$rollcall" verify --suite added --source soft
shows '1 of 3 metrics defined' "$rollcall" run -q -o campaign --source "model:$top/tests/data/rows/machine.yaml" --suite added
row='law of metrics'
shows 'added halves,contradicted,.*a law was added' "$rollcall" export campaign --format csv
row=exporter
shows '^added: added additions' "$rollcall" export campaign --format added
row='panel of the report'
shows 'report.html' "$rollcall" report campaign
for text in 'id="added-data">' '<div id="added-all">' 'added: \(text\)'; do
    shows "$text" cat campaign/report.html
done
! command -v chromium >log 2>&1 ||
    shows 'id="added-all"><p>a panel was added' env HOME="$work" chromium --headless --no-sandbox --disable-gpu \
        --virtual-time-budget=5000 --dump-dom "file://$work/campaign/report.html"

row=source
shows 'added:::readings .*ok' "$rollcall" events --source added
row='command'
shows '^the command .added. ran' "$rollcall" added
shows 'Prints a line that was added' "$rollcall" help added
row='doctor check'
shows 'ok +added +a check was added' "$rollcall" doctor
row=importer
printf '1 10\n2 20\n' >EVENT.added
shows '1 event, 1 suite: added-import' "$rollcall" import --format added -o imported EVENT.added

mpirun -n 1 "$rollcall" profile -o profile -- "$build/tests/mpi_wait" barrier 1000 5 >log 2>&1 || { cat log; fail profile; }
row='exporter of a profile'
shows '^added: [0-9]+ threads' "$rollcall" export profile --format added-profile
row='number of the MPI calls'
shows profile.h5 "$rollcall" pack profile
shows '^ *\(0\): [2-9]' h5dump -d /calls/added profile/profile.h5
row='number of a profile that a tree shows'
shows 'ADDED +42' "$rollcall" profile profile --hierarchy mpi
[ "$failed" = 0 ]

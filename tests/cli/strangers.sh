#!/usr/bin/env bash
# Things that others may have put where rollcall reads and writes: links in a campaign's directory are not followed,
# files keep their modes, and pipes and devices are refused at once.
here=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/lib/cli_lib.sh
. "$here/lib/cli_lib.sh"

run 0 "$rollcall" run -o whole --source model:spr --suite branch --repeat 2:2
node=$(basename whole/journal/*.rcj)
mkdir far
mkfifo pipe

copy() {
    what=$1
    rm -rf d far/*
    cp -r whole d
    echo precious >far/file
}

untouched() {
    [[ $(cat far/file) = precious && $(stat -c %a far/file) = 600 && $(find far | wc -l) = 2 ]] ||
        fail "$what: what a link leads to was changed: $(ls -lR far)"
}

# quick STATUS WORDS...: as run, and it ends by itself.
quick() {
    local status=$1
    shift
    run "$status" timeout -k 5 300 "$rollcall" "$@"
}

# A link for a replaced file is replaced itself.
copy "links that are replaced"
chmod 600 far/file
for file in report.html metrics.h5 campaign.h5; do
    ln -sf ../far/file d/$file
done
quick 0 pack d
quick 0 solve d
quick 0 report d
untouched
for file in report.html metrics.h5 campaign.h5; do
    [[ -f d/$file && ! -L d/$file ]] || fail "$what: d/$file is a link still"
done

# A link for a file that is read or appended to is refused.
for file in campaign.h5 metrics.h5 campaign.yaml; do
    copy "$file behind a link"
    mv d/$file far/$file
    ln -s ../far/$file d/$file
    case $file in
    campaign.h5) quick 2 solve d ;;
    metrics.h5) quick 2 export d --format json ;;
    campaign.yaml) quick 2 run -o d ;;
    esac
    said "'d/$file' is a symbolic link or is reached through one: links are not followed in a campaign's directory"
done
copy "the journals behind a link"
rm d/campaign.h5 d/metrics.h5
mv d/journal far/journal
ln -s ../far/journal d/journal
for command in report solve pack status; do
    quick 2 $command d
    said "'d/journal' is a symbolic link or is reached through one"
done
copy "a journal behind a link"
chmod 600 far/file
: >far/file
rm -r d/journal/* d/*.h5 d/campaign.yaml
ln -s ../../far/file "d/journal/$node"
quick 2 run -o d --source model:spr --suite branch
said "'d/journal/$node' is a symbolic link or is reached through one"
[ ! -s far/file ] || fail "$what: it was appended to"
copy "journals behind a link"
chmod 600 far/file
rm -r d/journal d/*.h5 d/campaign.yaml
ln -s ../far d/journal
quick 2 run -o d --source model:spr --suite branch
said "'d/journal' is a symbolic link or is reached through one"
untouched
copy "a stage of merge behind a link"
chmod 600 far/file
mkdir e
ln -s ../far e/.merge
run 0 "$rollcall" merge -o e whole d
[ ! -L e/.merge ] || fail "$what: the link is still there"
untouched
rm -r e

# DIR is the user's, and so is what a command line names.
copy "links of the user's"
chmod 600 far/file
ln -s d alias
quick 0 report alias
quick 0 run -o alias
ln -s far/file out
quick 0 export alias --format json -o out
[[ -L out && $(stat -c %a far/file) = 600 && $(head -c 1 far/file) = "{" ]] ||
    fail "$what: what it leads to was not replaced, or not with its mode"
ln -s d/metrics.h5 m.h5
quick 0 compare m.h5 whole
rm alias out m.h5

copy "modes"
chmod 600 d/*.h5
quick 0 report d
chmod 640 d/report.html
quick 0 report d
quick 0 pack d
quick 0 solve d
[[ $(stat -c %a d/report.html d/campaign.h5 d/metrics.h5 | tr '\n' ' ') = "640 600 600 " ]] ||
    fail "$what: $(ls -l d)"

# Pipes that nobody writes to, and devices that have no end.
for file in pipe /dev/zero /dev/null; do
    sort=device
    [ $file = pipe ] && sort=pipe
    what="$file for a file"
    for words in "run -o new -c $file" "events -c $file" "plan --source model:spr @$file" \
        "submit -o new -- -c $file" "compare $file whole" "report whole -e @$file"; do
        # shellcheck disable=SC2086  # words
        quick 2 $words
        said "'$file' is a $sort, expected a file"
    done
done
for file in campaign.h5 metrics.h5 campaign.yaml "journal/$node"; do
    copy "a pipe for $file"
    rm "d/$file"
    mkfifo "d/$file"
    case $file in
    campaign.h5) quick 2 solve d ;;
    metrics.h5) quick 2 export d --format json ;;
    *) quick 2 run -o d ;;
    esac
    said "'d/$file' is "
done
what="the shell's pipes"
quick 0 events -c <(printf 'source: [model:spr]\n') 'BR_*'
has BR_INST
quick 0 events --source model:spr @<(echo 'BR_*')
has BR_INST

# A command that refuses to begin leaves nothing.
refused() {
    local status=$1
    shift
    quick "$status" run -o new/a/b "$@"
    [ ! -e new ] || fail "'run $*' left behind: $(find new)"
}
refused 2 -c pipe
refused 2 --source nothing
refused 2 --source model:nothing
refused 2 --source model:spr --suite nothing
refused 2 --source model:spr --repeat 9:2
refused 1 --source model:spr 'NOTHING*'
refused 1 --source model:spr @nothing
mkdir -p new/a
quick 1 run -o new/a --source model:spr 'NOTHING*'
[ "$(find new)" = "$(printf 'new\nnew/a\nnew/a/.lock')" ] || fail "left behind: $(find new)"
rm -r new
what="the difference of campaigns"
quick 0 run -o other --source model:spr --suite branch --repeat 2:2
quick 0 compare --difference -o difference other whole
find difference | sort >before
quick 1 run -o difference
find difference | sort | diff before - || fail "$what: files were left behind or went"

# A lock that root leaves in a directory of somebody's is the owner's; one that is another's is named.
if [ "$(id -u)" = 0 ] && [ "$(stat -f -c %T .)" != nfs ] && command -v setpriv >/dev/null && chmod 755 . &&
    setpriv --reuid 54321 --clear-groups test -x "$rollcall"; then
    what="locks of root"
    copy "$what"
    chown -R 54321:54321 d
    rm -f d/.lock d/campaign.h5
    quick 0 pack d
    run 0 setpriv --reuid 54321 --regid 54321 --clear-groups "$rollcall" pack d
    chown 0:0 d/.lock
    run 1 setpriv --reuid 54321 --regid 54321 --clear-groups "$rollcall" pack d
    said "cannot lock 'd/.lock', which belongs to user 0: remove it, unless a rollcall of that user works there"
    chmod 700 .
fi

# Limits that are too low are raised where they may be (root may), else named.
limited() {
    local limit=$1 expected=$2
    shift 2
    what="ulimit $limit"
    for words in "events --source model:spr BR_*" "run -o new --source model:spr --suite branch --repeat 2:2"; do
        status=0
        # With a small environment: it lies on the stack, too, that of env as well.
        # shellcheck disable=SC2016,SC2086  # sh's variables; words
        env -i PATH="$PATH" sh -c 'ulimit $1 && shift && exec "$@"' sh "$limit" "$@" "$rollcall" $words \
            >"$work/.out" 2>"$work/.err" </dev/null || status=$?
        err=$(cat "$work/.err")
        case $status in
        0) [[ $(id -u) = 0 && $# = 0 ]] || fail "$what: was not too low" ;;
        1) said "$expected" ;;
        *) fail "$what: '$words' ended with $status: $err" ;;
        esac
        [ $status = 0 ] || [ ! -e new ] || fail "$what: left behind: $(find new)"
        rm -rf new
    done
}
limited "-n 9" "9 files may be open at once (ulimit -n), expected 32 or more"
if [ "$(id -u)" = 0 ]; then
    limited "-n 9" "9 files may be open at once (ulimit -n), expected 32 or more" setpriv --bounding-set=-sys_resource
fi

# The address sanitizer itself needs more of a stack than that.
if [ -z "${ASAN_OPTIONS:-}" ]; then
    limited "-s 16" "the stack (ulimit -s) is too small, expected 256 KiB or more"
    [ "$(id -u)" != 0 ] ||
        limited "-s 16" "the stack (ulimit -s) is too small, expected 256 KiB or more" setpriv --bounding-set=-sys_resource
fi

# Patterns that take in nothing.
for command in events plan; do
    what="$command and patterns"
    quick 0 "$command" --source model:spr 'NO*' BR_INST_RETIRED:COND NOTHING --format json
    [[ $(grep -c . <<<"$err") = 1 && $err = "rollcall $command: no event on kind model-spr-"*" matches 'NO*', 'NOTHING'" ]] ||
        fail "$what: said '$err'"
    quick 1 "$command" --source model:spr 'NO*' NOTHING
    said "'NO*', 'NOTHING'"
    quick 0 "$command" --source model:spr BR_INST_RETIRED:COND BR_INST_RETIRED:COND '!NO*'
    [ -z "$err" ] || fail "$what: said '$err'"
done

# Libraries are not looked for in the current directory.
what="libraries that lie about"
ldd "$rollcall-main" | awk '/=>/ { print $1 }' | xargs touch
quick 0 --version
ldd "$rollcall-main" | awk '/=>/ { print $1 }' | xargs rm
rm -rf whole d far pipe new other difference before
finish

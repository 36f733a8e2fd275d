# Runs a program by ranks that record where its time goes.
# shellcheck shell=bash disable=SC2154 # variables of other texts
# [profile]

begin
# With --passes: 3 as long as some are missing, which the same command takes next.
passes=3 status=0 left='' before=none
while [ "$passes" -eq 3 ] && [ "$status" -eq 0 ] && [ "$left" != "$before" ] && [ -z "$stopped" ]; do
    before=$left
    step launch "$rollcall" profile -o "$work" "${profile_options[@]}"
    status=$?
    brief sleep 1 # samplers end a moment after the program
    left=$(brief "$rollcall" status "$work" 2>/dev/null)
    passes=$?
done
heed_cancel
case $stopped in
cancelled | lost) go_on "$status" "$stopped" ;;
warned) go_on 3 "stopped before the time limit" ;;
esac
brief "$rollcall" report "$work" || true
brief "$rollcall" profile "$work" || true
[ "$status" -eq 0 ] || say "the program ended with $status"
end "$status"

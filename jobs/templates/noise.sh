# Measures what else runs on the nodes of a job, and judges it.
# shellcheck shell=bash disable=SC2154 # variables of other texts
# [noise]

begin
step launch "$rollcall" noise -o "$work" "${noise_options[@]}"
status=$?
heed_cancel
case $stopped in
cancelled | lost) go_on "$status" "$stopped" ;;
esac
# 3: a signal ended it, and what it had is not judged yet; there may be nothing.
if [ "$status" -eq 3 ]; then
    brief "$rollcall" noise "$work"
fi
end "$status"

# Deals the units of a campaign out to shares.
# shellcheck shell=bash disable=SC2154 # variables of other texts
# [deal]

begin
if [ -d "$work/shares" ]; then
    say "the campaign is dealt out already"
    end 0
fi
step launch "$rollcall" run -o "$work/shares" --shares "$campaign_shares" "${run_options[@]}"
status=$?
[ "$stopped" != warned ] || go_on "$status" "stopped before the time limit"
end "$status"

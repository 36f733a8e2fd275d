# Measures what is missing of a campaign, of a part or a share of it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of other texts
# [run]

begin
if [ -n "$shares" ] && [ ! -e "$work/campaign.yaml" ]; then
    say "there is no share $index: the job that deals the units out has failed, or has not run"
    end 1
fi
before=$(missing)

# 3: done, but units are missing or have no valid result.
step launch "$rollcall" run -o "$work" --no-solve "${run_options[@]}"
status=$?
left=$(missing)
if [ "$status" -eq 0 ] && [ "${left:-0}" -gt 0 ]; then
    status=3 # a launcher may end well though a node was lost
fi
if [ "$status" -ne 0 ] && { [ "$status" -ne 3 ] || [ -n "$stopped" ] || [ "${left:-0}" -gt 0 ]; }; then
    case $stopped in
    warned) why="stopped before the time limit" ;;
    cancelled | lost) go_on "$status" "$stopped" ;;
    *) why="the run ended with $status" ;;
    esac
    if [ "$left" = "$before" ] && { [ "$left" != 0 ] || [ -z "$stopped" ]; }; then
        why="$why, and nothing was measured${left:+ since $left units were missing}"
        # A warning may come before anything could begin: once more.  A launcher may stumble
        # over what a lost node has left of this job, and fails in seconds: twice more, as
        # another job where that can be chosen.  Where there is no campaign yet, its
        # options may be wrong.
        if idle_before "$([ -n "$stopped" ] && echo 1 || echo 2)" || { [ -z "$stopped" ] && [ "${left:-0}" -eq 0 ]; }; then
            say "$why: given up"
            end "$status"
        fi
        note "idle"
        [ -n "$stopped" ] || fresh=1
        go_on "$status" "$why"
    fi
    go_on "$status" "$why with $left units missing"
fi

if [ -n "$solves" ]; then conclude "$work"; fi
end "$status"

# Puts parts and shares of a campaign together.
# shellcheck shell=bash disable=SC2154 # variables of other texts
# [finish]

begin

# A job that still measures may have another number, or began again since this one was
# submitted: this one comes after it.  As a job may end without a word, tries are bounded.
records=("$dir"/jobs/*.record)
for other in "${records[@]}"; do
    if [ "$other" = "$record" ] || [ "$try" -ge $((${#records[@]} * tries_most)) ]; then continue; fi
    last=$(tail -n 1 "$other")
    case $last in
    *" $round "*" ended "* | *" $round "*" cancelled") continue ;;
    *" $round "*" again "*) after=${last##* again } ;;
    *" $round "*) after=${last#* "$round" } && after=${after%% *} ;;
    *) continue ;;
    esac
    if again; then
        note "again ${next:-$job}"
        say "job $after goes on measuring; this one comes after it"
        exit "${leave:-3}"
    fi
done
after=''

# Every part, and every share of it, that holds a campaign.
leaves=()
for leaf in "$dir"/parts/* "$dir"/shares/* "$dir"/parts/*/shares/*; do
    if [ -d "$leaf/journal" ]; then leaves+=("$leaf"); fi
done
if [ ${#leaves[@]} -eq 0 ]; then
    say "no part of the campaign was measured"
    end 1
fi
brief "$rollcall" merge --replace --no-solve -o "$dir" "${leaves[@]}"
status=$?
case $status in 0 | 3) ;; *) end "$status" ;; esac

conclude "$dir"
end "$status"

# bash completion for rollcall {{version}}, made by 'rollcall help --format bash'
_rollcall_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_rollcall_list() {
  local last="${word##*,}"
  mapfile -t COMPREPLY < <(compgen -P "${word%"$last"}" -W "$1" -- "$last")
}
_rollcall_kinds() {
  local dir
  for dir in "${COMP_WORDS[@]:2}"; do
    [ ! -d "$dir/journal" ] || "${COMP_WORDS[0]}" status "$dir" --format csv 2>/dev/null |
      sed 1d | cut -d, -f1 | sort -u | tr '\n' ' '
  done
}
_rollcall() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{{commands}}--help --version'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  case "${COMP_WORDS[1]}:$before" in
{{arguments}}    help:help) words='{{commands}}'
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      return ;;
  esac
  case "${COMP_WORDS[1]}" in
{{options}}  esac
  if [[ "$word" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _rollcall rollcall

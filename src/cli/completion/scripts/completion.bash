# bash completion for kubectl-informer
#
# For this shell:   source <(kubectl-informer completion bash)
# For every shell:  kubectl-informer completion bash > ~/.local/share/bash-completion/completions/kubectl-informer
#                   (read by the package bash-completion; without it, source the file in ~/.bashrc)
#
# `kubectl informer …` needs no script: kubectl's own completion runs kubectl_complete-informer, if that is on PATH.

_kubectl_informer() {
  local line=${COMP_LINE:0:COMP_POINT} word i
  local -a words=()
  # bash also cuts words at = : and @; what has no blank between is one word
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
      line=${line#"${line%%[![:space:]]*}"}
      words+=("")
    fi
    ((i == COMP_CWORD)) && word=$line
    words[${#words[@]} - 1]+=$word
    line=${line#"$word"}
  done

  local last=$((${#words[@]} - 1)) typed is_quoted=
  typed=${words[last]}
  if [[ $typed == [\'\"]* ]]; then
    typed=${typed:1} is_quoted=1
  elif [[ $typed == *=[\'\"]* ]]; then
    typed=${typed%%=[\'\"]*}=${typed#*=[\'\"]} is_quoted=1
  fi
  local -a before=()
  for ((i = 1; i < last; i++)); do before+=("${words[i]//[\'\"\\]/}"); done

  local value=$typed lead='' char
  [[ $typed == -*=* ]] && value=${typed#*=}
  if [[ -z $is_quoted ]]; then
    for char in = : @; do
      [[ $COMP_WORDBREAKS == *"$char"* && $value == *"$char"* ]] || continue
      word=${value%"${value##*"$char"}"}
      ((${#word} > ${#lead})) && lead=$word
    done
  fi

  local output directive about
  output=$'\n'$("${words[0]/#\~/$HOME}" __complete "${before[@]}" "$typed" 2>/dev/null)
  directive=${output##*$'\n':}
  [[ $directive =~ ^[0-9]+$ ]] || return 0
  COMPREPLY=()
  while IFS=$'\t' read -r word about; do
    [[ -n $word && $word == "$value"* ]] && COMPREPLY+=("${word#"$lead"}")
  done <<<"${output%$'\n':*}"

  if type compopt &>/dev/null; then
    ((directive & 2)) && compopt -o nospace
    ((directive & 32)) && compopt -o nosort 2>/dev/null
    if ((${#COMPREPLY[@]} == 0)); then
      if ((directive & 16)); then
        compopt -o dirnames
      elif ((!(directive & 4))); then
        compopt -o default
      fi
    fi
  fi
  return 0
}

complete -F _kubectl_informer kubectl-informer

#compdef kubectl-informer
# zsh completion for kubectl-informer
#
# For this shell:   source <(kubectl-informer completion zsh)
# For every shell:  kubectl-informer completion zsh > "${fpath[1]}/_kubectl-informer"
#                   (after `autoload -U compinit; compinit` in ~/.zshrc)
#
# `kubectl informer …` needs no script: kubectl's own completion runs kubectl_complete-informer, if that is on PATH.

_kubectl_informer() {
  emulate -L zsh
  local -a arguments lines values shown options
  local line value about directive width=0
  arguments=("${(@Q)words[2,CURRENT - 1]}" "${(Q)PREFIX}")
  lines=("${(@f)$("${(Q)words[1]/#\~/$HOME}" __complete "${arguments[@]}" 2>/dev/null)}")
  directive=${lines[-1]#:}
  [[ $directive == <-> ]] || return 1
  lines[-1]=()

  [[ $PREFIX == -*=* ]] && compset -P 1 '*='
  for line in $lines; do
    [[ -n $line ]] && values+=("${line%%$'\t'*}")
  done
  for value in $values; do (( $#value > width )) && width=$#value; done
  for line in $lines; do
    [[ -n $line ]] || continue
    value=${line%%$'\t'*} about=''
    [[ $line == *$'\t'* ]] && about=${line#*$'\t'}
    shown+=("${(r:width:)value}${about:+  -- $about}")
  done

  (( directive & 2 )) && options+=(-S '')
  if (( $#values > 0 )); then
    compadd "${options[@]}" -l -d shown -a values
  elif (( directive & 16 )); then
    _files -/
  elif (( !(directive & 4) )); then
    _files
  else
    return 1
  fi
}

if [[ $funcstack[1] == _kubectl_informer || $funcstack[1] == _kubectl-informer ]]; then
  _kubectl_informer "$@"
else
  compdef _kubectl_informer kubectl-informer
fi

import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The functions that hooks in bash get by `source /shell_lib.sh`: `hook::run` calls, for each context, the first of the
 * functions for it that the hook has, and `context::*` read the context. An image of shell-operator has files of its
 * own for this, which are then used.
 */
const LIBRARY = String.raw`set -Eeuo pipefail
shopt -s inherit_errexit failglob
trap 'printf >&2 "%s line %s: exit code %s\n" "$0" "$LINENO" "$?"' ERR

context::global::jq() { jq "$@" "$BINDING_CONTEXT_PATH"; }
context::jq() { context::global::jq --argjson at "$BINDING_CONTEXT_CURRENT_INDEX" '.[$at]' | jq "$@"; }

# a.b."c.d".0 as a list of names and places
context::_path() {
  jq -cn --arg path "$1" '[$path | scan("\"([^\"]*)\"|\u0027([^\u0027]*)\u0027|([^.]+)")
    | .[0] // .[1] // (.[2] | if test("^[0-9]+$") then tonumber else . end)]'
}
context::get() {
  if [[ "${'$'}{1:-}" == --required ]]; then
    shift
    if ! context::has "${'$'}{1:-}"; then
      echo >&2 "the context has no ${'$'}{1:-}"
      return 1
    fi
  fi
  context::jq -r --argjson path "$(context::_path "${'$'}{1:-}")" 'getpath($path)'
}
context::has() {
  context::jq -e --argjson path "$(context::_path "${'$'}{1:-}")" 'getpath($path[:-1]) | has($path[-1])' >/dev/null
}
context::_is() { context::jq -e --argjson path "$(context::_path "$1")" "getpath(\$path) == $2" >/dev/null; }
context::is_true() { context::_is "${'$'}{1:-}" true; }
context::is_false() { context::_is "${'$'}{1:-}" false; }
context::is_null() { context::_is "${'$'}{1:-}" null; }

# the functions for a context, the most special first
hook::_handlers() {
  context::jq -r '
    def on($sort): "__on_\($sort)::\(.binding)";
    def short: sub("/"; ".");
    if .binding == "onStartup" then "__on_startup"
    elif .type == "Synchronization" then on("kubernetes") | "\(.)::synchronization", .
    elif .type == "Event" then
      on("kubernetes") as $name | (.watchEvent | ascii_downcase) as $event
      | "\($name)::\($event)", (if $event == "deleted" then empty else "\($name)::added_or_modified" end), $name
    elif .type == "Group" then "__on_group::\(.groupName)"
    elif .type == "Schedule" then on("schedule")
    elif .type == "Validating" then on("validating")
    elif .type == "Mutating" then on("mutating")
    elif .type == "Conversion" then
      on("conversion") as $name | "\($name)::\(.fromVersion | short)::\(.toVersion | short)", $name
    else empty end, "__main__"'
}
hook::run() {
  if [[ "${'$'}{1:-}" == --config ]]; then
    __config__
    exit 0
  fi
  local count at handler handlers found
  count=$(context::global::jq length)
  for ((at = 0; at < count; at++)); do
    export BINDING_CONTEXT_CURRENT_INDEX=$at
    BINDING_CONTEXT_CURRENT_BINDING=$(context::jq -r '.binding // "unknown"')
    export BINDING_CONTEXT_CURRENT_BINDING
    handlers=$(hook::_handlers)
    found=''
    while IFS= read -r handler; do
      declare -F "$handler" >/dev/null || continue
      found=$handler
      break
    done <<<"$handlers"
    if [[ -z "$found" ]]; then
      echo >&2 "the hook has none of the functions" $handlers
      return 1
    fi
    ("$found")
  done
}
`;

/**
 * Read by every bash that a hook starts. Hooks name the places of an image of shell-operator: where these are not on
 * this machine, the folder of the hooks takes the place of /hooks, and the library that of /shell_lib.sh.
 */
const ENVIRONMENT = `if ! [[ -e /hooks && -e /shell_lib.sh ]]; then
  source() {
    local -a _at=("$1")
    shift
    if ! [[ -e ${'$'}{_at[0]} ]]; then
      case ${'$'}{_at[0]} in
        /hooks/*) _at=("$SHELL_OPERATOR_HOOKS_DIR/${'$'}{_at[0]#/hooks/}") ;;
        /shell_lib.sh | /frameworks/shell/*.sh) _at=("$KUBECTL_INFORMER_SHELL_LIB") ;;
      esac
    fi
    if (($# > 0)); then builtin source "${'$'}{_at[0]}" "$@"; else builtin source "${'$'}{_at[0]}"; fi
  }
fi
`;

/** Writes both files to a folder, and returns the variables by which hooks find them. */
export function shellLibrary(folder: string, hooks: string): Readonly<Record<string, string>> {
  const [library, environment] = ['shell_lib.sh', 'bash_env.sh'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  writeFileSync(library, LIBRARY, { mode: 0o600 });
  writeFileSync(environment, ENVIRONMENT, { mode: 0o600 });
  return { SHELL_OPERATOR_HOOKS_DIR: hooks, KUBECTL_INFORMER_SHELL_LIB: library, BASH_ENV: environment };
}

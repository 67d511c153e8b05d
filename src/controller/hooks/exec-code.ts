import { literalOf, misplaced, placeholderOf, prefixOf, type Word } from './exec-words.ts';

/**
 * Refuses placeholders in words that a program reads as code: the value would be run, whoever set it. Throws `argument`.
 *
 * The rule: a value may be an argument, and never a part of a program. So no placeholder stands (1) behind a shell or an interpreter up to its
 * program, be that code (`sh -c '…'`, `python -c`, `awk '…'`) or a file, (2) anywhere behind a command that joins its words to a shell line
 * (`ssh`, `su`, `watch`, `eval`), (3) where a wrapper (`env`, `xargs`, `sudo`, `find -exec`) expects its command or reads its options, nor in a variable that programs load
 * code by (`PATH`, `LD_PRELOAD`), (4) in what follows an option that by its name takes code (`-c`, `-e`, `--eval`, `--to-command`), of any program
 * but those for which it is known to take something else (`kubectl logs -c`, `grep -e`); and of those with no other text than a plain word's.
 * Does not promise: to know every program. One that runs its arguments and is not known by name is the user's to keep placeholders from.
 */
export function refuseCode(words: readonly Word[]): void {
  const commandMayStandAt = commandPositions(words);
  let programAt = Number.NEGATIVE_INFINITY;
  words.forEach((word, at) => {
    const name = nameOf(word);
    const isCommand = commandMayStandAt(at);
    if (isCommand && isRunner(words, at - 1)) refuseInPlaceOfCommand(word);
    refuseAsLoaded(word);
    const isName = at === programAt + 1; // the `sh` of `sh -c CODE sh`
    if ((SHELLS.test(name) && !isName) || (isCommand && INTERPRETERS.test(name))) programAt = refuseUpToProgram(words, at, name);
    if (isCommand && LINE_RUNNERS.has(name)) refuseBehind(words, at, name);
    if (isCommand && WRAPPERS.has(name)) refuseAsCommand(words, at, name);
    if (isCommand && name === 'env' && splitsWords(words, at)) refuseBehind(words, at, 'env -S');
    if (isCommand && /^\$/.test(name) && CODE_OPTION.test(literalOf(words[at + 1]) ?? '')) refuseUpToProgram(words, at, name);
    if (isCommand && NAMERS.has(name)) refuseAsVariable(words, at, name);
    if (CODE_OPTION.test(literalOf(word) ?? '')) refuseCodeText(words[at + 1], literalOf(word) as string);
    refuseAsOption(words, at, commandMayStandAt);
  });
}

/**
 * Refuses a placeholder in the value of an option that by its name takes code, of any program but those for which it is known to take something else.
 * Also where it is glued on (`-c{{…}}`, `--to-command={{…}}`), and in a setting whose name says so (`-o ProxyCommand={{…}}`).
 */
function refuseAsOption(words: readonly Word[], at: number, commandMayStandAt: (at: number) => boolean): void {
  const word = words[at] as Word;
  const prefix = prefixOf(word);
  const [, name = '', glued] = /^(-{1,2}[A-Za-z][\w-]*)(=)?/.exec(prefix) ?? [];
  const placeholder = placeholderOf(word);
  const isSetting = SETTING.test(prefix) && (prefix.startsWith('-o') || TAKES_SETTING.test(literalOf(words[at - 1]) ?? ''));
  if (placeholder && (isSetting || (glued && NAMED_CODE.test(name))))
    misplaced(placeholder, `behind ${prefix}, which may take code`, SCRIPT);
  const isShort = SHORT_CODE.test(name) || (placeholder !== undefined && GLUED_CODE.test(prefix));
  if (!isShort && !NAMED_CODE.test(name)) return;
  const value = placeholder ?? (literalOf(word) === name ? placeholderOf(words[at + 1]) : undefined);
  if (!value || (isShort && takesNoCode(programOf(words, at, commandMayStandAt), name.slice(-1), placeholder ? word : words[at + 1])))
    return;
  misplaced(value, `behind ${isShort ? name.slice(0, 3) : name}, which may take code`, SCRIPT);
}

/** The name of the program whose option stands there, behind wrappers and assignments; '' where that is not sure. */
function programOf(words: readonly Word[], option: number, commandMayStandAt: (at: number) => boolean): string {
  let at = option - 1;
  while (at > 0 && !(commandMayStandAt(at) && isStart(words, at))) at--;
  while (at < option && WRAPPERS.has(nameOf(words[at] as Word))) at = commandBehind(words, at);
  return at < option ? nameOf(words[at] as Word) : '';
}

/** The first word, or one behind `--` and its like: not merely one behind a wrapper, where any word might be the command. */
function isStart(words: readonly Word[], at: number): boolean {
  const before = words.slice(0, at);
  return before.every((word) => ASSIGNMENT.test(prefixOf(word))) || RUNS_NEXT.test(literalOf(words[at - 1]) ?? '');
}

/** Where the command of a wrapper stands. */
function commandBehind(words: readonly Word[], at: number): number {
  const name = nameOf(words[at] as Word);
  const takesValue = valueOptionsOf(name);
  let operands = WRAPPER_OPERANDS[name] ?? 0;
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i] as Word;
    if (takesValue.test(literalOf(word) ?? '')) i++;
    else if (/^-/.test(prefixOf(word)) || ASSIGNMENT.test(prefixOf(word))) continue;
    else if (operands > 0) operands--;
    else return i;
  }
  return words.length;
}

function takesNoCode(program: string, option: string, value: Word | undefined): boolean {
  if (!Object.hasOwn(NO_CODE, program) || !NO_CODE[program]?.includes(option)) return false;
  return !SETS_ENVIRONMENT.has(program) || option !== 'e' || (value !== undefined && /^(?:-e)?[A-Za-z_]\w*=/.test(prefixOf(value)));
}

/** Refuses a line with placeholders in which a shell reads its program from stdin: what the line prints would be run. Throws `argument`. */
export function refusePipedCode(commands: readonly (readonly Word[])[]): void {
  const placeholder = commands.flatMap((words) => words.map(placeholderOf)).find(Boolean);
  const reader = commands.find((words) =>
    readsStdin(
      words,
      words.findIndex((word) => SHELLS.test(nameOf(word))),
    ),
  );
  if (placeholder && reader) misplaced(placeholder, 'in a line with a shell that runs what it reads from stdin', SCRIPT);
}

function readsStdin(words: readonly Word[], at: number): boolean {
  if (at < 0 || !commandPositions(words)(at)) return false;
  const rest = words.slice(at + 1).map((word) => literalOf(word) ?? '');
  return rest.every((text) => /^[-+]/.test(text))
    ? !rest.some((text) => /^--(?:version|help)$/.test(text))
    : /^-[A-Za-z]*s/.test(rest[0] ?? '');
}

const SHELLS = /^(?:r?bash|sh|dash|zsh|yash|ysh|osh|posh|hush|xonsh|elvish|(?:[rml]|pd)?ksh(?:93)?|ash|fish|t?csh|pwsh|powershell|cmd)$/;
const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node(?:js)?|deno|bun|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua(?:jit)?[\d.]*|[gmn]?awk|g?sed|Rscript|osascript|tclsh[\d.]*|expect|wish|groovy|jshell|julia|scala|kotlin|swift|guile|racket|sbcl|octave|raku|elixir|iex|ghci|runghc|ts-node|tsx|nu|m4|bc|dc|emacs|vim?|ed|ex|gdb)$/;
/** They run their words, or some of them, as a shell line; or, of a shell's own, as code in some form. */
const LINE_RUNNERS = new Set(
  'ssh rsh mosh su runuser watch watchexec entr make gmake just sqlite3 pdsh clush parallel script tmux screen at batch eval trap alias source . let declare typeset [['.split(
    ' ',
  ),
);
/** They run the command that their words name. */
const WRAPPERS = new Set(
  'env sudo doas nohup nice ionice time timeout stdbuf setsid chroot unshare nsenter xargs exec command builtin busybox toybox chrt taskset strace ltrace gosu flock systemd-run setpriv sshpass fakeroot proot numactl unbuffer firejail bwrap runcon prlimit rlwrap su-exec tini dumb-init npx bunx uvx'.split(
    ' ',
  ),
);
/** They set variables by name, which decide what programs load. */
const NAMERS = new Set(['export', 'local', 'readonly', 'unset', 'read']);
/** What `env` splits into words of its own. */
const SPLITS = /^(?:-[A-Za-z0]*S|--split-string)/;
/** Variables that say what a program loads or runs. */
const LOADED =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|KUBECONFIG|KUBE_EDITOR|LD_\w+|DYLD_\w+|GIT_\w+|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH)\+?=/;
/** Options of wrappers whose value is a word of its own, and how many words stand before their command. */
const WRAPPER_OPTIONS: Readonly<Record<string, string>> = {
  timeout: 'sk',
  sudo: 'ugUhpCrtDRT',
  doas: 'uC',
  nice: 'n',
  ionice: 'cnpPu',
  env: 'uC',
  stdbuf: 'ioe',
  xargs: 'IEnLPsad',
  flock: 'wE',
  time: 'fo',
  strace: 'oepsu',
  ltrace: 'oepsu',
};
const WRAPPER_OPERANDS: Readonly<Record<string, number>> = { chroot: 1, flock: 1, gosu: 1, timeout: 1, chrt: 1, taskset: 1 };
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const RUNS_NEXT = /^(?:--|-exec|-execdir|-ok|-okdir)$/;
/** Options that in most programs that have them take code, alone or behind one or two others: `-c`, `-lc`. */
const SHORT_CODE = /^-[A-Za-z]{0,2}[ce]$/;
/** The same with what they take in the same word: `-c{{…}}`, and `git -ccore.pager={{…}}`. */
const GLUED_CODE = /^-[A-Za-z]{0,2}[ce](?:$|\w+(?:\.\w+)+=)/;
/** Options that say by their names that they take code or name what is run: `--command`, `--to-command`, `-exec`, `--rsync-path`. */
const NAMED_CODE =
  /^(?:--?(?:[a-z\d]+-)*(?:cmd|command|command-line|eval|exec|exec-batch|execute|entrypoint|script|shell|rsh|program|expression|pager|editor)|--(?:pre|rsync-path|upload-pack|receive-pack|checkpoint-action))$/i;
/** Settings that name what is run, behind the options that take settings: `scp -o ProxyCommand=…`. */
const SETTING = /^(?:-o)?[\w.]*(?:command|exec|editor|pager|hookspath|shell)=$/i;
const TAKES_SETTING = /^(?:-o|--option|--config)$/;
/**
 * Programs of which `-c` or `-e` takes no code: a container, a variable, a pattern, a count, a file. Of those that set a variable by `-e` its name
 * must be written out.
 */
const NO_CODE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['kubectl', 'oc', 'head', 'tail', 'cut', 'wc', 'stat', 'ping', 'ping6', 'uniq', 'sort'].map((name) => [name, 'c'])),
  ...Object.fromEntries(
    ['docker', 'podman', 'nerdctl', 'grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'curl', 'test', '['].map((name) => [name, 'ce']),
  ),
  ...Object.fromEntries(['echo', 'cat', 'ls'].map((name) => [name, 'ce'])),
};
const SETS_ENVIRONMENT = new Set(['docker', 'podman', 'nerdctl']);
const CODE_OPTION = /^(?:-[A-Za-z]*[ce]|--(?:eval|exec|execute|command|expression)|\/[ck]|-Command)$/i;
/** Options whose value is a word of its own, before the program. */
const TAKES_VALUE = /^(?:[-+][oO]|-[WXrICvF]|--(?:rcfile|init-file|require|import|loader|conditions))$/;

const SAFE_WORD = /^[\w./:@=,+-]*$/;

const ARGUMENT = `hand it over as an argument of the code: sh -c 'echo "$1"' sh {{.path}}`;
const SCRIPT = 'write a script that reads the request from its stdin, and run it with --hook FILE';

function commandPositions(words: readonly Word[]): (at: number) => boolean {
  const first = words.findIndex((word) => !/^(?:[A-Za-z_]\w*\+?=|(?:if|then|elif|else|while|until|do|!|\{|time)$)/.test(prefixOf(word)));
  const wrapper = words.findIndex((word, at) => at === first && WRAPPERS.has(nameOf(word)));
  const starts = new Set([first]);
  words.forEach((word, at) => {
    if (/^(?:--|-exec|-execdir|-ok|-okdir)$/.test(literalOf(word) ?? '')) starts.add(at + 1);
  });
  const wrapped = words.findIndex((word, at) => starts.has(at) && WRAPPERS.has(nameOf(word)));
  const from = [wrapper, wrapped].filter((at) => at >= 0).sort((a, b) => a - b)[0] ?? Number.POSITIVE_INFINITY;
  return (at) => starts.has(at) || at > from;
}

/** The program a word names: the last part of its path. */
function nameOf(word: Word): string {
  const text = literalOf(word) ?? '';
  return (/[^/\\]*$/.exec(text)?.[0] ?? '').replace(/\.exe$/i, '');
}

/** Gives where the program stands. */
function refuseUpToProgram(words: readonly Word[], at: number, name: string): number {
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i] as Word;
    const placeholder = placeholderOf(word);
    if (placeholder) misplaced(placeholder, `where ${name} reads its program`, ARGUMENT);
    const text = literalOf(word) ?? '';
    if (TAKES_VALUE.test(text)) {
      const value = placeholderOf(words[++i]);
      if (value) misplaced(value, `where ${name} reads its options`, ARGUMENT);
    } else if (!/^[-+]./.test(text)) return i;
  }
  return words.length;
}

function refuseBehind(words: readonly Word[], at: number, name: string): void {
  const placeholder = words
    .slice(at + 1)
    .map(placeholderOf)
    .find(Boolean);
  if (placeholder) misplaced(placeholder, `behind ${name}, which makes code of its words`, SCRIPT);
}

function refuseAsCommand(words: readonly Word[], at: number, name: string): void {
  const takesValue = valueOptionsOf(name);
  let operands = WRAPPER_OPERANDS[name] ?? 0;
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i] as Word;
    if (takesValue.test(literalOf(word) ?? '')) {
      const value = placeholderOf(words[++i]);
      if (value) misplaced(value, `where ${name} reads its options`, SCRIPT);
    } else if (/^(?:-|[A-Za-z_]\w*=)/.test(prefixOf(word))) continue;
    else if (operands > 0 && !placeholderOf(word)) operands--;
    else {
      const placeholder = placeholderOf(word);
      if (placeholder) misplaced(placeholder, `where ${name} reads its command`, SCRIPT);
      return;
    }
  }
}

function valueOptionsOf(wrapper: string): RegExp {
  const letters = WRAPPER_OPTIONS[wrapper];
  return letters ? new RegExp(`^-[A-Za-z]*[${letters}]$`) : /^(?!)/;
}

/** Whether one of the options of `env` makes words of a text. */
function splitsWords(words: readonly Word[], at: number): boolean {
  const behind = words.slice(at + 1);
  const command = behind.findIndex((word) => !/^(?:-|[A-Za-z_]\w*=)/.test(prefixOf(word)));
  return behind.slice(0, command < 0 ? behind.length : command).some((word) => SPLITS.test(prefixOf(word)));
}

/** Whether the next word is run: `find -exec`, `kubectl exec pod --`. */
function isRunner(words: readonly Word[], at: number): boolean {
  const text = literalOf(words[at]) ?? '';
  if (text !== '--') return /^-(?:exec|ok)(?:dir)?$/.test(text);
  return words.slice(1, at).some((word) => /^(?:exec|run|debug)$/.test(literalOf(word) ?? ''));
}

function refuseInPlaceOfCommand(word: Word): void {
  const placeholder = placeholderOf(word);
  if (placeholder) misplaced(placeholder, 'in the place of a command', SCRIPT);
}

function refuseAsLoaded(word: Word): void {
  const placeholder = placeholderOf(word);
  const name = LOADED.exec(prefixOf(word))?.[0].replace(/\+?=$/, '');
  if (placeholder && name) misplaced(placeholder, `in ${name}, which says what a program loads or runs`, SCRIPT);
}

function refuseAsVariable(words: readonly Word[], at: number, name: string): void {
  const word = words.slice(at + 1).find((each) => placeholderOf(each) && !/^[A-Za-z_]\w*=/.test(prefixOf(each)));
  const placeholder = placeholderOf(word);
  if (placeholder) misplaced(placeholder, `where ${name} reads the name of a variable`, SCRIPT);
}

/** `kubectl logs web -c {{.name}}` names a container; `psql -c "… {{.name}}"` is code. */
function refuseCodeText(word: Word | undefined, option: string): void {
  const placeholder = placeholderOf(word);
  if (!word || !placeholder || word.every((piece) => typeof piece !== 'string' || SAFE_WORD.test(piece))) return;
  misplaced(placeholder, `in the text behind ${option}, which may be code`, SCRIPT);
}

import { literalOf, misplaced, placeholderOf, plainTextOf, prefixOf, type Word } from './exec-words.ts';

/**
 * Refuses placeholders in words that a program reads as code. The code would be under the control of everybody who may
 * set the value. Throws `argument`.
 *
 * The rule: a value may be an argument, but never a part of a program. So a placeholder is refused
 * - between a shell or an interpreter and its program, whether that is code (`sh -c '…'`, `python -c`, `awk '…'`) or a
 *   file;
 * - after a command that joins its words to a shell line (`ssh`, `su`, `watch`, `eval`);
 * - as the command or an option of a wrapper (`env`, `xargs`, `sudo`, `find -exec`), and in a variable from which
 *   programs load code (`PATH`, `LD_PRELOAD`);
 * - after an option that by its name takes code (`-c`, `-e`, `--eval`, `--to-command`). The exceptions are programs
 *   whose option is known to take something else (`kubectl logs -c`, `grep -e`), if the rest of the word is plain text.
 *
 * Does not promise to know every program. The user must keep placeholders away from unknown programs that run their
 * arguments.
 */
export function refuseCode(words: readonly Word[]): void {
  const mayBeCommand = commandPositions(words);
  let programAt = Number.NEGATIVE_INFINITY;
  words.forEach((word, at) => {
    const name = nameOf(word);
    const isCommand = mayBeCommand(at);
    if (isCommand && isRunner(words, at - 1)) refuseInPlaceOfCommand(word);
    refuseAsLoaded(word);
    const isName = at === programAt + 1; // the `sh` of `sh -c CODE sh`
    if ((SHELLS.test(name) && !isName) || (isCommand && INTERPRETERS.test(name)))
      programAt = refuseUpToProgram(words, at, name);
    if (isCommand && LINE_RUNNERS.has(name)) refuseAfter(words, at, name);
    if (isCommand && WRAPPERS.has(name)) refuseAsCommand(words, at, name);
    if (isCommand && name === 'env' && splitsWords(words, at)) refuseAfter(words, at, 'env -S');
    if (isCommand && /^\$/.test(name) && CODE_OPTION.test(plainTextOf(words[at + 1])))
      refuseUpToProgram(words, at, name);
    if (isCommand && NAMERS.has(name)) refuseAsVariable(words, at, name);
    if (CODE_OPTION.test(plainTextOf(word))) refuseCodeText(words[at + 1], literalOf(word) as string);
    refuseAsOption(words, at, mayBeCommand);
  });
}

/**
 * Refuses a placeholder in the value of an option that by its name takes code, except for programs whose option is
 * known to take something else. The value may be in the same word (`-c{{…}}`, `--to-command={{…}}`), or in a setting
 * whose name says that it takes code (`-o ProxyCommand={{…}}`).
 */
function refuseAsOption(words: readonly Word[], at: number, mayBeCommand: (at: number) => boolean): void {
  const word = words[at] as Word;
  const prefix = prefixOf(word);
  const [, name = '', glued] = /^(-{1,2}[A-Za-z][\w-]*)(=)?/.exec(prefix) ?? [];
  const placeholder = placeholderOf(word);
  const isSetting = SETTING.test(prefix) && (prefix.startsWith('-o') || TAKES_SETTING.test(plainTextOf(words[at - 1])));
  if (placeholder && (isSetting || (glued && NAMED_CODE.test(name))))
    misplaced(placeholder, `after ${prefix}, which may take code`, SCRIPT);
  const isShort = SHORT_CODE.test(name) || (placeholder !== undefined && GLUED_CODE.test(prefix));
  if (!isShort && !NAMED_CODE.test(name)) return;
  const value = placeholder ?? (literalOf(word) === name ? placeholderOf(words[at + 1]) : undefined);
  if (
    !value ||
    (isShort && takesNoCode(programOf(words, at, mayBeCommand), name.slice(-1), placeholder ? word : words[at + 1]))
  )
    return;
  misplaced(value, `after ${isShort ? name.slice(0, 3) : name}, which may take code`, SCRIPT);
}

/** The name of the program to which an option belongs, without wrappers and assignments; '' if it is not certain. */
function programOf(words: readonly Word[], option: number, mayBeCommand: (at: number) => boolean): string {
  let at = option - 1;
  while (at > 0 && !(mayBeCommand(at) && isStart(words, at))) at--;
  while (at < option && WRAPPERS.has(nameOf(words[at] as Word))) at = commandOfWrapper(words, at);
  return at < option ? nameOf(words[at] as Word) : '';
}

/** The name of the program that a line without a shell runs, behind its wrappers. */
export function programNameOf(words: readonly Word[]): string {
  let at = words.findIndex((word) => !ASSIGNMENT.test(prefixOf(word)));
  while (at >= 0 && at < words.length && WRAPPERS.has(nameOf(words[at] as Word))) at = commandOfWrapper(words, at);
  return nameOf(words[at] ?? []);
}

/** Whether a command certainly starts here: at the first word, or after `--`, `-exec` and similar words. */
function isStart(words: readonly Word[], at: number): boolean {
  const before = words.slice(0, at);
  return before.every((word) => ASSIGNMENT.test(prefixOf(word))) || RUNS_NEXT.test(plainTextOf(words[at - 1]));
}

/** The index of the command that a wrapper runs. */
function commandOfWrapper(words: readonly Word[], at: number): number {
  const name = nameOf(words[at] as Word);
  const takesValue = valueOptionsOf(name);
  let operands = WRAPPER_OPERANDS[name] ?? 0;
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i] as Word;
    if (takesValue.test(plainTextOf(word))) i++;
    else if (/^-/.test(prefixOf(word)) || ASSIGNMENT.test(prefixOf(word))) continue;
    else if (operands > 0) operands--;
    else return i;
  }
  return words.length;
}

function takesNoCode(program: string, option: string, value: Word | undefined): boolean {
  if (!Object.hasOwn(NO_CODE, program) || !NO_CODE[program]?.includes(option)) return false;
  return (
    !SETS_ENVIRONMENT.has(program) ||
    option !== 'e' ||
    (value !== undefined && /^(?:-e)?[A-Za-z_]\w*=/.test(prefixOf(value)))
  );
}

/**
 * Refuses a line with placeholders in which a shell reads its program from stdin, because it would run what the line
 * prints. Throws `argument`.
 */
export function refusePipedCode(commands: readonly (readonly Word[])[]): void {
  const placeholder = commands.flatMap((words) => words.map(placeholderOf)).find(Boolean);
  const reader = commands.find((words) =>
    readsStdin(
      words,
      words.findIndex((word) => SHELLS.test(nameOf(word))),
    ),
  );
  if (placeholder && reader)
    misplaced(placeholder, 'in a line with a shell that runs what it reads from stdin', SCRIPT);
}

function readsStdin(words: readonly Word[], at: number): boolean {
  if (at < 0 || !commandPositions(words)(at)) return false;
  const rest = words.slice(at + 1).map((word) => plainTextOf(word));
  return rest.every((text) => /^[-+]/.test(text))
    ? !rest.some((text) => /^--(?:version|help)$/.test(text))
    : /^-[A-Za-z]*s/.test(rest[0] ?? '');
}

const SHELLS =
  /^(?:r?bash|sh|dash|zsh|yash|ysh|osh|posh|hush|xonsh|elvish|(?:[rml]|pd)?ksh(?:93)?|ash|fish|t?csh|pwsh|powershell|cmd)$/;
const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node(?:js)?|deno|bun|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua(?:jit)?[\d.]*|[gmn]?awk|g?sed|Rscript|osascript|tclsh[\d.]*|expect|wish|groovy|jshell|julia|scala|kotlin|swift|guile|racket|sbcl|octave|raku|elixir|iex|ghci|runghc|ts-node|tsx|nu|m4|bc|dc|emacs|vim?|ed|ex|gdb)$/;
/** Commands that run some of their words as a shell line, and commands of the shell that run or evaluate theirs. */
const LINE_RUNNERS = new Set(
  'ssh rsh mosh su runuser watch watchexec entr make gmake just sqlite3 pdsh clush parallel script tmux screen at batch eval trap alias source . let declare typeset [['.split(
    ' ',
  ),
);
/** Commands that run the command in their words. */
const WRAPPERS = new Set(
  'env sudo doas nohup nice ionice time timeout stdbuf setsid chroot unshare nsenter xargs exec command builtin busybox toybox chrt taskset strace ltrace gosu flock systemd-run setpriv sshpass fakeroot proot numactl unbuffer firejail bwrap runcon prlimit rlwrap su-exec tini dumb-init npx bunx uvx'.split(
    ' ',
  ),
);
/** Commands that set variables by name. Some variables decide what programs load. */
const NAMERS = new Set(['export', 'local', 'readonly', 'unset', 'read']);
/** The options of `env` whose value it splits into words. */
const SPLITS = /^(?:-[A-Za-z0]*S|--split-string)/;
/** Variables that decide what a program loads or runs. */
const LOADED =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|KUBECONFIG|KUBE_EDITOR|LD_\w+|DYLD_\w+|GIT_\w+|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w*|PERLLIB|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|CLASSPATH)\+?=/;
/** The options of wrappers whose value is a separate word. */
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
/** The number of operands of wrappers before their command. */
const WRAPPER_OPERANDS: Readonly<Record<string, number>> = {
  chroot: 1,
  flock: 1,
  gosu: 1,
  timeout: 1,
  chrt: 1,
  taskset: 1,
};
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const RUNS_NEXT = /^(?:--|-exec|-execdir|-ok|-okdir)$/;
/** Options that take code in most programs, alone or after one or two others: `-c`, `-lc`. */
const SHORT_CODE = /^-[A-Za-z]{0,2}[ce]$/;
/** Such options with their value in the same word: `-c{{…}}`, and `git -ccore.pager={{…}}`. */
const GLUED_CODE = /^-[A-Za-z]{0,2}[ce](?:$|\w+(?:\.\w+)+=)/;
/** Options whose names say that they take code or a program: `--command`, `--to-command`, `-exec`, `--rsync-path`. */
const NAMED_CODE =
  /^(?:--?(?:[a-z\d]+-)*(?:cmd|command|command-line|eval|exec|exec-batch|execute|entrypoint|script|shell|rsh|program|expression|pager|editor)|--(?:pre|rsync-path|upload-pack|receive-pack|checkpoint-action))$/i;
/** Settings that name a program, after the options that take settings: `scp -o ProxyCommand=…`. */
const SETTING = /^(?:-o)?[\w.]*(?:command|exec|editor|pager|hookspath|shell)=$/i;
const TAKES_SETTING = /^(?:-o|--option|--config)$/;
/**
 * Programs whose `-c` or `-e` takes no code, but a container, a variable, a pattern, a count or a file. If `-e` sets a
 * variable, the name of the variable must be written out.
 */
const NO_CODE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['kubectl', 'oc', 'head', 'tail', 'cut', 'wc', 'stat', 'ping', 'ping6', 'uniq', 'sort'].map((name) => [name, 'c']),
  ),
  ...Object.fromEntries(
    ['docker', 'podman', 'nerdctl', 'grep', 'egrep', 'fgrep', 'zgrep', 'rg', 'curl', 'test', '['].map((name) => [
      name,
      'ce',
    ]),
  ),
  ...Object.fromEntries(['echo', 'cat', 'ls'].map((name) => [name, 'ce'])),
};
const SETS_ENVIRONMENT = new Set(['docker', 'podman', 'nerdctl']);
const CODE_OPTION = /^(?:-[A-Za-z]*[ce]|--(?:eval|exec|execute|command|expression)|\/[ck]|-Command)$/i;
/** Options of shells and interpreters, before the program, whose value is a separate word. */
const TAKES_VALUE = /^(?:[-+][oO]|-[WXrICvF]|--(?:rcfile|init-file|require|import|loader|conditions))$/;

const SAFE_WORD = /^[\w./:@=,+-]*$/;

const ARGUMENT = `pass it as an argument to the code: sh -c 'echo "$1"' sh {{.path}}`;
const SCRIPT = 'write a script that reads the request from its stdin, and run it with --hook FILE';

function commandPositions(words: readonly Word[]): (at: number) => boolean {
  const first = words.findIndex(
    (word) => !/^(?:[A-Za-z_]\w*\+?=|(?:if|then|elif|else|while|until|do|!|\{|time)$)/.test(prefixOf(word)),
  );
  const wrapper = words.findIndex((word, at) => at === first && WRAPPERS.has(nameOf(word)));
  const starts = new Set([first]);
  words.forEach((word, at) => {
    if (/^(?:--|-exec|-execdir|-ok|-okdir)$/.test(plainTextOf(word))) starts.add(at + 1);
  });
  const wrapped = words.findIndex((word, at) => starts.has(at) && WRAPPERS.has(nameOf(word)));
  const from = [wrapper, wrapped].filter((at) => at >= 0).sort((a, b) => a - b)[0] ?? Number.POSITIVE_INFINITY;
  return (at) => starts.has(at) || at > from;
}

/** The name of the program in a word: the last part of its path. */
function nameOf(word: Word): string {
  const text = plainTextOf(word);
  return (/[^/\\]*$/.exec(text)?.[0] ?? '').replace(/\.exe$/i, '');
}

/** Refuses placeholders up to the program of a shell or an interpreter. Returns the index of the program. */
function refuseUpToProgram(words: readonly Word[], at: number, name: string): number {
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i] as Word;
    const placeholder = placeholderOf(word);
    if (placeholder) misplaced(placeholder, `where ${name} reads its program`, ARGUMENT);
    const text = plainTextOf(word);
    if (TAKES_VALUE.test(text)) {
      const value = placeholderOf(words[++i]);
      if (value) misplaced(value, `where ${name} reads its options`, ARGUMENT);
    } else if (!/^[-+]./.test(text)) return i;
  }
  return words.length;
}

/** Refuses placeholders after a command that runs its words as code. */
function refuseAfter(words: readonly Word[], at: number, name: string): void {
  const placeholder = words
    .slice(at + 1)
    .map(placeholderOf)
    .find(Boolean);
  if (placeholder) misplaced(placeholder, `after ${name}, which runs its words as code`, SCRIPT);
}

/** Refuses a placeholder as the command or in an option of a wrapper. */
function refuseAsCommand(words: readonly Word[], at: number, name: string): void {
  const takesValue = valueOptionsOf(name);
  let operands = WRAPPER_OPERANDS[name] ?? 0;
  for (let i = at + 1; i < words.length; i++) {
    const word = words[i] as Word;
    if (takesValue.test(plainTextOf(word))) {
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

/** Whether an option of this `env` splits a text into words. */
function splitsWords(words: readonly Word[], at: number): boolean {
  const rest = words.slice(at + 1);
  const command = rest.findIndex((word) => !/^(?:-|[A-Za-z_]\w*=)/.test(prefixOf(word)));
  return rest.slice(0, command < 0 ? rest.length : command).some((word) => SPLITS.test(prefixOf(word)));
}

/** Whether the word after this one is run as a command: `find -exec`, `kubectl exec pod --`. */
function isRunner(words: readonly Word[], at: number): boolean {
  const text = plainTextOf(words[at]);
  if (text !== '--') return /^-(?:exec|ok)(?:dir)?$/.test(text);
  return words.slice(1, at).some((word) => /^(?:exec|run|debug)$/.test(plainTextOf(word)));
}

function refuseInPlaceOfCommand(word: Word): void {
  const placeholder = placeholderOf(word);
  if (placeholder) misplaced(placeholder, 'in the place of a command', SCRIPT);
}

function refuseAsLoaded(word: Word): void {
  const placeholder = placeholderOf(word);
  const name = LOADED.exec(prefixOf(word))?.[0].replace(/\+?=$/, '');
  if (placeholder && name) misplaced(placeholder, `in ${name}, which decides what a program loads or runs`, SCRIPT);
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
  misplaced(placeholder, `in the text after ${option}, which may be code`, SCRIPT);
}
